"""What a bundle holds, whatever dialect it is written in."""

from typing import Literal

from msgspec import Struct

VERSION = "1.0"

type Dialect = Literal["v1", "paws"]
"""Fences with a head before them; cat markers."""


class Metadata(Struct, frozen=True, kw_only=True):
    """How a bundle came to be.

    Attributes:
        source_session: The work session that its files are from; None for none.
        ai_curation_confidence: Of a curated one, how sure the choice is, from 0 to 1.
    """

    source_session: str | None = None
    curation_method: Literal["manual", "ai_curated"] = "manual"
    ai_curation_confidence: float | None = None


class Head(Struct, frozen=True, kw_only=True):
    """What stands before the files.

    Attributes:
        is_delta_ready: Lines are numbered, so that an answer may name them.
        persona: Words for the model that come first.
        system: Words for the model that come after those.
    """

    version: str = VERSION
    task_description: str = ""
    metadata: Metadata = Metadata()
    is_delta_ready: bool = False
    persona: bytes = b""
    system: bytes = b""


class File(Struct, frozen=True, kw_only=True):
    """One file, byte for byte.

    Attributes:
        path: Below the project's root, with ``/`` between its parts.
        is_executable: Its owner may run it.
        is_outline: ``data`` is an outline of the file instead.
        block: Its number in the bundle that it was read from, from 1.
        line: Where it begins there, from 1.
    """

    path: str
    data: bytes
    is_executable: bool = False
    is_outline: bool = False
    block: int = 0
    line: int = 0


class Bundle(Struct, frozen=True, kw_only=True):
    """A bundle that was read."""

    head: Head
    files: tuple[File, ...]
    dialect: Dialect = "v1"
