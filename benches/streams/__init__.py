"""Files of many records beside other formats: `make bench-streams`."""
