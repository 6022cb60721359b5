"""Speaking to models: wire protocols as pure functions, providers as table entries, one transport.

Refuses: to know about tools, sessions or prompts. A protocol does no I/O and reads no clock.
"""
