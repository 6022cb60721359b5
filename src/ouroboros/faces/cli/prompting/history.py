"""What the person typed before, kept in the home folder for them alone."""

import os
from pathlib import Path

import msgspec

_KEPT = 1_000


class History:
    """The messages typed before, oldest first, each a JSON string on a line of its own."""

    def __init__(self, home: Path) -> None:
        """Reads what is there; a file that cannot be read is an empty history."""
        self._path = home / "history"
        self.entries: list[str] = _read(self._path)[-_KEPT:]

    def add(self, text: str) -> None:
        """Keeps a message; the same one twice in a row is kept once."""
        if self.entries and self.entries[-1] == text:
            return
        self.entries.append(text)
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError:
            # Typing on matters more than remembering it.
            return
        with os.fdopen(file, "ab") as opened:
            os.fchmod(opened.fileno(), 0o600)
            opened.write(msgspec.json.encode(text) + b"\n")


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    decoder = msgspec.json.Decoder(str)
    entries: list[str] = []
    for line in lines:
        try:
            entries.append(decoder.decode(line))
        except msgspec.DecodeError:
            continue
    return entries
