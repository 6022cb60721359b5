"""What the list of sessions asks for: of those on the disk, and of those that are open here."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from ouroboros.core.commands import SetTitle
from ouroboros.core.errors import Misuse
from ouroboros.faces.tui.host import Host

if TYPE_CHECKING:
    from ouroboros.app.hub import Room
    from ouroboros.app.past.sessions import Session

_SHOWN = 200
_HITS = 50
_SAID = 8


async def find(host: Host, words: str, *, everywhere: bool) -> "list[tuple[Session, str]]":
    """Sessions, the latest or the best first, each with the place that has the words.

    Those in which nothing was said are left out.

    Raises:
        StoreFailed: The database cannot be read.
    """
    cwd = None if everywhere else str(host.cwd)
    return await to_thread.run_sync(_found, host.loaded.home, cwd, words.strip())


async def said(host: Host, session: str) -> list[tuple[str, str]]:
    """Who said what last, at the end of the branch that goes on."""
    return await to_thread.run_sync(_said, host.loaded.home, session)


async def fork(host: Host, session: str) -> str:
    """Another session that begins like this one, by its id.

    Raises:
        OuroborosError: It cannot be read, or the new one cannot be kept.
    """
    room = open_room(host, session)
    if room is not None:
        return await room.session.fork()
    return await to_thread.run_sync(_forked, host.loaded.home, session)


async def rename(host: Host, session: str, title: str) -> None:
    """Calls it by another title.

    Raises:
        SessionBusy: Another program has it open.
    """
    from ouroboros.app.past import sessions

    room = open_room(host, session)
    if room is not None:
        await room.send(SetTitle(title=title))
    else:
        await to_thread.run_sync(sessions.rename, host.loaded.home, session, title)


async def delete(host: Host, session: str) -> None:
    """Removes it for good.

    Raises:
        Misuse: It is on the screen, or at work.
        SessionBusy: Another program has it open.
    """
    room = open_room(host, session)
    if room is not None:
        if host.room is not None and host.room.id == session:
            raise Misuse("this session is on the screen", hint="go to another one first")
        if room.running:
            raise Misuse("this session is at work", hint="stop it first")
        assert host.hub is not None
        await host.hub.close(session)
    await to_thread.run_sync(_delete, host.loaded.home, session)


def open_room(host: Host, session: str) -> "Room | None":
    """The room of a session that is open here."""
    return host.hub.room(session) if host.hub is not None else None


def standing(room: "Room") -> str:
    """What goes on in a room, in a word."""
    if room.state.is_asking:
        return "asks"
    if room.running:
        return "at work"
    if room.state.proposed:
        return "has a plan"
    return "failed" if room.problem is not None or room.state.status == "failed" else "rests"


def _found(home: Path, cwd: str | None, words: str) -> "list[tuple[Session, str]]":
    from ouroboros.app.past import sessions
    from ouroboros.app.past.searching import talks

    if words:
        return [(x.session, x.excerpt) for x in talks(home, words, cwd=cwd, limit=_HITS)]
    listed = sessions.list_sessions(home, cwd=cwd, limit=_SHOWN)
    return [(each, "") for each in listed if each.turns or each.title]


def _said(home: Path, session: str) -> list[tuple[str, str]]:
    from ouroboros.app.past import sessions

    state = sessions.describe(sessions.events(home, session).envelopes)
    plain = [each for each in state.history if each.kind != "context" and each.text.strip()]
    return [("you" if each.role == "user" else "it", each.text) for each in plain[-_SAID:]]


def _forked(home: Path, session: str) -> str:
    from ouroboros.app.past import sessions
    from ouroboros.app.past.forking import fork_aside

    state = sessions.describe(sessions.events(home, session).envelopes)
    if not state.tree.head:
        raise Misuse("nothing was said in this session", hint="open it instead")
    return fork_aside(home, session, state.tree.head)


def _delete(home: Path, session: str) -> None:
    from ouroboros.app.past import sessions
    from ouroboros.app.rewind.offline import forget

    sessions.delete(home, session, beside=(partial(forget, home),))
