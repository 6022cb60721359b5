"""What was kept with a session besides its words: screenshots, downloads, pages as PDF; it blocks."""

import os
from pathlib import Path

from msgspec import Struct

from ouroboros.app.past import sessions
from ouroboros.app.workplace.explorer import FileAbsent, opened_file, picture_of
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.store.layout import Layout

MOST = 2_000
"""So many are listed, the latest first."""

_HEAD_BYTES = 16


class Kept(Struct, frozen=True, kw_only=True):
    """One file.

    Attributes:
        name: In its folder; what it is asked for by.
        id: As its event calls it, which a session that went on uses again; empty without one.
        kind: ``download``, ``screenshot``, ``pdf``, ``picture`` or ``file``.
        origin: The page that it came from, if any.
        is_picture: It can be shown as it is, by what is in it.
    """

    name: str
    kind: str
    bytes: int
    at: float
    id: str = ""
    mime: str = ""
    origin: str = ""
    is_picture: bool = False


def listed(home: Path, session: str) -> tuple[Kept, ...]:
    """The files that are there, the latest first; raises ``SessionUnknown``."""
    folder = Layout(home).artifacts(session)
    events = sessions.artifacts(sessions.events(home, session).envelopes)
    known = {Path(event.path).name: event for event in events}
    if not folder.is_dir():
        return ()
    found: list[Kept] = []
    with os.scandir(folder) as names:
        for each in names:
            is_whole = not each.name.startswith(".") and _is_text(each.name)
            if is_whole and each.is_file(follow_symlinks=False):
                found.append(_kept(folder, each, known.get(each.name)))
    found.sort(key=lambda kept: (-kept.at, kept.name))
    return tuple(found[:MOST])


def opened(home: Path, session: str, name: str) -> tuple[int, str]:
    """A descriptor of one of them, and what it is as a picture, if it is one; raises ``FileAbsent``."""
    if "/" in name or name.startswith("."):
        raise FileAbsent(f"{name[:200]!r} is not kept with this session")
    descriptor = opened_file(Layout(home).artifacts(session).resolve(), name)
    return descriptor, picture_of(os.pread(descriptor, _HEAD_BYTES, 0))


def _kept(folder: Path, each: "os.DirEntry[str]", event: ArtifactKept | None) -> Kept:
    seen = each.stat(follow_symlinks=False)
    try:
        with (folder / each.name).open("rb") as file:
            mime = picture_of(file.read(_HEAD_BYTES))
    except OSError:
        mime = ""
    return Kept(
        name=each.name,
        id=event.id if event else "",
        kind=event.kind if event else "picture" if mime else "file",
        bytes=seen.st_size,
        at=seen.st_mtime,
        mime=mime or (event.mime if event else ""),
        origin=event.origin if event else "",
        is_picture=bool(mime),
    )


def _is_text(name: str) -> bool:
    return name.isprintable() and os.fsencode(name).decode("utf-8", "replace") == name
