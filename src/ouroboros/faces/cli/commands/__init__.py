"""One module for each command of ``ouro``, in a folder for each subject; each has a click command named ``command``.

Refuses: to be imported before the command is asked for.
"""
