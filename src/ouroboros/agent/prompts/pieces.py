"""Reads a piece of prompt and its version from the file beside this one."""

from pathlib import Path

from msgspec import Struct


class Piece(Struct, frozen=True, kw_only=True):
    """A named, versioned text."""

    name: str
    version: str
    text: str


def load(name: str) -> Piece:
    """The piece ``name``; its file opens with a line ``version: N``."""
    raw = (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")
    head, _, text = raw.partition("\n")
    return Piece(name=name, version=head.removeprefix("version:").strip(), text=text.strip())
