"""`ouro cats`: put files of a project into one text, for a model."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

import click

from ouroboros.app.text import spelled
from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.asking import is_person_there
from ouroboros.faces.cli.commands.paws.cats_flags import CatsCommand, Flags, with_options
from ouroboros.faces.cli.invocation import Invocation, note, say, say_json

if TYPE_CHECKING:
    from ouroboros.app.paws.cats import Asked, Ground, Written
    from ouroboros.app.paws.curation import Chosen

_LISTED = 40
_LEFT = 12
_MANY = 500
"""From so many files on it is told how far it is, after each so many."""


@click.command("cats", cls=CatsCommand)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@with_options
@click.pass_obj
def command(invocation: Invocation, paths: tuple[str, ...], **options: object) -> int:
    """Put files, folders and globs into one text, byte for byte, for a model or a chat window.

    Without PATH all of the current folder. Left out are caches, what .gitignore files and the
    .pawsignore at the project's root say, -x before all, and files with secrets. `ouro dogs`
    applies what comes back.
    """
    import msgspec

    flags = msgspec.convert(options, Flags)
    if flags.curate is not None and not flags.curate.strip():
        raise Misuse("--ai-curate names no task", hint="say what the files are for")
    if flags.output == "-" and flags.as_json:
        raise Misuse("-o - prints the bundle, so --json cannot print, too")
    ground = _ground(invocation, flags)
    asked = _asked(flags, paths, _from_stdin(flags))
    if flags.curate:
        return _curated(invocation, flags, asked, ground)
    return _plain(flags, asked, ground)


def _plain(flags: Flags, asked: "Asked", ground: "Ground") -> int:
    from ouroboros.app.paws import cats

    gathered = cats.find(asked, ground)
    if flags.dry_run:
        if flags.as_json:
            say_json({
                "files": [each.path for each in gathered.files],
                "left": gathered.left,
            })
            return 0
        for each in gathered.files:
            say(f"{each.path}")
        _tell_left(flags, gathered.left)
        return 0
    written = cats.write(
        asked,
        ground,
        gathered,
        stdout=_stdout(),
        may_include=_asker(flags),
        tell=_counter(flags, len(gathered.files)),
    )
    _tell(flags, written)
    return 0


def _curated(invocation: Invocation, flags: Flags, asked: "Asked", ground: "Ground") -> int:
    from ouroboros.faces.cli.commands.paws.cats_curated import curated

    chosen = curated(invocation, flags, asked, ground)
    if chosen is None:
        return 0
    return finish(flags, asked, ground, chosen)


def finish(flags: Flags, asked: "Asked", ground: "Ground", chosen: "Chosen") -> int:
    """Writes the bundle of what a model chose."""
    from ouroboros.app.paws import cats

    if not flags.quiet:
        place = "the bundle" if asked.output == "-" else asked.output
        note(f"Creating {place} …")
    written = cats.write(
        asked,
        ground,
        chosen.gathered,
        metadata=chosen.metadata,
        ranks=chosen.ranks,
        stdout=_stdout(),
        may_include=_asker(flags),
    )
    _tell(flags, written)
    if not flags.quiet:
        note("Done.")
    return 0


def _ground(invocation: Invocation, flags: Flags) -> "Ground":
    from ouroboros.app.paws import cats

    if not flags.session:
        return cats.ground_of(invocation.cwd(), flags.root)
    if flags.root:
        raise Misuse("--session and --root name two roots", hint="leave one of them out")
    import anyio

    return anyio.run(
        cats.ground_of_session, invocation.cwd(), invocation.environment, flags.session
    )


def _asked(flags: Flags, paths: tuple[str, ...], listed: tuple[str, ...]) -> "Asked":
    from ouroboros.app.paws.cats import Asked

    is_listed = flags.from_stdin or flags.is_null
    if is_listed and not listed and not paths:
        raise Misuse("no path came on standard input")
    return Asked(
        paths=paths or (() if is_listed else (".",)),
        listed=listed,
        output=flags.output,
        exclude=flags.exclude,
        is_ignoring=not flags.no_ignore,
        has_defaults=not flags.no_defaults,
        dialect=flags.dialect,
        task=flags.curate or flags.task,
        persona=flags.persona,
        system=flags.system,
        tells_answer=flags.tells_answer,
        outline=flags.outline,
        is_delta_ready=flags.delta,
        max_tokens=flags.max_tokens,
        most_bytes=flags.most_bytes,
        secrets=flags.secrets,
        has_binary=not flags.no_binary,
    )


def _from_stdin(flags: Flags) -> tuple[str, ...]:
    if not flags.from_stdin and not flags.is_null:
        return ()
    data = sys.stdin.buffer.read() if sys.stdin is not None else b""
    names = data.split(b"\0") if flags.is_null else data.splitlines()
    return tuple(name.decode("utf-8", "surrogateescape") for name in names if name)


def _stdout() -> "BinaryIO | None":
    return sys.stdout.buffer if sys.stdout is not None else None


def _asker(flags: Flags) -> Callable[[dict[str, str]], bool]:
    """Whether files with secrets may go in; they stay out where nobody is there to ask."""

    def may_include(secrets: dict[str, str]) -> bool:
        if flags.yes or flags.quiet or not is_person_there():
            return False
        for path, what in list(secrets.items())[:_LEFT]:
            note(f"secrets in {_line(path)}: {what}")
        count = len(secrets)
        question = (
            f"Take {count} files with secrets, too?" if count > 1 else "Take it all the same?"
        )
        return click.confirm(question, default=False, err=True)

    return may_include


def _counter(flags: Flags, total: int) -> Callable[[int], None]:
    """Shows on a terminal how far it is with many files; the line is gone at the end."""
    is_shown = not flags.quiet and total >= _MANY and sys.stderr is not None and sys.stderr.isatty()

    def tell(count: int) -> None:
        if is_shown and (count % _MANY == 0 or count == total):
            text = f"{count:,} of {total:,} files"
            sys.stderr.write("\r" + (text if count < total else " " * len(text) + "\r"))
            sys.stderr.flush()

    return tell


def _tell(flags: Flags, written: "Written") -> None:
    made = written.made
    if flags.as_json:
        say_json({
            "output": written.output,
            "tokens": made.tokens,
            "bytes": made.bytes,
            "files": made.entries,
            "left": written.left,
            "secrets": made.secrets,
            "dropped": written.dropped,
        })
    if flags.quiet:
        return
    shown = sorted(made.entries, key=lambda each: -each.tokens)[:_LISTED]
    width = max((len(f"{each.tokens:,}") for each in shown), default=0)
    for each in shown if not flags.as_json else ():
        marks = " (signatures)" if each.is_outline else ""
        marks += " (whole: its signatures are not known)" if each.lacks_outline else ""
        marks += " (changed while it was read)" if each.is_torn else ""
        note(f"{each.tokens:>{width},}  {_line(each.path)}{marks}")
    if len(made.entries) > len(shown):
        note(f"and {len(made.entries) - len(shown):,} smaller files")
    for path, what in made.secrets.items():
        note(
            f"{'left out for its' if path in made.withheld else 'with'} secrets: {_line(path)} ({what})"
        )
    for path in written.dropped:
        note(f"left out for --max-tokens: {_line(path)}")
    _tell_left(flags, written.left)
    place = "standard output" if written.output is None else str(written.output)
    count = len(made.entries)
    note(
        f"{count:,} file{'' if count == 1 else 's'}, about {made.tokens:,} tokens,"
        f" {made.bytes:,} bytes: {place}"
    )


def _tell_left(flags: Flags, left: dict[str, str]) -> None:
    if flags.quiet:
        return
    for path, why in list(left.items())[:_LEFT]:
        note(f"left out: {_line(path)} ({why})")
    if len(left) > _LEFT:
        note(f"left out: {len(left) - _LEFT:,} more")


def _line(path: str) -> str:
    """A path as it stands in a line, with nothing that nobody sees, and no second line."""
    return spelled(path).replace("\n", "\\u{a}").replace("\t", "\\u{9}")
