"""Tests of the reference decoder. `support` has what they share."""
