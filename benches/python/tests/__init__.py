"""Tests of the benchmark of Python objects: `make bench-python-test`."""
