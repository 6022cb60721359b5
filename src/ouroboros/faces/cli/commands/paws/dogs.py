"""`ouro dogs`: apply what a model answered, safely."""

import shlex
import signal
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, override

import click
import msgspec
from msgspec import Struct, structs

from ouroboros.core.errors import Interrupted, Misuse, OuroborosError
from ouroboros.faces.cli import interrupts
from ouroboros.faces.cli.asking import agreed, is_person_there
from ouroboros.faces.cli.invocation import Invocation, note, say_json

if TYPE_CHECKING:
    from ouroboros.app.paws.dogs.door import Request
    from ouroboros.app.paws.dogs.outcome import Ending, Outcome
    from ouroboros.app.paws.dogs.reading import Files, Prepared

WRONG_COMMAND_LINE = 64

_MOST_BYTES = 268_435_456
_VERIFY_SECONDS = 600.0
_FORMATS = ["auto", "v1", "paws", "search", "diff", "v4a", "xml", "whole"]
_OPTIONS = (
    click.option("-y", "--yes", is_flag=True, help="Apply it without asking."),
    click.option("-n", "--no", "only_new", is_flag=True, help="Make new files only, unasked."),
    click.option(
        "--steering",
        is_flag=True,
        help="With -y or -n, change files that steer later runs too, such as AGENTS.md.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but what went wrong."),
    click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON for machines."),
    click.option("--format", "dialect", type=click.Choice(_FORMATS), default="auto"),
    click.option("--partial", is_flag=True, help="Apply what fits, though blocks are refused."),
    click.option("--allow-truncated", is_flag=True, help="Take a last block that was cut off."),
    click.option("--allow-reinvoke", is_flag=True, help="Run a command the model asks for."),
    click.option("--rsi-link", is_flag=True, help="Read self-edit markers, and only those."),
    click.option("-d", "--delta", metavar="REF", default="", help="The bundle the model saw."),
    click.option("-i", "--interactive", is_flag=True, help="Choose files and hunks on a screen."),
    click.option("--verify", metavar="CMD", default="", help="Judge the changes by a command."),
    click.option("--revert-on-fail", is_flag=True, help="Put everything back when --verify fails."),
    click.option(
        "--verify-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        default=_VERIFY_SECONDS,
        show_default=True,
        help="A command that takes longer has failed.",
    ),
    click.option("--session", metavar="ID", default="", help="Apply to a work session's files."),
    click.option("--checkpoint", metavar="NAME", default="", help="Commit it there as NAME."),
    click.option("--undo", is_flag=True, help="Take back the bundle that was applied last."),
)


class Flags(Struct, frozen=True, kw_only=True):
    """The options as they were given."""

    yes: bool = False
    only_new: bool = False
    steering: bool = False
    quiet: bool = False
    dry_run: bool = False
    as_json: bool = False
    dialect: Literal["auto", "v1", "paws", "search", "diff", "v4a", "xml", "whole"] = "auto"
    partial: bool = False
    allow_truncated: bool = False
    allow_reinvoke: bool = False
    rsi_link: bool = False
    delta: str = ""
    interactive: bool = False
    verify: str = ""
    revert_on_fail: bool = False
    verify_timeout: float = _VERIFY_SECONDS
    session: str = ""
    checkpoint: str = ""
    undo: bool = False


class WrongLine(click.UsageError):
    """A command line that cannot be understood."""

    exit_code = WRONG_COMMAND_LINE


class DogsCommand(click.Command):
    """Ends with 64 for a wrong command line: 2 says that a verification failed."""

    @override
    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        as_json = "--json" in args
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as wrong:
            if as_json:
                _say_failed("wrong_command_line", wrong.format_message())
            raise WrongLine(wrong.format_message(), wrong.ctx) from wrong

    @override
    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BaseException as failed:
            if isinstance(failed, Misuse):
                failed.exit_code = WRONG_COMMAND_LINE
            if ctx.params["as_json"]:
                while isinstance(failed, BaseExceptionGroup):
                    failed = cast("BaseExceptionGroup[BaseException]", failed).exceptions[0]
                _say_failed(_ending_of(failed), str(failed))
            raise


def _ending_of(failed: BaseException) -> "Ending":
    match failed:
        case Misuse():
            return "wrong_command_line"
        case Interrupted() | KeyboardInterrupt() | click.Abort():
            return "interrupted"
        case _:
            return "failed"


