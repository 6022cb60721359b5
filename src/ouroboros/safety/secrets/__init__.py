"""Secrets that nobody told us of: found by the formats that vendors publish, and by their names.

Pure, and linear in the length of a text: a pass over its words, then one anchored expression for
each word that begins like a key. ``detector.Detector`` is what a session uses.
"""
