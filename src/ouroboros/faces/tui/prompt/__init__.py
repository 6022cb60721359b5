"""The line that a person types into: its text, keys, history, completions, and lines that are commands.

Refuses: to answer questions, to draw the conversation, and to know more of the engine than what it is told.
"""
