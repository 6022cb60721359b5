"""What a person does in a picture becomes calls; what they write becomes an address; who drives is kept straight."""

import anyio
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.browser.capture.casting import Frame, Shape
from ouroboros.browser.errors import CannotAct, PersonDrives
from ouroboros.browser.live import messages as ask
from ouroboros.browser.live.address import whole
from ouroboros.browser.live.driver import Drivers
from ouroboros.browser.live.input import Compose, Finger, Insert, Key, Mouse, Touch, Wheel, calls
from ouroboros.core.events.browser import TabDriven
from ouroboros.core.events.envelope import Event
from tests.cases import every

SHAPE = Shape(width=1000, height=600, top=100)
parts = st.floats(min_value=0, max_value=1, allow_nan=False)


def test_a_place_in_the_picture_is_one_in_the_page_below_a_bar_of_the_browsers() -> None:
    ((method, body),) = calls(
        Mouse(tab="t", what="down", x=0.5, y=0.5, button="right", buttons=2, count=2, modifiers=8),
        SHAPE,
    )
    assert method == "Input.dispatchMouseEvent"
    assert (body["type"], body["x"], body["y"]) == ("mousePressed", 500, 200)
    assert (body["button"], body["clickCount"], body["modifiers"]) == ("right", 2, 8)


@given(parts, parts)
def test_no_place_lies_outside_the_page(x: float, y: float) -> None:
    for did in (Mouse(tab="t", what="move", x=x, y=y), Wheel(tab="t", x=x, y=y, dy=5)):
        ((_, body),) = calls(did, SHAPE)
        assert 0 <= body["x"] < 1000
        assert 0 <= body["y"] < 500


def test_fingers_that_are_left_are_named_and_a_cancel_names_none() -> None:
    fingers = (Finger(id=3, x=0, y=1), Finger(id=4, x=1, y=1))
    ((method, body),) = calls(Touch(tab="t", what="move", points=fingers), SHAPE)
    assert (method, body["type"]) == ("Input.dispatchTouchEvent", "touchMove")
    assert [point["id"] for point in body["touchPoints"]] == [3, 4]
    ((_, body),) = calls(Touch(tab="t", what="cancel", points=fingers), SHAPE)
    assert body["touchPoints"] == []


def test_a_key_writes_its_letter_and_with_control_it_is_a_command() -> None:
    ((_, body),) = calls(Key(tab="t", what="down", key="ü", text="ü"), SHAPE)
    assert (body["type"], body["text"]) == ("keyDown", "ü")
    ((_, body),) = calls(Key(tab="t", what="down", key="A", modifiers=2, number=65), SHAPE)
    assert (body["type"], body["commands"]) == ("rawKeyDown", ["selectAll"])
    assert "text" not in body
    ((_, body),) = calls(Key(tab="t", what="down", key="Z", modifiers=4 | 8), SHAPE)
    assert body["commands"] == ["redo"]
    ((_, body),) = calls(Key(tab="t", what="up", key="A", modifiers=2), SHAPE)
    assert (body["type"], "commands" in body) == ("keyUp", False)


def test_what_an_input_method_makes_counts_in_the_units_of_the_web() -> None:
    ((_, body),) = calls(Compose(tab="t", text="日\U0001f600"), SHAPE)
    assert body["selectionEnd"] == 3
    assert calls(Insert(tab="t", text=""), SHAPE) == []
    assert calls(Insert(tab="t", text="é"), SHAPE) == [("Input.insertText", {"text": "é"})]


