"""Long sessions in the page: few elements for many events, and a copy of the session that is right."""

import json
from typing import Any

import pytest

from tests.web.conftest import Shown
from tests.web.window import Window

MANY = 10_000
_ROWS = "document.querySelectorAll('.event').length"

# As the server sends them: what is said, what is called, what came of it, over and over.
_FEED = """(async (count) => {
  const one = ouro.store.current, from = one.state.seq;
  const make = (seq, type, data, source = "agent") => (
    {v: 1, id: `evt_${seq}`, session: one.id, turn: 1, seq, ts: 1.7e9 + seq, type, source, data});
  const said = (seq, role, text) => ({message: {id: `msg_${seq}`, role, parts: [{type: "text", text}]}});
  let events = [];
  for (let n = 1; n <= count; n += 1) {
    const seq = from + n;
    events.push([
      () => make(seq, "user.message", said(seq, "user", `words ${seq}`), "user"),
      () => make(seq, "agent.message", {...said(seq, "assistant", `answer **${seq}**`), stop_reason: "end"}),
      () => make(seq, "tool.started", {call_id: `call_${seq}`, name: "read", arguments: "{}", title: `Read ${seq}`}),
      () => make(seq, "tool.result", {call_id: `call_${seq - 1}`, name: "read", status: "done", parts: [{type: "text", text: "x"}]}),
    ][n % 4]());
    if (events.length === 500) { one.take({kind: "events", events}); events = []; }
  }
  one.take({kind: "events", events});
  await new Promise((done) => setTimeout(done, 150));
  return one.events.length;
})"""


async def _fed(window: Window, count: int = MANY) -> int:
    """Gives the page so many events; the number of the last one."""
    await window.session()
    last = int(await window.run(f"{_FEED}({count})"))
    assert last >= count
    return last


@pytest.mark.proves("V17")
@pytest.mark.deep
async def test_ten_thousand_events_are_few_elements_and_any_of_them_is_found(page: Shown) -> None:
    async with page() as window:
        last = await _fed(window)
        assert await window.count(".transcript .said") <= 80
        assert f"answer {last - 3}" in await window.text(".transcript")
        await window.click(".transcript .button", "earlier entries")
        await window.until("document.querySelectorAll('.transcript .said').length > 20")
        # The mouse on its way there scrolls too, so up to three pages of entries have come.
        assert await window.count(".transcript *") < 15_000
        await window.press("Alt+2")
        await window.until(f"{_ROWS} > 10")
        seen: list[int] = []
        for _ in range(12):
            seen.append(int(await window.run(_ROWS)))
            first = await window.run(
                "(async () => { const rows = document.querySelector('.rows');"
                "rows.scrollTop = rows.scrollHeight * Math.random();"
                "await new Promise((done) => setTimeout(done, 80));"
                "const at = rows.scrollTop, row = document.querySelector('.event');"
                "return [at / 30, Number(row.firstElementChild.innerText)]; })()"
            )
            assert abs(first[0] - first[1]) < 40
        assert max(seen) < 80
        await window.run("document.querySelector('.search input').focus()")
        await window.type("7777")
        await window.until("document.querySelector('#event-7777') !== null")
        await window.click("#event-7777")
        await window.until("document.querySelector('.details h2')?.innerText.includes('7777')")
        await window.press("Escape")


async def events_are_told_apart_by_kind_and_found_by_words(window: Window) -> None:
    last = await _fed(window, 2_000)
    wanted = f"answer **{last - 3}**"
    # Of all of them only what is looked at is in the page.
    assert await window.count(".transcript .said") <= 80
    await window.press("Alt+2")
    await window.until(f"{_ROWS} > 10")
    assert int(await window.run(_ROWS)) < 80
    await window.click(".timeline-bar .chip", "calls")
    kinds = "[...new Set([...document.querySelectorAll('.event .kind')].map((e) => e.innerText))]"
    await window.until(f"!{kinds}.some((each) => each.startsWith('tool.'))")
    await window.run("document.querySelector('.search input').focus()")
    await window.type(wanted)
    await window.until(f"{_ROWS} === 1")
    await window.click(".event")
    await window.until(
        f"document.querySelector('.tree-json')?.innerText.includes({json.dumps(wanted)})"
    )


def _event(seq: int, type_: str, /, **data: Any) -> dict[str, Any]:
    return {
        "v": 1, "id": f"evt_{seq}" if seq else "", "session": "s", "turn": 1, "seq": seq,
        "ts": 1.0, "type": type_, "source": "agent", "data": data,
    }  # fmt: skip


def _words(id: str, role: str, text: str) -> dict[str, Any]:
    return {"id": id, "role": role, "parts": [{"type": "text", "text": text}]}


