"""Python objects: holdall beside other serializers. Run by `make bench-python`."""
