"""`ouro rules`: the permission rules that count here, and the file of each."""

import click

from ouroboros.faces.cli.invocation import Invocation, say, say_json


@click.command("rules")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(invocation: Invocation, *, as_json: bool) -> int:
    """List the permission rules that count here, and where each stands.

    They come from settings, and from a project's permissions.json, .claude/settings.json and
    .claude/settings.local.json. What these deny or ask about holds at once, the rest after `ouro trust`.
    """
    from ouroboros.app.permission.listing import lines, place_of
    from ouroboros.faces.wording.words import one_line

    loaded = invocation.load()
    found = lines(loaded)
    if as_json:
        say_json(found)
        return 0
    for outcome in ("deny", "ask", "allow"):
        for line in found:
            if line.outcome == outcome:
                where = one_line(place_of(line, loaded.project))
                say(f"{outcome:<6} {one_line(line.rule)}  ({where})")
    if not found:
        say(f"there are no rules; mode {loaded.settings.mode} decides")
    return 0
