"""Gemini's answers without a label that helps: the bytes themselves say what they are."""

import json

import pytest

from ouroboros.core.parts import Message, Text
from ouroboros.llm.framing import Frame
from ouroboros.llm.opening import Connection, open_client
from ouroboros.llm.protocols import by_name
from ouroboros.llm.providers import find
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished
from ouroboros.testing.clock import ManualClock
from tests.cases import every
from tests.unit.llm.vendor_server import Answer, bare

pytestmark = pytest.mark.real

SAID = ("He", "llo")


def reply(text: str, *, is_last: bool) -> str:
    candidate: dict[str, object] = {"content": {"role": "model", "parts": [{"text": text}]}}
    return json.dumps({"candidates": [candidate | ({"finishReason": "STOP"} if is_last else {})]})


OBJECTS = (reply(SAID[0], is_last=False), reply(SAID[1], is_last=True))
ARRAY = "[" + ",\r\n".join(OBJECTS) + "]"
EVENTS = "".join(f"data: {each}\n\n" for each in OBJECTS)
FORMS = {
    "array": ARRAY,
    "array after a mark": "\ufeff\r\n " + ARRAY,
    "objects": "\n".join(OBJECTS),
    "events": EVENTS,
    "events after a mark": "\ufeff" + EVENTS,
    "events after keep-alives": "\n\n: wait\n\n" + EVENTS,
}


@every("form", FORMS)
@every("kind", ["text/plain", "application/octet-stream", ""])
async def test_a_reply_is_read_whatever_its_label_says(form: str, kind: str) -> None:
    async with bare({":streamGenerateContent": Answer(kind, FORMS[form].encode())}) as server:
        choice = find("google/m", environment={"GEMINI_API_KEY": "k"}, base_url=server.url)
        client = await open_client(
            choice, clock=ManualClock(), random=lambda: 0.5, connection=Connection()
        )
        asked = Request(
            model="m", messages=(Message(id="u", role="user", parts=(Text(text="?"),)),)
        )
        async with client.stream(asked) as stream:
            *_, last = [event async for event in stream]
        await client.close()
    assert isinstance(last, Finished)
    assert last.parts == (Text(text="".join(SAID)),)


@every(
    ("form", "kind"),
    [
        *((form, kind) for form in FORMS for kind in ("", "application/json")),
        *((form, "text/event-stream") for form in FORMS if "events" in form),
    ],
)
def test_it_is_the_same_however_it_is_cut(form: str, kind: str) -> None:
    raw = FORMS[form].encode()
    wanted = [Frame("", each) for each in OBJECTS]
    protocol = by_name("gemini")
    for cut in range(len(raw) + 1):
        framing = protocol.framing(kind)
        assert framing is not None
        assert framing.feed(raw[:cut]) + framing.feed(raw[cut:]) + framing.end() == wanted
    framing = protocol.framing(kind)
    assert framing is not None
    single = [frame for byte in raw for frame in framing.feed(bytes((byte,)))]
    assert single + framing.end() == wanted


def test_nothing_at_all_is_no_frame() -> None:
    framing = by_name("gemini").framing("")
    assert framing is not None
    assert framing.feed(b" \r\n") + framing.end() == []
