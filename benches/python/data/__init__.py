"""The measured kinds of data: each module makes one kind from a seed, the same on every machine."""
