"""`ouro sessions`: list, show, search and tidy past sessions."""

from typing import TYPE_CHECKING

import click

from ouroboros.app.text import encodable
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.asking import agreed
from ouroboros.faces.cli.commands.past import branches, following
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.past.sessions import Session

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
session_argument = click.argument("session")


@click.group(cls=NearGroup, name="sessions")
def command() -> None:
    """List, show, search and tidy past sessions.

    SESSION is a session's name, a unique beginning or end of it, its whole title, or `last`.
    """


@command.command("list")
@click.option("--here", is_flag=True, help="Only those of the current folder.")
@click.option("--all", "archived", is_flag=True, help="Archived ones too.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@as_json
@click.pass_obj
def list_all(
    invocation: Invocation, *, here: bool, archived: bool, limit: int, as_json: bool
) -> None:
    """List sessions, newest first."""
    from ouroboros.app.past import sessions
    from ouroboros.faces.wording import table

    cwd = str(invocation.cwd()) if here else None
    found = sessions.list_sessions(invocation.home(), cwd=cwd, archived=archived, limit=limit)
    if as_json:
        say_json(found)
        return
    across = table.columns()
    for each in found:
        for line in table.lines(_cells(each), across):
            say(line)
    if not found:
        note("there are no sessions yet" if not here else "there are no sessions of this folder")


@command.command("show")
@session_argument
@as_json
@click.pass_obj
def show(invocation: Invocation, session: str, *, as_json: bool) -> None:
    """Print what is known of SESSION, and its last answer."""
    from ouroboros.app.past import sessions
    from ouroboros.faces.wording import table

    found = sessions.find(invocation.home(), session)
    read = sessions.events(invocation.home(), found.id)
    for warning in read.warnings:
        note(f"warning: {warning}")
    state = sessions.describe(read.envelopes)
    kept = sessions.artifacts(read.envelopes)
    if as_json:
        spent, final = state.spent, state.final
        shown = {"session": found, "events": state.seq, "spent": spent, "final": final}
        say_json({**shown, "artifacts": kept})
        return
    hits = state.spent.cache_hit_rate
    cost = "unknown" if state.spent.cost is None else f"{state.spent.cost:.4f} USD"
    fields = {
        "id": found.id,
        "title": found.title,
        "folder": found.cwd,
        "model": found.model,
        "status": found.status,
        "begun": table.moment(found.created),
        "last used": table.moment(found.updated),
        "turns": str(found.turns),
        "events": str(state.seq),
        "tokens": f"{state.spent.input_tokens} in, {state.spent.output_tokens} out",
        "cached": "unknown" if hits is None else f"{hits:.0%} of the input",
        "cost": cost,
    }
    fields |= {"forked from": found.parent} if found.parent else {}
    for name, value in fields.items():
        say(f"{name}: {value}")
    for file in kept:
        say(f"{file.kind}: {file.path} ({file.bytes:,} bytes)")
    if state.final:
        say(f"\n{state.final}")


@command.command("calls")
@session_argument
@as_json
@click.pass_obj
def calls(invocation: Invocation, session: str, *, as_json: bool) -> None:
    """List every tool call of SESSION: when, which, how it ended, how long it took."""
    from ouroboros.app.past import sessions
    from ouroboros.faces.wording import table

    found = sessions.find(invocation.home(), session)
    made = sessions.executions(sessions.events(invocation.home(), found.id).envelopes)
    if as_json:
        say_json(made)
        return
    across = table.columns()
    for each in made:
        seconds = f"{each.seconds:.1f} s"
        cells = [table.moment(each.started), each.tool, each.status or "open", seconds]
        for line in table.lines([*cells, each.arguments], across):
            say(line)
    if not made:
        note("no tool was called in this session")


@command.command("rename")
@session_argument
@click.argument("title")
@click.pass_obj
def rename(invocation: Invocation, session: str, title: str) -> None:
    """Give SESSION another TITLE."""
    from ouroboros.app.past import sessions

    title = encodable(" ".join(title.split()))
    if not title:
        raise Misuse("the title is empty", hint='ouro sessions rename SESSION "a title"')
    found = sessions.find(invocation.home(), session)
    sessions.rename(invocation.home(), found.id, title)
    note(f"{found.id} is now called {title!r}")


@command.command("archive")
@session_argument
@click.pass_obj
def archive(invocation: Invocation, session: str) -> None:
    """Take SESSION off the list; nothing of it is lost."""
    from ouroboros.app.past import sessions

    found = sessions.find(invocation.home(), session)
    sessions.archive(invocation.home(), found.id)
    note(f"{found.id} is archived")


@command.command("unarchive")
@session_argument
@click.pass_obj
def unarchive(invocation: Invocation, session: str) -> None:
    """Put SESSION back on the list."""
    from ouroboros.app.past import sessions

    found = sessions.find(invocation.home(), session)
    sessions.unarchive(invocation.home(), found.id)
    note(f"{found.id} is on the list again")


@command.command("delete")
@session_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete(invocation: Invocation, session: str, *, yes: bool) -> int:
    """Remove SESSION for good."""
    from ouroboros.app.past import sessions
    from ouroboros.app.rewind.offline import forget

    found = sessions.find(invocation.home(), session)
    if not yes:
        from ouroboros.app.text import plain

        question = f"Delete {found.id} ({plain(found.title)}) for good?"
        if not agreed(question, hint=f"ouro sessions delete {found.id} --yes"):
            note("nothing was changed")
            return 1
    home = invocation.home()
    sessions.delete(home, found.id, beside=(lambda session: forget(home, session),))
    note(f"{found.id} is deleted")
    return 0


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@as_json
@click.pass_obj
def search(invocation: Invocation, words: tuple[str, ...], *, limit: int, as_json: bool) -> int:
    """Find WORDS in what was said and done in all sessions, on all their branches.

    Prints the session and the message: `ouro chat --resume SESSION --at MESSAGE` goes on from there.
    """
    from ouroboros.app.past.searching import hits
    from ouroboros.faces.wording import table

    found = hits(invocation.home(), " ".join(words), limit=limit)
    if as_json:
        say_json(found)
        return 0 if found else 1
    across = table.columns()
    for hit in found:
        for line in table.lines((hit.session, hit.node, hit.title, hit.excerpt), across):
            say(line)
    if not found:
        note("nothing was found")
    return 0 if found else 1


_MORE = (
    branches.tree,
    branches.branch,
    branches.rollback,
    branches.fork,
    branches.import_,
    following.follow,
)
for _more in _MORE:
    command.add_command(_more)


def _cells(session: "Session") -> tuple[str, ...]:
    from ouroboros.faces.wording import table

    return session.id, table.moment(session.updated), session.status, session.title
