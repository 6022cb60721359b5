"""Measuring and changing ourselves: evaluation and evolution.

Refuses: to change the running source; it works on a copy. Not built yet.
"""
