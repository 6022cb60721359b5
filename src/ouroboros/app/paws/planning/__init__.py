"""Rehearses a task: its calls are written down and not done, and later reads see what was planned."""
