"""Names of files after an ``@`` are completed by Tab."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ouroboros.faces.cli.prompting.line import Line
from ouroboros.faces.wording.face import Face, Notice
from ouroboros.faces.wording.words import one_line

_SHOWN = 8
_BEGUN = re.compile(r"(?:^|[\s(\[{,])@(\"[^\"\n]*|[^\s\"]*)$")


class Begun(NamedTuple):
    """A name that is being typed: where it starts, after the ``@``, and what there is of it."""

    start: int
    typed: str


class Completing:
    """Asks what is there at each Tab, so that a file that was just made is found."""

    def __init__(self, face: Face, environment: Mapping[str, str], cwd: Path) -> None:
        """Reads nothing; several names that fit are shown on ``face``."""
        self._face, self._environment, self._cwd = face, environment, cwd

    async def __call__(self, line: Line) -> None:
        """Completes the name before the cursor as far as only one way goes on."""
        begun = begun_in(line.text[: line.cursor])
        if begun is None:
            return
        from ouroboros.app.naming import named  # most lines are without

        there = await named(self._cwd, self._environment)
        found = there.like(begun.typed, len(there.names))
        whole = longest(begun.typed, found)
        if whole != begun.typed:
            is_all = [name for name in found if name.startswith(whole)] == [whole]
            line.put(begun.start, spelled(whole, is_all=is_all))
        elif len(found) > 1:
            shown = found[:_SHOWN]
            self._face.tell(Notice(text="\n".join(one_line(name, 200) for name in shown)))


def begun_in(before: str) -> Begun | None:
    """The name that ends at the cursor; None where no name was begun."""
    match = _BEGUN.search(before)
    if match is None:
        return None
    return Begun(match.start(1), match[1].removeprefix('"'))


def longest(typed: str, found: Sequence[str]) -> str:
    """What the typed text surely goes on to; the text itself where that is open.

    Names that begin so go before those that only hold its letters.
    """
    alike = [name for name in found if name.startswith(typed)] or list(found)
    if len(alike) == 1:
        return alike[0]
    same = 0
    while alike and same < min(map(len, alike)) and len({name[same] for name in alike}) == 1:
        same += 1
    return alike[0][:same] if same > len(typed) else typed


def spelled(name: str, *, is_all: bool) -> str:
    """A name as it stands in a line; one with blanks is quoted, and the quote left open for more."""
    is_open = not is_all or name.endswith("/")
    if " " not in name:
        return name if is_open else f"{name} "
    return f'"{name}' if is_open else f'"{name}" '
