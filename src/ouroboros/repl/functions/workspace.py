"""Functions for the person's files: the built-in tools by effect, with whole results for code."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.repl.functions.own import Own, given
from ouroboros.safety.paths import real
from ouroboros.tools.builtin.files import ReadArguments, ReadTool, WriteArguments, WriteTool
from ouroboros.tools.builtin.location import located, missing, shown
from ouroboros.tools.builtin.search import (
    FindArguments,
    FindTool,
    Found,
    GrepArguments,
    GrepTool,
    ListArguments,
    ListTool,
    Question,
    Start,
    ask,
    is_hidden,
    paths_of,
    start_of,
)
from ouroboros.tools.registry import AnyTool
from ouroboros.tools.tool import Effect, Result, Tool, ToolContext
from ouroboros.workspace.files import FileMissing, bytes_of, decoded

FILE_BYTES = 64 * 1_048_576
"""Largest file that is read or written, and largest answer of a search."""

HITS = 100_000
"""Lines of one ``grep``, paths of one ``find``."""


class Hit(Struct, frozen=True, kw_only=True):
    """One line that ``grep`` found."""

    path: str
    line: int
    text: str


class _ByEffect[Arguments: Struct]:
    """By effect a built-in tool; the rules that hold for the one hold for the other."""

    def __init__(self, own: Own, tool: Tool[Arguments]) -> None:
        """``own`` hears what code reads and writes, for pages may have had a say in it."""
        self._own, self._tool = own, tool

    def effect(self, arguments: Arguments, cwd: Path) -> Effect:
        """The tool's own."""
        return self._tool.effect(arguments, cwd)


