"""What events and states are called before a person, for every face that speaks in text.

Refuses: to draw, and to hold what a session is; the screen of a face is its own business.
"""
