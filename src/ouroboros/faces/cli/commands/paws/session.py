"""`paws session`: work apart from your own files, in work trees of the repository."""

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.paws.sessions import Kept, Sessions

_SHOWN = 8
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
_KEEP = click.option("--keep", is_flag=True, help="Make a checkpoint of what is in none first.")


@click.group(cls=NearGroup, name="session")
def command() -> None:
    """Work apart from your own files: each session has a work tree and a branch of its own.

    ID is the beginning of a session's id, or its name. In the work tree of a session it may be left
    out. Sessions lie below .paws in the repository, which git is told not to see.
    """


@command.command("start", short_help="Start a session and print its id.")
@click.option("--branch", "base", metavar="BASE", default="", help="Start from this, not HEAD.")
@click.option("--name", default="", help="What you call it.")
@click.option("--detach", is_flag=True, help="Make no branch; checkpoints are tags.")
@_JSON
@click.pass_obj
def start(invocation: Invocation, base: str, name: str, *, detach: bool, as_json: bool) -> None:
    """Start a session and print its id.

    Your own files, what git has staged and what it stashed stay as they are. What is not committed
    is not in the session.
    """
    sessions, session = _with(
        invocation, lambda sessions: sessions.start(base=base, name=name, detach=detach)
    )
    if as_json:
        say_json(_facts(sessions, session))
        return
    say(session.id)
    note(f"work tree: {session.tree}")
    note(f"branch: {session.work.branch}" if session.work.branch else "without a branch")
    if sessions.silenced:
        shown = ", ".join(sessions.silenced)
        note(f"not run, as the repository's own settings name them: {shown}")
    if (session.tree / ".gitmodules").is_file():
        note("submodules are not laid out: git submodule update --init, in the work tree")


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Those that are archived, too.")
@_JSON
@click.pass_obj
def list_all(invocation: Invocation, *, everything: bool, as_json: bool) -> None:
    """List the sessions of this repository, the oldest first."""
    from ouroboros.faces.wording import table

    sessions, found = _with(invocation, lambda sessions: sessions.all())
    shown = [each for each in found if everything or _status(each) != "archived"]
    for line in sessions.warnings:
        note(f"warning: {line}")
    if as_json:
        say_json([_facts(sessions, each) for each in shown])
        return
    for line in table.block([_cells(each) for each in shown], table.columns()):
        say(line)
    if not shown:
        some = "no session is open; --all lists those that are archived"
        note(some if found else "there is no session; `paws session start`")


@command.command("checkpoint")
@click.argument("words", metavar="[ID] NAME", nargs=-1, required=True)
@click.pass_obj
def checkpoint(invocation: Invocation, words: tuple[str, ...]) -> None:
    """Keep the work tree as it is, under NAME: a commit and a tag."""
    if len(words) > 2:
        raise click.UsageError("say a session and a name; quote one that has spaces")
    which, name = "".join(words[:-1]), "".join(words[-1:])
    _, (_, made) = _with(invocation, lambda sessions: sessions.checkpoint(which, name))
    say(made.commit_sha)
    note(f"checkpoint {name!r}, turn {made.turn_number}")


@command.command("rewind")
@click.argument("words", metavar="[ID]", default="")
@click.option("--to-checkpoint", "name", metavar="NAME", default="", help="Back to this one.")
@click.option("--to-start", is_flag=True, help="Back to what it started from.")
@click.pass_obj
def rewind(invocation: Invocation, words: str, name: str, *, to_start: bool) -> None:
    """Bring the work tree back to a checkpoint.

    Later checkpoints leave the record; their commits stay under their tags, and what was in no
    checkpoint is committed first and named.
    """
    if bool(name) == to_start:
        raise click.UsageError("say where to: --to-checkpoint NAME, or --to-start")
    _, done = _with(invocation, lambda sessions: sessions.rewind(words, name))
    note(f"the work tree is at {done.commit[:12]}")
    if done.pruned:
        note(f"no longer in the record: {', '.join(done.pruned)}")
    if done.kept:
        note(f"what was there is kept: git show {done.kept}")


@command.command("merge", short_help="Merge a session into your branch, then archive it.")
@click.argument("words", metavar="ID")
@click.option("--squash", is_flag=True, help="As one commit, without those of the session.")
@click.option("-m", "--message", default="", metavar="TEXT", help="Of the commit that is made.")
@click.option("--no-sign", is_flag=True, help="Do not sign it, whatever commit.gpgSign says.")
@_KEEP
@click.pass_obj
def merge(
    invocation: Invocation, words: str, message: str, *, squash: bool, no_sign: bool, keep: bool
) -> None:
    """Merge a session into the branch that is checked out, then archive it.

    It is all or nothing: on a conflict, or where it would write over changes of yours, no file is
    touched and the session goes on. No hook is run.
    """
    _, done = _with(
        invocation,
        lambda sessions: sessions.merge(
            words, squash=squash, message=message, keep=keep, sign=not no_sign
        ),
    )
    if done.commit:
        say(done.commit)
    note(f"merged into {done.branch}" if done.commit else f"{done.branch} has all of it already")
    _tell_end(done.session, done.kept)


@command.command("archive", short_help="Remove a session's files; its commits stay.")
@click.argument("words", metavar="[ID]", default="")
@_KEEP
@click.pass_obj
def archive(invocation: Invocation, words: str, *, keep: bool) -> None:
    """Remove a session's work tree; its branch, tags and record stay."""
    _, done = _with(invocation, lambda sessions: sessions.archive(words, keep=keep))
    _tell_end(done.session, done.kept)


