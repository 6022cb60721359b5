"""The page of the web API, made from its routes, its frames and the commands it takes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from msgspec import Struct
from msgspec.structs import fields

from ouroboros.app.hub import Hub, Outfit
from ouroboros.core.clock import SystemClock
from ouroboros.core.commands import Command
from ouroboros.faces.web.access import Access
from ouroboros.faces.web.application import described_routes
from ouroboros.faces.web.routing import API, Described, DescribedSocket
from ouroboros.faces.web.site import Site

if TYPE_CHECKING:
    from anyio.abc import TaskGroup
    from starlette.routing import BaseRoute

    from ouroboros.app.config.layers import Loaded

_NOWHERE = Path("/nonexistent")
_COMMANDS = " \\| ".join(each.__name__ for each in get_args(Command.__value__))

BEGINNING = """\
What `ouro web` serves, for programs of your own. All of it is below `/api/v1`; the same as OpenAPI 3.1 is at
`/api/v1/openapi.json`, with the websockets under `x-websockets`. Events are on [their own page](events.md).

* **Who may ask.** `ouro web --headless-token` prints `PORT TOKEN`. A program sends `Authorization: Bearer TOKEN`; a page
  gives the token to `/login` once and then has a cookie. Requests under another name than this machine's, or from a page
  of another place, are refused.
* **Refusals** are `{"error": "...", "hint": "..."}`: 400 it cannot be understood, 401 no token, 403 the wrong place, 404 there is
  none, 408 it did not come in time, 409 it does not fit the moment, 413 too long, 429 too many wrong tokens, 503 too many connections,
  507 it cannot be kept.
* **Events** have a number, `seq`, when they are on record; a reader keeps the last one it has and asks for what comes `after`
  it, however often the connection breaks: nothing is left out and nothing comes twice. Deltas have an empty `id` and the number of the
  event before them; a reader who comes in the middle of a reply gets each open block from its `start` again.
* **A slow reader** loses deltas, then gets `gap` and the rest from the log. A connection that answers no `ping` is closed.
* **Versions.** Within `/api/v1` routes, fields, frames, commands and events may be added: leave out what you do not know. What is taken away or
  changes its meaning goes to `/api/v2`; `api` in `/state` and `hello` is the number.
"""


def everything() -> "list[BaseRoute]":
    """The routes of a server that serves nothing."""
    outfit = Outfit(environment={"HOME": str(_NOWHERE)}, cwd=_NOWHERE)
    site = Site(
        hub=Hub(outfit, cast("TaskGroup", None)),
        access=Access(0),
        clock=SystemClock(),
        loaded=cast("Loaded", None),
    )
    return described_routes(site)


def sections(words: Any, table: Any) -> str:
    """The page without its first lines; ``words`` names a type, ``table`` shows the fields of one."""
    routes = everything()
    asked = [each for each in routes if isinstance(each, Described)]
    sockets = [each for each in routes if isinstance(each, DescribedSocket)]
    parts = [BEGINNING, "## Requests\n"]
    for route in sorted(asked, key=lambda each: (each.path, each.method)):
        parts += _request(route, words)
    parts.append("## Websockets\n")
    for socket in sockets:
        parts += _socket(socket, table)
    parts.append("## Commands\n")
    for command in get_args(Command.__value__):
        parts += [f"### `{_tag(command)}`\n\n{_first(command)}\n", *table(command)]
    parts.append("## Types\n")
    for name, kind in sorted(_kinds(asked).items()):
        parts += [f"### {name}\n\n{_first(kind)}\n", *table(kind)]
    return "\n".join(parts)


def _request(route: Described, words: Any) -> list[str]:
    told = route.description
    lines = [f"### {route.method} `{route.path.removeprefix(API)}`\n\n{told.summary}\n"]
    lines += [f"* `{name}`: {meaning}" for name, meaning in told.query.items()]
    if told.body is not None:
        lines.append(f"* body: {_named(told.body, words)}")
    answer = words(told.answer) if told.answer is not None else told.media
    return [*lines, f"* {told.status}: {answer}\n"]


def _named(kind: object, words: Any) -> str:
    return "[a command](#commands)" if kind is Command else words(kind)


def _socket(socket: DescribedSocket, table: Any) -> list[str]:
    told = socket.description
    lines = [f"### `{socket.path.removeprefix(API)}`\n\n{told.summary}\n"]
    lines += [f"* `{name}`: {meaning}" for name, meaning in told.query.items()]
    for heading, kinds in (("Sent", told.sent), ("Received", told.received)):
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, Struct):
                rows = [row.replace(_COMMANDS, "a command") for row in table(kind)]
                lines += [f"\n#### {heading}: `{_tag(kind)}`\n\n{_first(kind)}\n", *rows]
    return lines


def _kinds(routes: list[Described]) -> dict[str, type[Struct]]:
    """Types of bodies and answers, and those of ours that their fields have."""
    found: dict[str, type[Struct]] = {}
    open_kinds: list[Any] = [each.description.body for each in routes]
    open_kinds += [each.description.answer for each in routes]
    while open_kinds:
        kind = open_kinds.pop()
        if isinstance(kind, type) and issubclass(kind, Struct):
            if kind.__name__ not in found and ".faces.web." in f"{kind.__module__}.":
                found[kind.__name__] = kind
                open_kinds += [entry.type for entry in fields(kind)]
        else:
            open_kinds += get_args(kind)
    return found


def _tag(kind: object) -> str:
    config = getattr(kind, "__struct_config__", None)
    return (
        str(config.tag)
        if config is not None and config.tag
        else str(getattr(kind, "__name__", kind))
    )


def _first(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0].replace("``", "`")
