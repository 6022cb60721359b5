"""Providers and models: which there are, their keys, whether they answer."""

from functools import partial

import anyio
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from ouroboros.app.config import schema
from ouroboros.app.config.layers import Loaded
from ouroboros.app.config.words import choices_of
from ouroboros.app.providers import edits, keys, listing, model_list
from ouroboros.app.providers.listing import Answer, Listed
from ouroboros.app.providers.model_list import Model, Models
from ouroboros.app.secrecy import secrets
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.faces.web.panels.asking import SECONDS, quickly, settings_at
from ouroboros.faces.web.routing import Described, Refused, described, is_true, number, read, reply
from ouroboros.faces.web.site import Site

_MODELS = 500


class Providers(Struct, frozen=True, kw_only=True):
    """Every provider, those of the person's own first.

    Attributes:
        model: What a new session asks.
        protocols: Wire formats that a server of one's own may speak.
    """

    providers: tuple[Listed, ...]
    model: str
    protocols: tuple[str, ...]


class NewKey(Struct, frozen=True, kw_only=True):
    """A key; ``variable`` is which of the provider's it is, by default the first. It is never shown again."""

    key: str
    variable: str = ""


class KeyKept(Struct, frozen=True, kw_only=True):
    """Where a key is kept now, in words, or was; empty for nowhere.

    Attributes:
        still: Where it is found all the same, such as ``environment``.
    """

    variable: str
    place: str
    still: str = ""


class Tested(Struct, frozen=True, kw_only=True):
    """What came of a tiny request: an answer, or why there is none."""

    answer: Answer | None = None
    error: str = ""
    hint: str = ""


class NewProvider(Struct, frozen=True, kw_only=True):
    """A server of the person's own; as for ``ouro providers add``."""

    name: str
    base_url: str
    protocol: str = ""
    key_env: str = ""
    is_keyless: bool = False


class Saved(Struct, frozen=True, kw_only=True):
    """The file that was changed."""

    file: str


class ModelsFound(Struct, frozen=True, kw_only=True):
    """Models with what is known of them; ``more`` are left out."""

    models: tuple[Model, ...]
    warnings: tuple[str, ...] = ()
    more: int = 0


def routes(site: Site) -> list[Described]:
    """The routes."""
    seat = _Seat(site)
    query = {"session": "by the settings of this session's folder; without, of the server's"}
    one = "/providers/{name}"
    return [
        described("GET", "/providers", seat.all, "Every provider.", query=query, answer=Providers),
        described(
            "POST",
            "/providers",
            seat.add,
            "Add a server of one's own.",
            body=NewProvider,
            answer=Saved,
            status=201,
        ),
        described(
            "DELETE", one, seat.remove, "Take one out of the person's settings.", answer=Saved
        ),
        described(
            "POST",
            f"{one}/test",
            seat.test,
            "Send one tiny request, which may cost a little; `name` may be PROVIDER/MODEL as model=.",
            query={**query, "model": "ask this model of it"},
            answer=Tested,
        ),
        described(
            "PUT", f"{one}/key", seat.keep, "Keep a key.", query=query, body=NewKey, answer=KeyKept
        ),
        described(
            "DELETE",
            f"{one}/key",
            seat.forget,
            "Remove a key from where it is kept.",
            query={**query, "variable": "which of the provider's; by default the first"},
            answer=KeyKept,
        ),
        described(
            "GET",
            "/models",
            seat.models,
            "Models, with limits and prices as far as they are known; those of ready providers first.",
            query={
                **query,
                "provider": "only of this one, which is asked for its list",
                "query": "only those whose name has these words; nobody is asked",
                "refresh": "1: ask anew",
                "limit": f"{_MODELS} at most",
            },
            answer=ModelsFound,
        ),
    ]


