"""`ouro repo`: bring repositories here, keep them up to date, see what is in them."""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from ouroboros.core.errors import Interrupted
from ouroboros.faces.cli.asking import agreed
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.repos.bringing import Repos
    from ouroboros.app.repos.standing import Progress, Repo

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="repo")
def command() -> None:
    """Bring repositories here, keep them up to date, see what is in them.

    They lie in the home folder, below repos. What one brings to configure holds for work in it once
    you trust it (ouro trust PATH); what only asks, denies or narrows there holds at once.
    """


@command.command("add", short_help="Load a repository, or note a folder of yours.")
@click.argument("source", metavar="OWNER/REPO|URL|PATH")
@click.option("--ref", metavar="NAME", default="", help="A branch, a tag or a commit.")
@click.option("--depth", type=click.IntRange(min=0), help="Commits of history; 0 for all of it.")
@click.option("--into", metavar="NAME", default="", help="What it is called here.")
@as_json
@click.pass_obj
def add(
    invocation: Invocation, source: str, ref: str, depth: int | None, into: str, *, as_json: bool
) -> int:
    """Load a repository by git, with your own keys, proxies and helpers.

    Nothing of it is run: no hooks, no submodules, no filters of large files. Ctrl-C leaves nothing
    of it. A PATH, such as ./repo, is noted and stays where it is.
    """
    from ouroboros.app.repos.bringing import Asked

    asked = Asked(source=source, ref=ref, into=into, depth=depth)
    repo = _brought(invocation, lambda repos, tell: repos.add(asked, tell))
    if as_json:
        say_json(repo)
        return 0
    say(repo.path)
    what = "noted" if repo.is_own else f"{repo.files:,} files, {_size(repo.bytes)}"
    at = f" at {repo.ref or repo.commit[:12]}" if repo.commit else ""
    note(f"{repo.name}: {what}{at}")
    if repo.submodules:
        note(f"not loaded: {len(repo.submodules)} submodules, such as {repo.submodules[0]}")
    note(f"work in it: ouro chat --cwd {repo.path}")
    return 0


@command.command("list")
@as_json
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """List the repositories that are here."""
    from ouroboros.faces.wording import table

    found = _repos(invocation).shelf.all()
    if as_json:
        say_json(found)
        return
    cells = [
        (
            repo.name,
            "your folder" if repo.is_own else repo.ref or repo.commit[:12],
            "" if repo.is_own else f"{repo.files:,} files",
            repo.path if repo.is_own else repo.url,
        )
        for repo in found
    ]
    for line in table.block(cells, table.columns()):
        say(line)
    if not found:
        note("none is here yet; `ouro repo add OWNER/REPO` loads one")


@command.command("show")
@click.argument("name")
@click.option("--tokens", type=click.IntRange(min=50), default=1500, show_default=True)
@as_json
@click.pass_obj
def show(invocation: Invocation, name: str, tokens: int, *, as_json: bool) -> None:
    """Print what is known of one, and its files as a compact tree."""
    from ouroboros.app.repos.standing import tree_of

    repo = _repos(invocation).shelf.find(name)
    if as_json:
        say_json(repo)
        return
    for line in _details(repo):
        say(line)
    say(tree_of(repo, tokens))


@command.command("map", short_help="Print the symbols that matter most, by rank.")
@click.argument("place", metavar="[NAME|PATH]", default="")
@click.option("--tokens", type=click.IntRange(min=50, max=200_000), default=1000, show_default=True)
@click.option("--near", metavar="FILE", multiple=True, help="What this file uses counts more.")
@click.option("--name", "names", metavar="SYMBOL", multiple=True, help="This symbol counts more.")
@as_json
@click.pass_obj
def show_map(
    invocation: Invocation,
    place: str,
    tokens: int,
    near: tuple[str, ...],
    names: tuple[str, ...],
    *,
    as_json: bool,
) -> int:
    """Print an outline of the symbols that matter most, of a repository or a folder.

    A symbol matters that many files use which matter themselves. Nothing of them is run.
    """
    import anyio

    from ouroboros.app.repos.standing import About, map_of, place_of

    repos = _repos(invocation)
    root = place_of(repos.shelf, place, invocation.cwd())
    about = About(tokens=tokens, near=near, names=names)
    home = invocation.home()
    found = anyio.run(partial(map_of, root, about, home=home, environment=invocation.environment))
    if as_json:
        say_json(found)
        return 0
    if found.outline:
        say(found.outline)
    note(f"{found.shown} symbols of {found.files:,} files")
    return 0


