"""Where the value of a run goes: a file, a pipe as it is, or a terminal as it reads best."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from ouroboros.app.text import plain
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.faces.cli.invocation import note
from ouroboros.faces.wording.face import Ending, Face, Notice, Shown
from ouroboros.faces.wording.words import going_on

_WITH_VALUE = frozenset({"completed", "limit_reached:max_iterations"})


def target(name: str, cwd: Path) -> Path | None:
    """The file to write, None without a name; raises ``Misuse`` where it cannot be written."""
    if not name:
        return None
    path = cwd / Path(name).expanduser()
    if path.is_dir() or not path.parent.is_dir():
        raise Misuse(
            f"no file can be written at {name!r}", hint="name a file in an existing folder"
        )
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Misuse(f"{name!r} may not be written", hint="choose another file")
    return path


class Handing:
    """A face whose final value goes its own way; ``write`` is where values of a pipe go."""

    def __init__(
        self,
        face: Face,
        write: Callable[[str], None],
        *,
        file: Path | None,
        terminal: bool,
        moves: bool,
        verb: str = "",
        again: str = "",
    ) -> None:
        """Shows nothing yet.

        Args:
            face: Shows all but the value.
            write: Takes the value of a pipe.
            file: Takes the value instead.
            terminal: Is what ``write`` leads to.
            moves: The face draws there.
            verb: The command that goes on with the session.
            again: Options that it has to be given again.
        """
        self._verb, self._again = verb, again
        self._face, self._write, self._file = face, write, file
        self._terminal, self._moves = terminal, moves
        self._kept: str | None = None

    def begin(self) -> None:
        """A run starts."""
        self._face.begin()

    def rest(self) -> None:
        """Nothing runs any more."""
        self._face.rest()

    def take(self, envelope: Envelope) -> None:
        """Takes in one event."""
        self._face.take(envelope)

    def tell(self, told: Notice) -> None:
        """Says something that is no event."""
        self._face.tell(told)

    def finish(self, ending: Ending, session: str) -> None:
        """Takes the value out, then shows how the run ended.

        What a run without a value says last may be half a thought or code: nobody takes it for one.
        """
        shown = Shown(
            reason=ending.reason,
            final=self._rest(ending.final) if ending.reason in _WITH_VALUE else "",
            turns=ending.turns,
            spent=ending.spent,
            exit_code=ending.exit_code,
        )
        if ending.reason == "failed" and ending.final and "```" not in ending.final:
            self._face.tell(Notice(text=ending.final, level="warning"))
        if self._file is not None and self._kept is None:
            self._face.tell(Notice(text=f"nothing was written to {self._file}", level="warning"))
        self._face.finish(shown, "" if self._verb else session)
        if session and self._verb:
            self._face.tell(Notice(text=f"{going_on(session, self._verb)}{self._again}"))

    def keep(self) -> None:
        """Writes the file, which takes its time; raises ``OuroborosError`` after printing instead."""
        if self._file is None or self._kept is None:
            return
        data = self._kept.encode("utf-8", "replace")
        try:
            self._file.write_bytes(data)
        except OSError as error:
            sys.stdout.write(f"{self._kept}\n")
            raise OuroborosError(
                f"{str(self._file)!r} cannot be written: {error.strerror}",
                hint="the result was printed instead",
            ) from error
        note(f"Wrote {len(data):,} bytes to {self._file}")

    def _rest(self, value: str) -> str:
        """What of the value is still to be shown."""
        if not value:
            return ""
        if self._file is not None:
            self._kept = value
            return ""
        if self._moves:  # what is JSON must not be read as Markdown
            is_json = value.lstrip().startswith(("{", "["))
            return f"```json\n{value}\n```" if is_json else value
        value = plain(value) if self._terminal else value
        self._write(value if value.endswith("\n") else f"{value}\n")
        return ""
