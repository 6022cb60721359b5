"""The API's document: it names every route, and what is served fits it."""

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from ouroboros.core.commands import Command
from ouroboros.core.events.schema import registry
from ouroboros.faces.web.routing import API, Described, DescribedSocket
from ouroboros.llm.turns import Turn
from tests.house.api_page import everything
from tests.story.stage import call
from tests.web.serving import Served, web

type Table = dict[str, Any]


class Book:
    """The document as a program reads it."""

    def __init__(self, document: Table) -> None:
        self.document = document

    def fits(self, schema: Table, value: object) -> None:
        whole = {**schema, "components": self.document["components"]}
        cast("Any", Draft202012Validator)(whole).validate(value)

    def answer(self, method: str, path: str, status: int) -> Table:
        responses = self.document["paths"][path][method.lower()]["responses"]
        found = responses.get(str(status), responses["default"])
        return cast("Table", found["content"]["application/json"]["schema"])

    def frame(self, path: str, way: str) -> Table:
        return {"oneOf": self.document["x-websockets"][path][way]}


async def book(s: Served) -> Book:
    return Book((await s.client.get(f"{API}/openapi.json")).json())


@pytest.mark.proves("interfaces-the-apis-document")
def test_every_route_below_the_api_is_described() -> None:
    for route in everything():
        assert isinstance(route, Described | DescribedSocket)
        assert route.path.startswith((f"{API}/", "/api/earlier/"))
        assert route.description.summary.endswith(".")
    names = [(route.method, route.path) for route in everything() if isinstance(route, Described)]
    assert len(names) == len(set(names))


@pytest.mark.deep
@pytest.mark.proves("interfaces-the-apis-document")
async def test_the_document_names_what_is_served_and_every_reference_leads_somewhere(
    tmp_path: Path,
) -> None:
    async with web(tmp_path) as s:
        document = (await book(s)).document
    assert document["openapi"] == "3.1.0"
    served = {
        (route.path.removeprefix(API), route.method.lower())
        for route in everything()
        if isinstance(route, Described)
    }
    assert {(path, verb) for path, verbs in document["paths"].items() for verb in verbs} == served
    sockets = {
        route.path.removeprefix(API) for route in everything() if isinstance(route, DescribedSocket)
    }
    assert set(document["x-websockets"]) == sockets
    schemas = document["components"]["schemas"]
    for ref in set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document))):
        assert ref.removeprefix("#/components/schemas/") in schemas, ref
    for verbs in document["paths"].values():
        for operation in verbs.values():
            assert operation["summary"]
    ids = [
        operation["operationId"]
        for verbs in document["paths"].values()
        for operation in verbs.values()
    ]
    assert len(ids) == len(set(ids))
    assert set(schemas["EventData"]["x-by-envelope-type"]) == set(registry())
    commands = document["paths"]["/sessions/{session}/commands"]["post"]["requestBody"]
    body = commands["content"]["application/json"]["schema"]
    tags = set(body["discriminator"]["mapping"])
    assert tags == {each.__struct_config__.tag for each in Command.__value__.__args__}


@pytest.mark.deep
@pytest.mark.proves("interfaces-the-apis-document")
async def test_answers_events_and_frames_of_a_run_fit_the_document(tmp_path: Path) -> None:
    turns = [
        Turn(text="I ask.", tool_calls=(call("shell", command="rm -r x"),)),
        Turn(text="Then not."),
    ]
    async with web(tmp_path, turns, mode="ask") as s:
        told = await book(s)
        session = await s.open()
        sent = told.frame("/sessions/{session}/stream", "sent")
        listed = told.frame("/stream", "sent")
        async with s.socket("/stream") as overview, s.follow(session) as stream:
            for _ in range(2):
                told.fits(listed, await overview.hear())
            await stream.say({"type": "submit", "text": "Remove it."})
            types: list[str] = []
            while "task.completed" not in types:
                frame = await stream.hear()
                told.fits(sent, frame)
                for event in frame.get("events", ()):
                    types.append(event["type"])
                    if event["type"] == "permission.requested":
                        one = await s.client.get(f"{API}/sessions/{session}")
                        told.fits(told.answer("GET", "/sessions/{session}", 200), one.json())
                        request = event["data"]["request_id"]
                        await s.send(session, "deny", request_id=request)
        for path in ("/state", "/sessions", "/sessions/{session}", "/sessions/{session}/events"):
            answer = await s.client.get(API + path.replace("{session}", session))
            told.fits(told.answer("GET", path, 200), answer.json())
        missing = await s.client.get(f"{API}/sessions/nobody")
        told.fits(told.answer("GET", "/sessions/{session}", missing.status_code), missing.json())
        by_type = told.document["components"]["schemas"]["EventData"]["x-by-envelope-type"]
        for event in await s.log(session):
            told.fits({"$ref": by_type[event["type"]]}, event["data"])
