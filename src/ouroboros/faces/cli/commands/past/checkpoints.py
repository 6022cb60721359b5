"""`ouro checkpoints`: see, compare and bring back kept states of files."""

import click
from msgspec.structs import asdict

from ouroboros.faces.cli.asking import agreed
from ouroboros.faces.cli.commands.past import restoring
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

_SESSION = click.option(
    "--session", default="", help="Of this session; by default the latest of this folder."
)


@click.group(cls=NearGroup, name="checkpoints")
def command() -> None:
    """See, compare and bring back kept states of files.

    CHECKPOINT is the beginning of its name. They lie in the home folder, not in the project.
    """


@command.command("list")
@_SESSION
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, session: str, *, as_json: bool) -> None:
    """List the checkpoints of a session, the latest first."""
    from ouroboros.faces.wording.points import kept_lines

    found = restoring.records_of(invocation, session).kept()
    if as_json:
        say_json([{"at": at, "is_kept": there, **asdict(kept)} for kept, at, there in found])
        return
    for line in kept_lines(found):
        say(line)
    if not found:
        note("no checkpoint was made in this session")


@command.command("diff")
@click.argument("checkpoint")
@click.argument("other", default="")
@_SESSION
@click.pass_obj
def diff(invocation: Invocation, checkpoint: str, other: str, session: str) -> None:
    """Print what changed from CHECKPOINT to OTHER, or to the files as they are now."""
    from ouroboros.app.review.changes import steering_in_diff
    from ouroboros.faces.wording.files import steering_told

    said = restoring.records_of(invocation, session).diff(checkpoint, other)
    if said:
        say(said.rstrip("\n"))
        if steering := steering_in_diff(said):
            note(steering_told(tuple(steering)))
    else:
        note("no file is different")


@command.command("restore")
@click.argument("checkpoint")
@_SESSION
@click.option("--yes", is_flag=True, help="Do not ask; what others changed since goes too.")
@click.option("--keep", is_flag=True, help="Leave what others changed since as it is.")
@click.pass_obj
def restore(
    invocation: Invocation, checkpoint: str, session: str, *, yes: bool, keep: bool
) -> None:
    """Bring the files back to what they were at CHECKPOINT."""
    records = restoring.records_of(invocation, session)
    target = records.target("", checkpoint)
    assert target is not None
    decision = restoring.decided(records.preview(target), yes=yes, keep=keep)
    if decision is None:
        note("nothing was changed")
        return
    restoring.tell_done(records.restore(target, decision))


@command.command("size")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def size(invocation: Invocation, *, as_json: bool) -> None:
    """Print what the checkpoints of each folder take on the disk."""
    from ouroboros.app.rewind.offline import sizes
    from ouroboros.faces.wording import table

    found = sizes(invocation.home())
    if as_json:
        say_json(found)
        return
    cells = [(f"{each.bytes:,} bytes", str(each.checkpoints), each.folder) for each in found]
    for line in table.block(cells, table.columns()):
        say(line)
    if not found:
        note("no checkpoint was made yet")


@command.command("prune")
@click.option("--keep", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def prune(invocation: Invocation, *, keep: int, yes: bool) -> None:
    """Remove all but the latest checkpoints of each session, for good."""
    from ouroboros.app.rewind.offline import prune as pruned

    question = f"Remove all but the latest {keep} checkpoints of each session for good?"
    if not yes and not agreed(question, hint="--yes goes on without asking"):
        note("nothing was removed")
        return
    gone = pruned(invocation.home(), keep=keep)
    note(f"{gone} checkpoints removed")
