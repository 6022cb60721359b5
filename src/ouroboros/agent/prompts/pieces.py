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

_HERE = Path(__file__).parent


def load(folder: Path | None = None) -> Prompts:
    """All pieces of a folder by name; each file opens with a line ``version: N``. Blocking."""
    paths = sorted((folder or _HERE).glob("*.md"))
    return {path.stem: _read(path) for path in paths}


def task(name: str) -> Piece:
    """The words of a task that a person starts by its name; no session reads them before. Blocking."""
    return _read(_HERE / "tasks" / f"{name}.md")


def _read(path: Path) -> Piece:
    head, _, text = path.read_text(encoding="utf-8").partition("\n")
    version = head.removeprefix("version:").strip()
    return Piece(name=path.stem, version=version, text=text.strip())
