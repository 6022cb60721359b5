"""The routes of all panels."""

from ouroboros.faces.web.panels import (
    changes,
    conversation,
    files,
    kept,
    lines,
    past,
    providers,
    rules,
    settings,
    spending,
    trusting,
)
from ouroboros.faces.web.routing import Described
from ouroboros.faces.web.site import Site

_PANELS = (
    changes,
    conversation,
    files,
    kept,
    lines,
    past,
    providers,
    rules,
    settings,
    spending,
    trusting,
)


def routes(site: Site) -> list[Described]:
    """The routes of all panels."""
    return [route for panel in _PANELS for route in panel.routes(site)]
