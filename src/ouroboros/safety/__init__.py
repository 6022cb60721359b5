"""May this happen, and in what cage: rules, paths, process spawning, sandboxes, sanitizing, leaks.

Refuses: to run a tool, to talk to a model, or to remember anything. It answers questions and opens doors.
"""
