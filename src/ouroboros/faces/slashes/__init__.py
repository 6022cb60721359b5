"""The commands that a person types behind a slash, by name, for every face that has a line to type into.

Refuses: to read keys or to draw; a command sends wishes to the session and tells words.
"""
