"""Judging addresses, and the doors to the network."""