_LEFT = """(async (events) => {
  const {apply, empty} = await import('/js/fold/fold.js');
  const s = empty('s');
  for (const each of events) apply(s, each);
  return s.root.items.filter((each) => each.kind !== 'context')
    .map((each) => each.text ?? each.parts?.map((part) => part.text).join('') ?? each.kind);
})"""


@pytest.mark.proves("B26")
@pytest.mark.deep
async def test_the_branch_that_stands_is_what_is_shown_and_the_other_one_comes_back(
    page: Shown,
) -> None:
    events = [
        _event(1, "user.message", message=_words("m1", "user", "one")),
        _event(2, "agent.message", message=_words("m2", "assistant", "yes one"), stop_reason="end"),
        _event(3, "task.completed", reason="completed", final="yes one"),
        _event(4, "user.message", message=_words("m3", "user", "two")),
        _event(5, "agent.message", message=_words("m4", "assistant", "yes two"), stop_reason="end"),
        _event(6, "session.branched", message_id="m2"),
        _event(7, "user.message", message=_words("m5", "user", "three")),
    ]
    there = [*events, _event(8, "session.branched", message_id="m4")]
    gone = [*events, _event(8, "session.branched", message_id="")]
    unknown = [*events, _event(8, "session.branched", message_id="nobody")]
    on = "The conversation goes on from here"
    async with page() as window:

        async def left(log: list[dict[str, Any]]) -> list[str]:
            return list(await window.run(f"{_LEFT}({json.dumps(log)})"))

        assert await left(events) == ["one", "yes one", on, "three"]
        assert await left(there) == ["one", "yes one", "end", "two", "yes two", on]
        assert await left(gone) == ["The conversation begins anew"]
        assert await left(unknown) == await left(events)


@pytest.mark.proves("V24")
@pytest.mark.deep
async def test_a_tab_that_a_person_drove_when_the_program_ended_is_nobodys(page: Shown) -> None:
    ready = {"cwd": "/w", "model": "m", "mode": "ask", "version": "1"}
    taken = [
        _event(1, "session.ready", **ready),
        _event(2, "tab.driver", tab="tab_1", driver="person", why="taken"),
    ]
    given = _event(3, "tab.driver", tab="tab_1", driver="agent", why="given")
    closed = _event(3, "tab.driver", tab="tab_1", driver="agent", why="closed")
    again = [_event(at, "session.ready", **ready, resumed=True) for at in (4, 5)]
    drives = "A person drives tab_1: the agent waits with it"
    nobody = "Nobody drives tab_1 any more: the program had ended"
    async with page() as window:

        async def left(*log: dict[str, Any]) -> list[str]:
            return list(await window.run(f"{_LEFT}({json.dumps(log)})"))

        assert await left(*taken, *again) == [drives, nobody]
        assert await left(*taken, closed, *again) == [drives, nobody]
        assert await left(*taken, given, *again) == [drives, "tab_1 is the agent's again"]


async def a_reply_is_the_same_whether_it_was_watched_or_read_from_the_log(window: Window) -> None:
    def delta(part: int, **data: Any) -> dict[str, Any]:
        return {**_event(1, "model.delta", part=part, **data), "id": ""}

    whole = {
        "id": "m2",
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "text": "hm"},
            {"type": "text", "text": "So it is."},
            {"type": "tool_call", "id": "c1", "name": "read", "arguments": "{}"},
        ],
    }
    first = _event(1, "user.message", message=_words("m1", "user", "one"))
    rest = [
        _event(
            2,
            "agent.message",
            message={**whole, "parts": whole["parts"][:2]},
            stop_reason="",
            partial=True,
        ),
        _event(3, "tool.started", call_id="c1", name="read", arguments="{}"),
        _event(4, "agent.message", message=whole, stop_reason="tool_calls"),
        _event(5, "tool.result", call_id="c1", name="read", status="done"),
        _event(6, "something.new", anything=1),
    ]
    deltas = [
        delta(0, phase="start", kind="reasoning"),
        delta(0, kind="reasoning", text="hm"),
        delta(0, phase="end", kind="reasoning"),
        delta(1, phase="start"),
        delta(1, text="So "),
        delta(1, text="it is."),
        delta(2, phase="start", kind="call", name="read"),
        delta(2, kind="call", text="{"),
    ]

    async def left(log: list[dict[str, Any]]) -> Any:
        return await window.run(f"{_LEFT}({json.dumps(log)})")

    watched = await left([first, *deltas, *rest])
    assert watched == await left([first, *rest]) == ["one", "hmSo it is.", "call"]
    assert await left([first, *deltas[4:6], *rest]) == watched


@pytest.mark.proves("V17", "V20", "B26")
async def test_a_long_session_is_looked_through_and_its_copy_is_right(page: Shown) -> None:
    async with page([]) as window:
        await events_are_told_apart_by_kind_and_found_by_words(window)
        await a_reply_is_the_same_whether_it_was_watched_or_read_from_the_log(window)
