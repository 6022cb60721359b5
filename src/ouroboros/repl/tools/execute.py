"""Tools that run code: in the session's REPL, or as a script of its own."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from ouroboros.core.parts import Text
from ouroboros.repl.metadata import Entry
from ouroboros.repl.tools.seat import Blocks, Kit, Seat
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext

_LOG_CHARS = 9_000


class ExecuteArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A block."""

    code: str
    timeout: Annotated[float, Meta(gt=0, le=300, description="seconds")] | None = None


class CommandArguments(Struct, frozen=True, kw_only=True):
    """A block, under the name that another family of models was taught."""

    cmd: str


class ScriptArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A script."""

    code: str


class BrowserExecuteTool:
    """Runs a block in the session's REPL; page data stays in its variables."""

    name = "browser_execute"
    description = (
        "Run JavaScript in a REPL that drives the browser; top-level variables stay. You see the type, "
        "size, schema and a short preview of the last expression: keep page data in variables and "
        "return small facts. All are async but `tabs` and `activeTab`: openTab(url), closeTab, "
        "navigate(tab, url), waitForLoad(tab), waitForSelector(tab, css), waitForText, observe(tab), "
        "getText(tab, css?), getLinks(tab), querySelectorAll(tab, css), execInTab(tab, js), "
        "click(tab, css), type(tab, css, text), fill(tab, {css: value}), select, scroll, keyPress, "
        "waitForDownload(tab), upload, screenshot, answerDialog, recipe(name), log(text), sleep(ms)."
    )
    arguments = ExecuteArguments
    parallel_safe = False

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: ExecuteArguments, cwd: Path) -> Effect:
        """Nothing by itself: what the code calls goes its own way past the rules."""
        del cwd
        return _effect(arguments.code)

    async def run(
        self, arguments: ExecuteArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """What kind of thing came out."""
        entry = await self._seat.run_block(
            arguments.code, call_id=context.call_id, seconds=arguments.timeout
        )
        yield Result(parts=(Text(text=entry.text),), ok=entry.ok)


class BrowserCommandTool:
    """The same, for models that call it ``browser``; they are not told of it."""

    name = "browser"
    description = "The same as browser_execute."
    arguments = CommandArguments
    parallel_safe = False
    exposure: Exposure = "hidden"

    def __init__(self, seat: Seat) -> None:
        """Starts nothing."""
        self._seat = seat

    def effect(self, arguments: CommandArguments, cwd: Path) -> Effect:
        """Nothing by itself."""
        del cwd
        return _effect(arguments.cmd)

    async def run(
        self, arguments: CommandArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """What kind of thing came out."""
        entry = await self._seat.run_block(arguments.cmd, call_id=context.call_id)
        yield Result(parts=(Text(text=entry.text),), ok=entry.ok)


class ScriptTool:
    """Runs a script away from everything but a few functions; what it says to the console comes back."""

    arguments = ScriptArguments
    parallel_safe = False

    def __init__(
        self, seat: Blocks, *, name: str, kit: Kit, description: str, exposure: Exposure
    ) -> None:
        """Starts nothing; ``kit`` is what the script may call."""
        self.name, self.description, self.exposure = name, description, exposure
        self._seat = seat
        self._kit: Kit = kit

    def effect(self, arguments: ScriptArguments, cwd: Path) -> Effect:
        """Nothing by itself: each call of the script is asked about on its own."""
        del cwd
        return _effect(arguments.code)

    async def run(self, arguments: ScriptArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """The console's lines, then what kind of thing the last expression was."""
        entry = await self._seat.run_script(arguments.code, call_id=context.call_id, kit=self._kit)
        yield Result(parts=(Text(text=spoken(entry)),), ok=entry.ok)


def js_tool(seat: Blocks, *, exposure: Exposure = "direct") -> ScriptTool:
    """Scripts over files."""
    return ScriptTool(
        seat,
        name="js",
        exposure=exposure,
        kit="files",
        description=(
            "Run JavaScript over files: `await read(path)`, `write(path, text)`, `grep(pattern, path?)`, "
            "`find(glob)`; `console.log` comes back. No network, no modules, no process."
        ),
    )


def code_tool(seat: Blocks, *, exposure: Exposure = "direct") -> ScriptTool:
    """Scripts over the session's tools."""
    return ScriptTool(
        seat,
        name="call_tools",
        exposure=exposure,
        kit="tools",
        description=(
            "Run JavaScript in which every tool of yours is an async function taking its arguments as "
            "one object: `await shell({command: 'ls'})` gives the result's text. For many calls whose "
            "results you need not see; `console.log` comes back."
        ),
    )


def spoken(entry: Entry) -> str:
    """What a script said, and what it came to."""
    said = "\n".join(entry.outcome.logs)
    if len(said) > _LOG_CHARS:
        said = f"{said[:_LOG_CHARS]}\n[{len(said) - _LOG_CHARS:,} more characters]"
    return f"{said}\n{entry.text}" if said else entry.text


def _effect(code: str) -> Effect:
    lines = code.count("\n") + 1
    return Effect(kind="none", action=f"Run {lines} line{'s' if lines > 1 else ''} of JavaScript")