def _say_failed(ending: "Ending", reason: str) -> None:
    """How it ended for a program, which finds JSON on standard output whatever happens."""
    from ouroboros.app.paws.dogs.outcome import Outcome

    say_json(Outcome(outcome=ending, files=(), reason=reason))


def _with_options[Function: Callable[..., object]](function: Function) -> Function:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("dogs", cls=DogsCommand)
@click.argument("bundle", required=False)
@click.argument("folder", required=False, metavar="[DIR]")
@_with_options
@click.pass_obj
def command(
    invocation: Invocation, /, bundle: str | None, folder: str | None, **options: object
) -> int:
    """Apply BUNDLE, or the one on standard input for `-`, to the files below DIR.

    BUNDLE is what a model answered, in any of the formats. All of it is applied, or nothing.

    Ends with 0 applied, 1 refused, 2 verification failed and kept, 3 failed and taken back, 4 the
    model asks for something first, 5 nothing to do, 6 applied but for files that steer later runs, 64 a
    wrong command line.
    """
    flags = msgspec.convert(options, Flags)
    _check(flags, bundle)
    if flags.undo:
        if folder:
            raise Misuse("--undo takes one folder, and no bundle")
        root = invocation.cwd(bundle or "")
        return interrupts.run(partial(_undo, invocation, root, flags))
    assert bundle is not None
    # Read before there is an event loop, which would hold a Ctrl-C back until there is an end.
    request = _request(invocation, flags, bundle, folder or "")
    return interrupts.run(partial(_apply, request, flags, folder or ""))


def _check(flags: Flags, bundle: str | None) -> None:
    if flags.undo:
        said = Flags(undo=True, as_json=flags.as_json, quiet=flags.quiet, session=flags.session)
        if structs.replace(flags, yes=False) != said:
            raise Misuse(
                "--undo takes back the bundle that was applied last",
                hint="it goes with -y, -q, --json and --session only",
            )
        return
    if bundle is None:
        raise Misuse("no bundle is named", hint="name a file, or `-` for standard input")
    if flags.revert_on_fail and not flags.verify.strip():
        raise Misuse("--revert-on-fail needs --verify", hint="name the command that judges")
    if flags.interactive and (flags.yes or flags.only_new or flags.dry_run):
        raise Misuse("--interactive asks, so it goes with none of -y, -n and --dry-run")
    if flags.interactive and not _is_seen():
        raise Misuse("--interactive needs a terminal", hint="-y applies all of it, --dry-run none")
    if flags.checkpoint and not flags.session:
        raise Misuse("--checkpoint needs --session", hint="a checkpoint belongs to a work session")


def _is_seen() -> bool:
    return is_person_there() and sys.stdout is not None and sys.stdout.isatty()


def _request(invocation: Invocation, flags: Flags, bundle: str, folder: str) -> "Request":
    from ouroboros.app.paws.dogs.door import Request

    root = invocation.cwd(folder)
    return Request(
        bundle=bundle,
        data=_read(bundle),
        reference=_read(flags.delta) if flags.delta else None,
        root=root,
        cwd=invocation.cwd(),
        loaded=invocation.load(cwd=root),
        environment=invocation.environment,
        session=flags.session,
        checkpoint=flags.checkpoint,
        dialect=flags.dialect,
        rsi_link=flags.rsi_link,
        allow_truncated=flags.allow_truncated,
        partial=flags.partial,
        only_new=flags.only_new,
        verify=flags.verify,
        verify_timeout=flags.verify_timeout,
        revert=flags.revert_on_fail,
        reinvoke=flags.allow_reinvoke,
        yes=flags.yes,
    )


async def _apply(request: "Request", flags: Flags, folder: str) -> int:
    from ouroboros.app.paws.dogs.door import applied
    from ouroboros.app.paws.dogs.outcome import Outcome
    from ouroboros.app.paws.dogs.reading import left_apart

    left: dict[str, str] = {}
    choose = partial(_chosen, request, flags, left)
    try:
        outcome = await applied(request, choose=choose, agree=_agreed_to, tell=_teller(flags))
    except (Misuse, Interrupted):
        raise
    except OuroborosError as failed:
        if not flags.as_json:
            raise
        outcome = Outcome(outcome="refused", files=(), reason=failed.message)
    return _end(left_apart(outcome, left), flags, folder)


