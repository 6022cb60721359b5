"""Open sessions for any number of faces in one process: a run goes on when no face looks.

Refuses: to decide anything a session decides; it opens, counts who looks, and closes.
"""

from ouroboros.app.hub.feed import Gap
from ouroboros.app.hub.hub import Hub, hub
from ouroboros.app.hub.outfit import Outfit
from ouroboros.app.hub.room import Room

__all__ = ["Gap", "Hub", "Outfit", "Room", "hub"]
