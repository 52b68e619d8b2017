"""Compares holdall with other formats in files of many records: `make bench-streams`."""
