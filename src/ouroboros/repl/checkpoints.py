"""The variables of a REPL on disk, for a session that is resumed."""

from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.repl.taint import Saved
from ouroboros.safety.private_file import replacing
from ouroboros.store.layout import Layout


class Checkpoint(Struct, frozen=True, kw_only=True):
    """Variables as the isolate wrote them, and what their code had read."""

    variables: bytes
    saved: Saved


class _Head(Struct, frozen=True, kw_only=True):
    hash: str
    saved: Saved


class Checkpoints:
    """One file, replaced at once; every function here blocks and may raise ``OSError``."""

    def __init__(self, file: Path) -> None:
        """Makes nothing yet."""
        self._file = file
        self._last = ""

    @classmethod
    def of(cls, home: Path, session: str, name: str = "main") -> "Checkpoints":
        """Those of one REPL of a session."""
        return cls(Layout(home).variables(session) / f"{name}.variables")

    def keep(self, checkpoint: Checkpoint) -> None:
        """Puts it in the place of the last one, if anything has changed."""
        head = _Head(hash=sha256(checkpoint.variables).hexdigest(), saved=checkpoint.saved)
        line = msgspec.json.encode(head)
        if line.decode() == self._last:
            return
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(self._file) as file:
            file.write(line + b"\n" + checkpoint.variables)
        self._last = line.decode()

    def load(self) -> Checkpoint | None:
        """The last one; None when there is none or it is damaged."""
        try:
            line, _, variables = self._file.read_bytes().partition(b"\n")
            head = msgspec.json.decode(line, type=_Head)
        except (FileNotFoundError, msgspec.DecodeError, UnicodeError):
            return None
        if head.hash != sha256(variables).hexdigest():
            return None
        return Checkpoint(variables=variables, saved=head.saved)
