"""Finding text and files: by ripgrep where there is one, else by a walker with the same output."""

import re
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Annotated

import anyio
import msgspec
from anyio import to_thread
from msgspec import Meta, Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.environment import apart
from ouroboros.safety.paths import real
from ouroboros.safety.spawn import Process, spawn
from ouroboros.tools.builtin.location import located, shown
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.files import near_names

SEARCH_SECONDS = 30.0
"""Life of one search."""

HITS = 200
"""Lines or paths of one answer."""

_ENOUGH_BYTES = 1_048_576
_EVERY_FILE_BYTES = 32 * 1_048_576


class GrepArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to look for in files."""

    pattern: Annotated[str, Meta(min_length=1, description="regular expression")]
    path: str = "."
    glob: Annotated[str, Meta(description="such as *.py or src/**")] = ""
    type: Annotated[str, Meta(description="such as py, js")] = ""
    ignore_case: bool = False
    files_only: bool = False
    context: Annotated[int, Meta(ge=0, le=20, description="lines around each hit")] = 0


class FindArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which files to look for."""

    pattern: Annotated[str, Meta(min_length=1, description="such as **/*.test.js")]
    path: str = "."


class ListArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which folder to list."""

    path: str = "."
    detailed: bool = False


class Question(Struct, frozen=True, kw_only=True):
    """One search, for either program; ``start`` is a path from its working folder.

    Without a ``pattern`` files are listed.
    """

    start: str
    pattern: str | None = None
    glob: str = ""
    type: str = ""
    ignore_case: bool = False
    files_only: bool = False
    context: int = 0


class Found(Struct, frozen=True, kw_only=True):
    """What a search program said; ``is_all`` is False when it was ended early."""

    output: bytes
    is_all: bool = True


class GrepTool:
    """Shows matching lines, or the files that have some."""

    name = "grep"
    description = (
        f"Search file contents; up to {HITS} hits as path:line:text. Ignored files are left out."
    )
    arguments = GrepArguments
    parallel_safe = True

    def __init__(self, *, program: str | None = None) -> None:
        """``program`` is ripgrep's path; empty for the walker, None to look for ripgrep."""
        self._program = program

    def effect(self, arguments: GrepArguments, cwd: Path) -> Effect:
        """Reads below one path."""
        where = located(arguments.path, cwd)
        action = f"Search {shown(where, cwd)} for {arguments.pattern}"
        return Effect(kind="read", action=action, paths=(where,))

    async def run(self, arguments: GrepArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Hits in order of paths and lines."""
        start = await start_of(arguments.path, context)
        question = Question(
            start=start.name,
            pattern=arguments.pattern,
            glob=arguments.glob,
            type=arguments.type,
            ignore_case=arguments.ignore_case,
            files_only=arguments.files_only,
            context=arguments.context,
        )
        found = await ask(question, start, context, self._program, enough=_ENOUGH_BYTES)
        if arguments.files_only:
            listed = paths_of(found.output)
            paths = [path for path in listed if not is_hidden(path, start, context)]
            yield _listing(paths, start, context.cwd, found, hidden=len(listed) - len(paths))
        else:
            yield _hits(found, start, context)


class FindTool:
    """Finds files by name."""

    name = "find"
    description = (
        f"Find up to {HITS} files by glob (a name without / matches at any depth), sorted by path. "
        "Ignored files are left out."
    )
    arguments = FindArguments
    parallel_safe = True

    def __init__(self, *, program: str | None = None) -> None:
        """``program`` is ripgrep's path; empty for the walker, None to look for ripgrep."""
        self._program = program

    def effect(self, arguments: FindArguments, cwd: Path) -> Effect:
        """Reads below one path."""
        where = located(arguments.path, cwd)
        action = f"Find {arguments.pattern} in {shown(where, cwd)}"
        return Effect(kind="read", action=action, paths=(where,))

    async def run(self, arguments: FindArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Paths that match."""
        from ouroboros.tools.builtin.walker import glob_expression

        start = await start_of(arguments.path, context)
        try:
            glob = re.compile(glob_expression(arguments.pattern))
        except re.error as broken:
            raise ToolFailed(f"not a glob: {arguments.pattern!r} ({broken})") from broken
        question = Question(start=start.name)
        found = await ask(question, start, context, self._program, enough=_EVERY_FILE_BYTES)

        def select() -> tuple[list[str], int]:
            matching = list(filter(glob.fullmatch, paths_of(found.output)))
            kept = sorted(path for path in matching if not is_hidden(path, start, context))
            return kept, len(matching) - len(kept)

        paths, hidden = await to_thread.run_sync(select)
        yield _listing(paths, start, context.cwd, found, hidden=hidden)


class ListTool:
    """Lists one folder."""

    name = "ls"
    description = "List a folder, hidden files too; detailed adds size and time (UTC)."
    arguments = ListArguments
    parallel_safe = True

    def effect(self, arguments: ListArguments, cwd: Path) -> Effect:
        """Reads one path."""
        where = located(arguments.path, cwd)
        return Effect(kind="read", action=f"List {shown(where, cwd)}", paths=(where,))

    async def run(self, arguments: ListArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Names in order, folders with a slash, links with their target."""
        path = located(arguments.path, context.cwd)
        lines = await to_thread.run_sync(_entries, path, arguments.detailed)
        yield Result.of("\n".join(lines) if lines else "(empty folder)")


class Start(Struct, frozen=True, kw_only=True):
    """Where a search begins: a folder, and a name in it or the folder itself."""

    folder: Path
    real_folder: Path
    name: str = "."


async def start_of(written: str, context: ToolContext) -> Start:
    """Where a search of this path begins; raises ``ToolFailed`` where there is nothing."""
    path = located(written, context.cwd)
    place = anyio.Path(path)
    if await place.is_dir():
        return Start(folder=path, real_folder=real(path))
    if await place.is_file():
        return Start(folder=path.parent, real_folder=real(path.parent), name=path.name)
    fault = "is not a regular file" if await place.exists() else "does not exist"
    raise ToolFailed(f"{path} {fault}")


async def ask(
    question: Question, start: Start, context: ToolContext, program: str | None, *, enough: int
) -> Found:
    """Runs one search until ``enough`` bytes were said; ``program`` as in the tools below."""
    if program is None:
        program = await to_thread.run_sync(_look_up, context.environment, context.cwd)
    command = _ripgrep(program, question) if program else _walker(question)
    output, errors = bytearray(), bytearray()
    is_all = False
    async with spawn(
        command,
        cwd=start.folder,
        environment=context.environment,
        confined=context.sandbox.confine(command, cwd=start.folder),
    ) as process:
        with anyio.move_on_after(SEARCH_SECONDS):
            is_all = await _collect(process, output, errors, enough)
        exit_code = process.exit_code
    if not output and (exit_code not in {0, 1, None} or (exit_code == 1 and errors)):
        reason = errors.decode("utf-8", "replace").strip() or f"exit code {exit_code}"
        raise ToolFailed(f"the search failed: {reason[:1000]}{_advice(reason)}")
    if exit_code is None and not output:
        raise ToolFailed(f"the search took over {SEARCH_SECONDS:.0f} seconds; narrow it")
    return Found(output=bytes(output), is_all=is_all)


def _advice(reason: str) -> str:
    """How to write the character that a pattern was refused for, where it is a bracket."""
    if "regex parse error" not in reason:
        return ""
    fault = reason.rpartition("error: ")[2]
    for words, advice in _LITERALS:
        if any(word in fault for word in words):
            return f"; write {advice}"
    return ""


_LITERALS = (
    (
        ("unclosed group", "unopened group", "unbalanced parenthesis", "unterminated subpattern"),
        r"\( for a literal parenthesis",
    ),
    (("unclosed character class", "unterminated character set"), r"\[ for a literal bracket"),
    (("counted repetition", "repetition quantifier"), r"\{ for a literal brace"),
)


async def _collect(process: Process, output: bytearray, errors: bytearray, enough: int) -> bool:
    while len(output) < enough:
        piece = await process.read()
        if piece is None:
            return True
        if piece.stream == "stdout":
            output += piece.data
        elif len(errors) < 4096:
            errors += piece.data
    return False


def _look_up(environment: Mapping[str, str], cwd: Path) -> str:
    from shutil import which

    # The package ``ripgrep`` puts its program beside the interpreter.
    beside = str(Path(sys.executable).parent)
    search = apart(environment, cwd)["PATH"]
    return which("rg", path=search) or which("rg", path=beside) or ""


def _ripgrep(program: str, question: Question) -> tuple[str, ...]:
    from ouroboros.tools.builtin.walker import COLUMNS, SKIPPED

    command = [program, "--no-config", "--hidden", "--null", "--color=never", "--sort=path"]
    if question.glob:
        command.append(f"--glob={question.glob}")
    command.extend(f"--glob=!**/{name}/**" for name in sorted(SKIPPED))  # the last glob wins
    if question.type:
        command.append(f"--type={question.type}")
    if question.ignore_case:
        command.append("--ignore-case")
    if question.pattern is None:
        return (*command, "--files", "--", question.start)
    if question.files_only:
        command += ["--crlf", "--files-with-matches"]
    else:
        command += ["--crlf", "--line-number", "--no-heading", "--with-filename"]
        command += [f"--max-columns={COLUMNS}", "--max-columns-preview"]
        command += [f"--context={question.context}"] if question.context else []
    return (*command, f"--regexp={question.pattern}", "--", question.start)


def _walker(question: Question) -> tuple[str, ...]:
    program = str(Path(__file__).with_name("walker.py"))
    wanted = msgspec.json.encode(question).decode()
    return (sys.executable, "-I", "-S", "-B", program, wanted)


def paths_of(output: bytes) -> list[str]:
    """The paths of a listing, from where the search began."""
    return [_path(part.decode("utf-8", "replace")) for part in output.split(b"\0") if part]


def _path(said: str) -> str:
    return said.removeprefix("./")


def _listing(paths: list[str], start: Start, cwd: Path, found: Found, *, hidden: int = 0) -> Result:
    if not paths:
        said = "No files found." if found.is_all else "Nothing yet; narrow the search."
        return Result.of("\n".join([said, *_left_out(hidden)]))
    lines = [shown(start.folder / path, cwd) for path in paths[:HITS]]
    if len(paths) > HITS or not found.is_all:
        lines.append(f"[{len(lines)} of {_total(len(paths), found)} files; narrow the search]")
    return Result.of("\n".join([*lines, *_left_out(hidden)]))


def _left_out(count: int) -> list[str]:
    """A line about files that match and that the model may not read."""
    if not count:
        return []
    if count == 1:
        return ["[1 file is left out: it may not be read]"]
    return [f"[{count} files are left out: they may not be read]"]


def is_hidden(path: str, start: Start, context: ToolContext) -> bool:
    """Whether a rule denies reading it."""
    return context.hides(start.real_folder / path)


def _hits(found: Found, start: Start, context: ToolContext) -> Result:
    lines = found.output.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    lines.pop()  # what follows the last line end: nothing, or half a line
    hidden: dict[str, bool] = {}
    hits: list[str] = []
    count = 0
    is_apart = False
    for line in lines:
        if line == _BETWEEN:
            is_apart = True
            continue
        said, separator, rest = line.partition("\0")
        path = _path(said) if separator else ""
        if path not in hidden:
            hidden[path] = is_hidden(path, start, context)
        if hidden[path]:
            continue
        mark = _mark(rest)
        count += mark == ":"
        if count > HITS:
            continue
        if is_apart and hits:
            hits.append(_BETWEEN)
        is_apart = False
        hits.append(f"{shown(start.folder / path, context.cwd)}{mark}{rest}" if separator else line)
    if count > HITS or (hits and not found.is_all):
        hits.append(f"[{min(count, HITS)} of {_total(count, found)} hits; narrow the search]")
    hits = hits or ["No matches."]
    return Result.of("\n".join([*hits, *_left_out(sum(hidden.values()))]))


_BETWEEN = "--"
"""Stands between lines that do not follow each other, when lines around a hit are shown."""


def _mark(rest: str) -> str:
    """A colon for a hit, a dash for a line beside one: what follows the line number."""
    return "-" if rest.lstrip("0123456789").startswith("-") else ":"


def _total(count: int, found: Found) -> str:
    return str(count) if found.is_all else f"at least {count}"


def _entries(path: Path, detailed: bool) -> list[str]:
    if not path.exists():
        raise ToolFailed(f"{path} does not exist{near_names(path)}")
    if not path.is_dir():
        raise ToolFailed(f"{path} is not a folder; use read")
    entries = sorted(path.iterdir(), key=lambda entry: entry.name)
    lines = [_entry(entry, detailed=detailed) for entry in entries[: HITS * 5]]
    if len(entries) > len(lines):
        lines.append(f"[{len(lines)} of {len(entries)} entries; use find]")
    return lines


def _entry(path: Path, *, detailed: bool) -> str:
    found = path.lstat()
    name = path.name
    if path.is_symlink():
        name = f"{name} -> {path.readlink()}"
    elif path.is_dir():
        name = f"{name}/"
    if not detailed:
        return name
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp(found.st_mtime, UTC)
    return f"{found.st_size:>10} {moment:%Y-%m-%d %H:%M} {name}"
