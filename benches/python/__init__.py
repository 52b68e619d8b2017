"""Compares holdall with other serializers of Python objects. `make bench-python` runs it."""
