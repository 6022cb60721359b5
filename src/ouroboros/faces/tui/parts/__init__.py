"""What cards and screens are made of: a list to choose from, long text, a line to type into.

Refuses: to know a session; text comes in, choices go out.
"""
