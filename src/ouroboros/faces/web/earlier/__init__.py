"""Websockets in the names of two earlier designs, for programs that know only those.

Refuses: to do more than a command, a question or an event of today under its old name.
"""

from ouroboros.faces.web.earlier import first, second

__all__ = ["first", "second"]
