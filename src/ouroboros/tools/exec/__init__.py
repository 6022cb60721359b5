"""Commands that live: how one is started, what is kept of its output, and the table of them.

``Starter`` starts a command in the cage of its call; ``Running`` is one with what it said since it was
last read; ``Processes`` holds them until they end, are pushed out, or the session ends.
"""
