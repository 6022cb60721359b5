"""Permission rules: those that count, lines added and taken out, and why something would be asked about."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.config import saving
from ouroboros.app.config.layers import Loaded
from ouroboros.app.offline import explain
from ouroboros.app.offline.explain import Here
from ouroboros.app.permission.listing import Line, PolicyFile, add, lines, policy_files, remove
from ouroboros.faces.web.panels.asking import loaded, quickly, settings_at
from ouroboros.faces.web.routing import Described, Refused, described, read, reply
from ouroboros.faces.web.site import Site

_LONGEST = 20_000
_LAYERS: dict[str, saving.Where] = {"user": "user", "project": "project", "local": "local"}


class Rules(Struct, frozen=True, kw_only=True):
    """What may happen unasked, is asked about, and may not.

    Attributes:
        lines: Of all layers; they add up, and the strictest that fits counts.
        session: What was allowed until the session ends, where one is named and open.
        policies: Files of policy, each with whether it counts.
    """

    mode: str
    lines: tuple[Line, ...]
    session: tuple[str, ...]
    policies: tuple[PolicyFile, ...]


class NewRule(Struct, frozen=True, kw_only=True):
    """A line such as ``Bash(git log:*)``."""

    outcome: Literal["allow", "ask", "deny"]
    rule: Annotated[str, Meta(max_length=4_000)]
    layer: saving.Where = "user"


class RulesSaved(Struct, frozen=True, kw_only=True):
    """The lines as they are now."""

    file: str
    lines: tuple[Line, ...]


class Explained(Struct, frozen=True, kw_only=True):
    """What would become of a command, a path or an address here, and why.

    Attributes:
        taken_for: What it is by itself: ``safe``, ``ask``, ``deny``, with the reason and its rule.
        here: What a new session of this folder would do about it.
    """

    taken_for: str
    reason: str
    rule: str
    here: Here | None


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    query = {"session": "in this session's folder; without, in the server's"}
    return [
        described("GET", "/rules", seat.all, "The rules that count.", query=query, answer=Rules),
        described(
            "POST",
            "/rules",
            seat.add,
            "Add a line to the file of a layer.",
            query=query,
            body=NewRule,
            answer=RulesSaved,
            status=201,
        ),
        described(
            "DELETE",
            "/rules",
            seat.remove,
            "Take a line out of the file of a layer.",
            query={
                **query,
                "outcome": "allow, ask or deny",
                "rule": "as it is written",
                "layer": "user, project or local",
            },
            answer=RulesSaved,
        ),
        described(
            "GET",
            "/rules/explain",
            seat.explain,
            "Why a command, a path or an address would be asked about; nothing is run or opened.",
            query={
                **query,
                "command": "a command",
                "path": "a path, with op=read, write, list, delete or patch",
                "url": "an address",
                "op": "what would be done with the path",
            },
            answer=Explained,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def all(self, request: Request) -> Response:
        cwd, found = await settings_at(self._site, request)
        room = self._site.hub.room(request.query_params.get("session", ""))
        policies = await quickly(partial(policy_files, found.home, cwd))
        state = room.state if room is not None else None
        return reply(
            Rules(
                mode=state.mode if state is not None else found.settings.mode,
                lines=lines(found),
                session=(*state.granted, *state.remembered) if state is not None else (),
                policies=policies,
            )
        )

    async def add(self, request: Request) -> Response:
        wish = await read(request, NewRule)
        cwd, _ = await settings_at(self._site, request)
        at = saving.place(self._site.home, cwd, wish.layer)
        again = partial(loaded, self._site, cwd)
        after = await quickly(partial(add, at, wish.outcome, wish.rule.strip(), reload=again))
        return reply(RulesSaved(file=str(at.file), lines=lines(after)), 201)

    async def remove(self, request: Request) -> Response:
        asked = request.query_params
        layer, outcome = asked.get("layer", "user"), asked.get("outcome", "")
        where = _LAYERS.get(layer)
        if where is None:
            raise Refused(400, f"there is no layer {layer!r}")
        cwd, _ = await settings_at(self._site, request)
        at = saving.place(self._site.home, cwd, where)
        again = partial(loaded, self._site, cwd)
        after = await quickly(partial(remove, at, outcome, asked.get("rule", ""), reload=again))
        return reply(RulesSaved(file=str(at.file), lines=lines(after)))

    async def explain(self, request: Request) -> Response:
        cwd, found = await settings_at(self._site, request)
        asked = dict(request.query_params)
        given = [name for name in ("command", "path", "url") if asked.get(name)]
        if len(given) != 1:
            raise Refused(400, "name one command, path or address", hint="?command=ls")
        if len(asked[given[0]]) > _LONGEST:
            raise Refused(413, f"it may have {_LONGEST:,} characters")
        environment = self._site.outfit.environment
        return reply(await quickly(partial(_explained, given[0], asked, cwd, found, environment)))


def _explained(
    kind: str, given: dict[str, str], cwd: Path, found: Loaded, environment: dict[str, str]
) -> Explained:
    asked = explain.Asked(cwd=cwd, loaded=found, environment=environment)
    text = given[kind]
    match kind:
        case "command":
            verdict = explain.verdict_of(text, asked)
            return Explained(
                taken_for=verdict.kind,
                reason=verdict.reason,
                rule=verdict.rule,
                here=explain.here_of_command(text, asked),
            )
        case "path":
            op = given.get("op", "read")
            answer = explain.answer_path(explain.PathAsked(root=str(cwd), op=op, path=text))
            here = explain.here_of_path(op, text, asked)
        case _:
            answer = explain.answer_url(explain.UrlAsked(url=text))
            here = explain.here_of_url(text, asked)
    return Explained(
        taken_for=str(answer["decision"]), reason=str(answer["reason"]), rule="", here=here
    )
