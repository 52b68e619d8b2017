"""Measures columns beside columnar formats and compressors."""
