"""The variables of a REPL on disk, for a session that is resumed or goes on from elsewhere."""

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

import msgspec
from msgspec import Struct

from ouroboros.core.state import State
from ouroboros.repl.taint import Saved
from ouroboros.safety.private_file import replacing
from ouroboros.store.layout import Layout

MOST = 200
"""So many earlier ones of a REPL are kept besides the last, the newest ones."""

ALL_BYTES = 268_435_456
"""Of all of them together."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """Variables as the isolate wrote them, and what their code had read."""

    variables: bytes
    saved: Saved


class Found(Struct, frozen=True, kw_only=True):
    """What there is of the variables for where the conversation stands.

    Attributes:
        is_older: They have changed since they were kept.
        gone: What those are called that are not here any more.
    """

    checkpoint: Checkpoint | None = None
    is_older: bool = False
    gone: tuple[str, ...] = ()


class _Head(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line of the file; ``moves`` as those of the session when it was written."""

    hash: str
    saved: Saved
    moves: int | None = None


class Checkpoints:
    """One file, replaced at once, and earlier ones of it; every function here blocks.

    Each may raise ``OSError``.
    """

    def __init__(self, file: Path, state: State) -> None:
        """Makes nothing yet; ``state`` knows where the conversation stands."""
        self._file, self._state = file, state
        self._last, self._name, self._moves = b"", "", state.moves

    @property
    def is_left(self) -> bool:
        """The conversation went on from elsewhere than where these were loaded."""
        return self._moves != self._state.moves

    @classmethod
    def of(cls, home: Path, state: State, name: str = "main") -> "Checkpoints":
        """Those of one REPL of a session."""
        return cls(Layout(home).variables(state.session) / f"{name}.variables", state)

    def keep(self, checkpoint: Checkpoint) -> str:
        """Puts it in the place of the last one, if anything has changed; gives the name that it has."""
        digest = sha256(checkpoint.variables).hexdigest()
        head = _Head(hash=digest, saved=checkpoint.saved, moves=self._moves)
        line = msgspec.json.encode(head)
        if line != self._last:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._file) as file:
                file.write(line + b"\n" + checkpoint.variables)
            self._last, self._name = line, sha256(line).hexdigest()[:24]
            self._keep_also(self._earlier(self._name))
        return self._name

    def load(self) -> Found | None:
        """Those of where the conversation stands; None where there never were any.

        The last one is right after a kill; once the conversation went on from elsewhere it is that
        of the place it came to.
        """
        self._moves = self._state.moves
        head, last = _read(self._file)
        if head is not None and head.moves in {None, self._moves}:
            return Found(checkpoint=last)
        held = self._state.held
        if not held.name:
            return None
        _, kept = _read(self._earlier(held.name))
        if kept is None:
            return Found(gone=held.names)
        return Found(checkpoint=kept, is_older=held.is_older)

    def _earlier(self, name: str) -> Path:
        return self._file.with_name(f"{self._file.stem}.{name}.variables")

    def _keep_also(self, path: Path) -> None:
        """Keeps what was just written under a name of its own, and drops the oldest of too many."""
        try:
            os.link(self._file, path)
        except FileExistsError:
            os.utime(path)
        except OSError:  # not every disk has links
            with suppress(OSError):
                copyfile(self._file, path)
                path.chmod(0o600)
        found: list[tuple[float, int, Path]] = []
        for each in path.parent.glob(f"{self._file.stem}.*.variables"):
            facts = each.stat()
            found.append((facts.st_mtime, facts.st_size, each))
        room = ALL_BYTES
        for number, (_, size, each) in enumerate(sorted(found, reverse=True)):
            room -= size
            if number >= MOST or (room < 0 and number):
                each.unlink(missing_ok=True)


def _read(path: Path) -> tuple[_Head | None, Checkpoint | None]:
    """A file's head and what it holds; None when there is none or it is damaged."""
    try:
        line, _, variables = path.read_bytes().partition(b"\n")
        head = msgspec.json.decode(line, type=_Head)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeError):
        return None, None
    if head.hash != sha256(variables).hexdigest():
        return None, None
    return head, Checkpoint(variables=variables, saved=head.saved)
