"""`ouro sessions tree|branch|rollback|fork`: where a session goes on that is not open."""

from pathlib import Path

import click

from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

_AT = click.option(
    "--at", "node", metavar="MESSAGE", default="", help="The message to begin after."
)


@click.command("tree")
@click.argument("session")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.pass_obj
def tree(invocation: Invocation, session: str, *, as_json: bool) -> None:
    """Print every message of SESSION, on all its branches.

    `>` marks where it goes on, `*` the way there.
    """
    from ouroboros.app.past import sessions
    from ouroboros.app.past.tree import twigs
    from ouroboros.faces.wording.tree import tree_lines

    found = sessions.find(invocation.home(), session)
    read = sessions.events(invocation.home(), found.id)
    for warning in read.warnings:
        note(f"warning: {warning}")
    grown = twigs(sessions.describe(read.envelopes))
    if as_json:
        say_json(grown)
        return
    for line in tree_lines(grown):
        say(line)
    if not grown:
        note("nothing was said in this session")


@click.command("branch")
@click.argument("session")
@click.argument("message")
@click.pass_obj
def branch(invocation: Invocation, session: str, message: str) -> None:
    """Let SESSION go on after MESSAGE, a number of `ouro sessions tree`; nothing is lost."""
    from ouroboros.app.past import forking, sessions
    from ouroboros.app.past.tree import node_named
    from ouroboros.core.commands import Branch

    found = sessions.find(invocation.home(), session)
    state = sessions.describe(sessions.events(invocation.home(), found.id).envelopes)
    forking.move(invocation.home(), found.id, Branch(message_id=node_named(state, message)))
    note(f"{found.id} goes on after message {message}")


@click.command("rollback")
@click.argument("session")
@click.argument("turns", type=click.IntRange(min=1), default=1)
@click.pass_obj
def rollback(invocation: Invocation, session: str, turns: int) -> None:
    """Let SESSION go on without its latest TURNS, 1 by default; files stay as they are."""
    from ouroboros.app.past import forking, sessions
    from ouroboros.core.commands import Rollback
    from ouroboros.faces.wording.words import count

    found = sessions.find(invocation.home(), session)
    forking.move(invocation.home(), found.id, Rollback(turns=turns))
    latest = "turn" if turns == 1 else count(turns, "turn")
    note(f"{found.id} goes on without its latest {latest}")


@click.command("fork")
@click.argument("session")
@_AT
@click.pass_obj
def fork(invocation: Invocation, session: str, node: str) -> None:
    """Make another session that begins like SESSION, and print its name."""
    from ouroboros.app.past import forking, sessions
    from ouroboros.app.past.tree import node_named

    found = sessions.find(invocation.home(), session)
    state = sessions.describe(sessions.events(invocation.home(), found.id).envelopes)
    at = node_named(state, node) if node else state.tree.head
    say(forking.fork_aside(invocation.home(), found.id, at))


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def import_(invocation: Invocation, file: Path) -> None:
    """Make a session of FILE, which `ouro export` wrote, and print its name.

    It goes on in the current folder; what was allowed in it is not allowed here.
    """
    from ouroboros.app.past import importing
    from ouroboros.faces.wording.words import count

    made = importing.import_file(invocation.home(), file, cwd=invocation.cwd())
    if made.session != made.was:
        note(f"there is a session {made.was} already, so this one has another name")
    if made.lost:
        note(f"{count(made.lost, 'whole output')} that was cut for the model is not in the file")
    say(made.session)
