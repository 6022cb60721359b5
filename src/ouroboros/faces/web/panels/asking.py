"""What the routes of panels have in common: which session is asked about, and what is secret."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread
from starlette.requests import Request

from ouroboros.app.config.layers import Loaded
from ouroboros.app.past import sessions
from ouroboros.app.secrecy import secrets
from ouroboros.app.workplace.changed import CheckpointFailed
from ouroboros.app.workplace.explorer import FileAbsent
from ouroboros.core.errors import SessionUnknown
from ouroboros.faces.web.routing import Refused
from ouroboros.faces.web.site import Site

SECONDS = 25.0
"""How long an answer of a panel may take; the page gives up a little later."""


async def quickly[T](job: Callable[[], T]) -> T:
    """Does something in a thread.

    Raises:
        Refused: It takes too long (503), there is nothing of that name (404), or the files as
            they were cannot be had (409).
    """
    try:
        with anyio.fail_after(SECONDS):
            return await to_thread.run_sync(job, abandon_on_cancel=True)
    except TimeoutError as late:
        raise Refused(
            503, f"this took more than {SECONDS:.0f} s", hint="try it again in a moment"
        ) from late
    except FileAbsent as absent:
        raise Refused(404, absent.message, hint=absent.hint) from absent
    except CheckpointFailed as failed:
        raise Refused(409, failed.message, hint=failed.hint) from failed


def session_of(request: Request) -> str:
    """The session that the address names."""
    return request.path_params["session"]


class Ground:
    """What is known of a session without opening it; every method blocks."""

    def __init__(self, site: Site, session: str) -> None:
        """Raises ``SessionUnknown`` where there is none of exactly this name."""
        self.site = site
        self.kept = _one(site.home, session)

    @property
    def cwd(self) -> Path:
        """Its folder, links resolved."""
        return Path(self.kept.cwd).resolve()

    def loaded(self) -> Loaded:
        """The settings of its folder; those of the server's where that is gone."""
        return loaded(self.site, self.cwd)

    def clean(self) -> Callable[[str], str]:
        """Takes secrets out of a text."""
        return secrets(self.site.outfit.environment, self.loaded().settings).redacted


def loaded(site: Site, cwd: Path | None = None) -> Loaded:
    """The settings that count in a folder, as they are now; blocking."""
    folder = cwd or site.outfit.cwd
    return site.outfit.loaded(folder if folder.is_dir() else site.outfit.cwd)


async def settings_at(site: Site, request: Request) -> tuple[Path, Loaded]:
    """The folder of the session that the query names, or the server's, and its settings."""
    session = request.query_params.get("session", "")

    def job() -> tuple[Path, Loaded]:
        cwd = Ground(site, session).cwd if session else site.outfit.cwd
        return cwd, loaded(site, cwd)

    return await quickly(job)


async def on_ground[T](site: Site, request: Request, job: Callable[[Ground], T]) -> T:
    """Does something with the session that the address names, in a thread; raises as ``quickly``."""
    session = session_of(request)
    asked = partial(_with_ground, site, session, job)
    try:
        return await quickly(asked)
    except SessionUnknown:
        room = site.hub.room(session)
        if room is None:
            raise
        # It was opened a moment ago, and is not on disk yet.
        with anyio.move_on_after(SECONDS):
            await room.session.settle()
    return await quickly(asked)


def _with_ground[T](site: Site, session: str, job: Callable[[Ground], T]) -> T:
    return job(Ground(site, session))


def _one(home: Path, session: str) -> sessions.Session:
    found = sessions.find(home, session)
    if found.id != session:
        raise SessionUnknown(f"there is no session {session!r}", hint="name it by its whole id")
    return found