@command.command("update")
@click.argument("name")
@as_json
@click.pass_obj
def update(invocation: Invocation, name: str, *, as_json: bool) -> int:
    """Bring a branch up to date; what you changed yourself is never overwritten."""
    before = _repos(invocation).shelf.find(name)
    repo = _brought(invocation, lambda repos, tell: repos.update(name, tell))
    if as_json:
        say_json(repo)
    elif repo.commit == before.commit:
        note(f"{repo.name} is up to date")
    else:
        note(f"{repo.name}: {before.commit[:12]} to {repo.commit[:12]}, {repo.files:,} files")
    return 0


@command.command("remove")
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(invocation: Invocation, name: str, *, yes: bool) -> int:
    """Delete one that was loaded; of a folder of yours only the note goes."""
    import anyio

    repos = _repos(invocation)
    repo = repos.shelf.find(name)
    if not yes and not repo.is_own:
        unsaved = anyio.run(repos.unsaved, repo)
        lost = f", with {unsaved} that are nowhere else" if unsaved else ""
        if not agreed(f"Delete {repo.path}{lost}?", hint="--yes goes on without asking"):
            note("nothing was removed")
            return 1
    repos.shelf.remove(repo)
    note(f"forgot {repo.name}; the folder is as it was" if repo.is_own else f"removed {repo.name}")
    return 0


def _repos(invocation: Invocation) -> "Repos":
    from ouroboros.app.repos.bringing import Repos

    loaded = invocation.load()
    return Repos(
        loaded.settings,
        home=loaded.home,
        cwd=invocation.cwd(),
        environment=invocation.environment,
    )


def _brought(
    invocation: Invocation,
    job: "Callable[[Repos, Callable[[Progress], None]], Awaitable[Repo]]",
) -> "Repo":
    """Does it until it is done or a signal comes; raises ``Interrupted`` then."""
    import anyio

    meter = _Meter()
    try:
        found = anyio.run(partial(_until_stopped, job, _repos(invocation), meter.tell))
    finally:
        meter.end()
    if found is None:
        raise Interrupted("stopped; nothing of it is left")
    return found


async def _until_stopped(
    job: "Callable[[Repos, Callable[[Progress], None]], Awaitable[Repo]]",
    repos: "Repos",
    tell: "Callable[[Progress], None]",
) -> "Repo | None":
    import anyio

    from ouroboros.core.errors import OuroborosError
    from ouroboros.faces.cli.interrupts import watch

    found: list[Repo] = []
    failed: list[OuroborosError] = []
    async with anyio.create_task_group() as tasks:

        async def stop(_name: str) -> bool:
            tasks.cancel_scope.cancel()
            return True

        tasks.start_soon(watch, stop, tasks.cancel_scope.cancel)
        try:
            found.append(await job(repos, tell))
        except OuroborosError as error:
            failed.append(error)
        tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
    return found[0] if found else None


class _Meter:
    """How far it is: one line that is written over on a terminal, a line for each stage elsewhere."""

    def __init__(self) -> None:
        self._is_live = sys.stderr is not None and sys.stderr.isatty()
        self._stage = ""
        self._width = 0

    def tell(self, progress: "Progress") -> None:
        known = progress.percent >= 0
        percent = f" {progress.percent}%" if known and self._is_live else ""
        size = f", {_size(progress.bytes)}" if progress.bytes and self._is_live else ""
        text = f"{_STAGES.get(progress.stage, progress.stage)}{percent}{size}"
        if progress.stage == "done":
            return
        if self._is_live:
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)
        elif progress.stage != self._stage:
            self._stage = progress.stage
            note(text)

    def end(self) -> None:
        if self._is_live and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


_STAGES = {
    "asking": "Asking the host",
    "counting": "The host counts",
    "receiving": "Receiving",
    "resolving": "Putting together",
    "checking": "Checking",
    "writing": "Writing files",
}


def _details(repo: "Repo") -> list[str]:
    facts = (
        ("name", repo.name),
        ("path", repo.path),
        ("from", repo.url or "your own folder"),
        ("at", f"{repo.ref} {repo.commit[:12]}".strip()),
        ("submodules, not loaded", ", ".join(repo.submodules)),
    )
    return [f"{name}: {value}" for name, value in facts if value]


def _size(count: int) -> str:
    return f"{count / 1_048_576:,.1f} MiB" if count >= 1_048_576 else f"{count / 1024:,.0f} KiB"
