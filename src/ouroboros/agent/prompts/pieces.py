"""Reads the pieces of prompt and their versions from the files beside this one."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


class Piece(Struct, frozen=True, kw_only=True):
    """A named, versioned text."""

    name: str
    version: str
    text: str


type Prompts = Mapping[str, Piece]


def load(folder: Path | None = None) -> Prompts:
    """All pieces of a folder by name; each file opens with a line ``version: N``. Blocking."""
    pieces: dict[str, Piece] = {}
    for path in sorted((folder or Path(__file__).parent).glob("*.md")):
        head, _, text = path.read_text(encoding="utf-8").partition("\n")
        version = head.removeprefix("version:").strip()
        pieces[path.stem] = Piece(name=path.stem, version=version, text=text.strip())
    return pieces
