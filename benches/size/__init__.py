"""The size of a program that writes and reads one struct, and the time to compile it."""
