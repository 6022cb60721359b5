"""One module for each command of ``ouro``, by subject; each has a click command named ``command``.

Refuses: to be imported before the command is asked for.
"""
