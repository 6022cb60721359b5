"""Websockets in the names of two earlier designs, for programs that know only those.

Refuses: to do more than a command, a question or an event of today under its old name.
"""

from ouroboros.faces.web.earlier import first, second
from ouroboros.faces.web.routing import DescribedSocket
from ouroboros.faces.web.site import Site

__all__ = ["routes"]


def routes(site: Site) -> list[DescribedSocket]:
    """Both websockets."""
    return [first.route(site), second.route(site)]
