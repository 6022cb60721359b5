"""What a folder brings along, and which hooks may run: shown, trusted, and taken back."""

import hashlib
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.config import trust
from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.trust import Inert
from ouroboros.app.hooks import offline
from ouroboros.app.hooks.files import hooks_of
from ouroboros.app.hooks.offline import Listed
from ouroboros.faces.web.panels.asking import loaded, quickly, settings_at
from ouroboros.faces.web.routing import Described, Refused, described, read, reply
from ouroboros.faces.web.site import Site

_MOVED = "look at it again, then decide"


class Project(Struct, frozen=True, kw_only=True):
    """The folder whose own settings, hooks and variables count once they are trusted.

    Attributes:
        changed: Names of files that differ from the trusted ones.
        summary: What trust would activate, or activates, a line for each thing.
        seen: Names exactly these files; who trusts them repeats it.
    """

    folder: str
    verdict: Literal["nothing", "trusted", "untrusted", "changed"]
    changed: tuple[str, ...]
    summary: tuple[str, ...]
    seen: str


class Decided(Struct, frozen=True, kw_only=True):
    """Whether the folder is trusted from now on; ``seen`` is that of the answer that was read."""

    trusted: bool
    seen: Annotated[str, Meta(max_length=200)] = ""


class Hooks(Struct, frozen=True, kw_only=True):
    """Every hook in the order in which they count, and what should be known of them."""

    hooks: tuple[Listed, ...]
    warnings: tuple[str, ...]


class HookDecided(Struct, frozen=True, kw_only=True):
    """What becomes of one hook.

    Attributes:
        key: Its name in the list.
        hash: That of the list: who trusts a hook trusts what was shown.
    """

    key: Annotated[str, Meta(max_length=5_000)]
    decision: Literal["trust", "untrust", "enable", "disable"]
    hash: Annotated[str, Meta(max_length=200)] = ""


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    query = {"session": "in this session's folder; without, in the server's"}
    return [
        described(
            "GET",
            "/trust",
            seat.project,
            "What the folder brings along, and whether it counts.",
            query=query,
            answer=Project,
        ),
        described(
            "PUT",
            "/trust",
            seat.decide,
            "Trust what the folder brings, or no longer; 409 where it is not what was seen.",
            query=query,
            body=Decided,
            answer=Project,
        ),
        described("GET", "/hooks", seat.hooks, "Every hook.", query=query, answer=Hooks),
        described(
            "PUT",
            "/hooks",
            seat.decide_hook,
            "Let a hook run, or no more; 409 where it is not the one that was seen.",
            query=query,
            body=HookDecided,
            answer=Hooks,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def project(self, request: Request) -> Response:
        _, found = await settings_at(self._site, request)
        return reply(await quickly(partial(_project, found)))

    async def decide(self, request: Request) -> Response:
        wish = await read(request, Decided)
        _, found = await settings_at(self._site, request)
        return reply(await quickly(partial(_decided, found, wish)))

    async def hooks(self, request: Request) -> Response:
        _, found = await settings_at(self._site, request)
        return reply(await quickly(partial(_hooks, found)))

    async def decide_hook(self, request: Request) -> Response:
        wish = await read(request, HookDecided)
        cwd, found = await settings_at(self._site, request)
        await quickly(partial(_decide_hook, found, wish))
        return reply(await quickly(partial(_hooks_of, self._site, cwd)))


def _project(found: Loaded) -> Project:
    inert = trust.read(found.project, found.home)
    standing = trust.standing(found.home, inert)
    hooks = [
        line
        for name, content in inert.files.items()
        if name.endswith(("hooks.json", ".toml"))
        for line in hooks_of(inert.folder / name, content)
    ]
    return Project(
        folder=str(found.project),
        verdict=standing.verdict,
        changed=standing.changed,
        summary=(*trust.summary(inert, standing), *hooks),
        seen=_seen(inert),
    )


def _seen(inert: Inert) -> str:
    return hashlib.sha256(msgspec.json.encode(inert.hashes, order="sorted")).hexdigest()


def _decided(found: Loaded, wish: Decided) -> Project:
    if not wish.trusted:
        trust.revoke(found.home, found.project)
        return _project(found)
    # Read once: what is compared is what is trusted, whatever is written meanwhile.
    inert = trust.read(found.project, found.home)
    if wish.seen != _seen(inert):
        raise Refused(409, f"what {found.project} brings is not what you saw", hint=_MOVED)
    trust.grant(found.home, inert)
    return _project(found)


def _hooks(found: Loaded) -> Hooks:
    rows, warnings = offline.listed(found)
    return Hooks(hooks=tuple(rows), warnings=warnings)


def _hooks_of(site: Site, cwd: Path) -> Hooks:
    return _hooks(loaded(site, cwd))


def _decide_hook(found: Loaded, wish: HookDecided) -> None:
    picked = [each for each in offline.chosen(found, [wish.key]) if each.definition.key == wish.key]
    if not picked:
        raise Refused(404, f"there is no hook {wish.key[:200]!r}", hint=_MOVED)
    match wish.decision:
        case "trust":
            if [each.definition.hash for each in picked] != [wish.hash]:
                raise Refused(409, "this hook is not the one that you saw", hint=_MOVED)
            offline.trust(found.home, picked)
        case "untrust":
            offline.untrust(found.home, picked)
        case "enable" | "disable":
            offline.enable(found.home, picked, enabled=wish.decision == "enable")
