"""The reference pages, made from what the program itself knows; run as a module, it writes them."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAliasType, Union, cast, get_args, get_origin

import click
from msgspec import Meta, Struct
from msgspec.json import encode, schema
from msgspec.json import format as format_json
from msgspec.structs import fields

from ouroboros.app.config.schema import format_key, leaves
from ouroboros.app.settings import Settings
from ouroboros.app.wiring import tool_list
from ouroboros.core.events.schema import registry
from ouroboros.faces.cli.tree import root as command_line
from ouroboros.faces.slashes.table import ON_SCREEN, SLASHES
from ouroboros.faces.tui.keys import ACTIONS, When, spoken
from ouroboros.llm.providers import table
from ouroboros.repl.tools.family import browser_tools
from ouroboros.repl.tools.seat import Seat
from ouroboros.tools.exposure import Exposure, written
from ouroboros.workspace.worktrees.records.manifest import Checkpoint, LogEntry, Manifest
from tests.house import coverage
from tests.house.api_page import sections

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
WIDTH = 88
_NOWHERE = Path("/nonexistent")
_TOLD: dict[Exposure, str] = {
    "direct": "",
    "model-only": "Not for code that calls tools. ",
    "deferred": "Found by `tool_search`. ",
    "hidden": "Understood, though no model is told of it. ",
}

_PLACES: dict[When, str] = {
    "prompt": "While you type",
    "running": "While a run is on",
    "list": "In a list over the prompt",
    "transcript": "The conversation",
    "card": "A marked card",
    "app": "Anywhere",
}

MADE = "<!-- Made by `just docs`; change the source instead. -->\n"


def commands_page() -> str:
    """Every command with its help, as the terminal shows it."""
    parts = ["# Commands", MADE]
    for context in _contexts(command_line, "ouro", None):
        lines = [line.rstrip() for line in context.get_help().splitlines()]
        parts.append("\n".join([f"## {context.command_path}\n", "```text", *lines, "```\n"]))
    return "\n".join(parts)


def _contexts(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[click.Context]:
    names = command.context_settings.get("help_option_names")
    context = click.Context(command, parent, name, terminal_width=WIDTH, help_option_names=names)
    yield context
    if not isinstance(command, click.Group):
        return
    for below in command.list_commands(context):
        found = command.get_command(context, below)
        if found is not None and not found.hidden:
            yield from _contexts(found, below, context)


def settings_page() -> str:
    """Every setting with its type and default."""
    parts = ["# Settings", MADE, "`NAME` stands for a name of your own. Unset means none.\n"]
    heading: type[Struct] | None = None
    for leaf in leaves():
        if leaf.owner is not heading:
            heading = leaf.owner
            parts.append(f"\n## {heading.__name__}\n\n{_first_line(heading)}\n")
            parts.append("| setting | type | default |\n|---|---|---|")
        default = "unset" if leaf.default is None else f"`{encode(leaf.default).decode()}`"
        parts.append(f"| `{format_key(leaf.path)}` | {_cell(leaf.kind)} | {default} |")
    return "\n".join([*parts, ""])


def events_page() -> str:
    """Every event with what it holds."""
    parts = [
        "# Events",
        MADE,
        "Durable events are numbered and kept in the log; the others are shown and forgotten.\n",
    ]
    for name, event in sorted(registry().items()):
        fate = "durable" if event.durable else "shown only"
        parts.append(f"## `{name}`\n\n{_first_line(event)} Source: {event.source}; {fate}.\n")
        parts += _fields_table(event)
    return "\n".join(parts)


def tools_page() -> str:
    """Every tool that needs no server, with its arguments, and how a model comes to know of it."""
    nowhere = cast("Seat", None)  # nothing of it is asked before a tool runs
    tools = tool_list.known(Settings(), tool_list.Place(home=_NOWHERE, cwd=_NOWHERE))
    parts = ["# Tools", MADE]
    for name in sorted(tools.names()):
        tool = tools.find(name)
        parts += _tool(tool, _TOLD[tools.exposure(tool)]) if tool else []
    for tool in browser_tools(nowhere):
        if written(tool) != "hidden":
            parts += _tool(tool, "With `--browser` or `browser.tools`. ")
    return "\n".join(parts)


def keys_page() -> str:
    """Every key of the full screen with the name it is rebound by, and every command of a session."""
    parts = ["# Keys and commands of a session\n", MADE]
    parts.append(
        "A key of your own takes the place of the usual ones: `[tui.keys]` with an action's name,\n"
        'such as `undo = ["ctrl+r"]`; an empty list leaves it without a key.\n'
    )
    for when, title in _PLACES.items():
        parts += [f"## {title}\n", "| action | keys | |", "|---|---|---|"]
        for action in ACTIONS:
            if action.when == when:
                keys = ", ".join(f"`{spoken(key)}`" for key in action.keys)
                parts.append(f"| `{action.name}` | {_in_cell(keys)} | {_in_cell(action.meaning)} |")
        parts.append("")
    parts += [
        "## Commands\n",
        "In `ouro chat` and on the full screen; `/web` on the full screen alone.\n",
    ]
    parts += ["| command | | while a turn runs |", "|---|---|---|"]
    for slash in (*SLASHES.values(), *ON_SCREEN.values()):
        usage = _in_cell(f"`{slash.usage}`")
        moment = "has to wait" if slash.waits else "yes"
        parts.append(f"| {usage} | {_in_cell(slash.meaning)} | {moment} |")
    return "\n".join([*parts, ""])


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def api_page() -> str:
    """Every route, websocket, frame and command of the web API."""
    return "\n".join(["# Web API", MADE, sections(_words, _fields_table)])


def work_sessions_page() -> str:
    """The record of a work session, as a table and as a schema."""
    parts = [
        "# Work sessions",
        MADE,
        "`.paws/sessions/ID/session.json`, version 1.0. A reader refuses another first number, and\n"
        "keeps keys that it does not know.\n",
    ]
    for owner in (Manifest, Checkpoint, LogEntry):
        parts += [f"## {owner.__name__}\n\n{_first_line(owner)}\n", *_fields_table(owner)]
    whole = schema(Manifest)
    for each in whole["$defs"].values():
        each["description"] = each["description"].partition("\n")[0]
    shape = format_json(encode(whole), indent=2).decode()
    return "\n".join([*parts, "## JSON Schema\n", "```json", shape, "```", ""])


def _tool(tool: Any, when: str) -> list[str]:
    return [f"## `{tool.name}`\n\n{when}{tool.description}\n", *_fields_table(tool.arguments)]


def _fields_table(owner: type[Struct]) -> list[str]:
    rows = [
        f"| `{entry.encode_name}` | {_cell(entry.type)} | {'yes' if entry.required else 'no'} |"
        f" {_note(entry.type)} |"
        for entry in fields(owner)
    ]
    return ["| field | type | required | |\n|---|---|---|---|", *rows, ""] if rows else []


def _cell(kind: object) -> str:
    return _words(kind).replace("|", "\\|")


def _words(kind: Any) -> str:
    if isinstance(kind, TypeAliasType):
        return _words(kind.__value__)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _words(inner[0])
    if origin is Literal:
        return " | ".join(f"`{each}`" for each in inner)
    if origin in {Union, UnionType}:
        return " | ".join(_words(each) for each in inner)
    if origin in {tuple, list}:
        return f"list of {_words(inner[0])}"
    if origin is dict:
        return f"table of {_words(inner[1])}"
    if kind is NoneType:
        return "none"
    return str(getattr(kind, "__name__", kind))


def _note(kind: Any) -> str:
    """The description an argument carries, also one that may be left out."""
    if get_origin(kind) is Annotated:
        notes = [each.description for each in get_args(kind) if isinstance(each, Meta)]
        return " ".join(filter(None, notes))
    return " ".join(filter(None, [_note(each) for each in get_args(kind)]))


def _first_line(owner: type) -> str:
    return (inspect.getdoc(owner) or "").partition("\n")[0].replace("``", "`")


PAGES = {
    "commands.md": commands_page,
    "settings.md": settings_page,
    "events.md": events_page,
    "tools.md": tools_page,
    "api.md": api_page,
    "keys.md": keys_page,
    "work-sessions.md": work_sessions_page,
}


def vendors() -> bytes:
    """The built form of the table of vendors."""
    return format_json(encode(table.build()), indent=1) + b"\n"


def main() -> None:
    """Writes every page, the one of what is tested where too, and the built table of vendors."""
    root = FOLDER.parents[1]
    (root / coverage.PAGE).write_text(coverage.page(root), encoding="utf-8")
    table.BUILT.write_bytes(vendors())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}\n")


if __name__ == "__main__":
    main()
