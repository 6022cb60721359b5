"""`ouro hooks`: see which programs run around a session, trust them, switch them off, try them."""

from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.asking import agreed
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.hooks.standing import Standing


@click.group(cls=NearGroup, name="hooks")
def command() -> None:
    """See, trust, switch off and try hooks: programs that run around a session.

    They are set up under [hooks] in config.toml and in hooks.json, in your home or in a project's .ouroboros/.
    """


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def list_all(invocation: Invocation, *, as_json: bool) -> None:
    """Print every hook, and whether it may run."""
    from ouroboros.app.hooks import offline
    from ouroboros.faces.wording import table

    found, warnings = offline.listed(invocation.load())
    if as_json:
        say_json(found)
    cells = [
        (str(each.number), each.verdict, each.event, each.matcher or "*", each.source, each.text)
        for each in found
    ]
    for line in table.block([] if as_json else cells, table.columns()):
        say(line)
    if not found:
        note("no hooks are set up")
    for line in warnings:
        note(f"warning: {line}")


@command.command()
@click.argument("names", nargs=-1, metavar="[NUMBER]...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def trust(invocation: Invocation, names: tuple[str, ...], *, yes: bool) -> int:
    """Let hooks of this project run: those of NUMBER, or all that wait for it.

    Trust holds for exactly what is shown; a hook that changes has to be trusted again.
    """
    from ouroboros.app.hooks import offline

    loaded = invocation.load()
    picked = offline.chosen(loaded, names) if names else offline.waiting(loaded)
    if not picked:
        note("no hook waits to be trusted")
        return 0
    for line in offline.as_lines(picked):
        note(line)
    if any(each.verdict == "folder not trusted" for each in picked):
        note("their folder is not trusted yet: ouro trust")
    if not yes and not agreed("Trust them?", hint="read them, then: ouro hooks trust --yes"):
        note("nothing was changed")
        return 1
    offline.trust(loaded.home, picked)
    note(f"{_count(picked)} trusted")
    return 0


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NUMBER...")
@click.pass_obj
def untrust(invocation: Invocation, names: tuple[str, ...]) -> None:
    """Trust hooks no longer."""
    from ouroboros.app.hooks import offline

    loaded = invocation.load()
    picked = offline.chosen(loaded, names)
    offline.untrust(loaded.home, picked)
    note(f"{_count(picked)} no longer trusted")


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NUMBER...")
@click.pass_obj
def disable(invocation: Invocation, names: tuple[str, ...]) -> None:
    """Switch hooks off, also those of your own."""
    _switch(invocation, names, enabled=False)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="NUMBER...")
@click.pass_obj
def enable(invocation: Invocation, names: tuple[str, ...]) -> None:
    """Switch hooks on again."""
    _switch(invocation, names, enabled=True)


@command.command()
@click.argument("event")
@click.option("--input", "path", default="", metavar="FILE", help="JSON that goes over the sample.")
@click.option("--sample", is_flag=True, help="Print the sample and run nothing.")
@click.pass_obj
def test(invocation: Invocation, event: str, *, path: str, sample: bool) -> int:
    """Run the hooks of EVENT with a made-up payload, and print as JSON what they say.

    They really run. The exit code is 1 when one of them failed.
    """
    from functools import partial
    from pathlib import Path

    import anyio

    from ouroboros.app.hooks import offline

    moment, cwd = offline.moment_named(event), invocation.cwd()
    more = offline.given(Path(path)) if path else {}
    if sample:
        say_json({**offline.sample(moment, cwd), **more})
        return 0
    loaded = invocation.load()
    run = partial(offline.tried, loaded, moment, more)
    trial = anyio.run(partial(run, cwd=cwd, environment=invocation.environment))
    say_json(trial)
    return 1 if any(each.status == "failed" for each in trial.hooks) else 0


def _switch(invocation: Invocation, names: tuple[str, ...], *, enabled: bool) -> None:
    from ouroboros.app.hooks import offline

    loaded = invocation.load()
    picked = offline.chosen(loaded, names)
    offline.enable(loaded.home, picked, enabled=enabled)
    note(f"{_count(picked)} switched {'on' if enabled else 'off'}")


def _count(picked: "list[Standing]") -> str:
    return f"{len(picked)} hook{'s' if len(picked) != 1 else ''}"