@command.command("delete", short_help="Remove a session for good; no commit is lost.")
@click.argument("words", metavar="ID")
@click.option("--force", is_flag=True, help="Also where work of it is nowhere else.")
@click.pass_obj
def delete(invocation: Invocation, words: str, *, force: bool) -> None:
    """Remove a session: its files, branch, tags and record.

    One that is not archived and has commits that no other branch or tag has is refused without
    --force. Such commits keep a ref, which is told.
    """
    _, done = _with(invocation, lambda sessions: sessions.delete(words, force=force))
    note(f"session {done.session_id[:_SHOWN]} is deleted")
    for ref in done.kept:
        note(f"commits that nothing else has are kept: git log {ref}")


@command.command("pause")
@click.argument("words", metavar="[ID]", default="")
@click.pass_obj
def pause(invocation: Invocation, words: str) -> None:
    """Let nothing be done in a session until it is resumed."""
    _, session = _with(invocation, lambda sessions: sessions.pause(words))
    note(f"session {session.id[:_SHOWN]} is paused")


@command.command("resume", short_help="Make a session active again.")
@click.argument("words", metavar="[ID]", default="")
@click.pass_obj
def resume(invocation: Invocation, words: str) -> None:
    """Make a session active again; files that are gone are laid out from its last commit."""
    _, session = _with(invocation, lambda sessions: sessions.resume(words))
    say(str(session.tree))
    note(f"session {session.id[:_SHOWN]} is active")


@command.command("diff", short_help="Print what a session changed, as a patch.")
@click.argument("words", metavar="[ID]", default="")
@click.option("--since", metavar="NAME", default="", help="Since this checkpoint.")
@click.option("--stat", is_flag=True, help="A line for each file.")
@click.pass_obj
def diff(invocation: Invocation, words: str, since: str, *, stat: bool) -> None:
    """Print what a session changed, with new files; `git apply` takes it."""
    _, said = _with(invocation, lambda sessions: sessions.diff(words, since=since, stat=stat))
    if not said:
        note("nothing is different")
    elif sys.stdout is not None and sys.stdout.isatty():
        say(said.decode("utf-8", "replace").rstrip("\n"))
    elif sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(said)


@command.command("shell", short_help="Open your shell, or run a command, in a session.")
@click.argument("words", metavar="[ID]", default="")
@click.argument("run", metavar="[-- COMMAND...]", nargs=-1)
@click.pass_obj
def shell(invocation: Invocation, words: str, run: tuple[str, ...]) -> int:
    """Open your shell in a session's work tree, or run COMMAND there."""
    from ouroboros.app.paws import shells
    from ouroboros.faces.cli.asking import is_person_there
    from ouroboros.faces.cli.interrupts import run as ran

    _, session = _with(invocation, lambda sessions: sessions.active(words))
    is_seen = is_person_there() and sys.stdout is not None and sys.stdout.isatty()
    if not run and is_seen:
        note(f"in session {session.id[:_SHOWN]}; `exit` comes back")

    async def main() -> int:
        return await shells.run(
            run,
            session_id=session.id,
            tree=session.tree,
            environment=invocation.environment,
            keyboard=0 if is_seen else None,
        )

    code = ran(main)
    if not run:
        _, left = _with(invocation, lambda sessions: sessions.unsaved(session))
        if left:
            name = session.id[:_SHOWN]
            what = "1 file is" if len(left) == 1 else f"{len(left)} files are"
            note(f"{what} in no checkpoint: `paws session checkpoint {name} NAME`")
    return code


def _with[T](
    invocation: Invocation, job: "Callable[[Sessions], Awaitable[T]]"
) -> "tuple[Sessions, T]":
    """Does it with the sessions of this folder, and tells what was left of a killed command."""
    from ouroboros.app.paws.sessions import Sessions
    from ouroboros.faces.cli.interrupts import run

    opened: list[Sessions] = []

    async def main() -> T:
        opened.append(await Sessions.at(invocation.cwd(), invocation.environment))
        return await job(opened[0])

    try:
        done = run(main)
    finally:
        for each in opened[0].mended if opened else ():
            of = f"{each.what} of session {each.session_id[:_SHOWN]}"
            if each.problem is None:
                note(f"put right: a {of} had been cut short")
            else:
                note(f"warning: a {of} was cut short and is not put right: {each.problem.message}")
    return opened[0], done


def _status(session: "Kept") -> str:
    from ouroboros.app.paws.sessions import status_of

    return status_of(session)


def _facts(sessions: "Sessions", session: "Kept") -> dict[str, object]:
    from ouroboros.app.paws.sessions import told

    return told(sessions, session)


def _cells(session: "Kept") -> tuple[str, ...]:
    from ouroboros.app.paws.sessions import manifest_of

    manifest = manifest_of(session)
    count = len(manifest.checkpoints)
    gone = "" if session.tree.is_dir() or manifest.status == "archived" else ", its files are gone"
    return (
        session.id[:_SHOWN],
        f"{manifest.status}{gone}",
        f"{manifest.start_time[:16].replace('T', ' ')} UTC",
        f"{count} checkpoint{'' if count == 1 else 's'}",
        session.work.label or session.work.branch or "without a branch",
    )


def _tell_end(session: "Kept", kept: tuple[str, ...]) -> None:
    branch = f"; its commits are on {session.work.branch}" if session.work.branch else ""
    note(f"session {session.id[:_SHOWN]} is archived{branch}")
    for ref in kept:
        note(f"a commit that no branch had is kept: git show {ref}")