@every(
    "written, meant",
    [
        ("example.com", "https://example.com"),
        (" example.com/a?b=c#d ", "https://example.com/a?b=c#d"),
        ("localhost:3000/x", "http://localhost:3000/x"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("shop.localhost:8080", "http://shop.localhost:8080"),
        ("[::1]:8080/a", "http://[::1]:8080/a"),
        ("example.com:8443", "https://example.com:8443"),
        ("http://example.com", "http://example.com"),
        ("about:blank", "about:blank"),
    ],
)
def test_an_address_is_what_a_person_means(written: str, meant: str) -> None:
    assert whole(written) == meant


@every(
    "written",
    [
        "",
        "two words",
        "word",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "chrome://crash",
        "a..b c",
    ],
)
def test_what_is_no_address_of_a_web_page_is_refused(written: str) -> None:
    with pytest.raises(CannotAct):
        whole(written)


@every(
    "message",
    [
        "",
        "null",
        '{"kind":"nothing"}',
        '{"kind":"mouse","tab":"t","what":"down","x":1.01,"y":0}',
        '{"kind":"wheel","tab":"t","x":0,"y":0,"dy":1e9}',
        '{"kind":"touch","tab":"t","what":"start","points":['
        + ",".join(['{"id":1,"x":0,"y":0}'] * 11)
        + "]}",
        '{"kind":"insert","tab":"t","text":"' + "a" * 1_000_001 + '"}',
        '{"kind":"watch","views":' + str([{"tab": "t"}] * 30).replace("'", '"') + "}",
        '{"kind":"seen","count":0}',
        "[" * 5_000,
    ],
)
def test_a_message_that_is_no_wish_is_refused_with_words(message: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        ask.wish(message)


@pytest.mark.deep
@given(st.binary(max_size=200))
def test_no_bytes_are_more_than_refused(message: bytes) -> None:
    try:
        ask.wish(message)
    except ValueError:
        return


def test_a_picture_is_its_head_and_the_jpeg() -> None:
    sent = ask.picture(Frame(tab="tab_0", number=7, shape=SHAPE, data=b"\xff\xd8jpeg"))
    length = int.from_bytes(sent[:4], "big")
    head = msgspec.json.decode(sent[4 : 4 + length])
    assert head == {"tab": "tab_0", "number": 7, "width": 1000, "height": 600, "top": 100}
    assert sent[4 + length :] == b"\xff\xd8jpeg"


def drivers(seconds: float = 5.0) -> tuple[Drivers, list[Event]]:
    events: list[Event] = []
    return Drivers(events.append, turn_seconds=seconds), events


async def test_the_agent_waits_its_turn_and_is_told_once() -> None:
    who, events = drivers()
    await who.turn("tab_0", acts=True)  # nobody holds it
    who.take("tab_0", "a")
    done: list[str] = []

    async def act() -> None:
        try:
            await who.turn("tab_0", acts=True)
        except PersonDrives as told:
            done.append(told.message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(act)
        await anyio.wait_all_tasks_blocked()
        assert (done, who.is_awaited("tab_0")) == ([], True)
        await who.turn("tab_1", acts=True)  # another tab is the agent's
        who.give("tab_0")
        who.take("tab_0", "a")  # taken again before the agent had its turn
        await anyio.wait_all_tasks_blocked()
        assert done == []
        who.give("tab_0")
    assert "a person has driven tab_0" in done[0]
    assert not who.is_awaited("tab_0")
    await who.turn("tab_0", acts=True)
    assert [event.driver for event in events if isinstance(event, TabDriven)] == [
        "person",
        "agent",
        "person",
        "agent",
    ]


async def test_a_look_after_the_person_lets_the_agent_act() -> None:
    who, _ = drivers()
    who.take("tab_0", "a")
    assert who.give("tab_0")
    assert not who.give("tab_0")
    await who.turn("tab_0", acts=False)
    await who.turn("tab_0", acts=True)


async def test_who_drives_for_very_long_is_not_waited_for_and_a_closed_tab_is_forgotten() -> None:
    who, events = drivers(0.05)
    who.take("tab_0", "a")
    with pytest.raises(PersonDrives, match="has been driving"):
        await who.turn("tab_0", acts=False)
    assert not who.is_awaited("tab_0")
    who.forget("tab_0")
    await who.turn("tab_0", acts=True)
    assert events[-1] == TabDriven(tab="tab_0", driver="agent", why="closed")
    assert who.news() == ()


def test_what_changed_is_told_once_and_the_last_word_counts() -> None:
    who, _ = drivers()
    who.take("tab_0", "a")
    assert who.news() == ("tab_0 a person drives it",)
    assert who.news() == ()
    who.give("tab_0")
    who.take("tab_1", "a")
    who.take("tab_1", "b")
    assert (who.holder("tab_1"), who.held("b"), who.held("a")) == ("b", ("tab_1",), ())
    assert who.news() == (
        "tab_0 a person drove it and handed it back: look anew, fields may hold what they typed",
        "tab_1 a person drives it",
    )
