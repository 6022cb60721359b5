"""What went to models and came back, as a file.

A cassette is one JSON object: ``version`` 1, ``setup`` (what was chosen, as settings by name), and
``exchanges`` in the order in which they began. A body is text, or base64 where ``encoding`` says so.
There is no time in it, and no header but the ones named here. ``failure`` says how the network, not
the model, ended an exchange. What looked like a secret is marked; a binary answer that held one is
``withheld``.
"""

import re
from typing import Literal

import msgspec
from msgspec import Struct, field

from ouroboros.core.errors import Failure, Misuse
from ouroboros.llm.cassettes.tap import Setup
from ouroboros.llm.fields import UNREADABLE
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.secrets.key_shapes import without_keys

VERSION = 1


class Exchange(Struct, kw_only=True, omit_defaults=True):
    """One request and what came of it; ``status`` is 0 where no answer came."""

    method: str
    url: str
    request: str
    headers: dict[str, str] = field(default_factory=dict[str, str])
    status: int = 0
    answer_headers: dict[str, str] = field(default_factory=dict[str, str])
    answer: str = ""
    encoding: Literal["text", "base64"] = "text"
    withheld: bool = False
    failure: Failure | None = None


class Cassette(Struct, kw_only=True):
    """A whole recording."""

    version: int = VERSION
    setup: Setup = Setup()
    exchanges: list[Exchange] = field(default_factory=list[Exchange])


class _Version(Struct):
    version: int


def address(url: str, leaks: Leaks) -> str:
    """A URL without secrets, that is still one."""
    return re.sub(r"\[REDACTED:([^]]*)\]", r"redacted-\1", without_keys(leaks.redacted(url)))


def parse(content: bytes, name: str) -> Cassette:
    """Reads a cassette; ``name`` is the file to blame in a ``Misuse``."""
    try:
        version = msgspec.json.decode(content, type=_Version).version
        if version <= VERSION:
            return msgspec.json.decode(content, type=Cassette)
    except UNREADABLE as error:
        raise Misuse(
            f"{name} is no recording: {error}.", hint="make one with: ouro run --record FILE TASK"
        ) from error
    raise Misuse(
        f"{name} is a recording of version {version}, and this program knows version {VERSION}.",
        hint="play it with a later version of the program",
    )
