"""The API as a document: OpenAPI 3.1, with the websockets beside it, made from the routes themselves."""

import re
from collections.abc import Iterable
from typing import TypeAliasType, cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from ouroboros.core.commands import Command
from ouroboros.core.events import Envelope, Event
from ouroboros.core.events.schema import registry
from ouroboros.faces.web.access import KEY_HEADER
from ouroboros.faces.web.routing import API, Described, DescribedSocket, described
from ouroboros.faces.web.snapshots import Problem

VERSION = 1
"""Of the API. Names and fields may be added within one; nothing is taken away or changes its meaning."""

_JSON = "application/json"
_REF = "#/components/schemas/{name}"
_PROMISE = (
    "Within /api/v1 routes, fields, frames, commands and events may be added: leave out what you do "
    "not know. What is taken away or changes its meaning goes to /api/v2. "
    "Programs send the token as `Authorization: Bearer TOKEN`; a page gives it to /login once."
)

type Table = dict[str, object]


def routes(everything: Iterable[BaseRoute]) -> list[BaseRoute]:
    """All routes, and the one that serves the document of them."""
    found = list(everything)
    made: list[bytes] = []

    async def serve(request: Request) -> Response:
        del request
        if not made:
            made.append(msgspec.json.encode(document(found)))
        return Response(made[0], media_type=_JSON)

    found.append(
        described("GET", "/openapi.json", serve, "This document.", answer=dict[str, object])
    )
    return found


def document(everything: Iterable[BaseRoute]) -> Table:
    """OpenAPI 3.1; ``x-websockets`` holds what OpenAPI has no words for."""
    found = list(everything)
    requests = [each for each in found if isinstance(each, Described)]
    sockets = [each for each in found if isinstance(each, DescribedSocket)]
    kinds = _kinds(requests, sockets)
    schemas, components = msgspec.json.schema_components(
        kinds, schema_hook=_anything, ref_template=_REF
    )
    schema_of = dict(zip(map(_key, kinds), schemas, strict=True))
    components = _with_events(dict(components), schema_of)
    paths: dict[str, Table] = {}
    for route in requests:
        paths.setdefault(route.path.removeprefix(API), {})[route.method.lower()] = _operation(
            route, schema_of
        )
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ouroboros", "version": str(VERSION), "description": _PROMISE},
        "servers": [{"url": API}],
        "security": [{"token": []}, {"cookie": [], "key": []}],
        "paths": paths,
        "x-websockets": {
            route.path.removeprefix(API): _channel(route, schema_of) for route in sockets
        },
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "ouro-PORT"},
                "key": {"type": "apiKey", "in": "header", "name": KEY_HEADER},
            },
        },
    }


def _anything(kind: type) -> Table:
    """The schema of a value that may be any."""
    del kind
    return {"description": "any value"}


def _kinds(requests: list[Described], sockets: list[DescribedSocket]) -> list[object]:
    kinds: list[object] = [Command, Envelope, Problem, *registry().values()]
    for route in requests:
        kinds += [each for each in (route.description.body, route.description.answer) if each]
    for socket in sockets:
        kinds += [*socket.description.sent, *socket.description.received]
    return list({_key(each): each for each in kinds}.values())


def _key(kind: object) -> str:
    if isinstance(kind, TypeAliasType):
        return f"{kind.__module__}.{kind.__name__}"
    return f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', '')}.{kind}"


def _with_events(components: Table, schema_of: dict[str, Table]) -> Table:
    """An envelope's ``data`` is one of the known events; the name of each is the envelope's ``type``."""
    refs = {name: schema_of[_key(kind)]["$ref"] for name, kind in sorted(registry().items())}
    envelope = cast("Table", components["Envelope"])
    properties = cast("Table", envelope["properties"])
    known = {"anyOf": [{"$ref": ref} for ref in refs.values()], "x-by-envelope-type": refs}
    data = {"$ref": _REF.format(name="EventData")}
    changed = {**envelope, "properties": {**properties, "data": data}}
    left = {name: each for name, each in components.items() if name != Event.__name__}
    return {**left, "Envelope": changed, "EventData": known}


def _operation(route: Described, schema_of: dict[str, Table]) -> Table:
    told = route.description
    answer: Table = {"description": told.summary}
    if told.answer is not None or told.media != _JSON:
        schema = schema_of[_key(told.answer)] if told.answer is not None else {}
        answer["content"] = {told.media: {"schema": schema}}
    refused = {_JSON: {"schema": schema_of[_key(Problem)]}}
    answers: Table = {
        str(told.status): answer,
        "default": {"description": "It was refused; the words say why.", "content": refused},
    }
    operation: Table = {
        "summary": told.summary,
        "operationId": _name(route),
        "parameters": _parameters(route.path, told.query),
        "responses": answers,
    }
    if told.body is not None:
        content = {_JSON: {"schema": schema_of[_key(told.body)]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _parameters(path: str, query: object) -> list[Table]:
    text: Table = {"type": "string"}
    named: list[Table] = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in re.findall(r"{(\w+)(?::\w+)?}", path)
    ]
    asked: list[Table] = [
        {"name": name, "in": "query", "description": words, "schema": text}
        for name, words in cast("dict[str, str]", query).items()
    ]
    return [*named, *asked]


def _channel(route: DescribedSocket, schema_of: dict[str, Table]) -> Table:
    told = route.description
    return {
        "summary": told.summary,
        "parameters": _parameters(route.path, told.query),
        "sent": [schema_of[_key(each)] for each in told.sent],
        "received": [schema_of[_key(each)] for each in told.received],
    }


def _name(route: Described) -> str:
    words = re.findall(r"\w+", route.path.removeprefix(API))
    return "_".join([route.method.lower(), *words])
