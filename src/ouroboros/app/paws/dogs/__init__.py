"""Applies what a model answered: shown, chosen, written, judged by a command, and taken back whole."""
