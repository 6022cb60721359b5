"""`ouro teleport`: a session and its files in one archive, to go on with elsewhere."""

from pathlib import Path
from shlex import quote

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

_SHOWN = 10


@click.group(cls=NearGroup, name="teleport")
def command() -> None:
    """Carry a session with its files to another machine, and go on there."""


@command.command("export")
@click.argument("session")
@click.option("-o", "--output", default="", help="The archive to make; never replaces one.")
@click.option("--no-files", is_flag=True, help="The conversation alone.")
@click.option("--with-secrets", is_flag=True, help="Leave keys where they are, in words and files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def export(
    invocation: Invocation,
    session: str,
    output: str,
    *,
    no_files: bool,
    with_secrets: bool,
    as_json: bool,
) -> None:
    """Pack SESSION with its whole outputs, and its folder as it is now and at every checkpoint.

    Secrets are taken out of words and files. What a `.gitignore` leaves out, `.git` and the
    variables of a REPL stay here.
    """
    from ouroboros.app.past import sessions
    from ouroboros.app.secrecy import secrets
    from ouroboros.app.teleport.leaving import leave
    from ouroboros.app.teleport.manifest import ENDING
    from ouroboros.core.clock import SystemClock

    found = sessions.find(invocation.home(), session)
    settings = invocation.load().settings
    target = Path(output or f"{found.id}{ENDING}")
    packed = leave(
        invocation.home(),
        found.id,
        target.absolute(),
        settings=settings,
        clock=SystemClock(),
        clean=None if with_secrets else secrets(invocation.environment, settings).redacted,
        files=not no_files,
    )
    if as_json:
        say_json({"archive": str(target), "packed": packed})
        return
    note(f"{found.id} is in {target}: {packed.bytes:,} bytes, {packed.checkpoints} checkpoints")
    _list("secrets were taken out of", packed.redacted)
    _list(
        "may have secrets, as they are too large to be looked through, or no text:", packed.unseen
    )
    _list("not kept:", tuple(f"{path}: {why}" for path, why in packed.left.items()))
    if packed.lost:
        note(f"{packed.lost} whole outputs are not there any more")


@command.command("import")
@click.argument("archive", type=click.Path(path_type=Path))
@click.option(
    "--into", default="", help="A new or empty folder; by default named like the archive."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def import_(invocation: Invocation, archive: Path, into: str, *, as_json: bool) -> None:
    """Unpack ARCHIVE into a folder and a session; print the session's name.

    Nothing is overwritten. The archive is checked whole first; what was allowed in the session is not
    allowed here.
    """
    from ouroboros.app.teleport.arriving import arrive
    from ouroboros.app.teleport.manifest import ENDING

    target = Path(into or archive.name.removesuffix(ENDING))
    if target.absolute() == archive.absolute():
        raise Misuse("the folder would have the archive's name", hint="name one with --into")
    arrived = arrive(invocation.home(), archive.absolute(), target)
    if as_json:
        say_json(arrived)
        return
    say(arrived.session)
    note(
        f"{arrived.events} events, {arrived.checkpoints} checkpoints; its folder is {arrived.folder}"
    )
    _list("without the secrets they had:", arrived.redacted)
    _list("not packed:", tuple(f"{path}: {why}" for path, why in arrived.left.items()))
    note(f"go on with: cd {quote(arrived.folder)} && ouro chat --resume {arrived.session}")


def _list(title: str, lines: tuple[str, ...]) -> None:
    if lines:
        note(title)
        for line in lines[:_SHOWN]:
            note(f"  {line}")
        if len(lines) > _SHOWN:
            note(f"  and {len(lines) - _SHOWN} more")
