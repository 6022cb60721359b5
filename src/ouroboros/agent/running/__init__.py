"""A run while it goes on: calls begun early, calls repeated, where it ends, what a crash left open."""
