"""The kinds of data that are measured: one module makes one kind, from a seed, the same on every machine."""
