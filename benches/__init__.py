"""Benchmarks in Python: of objects, of files."""