async def _undo(invocation: Invocation, root: Path, flags: Flags) -> int:
    from ouroboros.app.paws.dogs.door import undone, undone_in

    loaded, tell = invocation.load(cwd=root), _teller(flags)
    if not flags.session:
        return _end(await undone(loaded, root, tell), flags)
    found = await undone_in(loaded, root, invocation.environment, flags.session, tell)
    return _end(found, flags)


async def _chosen(
    request: "Request", flags: Flags, left: dict[str, str], found: "Prepared"
) -> "Files | Outcome":
    """What of a plan is written, or how it ends without; ``left`` takes what nobody was asked about."""
    from ouroboros.app.paws.dogs.choosing import offer_of, with_hunks
    from ouroboros.app.paws.dogs.reading import declined, only_planned

    if flags.dry_run:
        return only_planned(found)
    if not flags.interactive:
        if flags.yes or flags.only_new:
            return _unasked(flags, left, found)
        _show(found)
        count = len(found.files)
        question = f"Apply {count} changes?" if count != 1 else "Apply this change?"
        is_agreed = _agreed(question, hint="-y applies it, --dry-run shows what it would do")
        return found.files if is_agreed else declined(found, "you said no")
    from ouroboros.faces.tui.review.door import reviewed

    files = sorted(found.files, key=lambda file: bool(found.steers(file)))
    offers = [offer_of(file, found.steers(file)) for file in files]
    look = request.loaded.settings.tui.theme
    taken = await reviewed(offers, request.bundle, look=look, environment=request.environment)
    if taken is None:
        return declined(found, "the review was broken off")
    some = [with_hunks(file, hunks) for file, hunks in zip(files, taken, strict=True)]
    wanted = tuple(file for file in some if file is not None)
    return wanted or declined(found, "nothing was accepted")


def _unasked(flags: Flags, left: dict[str, str], found: "Prepared") -> "Files | Outcome":
    """All of it but what steers later runs, which -y and -n are no answer for; a person is asked."""
    from ouroboros.app.paws.dogs.outcome import Outcome
    from ouroboros.app.paws.dogs.reading import skipped, unasked
    from ouroboros.faces.cli.commands.paws.dogs_words import STEER, line_of

    plain, others = unasked(found)
    if not others or flags.steering:
        return found.files
    if not flags.as_json and is_person_there():
        note(STEER)
        for file in found.told(found.files):
            if file.steers:
                note(line_of(file))
        if _agreed("Apply these too?", hint=""):
            return found.files
    left.update(others)
    if plain:
        return plain
    files = (*found.kept, *skipped(found.files, ""))
    return Outcome(outcome="steering_left", files=files, notes=found.bundle.notes)


def _show(found: "Prepared") -> None:
    from ouroboros.faces.cli.commands.paws.dogs_words import apart

    for line in apart((*found.told(found.files), *found.kept)):
        note(line)


async def _agreed_to(command: str) -> bool:
    question = f"The model asks to run {command!r} before it goes on. Run it?"
    return is_person_there() and _agreed(question, hint="")


def _agreed(question: str, *, hint: str) -> bool:
    """Asks while nothing else goes on; Ctrl-C ends the question, which the event loop would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return agreed(question, hint=hint)
    finally:
        signal.signal(signal.SIGINT, before)


def _teller(flags: Flags) -> Callable[[str], None]:
    return (lambda _: None) if flags.quiet else note


def _end(outcome: "Outcome", flags: Flags, folder: str = "") -> int:
    from ouroboros.faces.cli.commands.paws.dogs_words import tell_outcome

    if flags.as_json:
        say_json(outcome)
    else:
        session = ["--session", flags.session] if flags.session else []
        undo = shlex.join(["ouro", "dogs", "--undo", *filter(None, [folder]), *session])
        tell_outcome(outcome, is_quiet=flags.quiet, undo=undo)
    return outcome.exit_code


def _read(name: str) -> bytes:
    """A file, or standard input for ``-``; raises ``Misuse``."""
    from ouroboros.app.paws.named import bytes_of

    stdin = sys.stdin.buffer if sys.stdin is not None else BytesIO()
    return bytes_of(name, most=_MOST_BYTES, stdin=stdin)
