"""`ouro rewind`: bring files, the conversation or both back to before a turn."""

from typing import TYPE_CHECKING

import click
from msgspec import Struct

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.asking import is_person_there
from ouroboros.faces.cli.commands.past import restoring
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json
from ouroboros.faces.wording.words import count

if TYPE_CHECKING:
    from ouroboros.app.rewind.offline import Records
    from ouroboros.app.rewind.points import Point


@click.command("rewind")
@click.argument("session", default="")
@click.option("--to", "turn", metavar="TURN", default="", help="Before this turn; 1 is the latest.")
@click.option("--files", "what", flag_value="files", help="Only the files.")
@click.option("--conversation", "what", flag_value="conversation", help="Only the conversation.")
@click.option("--both", "what", flag_value="both", default="both", help="Both; so by default.")
@click.option("--yes", is_flag=True, help="Do not ask; what others changed since goes too.")
@click.option("--keep", is_flag=True, help="Leave what others changed since as it is.")
@click.option("--dry-run", is_flag=True, help="Print what would change in files, and do nothing.")
@click.option("--finish", is_flag=True, help="Go on with a rewind that was cut off.")
@click.option("--take-back", is_flag=True, help="Undo a rewind that was cut off.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    session: str,
    *,
    turn: str,
    what: str,
    yes: bool,
    keep: bool,
    dry_run: bool,
    finish: bool,
    take_back: bool,
    as_json: bool,
) -> None:
    """List the turns of SESSION, or bring it back to before one of them.

    SESSION is a session's name, or the latest of this folder. Files that a `.gitignore` leaves out,
    and the folder `.git`, stay as they are. Nothing is lost: `ouro checkpoints` has what was there.
    """
    from ouroboros.app.rewind.offline import one_of

    records = restoring.records_of(invocation, session)
    if _mends(records, finish=finish, take_back=take_back):
        return
    if not turn:
        _list(records, as_json=as_json)
        return
    point = one_of(records.points(), turn)
    turns = point.number if what == "both" else 0
    wish = _Wish(yes=yes, keep=keep, dry_run=dry_run, as_json=as_json, turns=turns)
    start = "" if what == "conversation" else _files(records, point, wish)
    if start is not None and what != "files" and not dry_run:
        records.rewind(point, start)
        note(f"{records.session} goes on from before turn {point.number}")


class _Wish(Struct, frozen=True, kw_only=True):
    yes: bool
    keep: bool
    dry_run: bool
    as_json: bool
    turns: int


def _mends(records: "Records", *, finish: bool, take_back: bool) -> bool:
    """Deals with a rewind that was cut off; whether that was all that was wanted."""
    from ouroboros.faces.wording.files import file_notice

    if not records.is_cut_off():
        if finish or take_back:
            raise Misuse("no rewind of this folder was cut off")
        return False
    if not finish and not take_back:
        raise Misuse(
            "a rewind of this folder was cut off, so some files are as before it and some as after",
            hint="`ouro rewind --finish` goes on with it, `ouro rewind --take-back` undoes it",
        )
    done, turns = records.finish("back" if take_back else "on")
    note(f"{'taken back' if take_back else 'finished'}: {count(done.changed, 'path')} changed")
    restoring.tell_left(done.left)
    if turns is not None and (told := file_notice(turns)):
        note(told.text)
    return True


def _list(records: "Records", *, as_json: bool) -> None:
    from ouroboros.faces.wording.points import point_lines

    found = records.points()
    if as_json:
        say_json(found)
        return
    for line in point_lines(found):
        say(line)
    note(
        "`--to TURN` goes back to before one; 1 is the latest" if found else "nothing was said yet"
    )


def _files(records: "Records", point: "Point", wish: _Wish) -> str | None:
    """Brings the files back from a checkpoint, empty for none; None where that is not wanted."""
    target = records.target(point.message_id)
    if target is None:
        note("no file was written since")
        return ""
    preview = records.preview(target)
    if wish.as_json:
        say_json(preview)
    elif wish.dry_run or is_person_there():
        say(preview.diff.rstrip() or "no file is different")
    if wish.dry_run:
        restoring.tell(preview)
        return ""
    decision = restoring.decided(preview, yes=wish.yes, keep=wish.keep)
    if decision is None:
        note("nothing was changed")
        return None
    done = records.restore(target, decision, message_id=point.message_id, turns=wish.turns)
    restoring.tell_done(done)
    return done.start
