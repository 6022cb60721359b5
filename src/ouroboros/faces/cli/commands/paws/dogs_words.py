"""What `ouro dogs` says of how it ended: files on standard output, all else beside it."""

from collections.abc import Iterator, Sequence

from ouroboros.app.paws.dogs.outcome import Asked, FileOutcome, Outcome, Verified
from ouroboros.faces.cli.invocation import note, say
from ouroboros.faces.wording.words import one_line

_LONGEST = 1_000
_NAMED = 3
_BAD = frozenset({"refused", "verify_failed", "reverted", "steering_left"})
STEER = "These steer later runs:"
"""Stands above files that are shown apart from the others."""


def tell_outcome(outcome: Outcome, *, is_quiet: bool, undo: str) -> None:
    """Says it; ``undo`` is the command that takes the changes back."""
    if not is_quiet:
        _tell_files(outcome)
    for request in outcome.requests:
        _tell_request(request)
    if outcome.verify is not None and not outcome.verify.is_good:
        _tell_log(outcome.verify)
    for path, why in outcome.left.items():
        note(f"{path!r} was left as it is: {why}")
    if outcome.outcome in _BAD or not is_quiet:
        note(_ending(outcome))
        if outcome.reason:
            note(outcome.reason)
    if outcome.outcome == "verify_failed" and not outcome.left:
        note(f"hint: `{undo}` takes the changes back")


def _tell_files(outcome: Outcome) -> None:
    for line in outcome.notes:
        note(line)
    for line in apart(outcome.files):
        (note if line == STEER else say)(line)
    if outcome.diff:
        say(outcome.diff.removesuffix("\n"))


def apart(files: Sequence[FileOutcome]) -> Iterator[str]:
    """A line for each file; those that are changed and steer later runs behind a line that says so."""
    steering = [file for file in files if file.steers and file.is_written]
    yield from (line_of(file) for file in files if file not in steering)
    if steering:
        yield STEER
        yield from map(line_of, steering)


def line_of(file: FileOutcome) -> str:
    """A file in a line: what became of it, its name, the lines that came and went, why."""
    name = one_line(f"{file.was} -> {file.path}" if file.was else file.path, _LONGEST)
    counts = f"  +{file.added} -{file.removed}" if file.added or file.removed else ""
    what = f": {file.steers}" if file.steers and file.is_written else ""
    why = f": {file.reason}" if file.reason else what
    return f"{file.action:8} {name}{counts}{why}"


def _ending(outcome: Outcome) -> str:
    count = sum(file.is_written for file in outcome.files)
    files = "1 file" if count == 1 else f"{count} files"
    match outcome.outcome:
        case "applied" | "steering_left":
            return _applied(outcome, files if count else "")
        case "planned":
            return f"Would apply {files}; nothing was written"
        case "refused":
            what = "not all of it could be taken back" if outcome.left else "nothing was written"
            return f"Refused; {what}"
        case "verify_failed":
            what = "not all is as it was before" if outcome.left else "the changes are kept"
            return f"{_failed(outcome.verify)}; {what}"
        case "reverted":
            what = "the files are as they were" if outcome.reason else "everything is as it was"
            return f"{_failed(outcome.verify)}; {what} before"
        case "needs_context":
            return "The model asks for something first; nothing was written"
        case "nothing_to_do":
            return "Nothing to do"
        case "wrong_command_line" | "interrupted" | "failed":
            return outcome.reason


def _applied(outcome: Outcome, files: str) -> str:
    if outcome.outcome == "steering_left":
        left = [file.path for file in outcome.files if file.steers and not file.is_written]
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        names = one_line(", ".join(left[:_NAMED]), _LONGEST)
        done = f"Applied {files}" if files else "Nothing was written"
        return f"{done}; left out what steers later runs: {names}{more} (--steering applies it)"
    if outcome.verify is not None:
        return f"Applied {files or '0 files'}; the verification command succeeded"
    return f"Applied {files}" if files else "Taken back"


def _failed(found: Verified | None) -> str:
    if found is None:
        return "Verification failed"
    if found.timed_out:
        return f"The verification command did not end within {found.seconds:.0f} s"
    return f"The verification command failed with exit code {found.exit_code}"


def _tell_log(found: Verified) -> None:
    for name, text in (("stdout", found.stdout), ("stderr", found.stderr)):
        if text.strip():
            note(f"--- {name} of {found.command}")
            note(text.removesuffix("\n"))


def _tell_request(request: Asked) -> None:
    what = f"context: {request.path}" if request.kind == "context" else "a command to be run"
    why = f" ({request.reason})" if request.reason else ""
    say(f"asks for {what}{why}")
    if request.command:
        say(f"  {request.command}")
    if request.decision:
        note(f"the command: {request.decision}")
    if request.output:
        say(request.output.removesuffix("\n"))
