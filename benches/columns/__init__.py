"""Compares holdall with columnar formats and compressors on columns."""
