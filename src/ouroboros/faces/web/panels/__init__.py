"""The routes behind the panels of the page: the past, files, what was kept, spending, settings.

Each module has ``routes(site)``. What is read from the disk is read in threads, bounded, and without
the secrets that this process knows.
"""

from ouroboros.faces.web.panels import (
    changes,
    conversation,
    files,
    kept,
    past,
    providers,
    rules,
    settings,
    spending,
)
from ouroboros.faces.web.routing import Described
from ouroboros.faces.web.site import Site

__all__ = ["routes"]

_PANELS = (changes, conversation, files, kept, past, providers, rules, settings, spending)


def routes(site: Site) -> list[Described]:
    """The routes of all panels."""
    return [route for panel in _PANELS for route in panel.routes(site)]
