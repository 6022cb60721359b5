"""Lets the person choose one of a folder's latest sessions."""

from pathlib import Path

import click

from ouroboros.app.past import sessions
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.invocation import note
from ouroboros.faces.wording import table
from ouroboros.faces.wording.words import count, one_line

_SHOWN = 15


def pick(home: Path, cwd: Path, *, person: bool) -> str:
    """The chosen session's id.

    Raises:
        Misuse: There is none to choose from, or nobody to choose.
    """
    found = sessions.list_sessions(home, cwd=str(cwd), limit=_SHOWN)
    if not found:
        raise Misuse(
            f"there is no session of {str(cwd)!r} to resume",
            hint="`ouro sessions list` shows those of other folders",
        )
    for number, each in enumerate(found, 1):
        title = one_line(each.title) or "(no words yet)"
        cells = (f"{number}", table.moment(each.updated), each.id, title)
        for line in table.lines(cells, table.columns() or 100):
            note(line)
    if not person:
        raise Misuse(
            "--resume needs a session's name where nobody can choose",
            hint=f"for example: --resume {found[0].id}",
        )
    while True:
        answer = str(click.prompt("Number or name", err=True, prompt_suffix=": ")).strip()
        if answer.isdecimal() and 1 <= int(answer) <= len(found):
            return found[int(answer) - 1].id
        meant = [each.id for each in found if each.id.startswith(answer)]
        if len(meant) == 1:
            return meant[0]
        note(f"{one_line(answer)!r} names {count(len(meant), 'session')}; choose 1 to {len(found)}")
