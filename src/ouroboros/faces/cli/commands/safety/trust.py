"""`ouro trust`: let a folder's own settings and hooks take effect."""

from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.asking import agreed
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.config.trust import Inert


@click.command("trust")
@click.argument("folder", required=False, default="")
@click.option("--list", "listing", is_flag=True, help="Print the folders you trust.")
@click.option("--revoke", is_flag=True, help="Trust the folder no longer.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="With --list, print JSON.")
@click.pass_obj
def command(
    invocation: Invocation, folder: str, *, listing: bool, revoke: bool, yes: bool, as_json: bool
) -> int:
    """Let FOLDER's own settings, hooks and .env take effect (default: this project).

    Trust holds for exactly the files shown; when one of them changes, it has to be given again.
    """
    if listing:
        _list(invocation, as_json=as_json)
        return 0
    if revoke:
        return _revoke(invocation, folder)
    return _grant(invocation, folder, yes=yes)


def _list(invocation: Invocation, *, as_json: bool) -> None:
    from ouroboros.app.config import trust

    folders = trust.trusted_folders(invocation.home())
    if as_json:
        say_json(folders)
    for name in () if as_json else folders:
        say(name)


def _revoke(invocation: Invocation, folder: str) -> int:
    from pathlib import Path

    from ouroboros.app.config import trust

    home = invocation.home()
    place = Path(folder).absolute() if folder else trust.project_folder(invocation.cwd(), home)
    if trust.revoke(home, place):
        note(f"{place} is no longer trusted")
        return 0
    note(f"{place} was not trusted")
    return 1


def _grant(invocation: Invocation, folder: str, *, yes: bool) -> int:
    from ouroboros.app.config import trust

    home = invocation.home()
    inert = trust.read(trust.project_folder(invocation.cwd(folder), home), home)
    found = trust.standing(home, inert)
    if found.verdict == "nothing":
        note(f"{inert.folder} has nothing that needs trust")
        return 0
    if found.verdict == "trusted":
        note(f"{inert.folder} is trusted already")
        return 0
    note(f"{inert.folder} would get to use:")
    for line in trust.summary(inert, found):
        note(f"  {line}")
    hooks = _hooks(inert)
    for line in hooks:
        note(f"  {line}")
    hint = "read the files, then: ouro trust --yes"
    if not yes and not agreed("Trust them?", hint=hint):
        note("nothing was changed")
        return 1
    trust.grant(home, inert)
    note(f"{inert.folder} is trusted until one of these files changes")
    if hooks:
        note("its hooks run once you trust them too: ouro hooks trust")
    return 0


def _hooks(inert: "Inert") -> list[str]:
    """The hooks that the folder brings."""
    names = [name for name in inert.files if name.endswith(("hooks.json", ".toml"))]
    if not any(b"hooks" in inert.files[name] for name in names):
        return []
    from ouroboros.app.hooks.files import hooks_of

    return [line for name in names for line in hooks_of(inert.folder / name, inert.files[name])]
