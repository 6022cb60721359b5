"""Git's own words about how far it is, as values; a pure reading."""

import re
from typing import Literal

from msgspec import Struct

type Stage = Literal["asking", "counting", "receiving", "resolving", "checking", "writing", "done"]

_LINE = re.compile(
    r"(?:remote: )?(?P<what>[A-Z][a-z]+ [a-z]+): +(?P<percent>\d{1,3})% \((?P<done>\d+)/(?P<total>\d+)\)"
    r"(?:, (?P<size>[\d.]+) (?P<unit>bytes|[KMG]iB))?"
)
_STAGES: dict[str, Stage] = {
    "Counting objects": "counting",
    "Compressing objects": "counting",
    "Receiving objects": "receiving",
    "Unpacking objects": "receiving",
    "Resolving deltas": "resolving",
    "Checking objects": "checking",
    "Updating files": "writing",
}
_UNITS = {"bytes": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
_MOST_LINE = 2000


class Progress(Struct, frozen=True, kw_only=True):
    """How far a repository is.

    Attributes:
        percent: Of this stage; -1 where nobody knows.
        bytes: Received so far.
    """

    stage: Stage
    percent: int = -1
    done: int = 0
    total: int = 0
    bytes: int = 0


def read_line(line: str) -> Progress | None:
    """What one line says; None for other words."""
    found = _LINE.match(line[:_MOST_LINE])
    stage = _STAGES.get(found["what"]) if found else None
    if found is None or stage is None:
        return None
    size = float(found["size"]) * _UNITS[found["unit"]] if found["size"] else 0.0
    return Progress(
        stage=stage,
        percent=min(100, int(found["percent"])),
        done=int(found["done"][:15]),
        total=int(found["total"][:15]),
        bytes=int(size),
    )


class Lines:
    """Cuts a stream into lines; git ends those it writes over with a carriage return."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are whole now; one without an end is given up beyond a bound."""
        *whole, rest = re.split(rb"[\r\n]", self._rest + data)
        self._rest = rest[-_MOST_LINE:]
        return [line.decode("utf-8", "replace").strip() for line in whole if line.strip()]

    def end(self) -> list[str]:
        """What was left without an end."""
        rest, self._rest = self._rest, b""
        text = rest.decode("utf-8", "replace").strip()
        return [text] if text else []
