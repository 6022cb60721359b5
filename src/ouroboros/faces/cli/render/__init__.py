"""What a terminal, a pipe or a program is shown of a run.

Refuses: to change anything. It reads events and writes text; every word of a model, a tool or a
person passes ``app.text.plain`` before it reaches a terminal.
"""
