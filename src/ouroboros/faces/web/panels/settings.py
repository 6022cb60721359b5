"""Settings: each value, where it comes from and what it may be; saved to the file of a layer."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.config import saving, schema, trust, view, write
from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.words import choices_of, describe
from ouroboros.core.errors import Misuse
from ouroboros.faces.web.panels.asking import loaded, quickly, settings_at
from ouroboros.faces.web.routing import Described, described, read, reply
from ouroboros.faces.web.site import Site


class Value(Struct, frozen=True, kw_only=True):
    """One setting.

    Attributes:
        value: As it would be written as JSON; null where it is not set.
        origin: The layer it comes from; ``default`` where nobody says anything.
        expects: What may be written, in words.
        choices: The only values there are, where that is so.
    """

    key: str
    value: object
    origin: str
    expects: str
    choices: tuple[object, ...] = ()


class LayerShown(Struct, frozen=True, kw_only=True):
    """One source of values, the nearest first."""

    name: str
    source: str
    state: str


class Project(Struct, frozen=True, kw_only=True):
    """The folder whose own settings count, and whether they do.

    Attributes:
        summary: What trust would activate, or activates.
    """

    folder: str
    verdict: Literal["nothing", "trusted", "untrusted", "changed"]
    summary: tuple[str, ...]


class AllSettings(Struct, frozen=True, kw_only=True):
    """Every setting of a folder."""

    cwd: str
    values: tuple[Value, ...]
    layers: tuple[LayerShown, ...]
    project: Project
    warnings: tuple[str, ...]


class Change(Struct, frozen=True, kw_only=True):
    """A setting that is to be changed.

    Attributes:
        value: As it would be typed: text, a number, ``true``, a JSON list. None takes it out of the
            file, so that the layer below counts.
        layer: ``user`` for the person everywhere, ``project`` for everybody in it, ``local`` for the
            person in it.
    """

    key: Annotated[str, Meta(max_length=200)]
    value: Annotated[str, Meta(max_length=100_000)] | None
    layer: saving.Where = "user"


class Changed(Struct, frozen=True, kw_only=True):
    """What came of it; ``wins`` is the layer whose value counts instead, if one does."""

    values: tuple[Value, ...]
    file: str
    wins: str = ""


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    query = {"session": "the settings of this session's folder; without, of the server's"}
    return [
        described("GET", "/settings", seat.all, "Every setting.", query=query, answer=AllSettings),
        described(
            "PUT",
            "/settings",
            seat.change,
            "Change a setting in the file of a layer; it counts for sessions opened from then on.",
            query=query,
            body=Change,
            answer=Changed,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def all(self, request: Request) -> Response:
        cwd, found = await settings_at(self._site, request)
        return reply(await quickly(partial(_all, cwd, found)))

    async def change(self, request: Request) -> Response:
        wish = await read(request, Change)
        cwd, _ = await settings_at(self._site, request)
        return reply(await quickly(partial(_change, self._site, cwd, wish)))


def _all(cwd: Path, found: Loaded) -> AllSettings:
    inert = trust.read(found.project, found.home)
    standing = trust.standing(found.home, inert)
    return AllSettings(
        cwd=str(cwd),
        values=tuple(_value(each) for each in view.listed(found)),
        layers=tuple(
            LayerShown(name=layer.name, source=layer.source, state=layer.state)
            for layer in reversed(found.layers)
        ),
        project=Project(
            folder=str(found.project),
            verdict=standing.verdict,
            summary=trust.summary(inert, standing),
        ),
        warnings=found.warnings,
    )


def _value(shown: view.Shown) -> Value:
    kind = schema.find(schema.parse_key(shown.key))
    return Value(
        key=shown.key,
        value=shown.value,
        origin=shown.origin,
        expects=describe(kind),
        choices=choices_of(kind),
    )


def _change(site: Site, cwd: Path, wish: Change) -> Changed:
    path = schema.parse_key(wish.key)
    if path[0] in {"keys", "profiles", "hooks", "permissions"}:
        raise Misuse(
            f"{wish.key} is not changed here", hint="keys and rules have panels of their own"
        )
    at = saving.place(site.home, cwd, wish.layer)
    again = partial(loaded, site, cwd)
    if wish.value is None:
        schema.find(path)
        after = saving.remove_value(at, path, reload=again)
    else:
        after = saving.set_value(at, path, write.spelled(path, wish.value), reload=again)
    winner = next(iter(view.claims(after, path)), None)
    is_beaten = wish.value is not None and winner is not None and winner.layer != wish.layer
    return Changed(
        values=tuple(_value(each) for each in view.at(after, path)),
        file=str(at.file),
        wins=winner.layer if is_beaten and winner else "",
    )
