"""From arguments to exit code: the border where every failure becomes words."""

import sys
from collections.abc import Iterator
from errno import ENOSPC
from typing import TypeGuard, cast

import click

from ouroboros.app.text import plain
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.cli.tree import PROGRAMS

BROKEN_PIPE = 141
"""What a program has that ended because nobody read its output any more."""

_ANYWHERE = ("--debug", "--verbose")
_OTHERS = (("sandbox",), ("policy", "check"))
"""Commands that take the words of another program, to which the same options may belong."""


def main(argv: list[str], program: str = "ouro") -> int:
    """Runs one command line of a program, without its name; never raises."""
    arguments = _global_first(argv)
    is_debug = "--debug" in arguments
    try:
        _tolerate_any_text()
        code = _invoke(arguments, program)
        _flush()
    except BaseException as error:  # noqa: BLE001 - the face's border: every failure ends as words and an exit code
        # What is not to be kept may stand in a traceback too.
        code = _report(error, debug=is_debug, keeps="--ephemeral" not in arguments)
        _give_up_output()
    return code


def _invoke(argv: list[str], program: str) -> int:
    from ouroboros.app.config.layers import environment

    root, variable = PROGRAMS[program], f"_{program.upper()}_COMPLETE"
    if instruction := environment().get(variable):
        from click.shell_completion import shell_complete

        return shell_complete(root, {}, program, variable, instruction)
    with root.make_context(program, argv) as context:
        result: object = root.invoke(context)
    return result if isinstance(result, int) else 0


def _global_first(argv: list[str]) -> list[str]:
    """``--debug`` and ``--verbose`` may stand anywhere before ``--`` and the words of another program."""
    end = min(argv.index("--") if "--" in argv else len(argv), _verbatim(argv))
    found = [option for option in _ANYWHERE if option in argv[:end]]
    return [*found, *(word for word in argv[:end] if word not in _ANYWHERE), *argv[end:]]


def _verbatim(argv: list[str]) -> int:
    """Where a command is named that takes the words of another program; behind all words for others."""
    named = [
        at
        for at, word in enumerate(argv)
        if not word.startswith("-") and argv[at - 1 : at] != ["--profile"]
    ]
    for command in _OTHERS:
        places = named[: len(command)]
        if tuple(argv[at] for at in places) == command:
            return places[-1] + 1
    return len(argv)


def _report(error: BaseException, *, debug: bool, keeps: bool) -> int:
    leaves = list(_leaves(error))
    leaves = [_unwritten(leaf) if _is_full(leaf) else leaf for leaf in leaves]
    known = next((leaf for leaf in leaves if isinstance(leaf, OuroborosError)), None)
    for leaf in leaves:
        if (code := _quiet(leaf)) is not None:
            return code
    if known is not None:
        if debug:
            _traceback(error)
        _tell(known.message, known.hint)
        return known.exit_code
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _write(f"{error.format_message()}\n")
        return error.exit_code
    if isinstance(error, click.ClickException):
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        _tell(error.format_message(), f"`{where} --help` shows what it takes" if where else "")
        return error.exit_code
    return _crash(error, debug=debug, keeps=keeps)


def _is_full(error: BaseException) -> TypeGuard[OSError]:
    """Whether writing the output failed; a file of our own would be named."""
    return isinstance(error, OSError) and error.errno == ENOSPC and error.filename is None


def _quiet(error: BaseException) -> int | None:
    """The exit code of an ending that needs no words."""
    match error:
        case click.exceptions.Exit(exit_code=code):
            return code
        case KeyboardInterrupt() | click.Abort():
            _tell("interrupted")
            return 130
        case BrokenPipeError():
            return BROKEN_PIPE
        case SystemExit(code=code):
            return code if isinstance(code, int) else int(code is not None)
        case _:
            return None


def _crash(error: BaseException, *, debug: bool, keeps: bool) -> int:
    if debug:
        _traceback(error)
    said = str(error).partition("\n")[0]
    name = type(error).__name__
    kept = _kept(error) if keeps else ""
    again = "" if debug else "; --debug shows them here" if kept else "--debug shows the details"
    hint = (kept.removesuffix("; ") + again).lstrip("; ")
    _tell(f"something broke inside: {name}: {said}" if said else f"something broke: {name}", hint)
    return 1


def _kept(error: BaseException) -> str:
    """Where the log has the details; empty where it could not be written."""
    from ouroboros.app import diagnosis
    from ouroboros.app.config.layers import environment, home_folder

    try:
        return f"the details are in {diagnosis.record(home_folder(environment()), error)}; "
    except (OSError, OuroborosError):
        return ""


def _traceback(error: BaseException) -> None:
    import traceback

    _write(plain("".join(traceback.format_exception(error))))


def _tell(message: str, hint: str = "") -> None:
    _write(plain(f"error: {message}\n" + (f"hint: {hint}\n" if hint else "")))


def _write(text: str) -> None:
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
    except (OSError, ValueError):
        return


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _tolerate_any_text() -> None:
    """A name that the terminal's encoding lacks is shown escaped instead of failing."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritten(error) from error


def _unwritten(error: OSError) -> OuroborosError:
    return OuroborosError(
        f"the output cannot be written: {error.strerror}",
        hint="free some space, or write elsewhere",
    )


def _give_up_output() -> None:
    """What can still be written is; the rest would make the interpreter complain at its end."""
    try:
        _flush()
    except (OSError, OuroborosError):
        _silence_output()


def _silence_output() -> None:
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