class ReadFunction(_ByEffect[ReadArguments]):
    """The text of a file, or some lines of it."""

    name = "read"
    usage = "read(path, {offset?, limit?}): string"
    description = "text of a file; offset and limit count lines from 1"
    arguments = ReadArguments
    parallel_safe = True

    async def run(self, arguments: ReadArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """The whole text, whatever its size."""
        path = located(arguments.path, context.cwd)
        content = await to_thread.run_sync(_content, path, context)
        await self._own.has_read(path, content)
        text = await to_thread.run_sync(_lines, content, path, arguments)
        yield given(text, f"{len(text)} characters")


class WriteFunction(_ByEffect[WriteArguments]):
    """Makes or overwrites a file."""

    name = "write"
    usage = "write(path, text)"
    description = "writes a whole file"
    arguments = WriteArguments
    parallel_safe = False

    def __init__(self, own: Own) -> None:
        """``own`` notes what was written by code that had read pages."""
        self._writer = WriteTool(limit=FILE_BYTES)
        super().__init__(own, self._writer)

    async def run(self, arguments: WriteArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """Notes where the text comes from, then writes it in one step."""
        path = located(arguments.path, context.cwd)
        try:
            content = arguments.content.encode()
        except UnicodeEncodeError as broken:
            raise ToolFailed(f"the text holds half a character at {broken.start}") from broken
        await self._own.will_write(path, content)
        async for result in self._writer.run(arguments, context):
            yield Result(value=str(len(content)).encode(), parts=result.parts)


class GrepFunction(_ByEffect[GrepArguments]):
    """Lines that match, as objects."""

    name = "grep"
    usage = "grep(regex, path?, {glob?, type?, ignoreCase?}): [{path, line, text}]"
    description = "lines are cut at 300 characters"
    arguments = GrepArguments
    parallel_safe = True

    async def run(self, arguments: GrepArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """All hits in order of paths and lines; an error when there are too many."""
        start = await start_of(arguments.path, context)
        question = Question(
            start=start.name,
            pattern=arguments.pattern,
            glob=arguments.glob,
            type=arguments.type,
            ignore_case=arguments.ignore_case,
        )
        found = await ask(question, start, context, None, enough=FILE_BYTES)
        hits = await to_thread.run_sync(_hits, found, start, context)
        await self._own.has_found({context.cwd / hit.path for hit in hits})
        yield given(hits, f"{len(hits)} hits")


class FindFunction(_ByEffect[FindArguments]):
    """Paths that match."""

    name = "find"
    usage = "find(glob, path?): [path]"
    description = ""
    arguments = FindArguments
    parallel_safe = True

    async def run(self, arguments: FindArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """All paths in order; an error when there are too many."""
        from ouroboros.tools.builtin.walker import glob_expression

        start = await start_of(arguments.path, context)
        try:
            glob = re.compile(glob_expression(arguments.pattern))
        except re.error as broken:
            raise ToolFailed(f"not a glob: {arguments.pattern!r} ({broken})") from broken
        found = await ask(Question(start=start.name), start, context, None, enough=FILE_BYTES)

        def select() -> list[str]:
            matching = filter(glob.fullmatch, paths_of(found.output))
            kept = sorted(path for path in matching if not is_hidden(path, start, context))
            return [shown(start.folder / path, context.cwd) for path in kept]

        paths = await to_thread.run_sync(select)
        _bound(len(paths), found)
        await self._own.has_listed([context.cwd / path for path in paths])
        yield given(paths, f"{len(paths)} paths")


class ListFilesFunction(_ByEffect[ListArguments]):
    """What a folder holds."""

    name = "listFiles"
    usage = "listFiles(path?): [name]"
    description = "names in a folder, folders with a slash"
    arguments = ListArguments
    parallel_safe = True

    async def run(self, arguments: ListArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """All names in order."""
        path = located(arguments.path, context.cwd)
        names = await to_thread.run_sync(_names, path)
        await self._own.has_listed([path / name for name in names])
        yield given(names, f"{len(names)} names")


def workspace_functions(own: Own, *, may_write: bool = True) -> tuple[AnyTool, ...]:
    """The functions for files; a REPL that may not write has no ``write``."""
    reading = (
        ReadFunction(own, ReadTool()),
        GrepFunction(own, GrepTool()),
        FindFunction(own, FindTool()),
        ListFilesFunction(own, ListTool()),
    )
    return (*reading, WriteFunction(own)) if may_write else reading


def _content(path: Path, context: ToolContext) -> bytes:
    try:
        return bytes_of(path, limit=FILE_BYTES)
    except FileMissing as failed:
        raise missing(path, failed, context) from failed


def _lines(content: bytes, path: Path, arguments: ReadArguments) -> str:
    text = decoded(content, path).text
    if arguments.offset is None and arguments.limit is None:
        return text
    first = (arguments.offset or 1) - 1
    last = None if arguments.limit is None else first + arguments.limit
    return "".join(text.splitlines(keepends=True)[first:last])


def _hits(found: Found, start: Start, context: ToolContext) -> list[Hit]:
    hits: list[Hit] = []
    hidden: dict[str, bool] = {}
    for line in found.output.decode("utf-8", "replace").split("\n")[:-1]:
        said, separator, rest = line.partition("\0")
        number, _, text = rest.partition(":")
        if not separator or not number.isdecimal():
            continue
        path = said.removeprefix("./")
        if path not in hidden:
            hidden[path] = is_hidden(path, start, context)
        if not hidden[path]:
            place = shown(start.folder / path, context.cwd)
            hits.append(Hit(path=place, line=int(number), text=text.removesuffix("\r")))
    _bound(len(hits), found)
    return hits


def _bound(count: int, found: Found) -> None:
    if count > HITS or not found.is_all:
        raise ToolFailed(f"there are over {min(count, HITS)} hits; narrow the search")


def _names(path: Path) -> list[str]:
    if not path.is_dir():
        fault = "is not a folder" if path.exists() else "does not exist"
        raise ToolFailed(f"{path} {fault}")
    entries = sorted(real(path).iterdir(), key=lambda entry: entry.name)
    return [f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries[:HITS]]
