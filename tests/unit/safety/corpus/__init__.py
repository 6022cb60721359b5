"""Texts with and without secrets and hidden orders, made anew from a seed."""
