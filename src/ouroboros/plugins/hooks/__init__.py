"""Programs of the person around a session: what they are, when they run, what they may say.

A hook is a command, or a question to a model. It gets JSON about one moment of a session and may
refuse, change or add something. What goes wrong in a hook is told and counts as if it had said nothing.
"""
