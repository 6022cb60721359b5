"""Names of files after an ``@`` are completed by Tab."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ouroboros.faces.cli.prompting.line import Line
from ouroboros.faces.wording.face import Face, Notice
from ouroboros.faces.wording.mentions import begun_in, spelled
from ouroboros.faces.wording.words import one_line

_SHOWN = 8


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
