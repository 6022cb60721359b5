"""The browser inside the page: pictures of tabs go down, what a person does goes up."""

from ouroboros.faces.web.live.route import routes

__all__ = ["routes"]
