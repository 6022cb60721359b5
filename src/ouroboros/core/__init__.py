"""The vocabulary every room shares: parts, events, commands, the state fold, errors, limits, ids, clock.

Refuses: any input or output. Nothing here opens a file, a socket or a database, or reads the clock by itself.
"""
