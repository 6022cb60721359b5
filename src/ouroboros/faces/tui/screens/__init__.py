"""What covers the conversation for a while: sessions, turns to go back to, models, help, long text.

Refuses: to keep state of its own; each asks the engine when it opens.
"""