class _Seat:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._environment = site.outfit.environment

    async def all(self, request: Request) -> Response:
        _, loaded = await settings_at(self._site, request)
        rows = await quickly(partial(listing.listed, loaded, self._environment))
        formats = choices_of(schema.find(schema.parse_key("providers.own.protocol")))
        return reply(
            Providers(
                providers=tuple(rows),
                model=loaded.settings.model,
                protocols=tuple(str(each) for each in formats if each),
            )
        )

    async def add(self, request: Request) -> Response:
        wish = await read(request, NewProvider)
        _, loaded = await settings_at(self._site, request)
        new = edits.New(
            name=wish.name,
            base_url=wish.base_url,
            protocol=wish.protocol,
            key_env=wish.key_env,
            is_keyless=wish.is_keyless,
        )
        return reply(Saved(file=str(await quickly(partial(edits.add, loaded, new)))), 201)

    async def remove(self, request: Request) -> Response:
        _, loaded = await settings_at(self._site, request)
        name = request.path_params["name"]
        return reply(Saved(file=str(await quickly(partial(edits.remove, loaded, name)))))

    async def test(self, request: Request) -> Response:
        _, loaded = await settings_at(self._site, request)
        name = (await self._row(request))[0].name
        model = request.query_params.get("model", "")
        asked = f"{name}/{model}" if model else name
        known = await quickly(partial(listing.equipped, loaded, self._environment))
        clean = secrets(known, loaded.settings)
        try:
            with anyio.fail_after(SECONDS):
                answer = await listing.ask(loaded, self._environment, asked, self._site.clock)
        except TimeoutError:
            hint = "is the server there, and does the network reach it?"
            return reply(Tested(error=f"no answer within {SECONDS:.0f} s", hint=hint))
        except OuroborosError as problem:
            return reply(Tested(error=clean.redacted(problem.message), hint=problem.hint))
        return reply(Tested(answer=answer))

    async def keep(self, request: Request) -> Response:
        wish = await read(request, NewKey)
        row, variable = await self._row(request, wish.variable)
        del row
        _, loaded = await settings_at(self._site, request)
        home, value = self._site.home, wish.key.strip()
        store = loaded.settings.secrets.store
        place = await quickly(partial(keys.keep, home, variable, value, where=store))
        shown = (await self._row(request, variable))[0].keys[variable]
        still = shown if shown not in {"", place} else ""
        return reply(KeyKept(variable=variable, place=keys.kept_in(place, home), still=still))

    async def forget(self, request: Request) -> Response:
        row, variable = await self._row(request, request.query_params.get("variable", ""))
        del row
        home = self._site.home
        places = await quickly(partial(keys.forget, home, variable))
        if not places:
            raise Refused(
                404, f"no key is kept as {variable}", hint="a variable of the environment stays"
            )
        still = (await self._row(request, variable))[0].keys[variable]
        where = " and ".join(keys.named(place, home) for place in places)
        return reply(KeyKept(variable=variable, place=where, still=still))

    async def models(self, request: Request) -> Response:
        _, loaded = await settings_at(self._site, request)
        words = request.query_params.get("query", "").split()
        provider = request.query_params.get("provider", "")
        limit = number(request, "limit", _MODELS, most=_MODELS)
        if words or not provider:
            wanted = [*words, provider][:20]
            rows = await quickly(partial(model_list.searched, loaded, self._environment, wanted))
            if not words:
                own = {
                    row.name
                    for row in await quickly(partial(listing.listed, loaded, self._environment))
                    if row.is_ready
                }
                rows.sort(key=lambda model: model.name.partition("/")[0] not in own)
            found = Models(models=tuple(rows))
        else:
            found = await self._listed(loaded, provider, refresh=is_true(request, "refresh"))
        return reply(
            ModelsFound(
                models=found.models[:limit],
                warnings=found.warnings,
                more=max(0, len(found.models) - limit),
            )
        )

    async def _listed(self, loaded: Loaded, provider: str, *, refresh: bool) -> Models:
        try:
            with anyio.fail_after(SECONDS):
                return await model_list.listed(
                    loaded,
                    self._environment,
                    self._site.clock,
                    provider=provider,
                    refresh=refresh,
                )
        except TimeoutError as late:
            raise Refused(503, f"{provider} did not list its models in time") from late

    async def _row(self, request: Request, variable: str = "") -> tuple[Listed, str]:
        """The provider that the address names, and one of its variables."""
        _, loaded = await settings_at(self._site, request)
        name = request.path_params["name"]
        rows = await quickly(partial(listing.listed, loaded, self._environment))
        row = next((each for each in rows if each.name == name), None)
        if row is None:
            raise Refused(404, f"there is no provider {name!r}")
        return row, _variable(row, variable)


def _variable(row: Listed, named: str) -> str:
    if named and named not in row.keys:
        raise Misuse(
            f"{row.name} has no key {named!r}", hint=f"it has {', '.join(row.keys) or 'none'}"
        )
    return named or next(iter(row.keys), "")
