"""Agents by name, joined with the engine: made, run as a program of their own, stopped, and their work handed over."""
