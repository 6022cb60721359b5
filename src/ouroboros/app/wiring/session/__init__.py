"""One open session: what it is opened with, what it goes on from, and how it begins."""

from ouroboros.app.wiring.session.door import opened
from ouroboros.app.wiring.session.opening import Built, Opening

__all__ = ["Built", "Opening", "opened"]
