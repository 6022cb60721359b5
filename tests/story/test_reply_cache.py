"""A request that was made before is answered from what was kept, and the server hears nothing."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from msgspec.structs import replace

from ouroboros.core.events import AgentMessage, CacheHit, ModelDelta, ToolResulted
from ouroboros.core.parts import Message, Origin, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.protocols.registry import NAMES
from ouroboros.llm.reply_cache import Shelf, key_of
from ouroboros.llm.request import Request
from ouroboros.llm.stream import Finished
from ouroboros.llm.turns import Fault, ScriptedUsage, Turn
from ouroboros.testing.server import serving
from tests.story.stage import call, stage
from tests.story.test_cli_run import ouro

LOOKS = Turn(reasoning="Hm.", text="I look.", tool_calls=(call("ls", path="."),))
DONE = Turn(text="All done.", usage=ScriptedUsage(input_uncached=1000, output_text=10))
ORIGIN = Origin(provider="p", protocol="openai-chat", model="m")
CACHE: dict[str, Any] = {"cache_replies": True}
PRICE: dict[str, Any] = {"models": {"openai-chat/scripted": {"input": 1, "output": 1}}}


def replies(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "home" / "cache" / "replies").glob("*"))


def reply(text: str = "Hi") -> Finished:
    return Finished(parts=(Text(text=text),), stop_reason="end")


@pytest.mark.proves("A22", "divergences-identical-request-of-the-reply")
async def test_the_second_time_nobody_is_asked(tmp_path: Path) -> None:
    own = {"p": {"base_url": "http://127.0.0.1:1", "protocol": "openai-chat"}}
    async with serving([LOOKS, DONE]) as server:
        place: dict[str, Any] = {"base_url": server.url, "model": "openai-chat/m", "providers": own}
        async with stage(tmp_path, [], **CACHE, **PRICE, **place) as s:
            assert (await s.run("Look")).final == "All done."
            assert s.events(CacheHit) == []
            first = s.events(AgentMessage)[-1]
        connections, asked = server.connections, len(server.exchanges)
        async with stage(tmp_path, [], **CACHE, **PRICE, **place) as s:
            assert (await s.run("Look")).final == "All done."
            hits = s.events(CacheHit)
            assert len(hits) == 2
            assert len({hit.key for hit in hits}) == 2
            assert len(s.events(ToolResulted)) == 1
            again = s.events(AgentMessage)[-1]
            assert again.message.parts == first.message.parts
            assert (again.usage, again.cost) == (None, 0.0)
            assert s.session.state.spent.known_cost == 0.0
            assert "".join(d.text for d in s.events(ModelDelta) if d.kind == "text") == (
                "I look.All done."
            )
        assert (server.connections, len(server.exchanges)) == (connections, asked)


@pytest.mark.proves("A22")
@pytest.mark.parametrize(
    "protocol",
    [
        pytest.param(name, marks=[] if name == "anthropic-messages" else pytest.mark.deep)
        for name in NAMES
    ],
)
async def test_it_holds_in_every_wire_format(tmp_path: Path, protocol: str) -> None:
    async with serving([LOOKS, DONE]) as server:
        own = {"own": {"base_url": server.url, "protocol": protocol, "auth": "none"}}
        for hits in (0, 2):
            async with stage(tmp_path, [], base_url="", model="own/m", providers=own, **CACHE) as s:
                assert (await s.run("Look")).final == "All done."
                assert len(s.events(CacheHit)) == hits
        assert len(server.exchanges) == 2


@pytest.mark.proves("A22")
async def test_without_the_setting_nothing_is_kept(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE]) as s:
        await s.run("Look")
    assert replies(tmp_path) == []


async def test_other_words_are_another_request(tmp_path: Path) -> None:
    async with serving([DONE, Turn(text="Another.")]) as server:
        for words, final in (("Look", "All done."), ("Look again", "Another.")):
            async with stage(
                tmp_path, [], base_url=server.url, model="openai-chat/m", **CACHE
            ) as s:
                assert (await s.run(words)).final == final
                assert s.events(CacheHit) == []


@pytest.mark.proves("A22")
@pytest.mark.parametrize(
    "turn",
    [
        Turn(text="Cut", stop="length"),
        Turn(text="I won't", stop="content_filter"),
        Turn(text="Half a", fault=Fault(kind="cut", after=4)),
    ],
)
async def test_a_reply_that_did_not_end_well_is_not_kept(tmp_path: Path, turn: Turn) -> None:
    async with stage(tmp_path, [turn, DONE, DONE, DONE], **CACHE) as s:
        await s.run("Look")
        kept = [file.read_text() for file in replies(tmp_path)]
        assert all(turn.text not in text for text in kept)


@pytest.mark.proves("A22")
async def test_what_is_kept_is_for_the_person_alone(tmp_path: Path) -> None:
    async with stage(tmp_path, [DONE], **CACHE) as s:
        await s.run("Look")
    [file] = replies(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert "Look" not in file.read_text()


@pytest.mark.deep
@pytest.mark.proves("A22")
async def test_a_damaged_reply_is_asked_for_anew(tmp_path: Path) -> None:
    damages = (b"", b"{", b"\xff\x00", b'{"version":1}', b"[]", b"[" * 9000)
    turns = [DONE, *(Turn(text=f"Asked anew {number}.") for number in range(len(damages)))]
    async with serving(turns) as server:
        place: dict[str, Any] = {"base_url": server.url, "model": "openai-chat/m"}
        async with stage(tmp_path, [], **CACHE, **place) as s:
            await s.run("Look")
        for number, damage in enumerate(damages):
            [file] = replies(tmp_path)
            await anyio.Path(file).write_bytes(damage)
            async with stage(tmp_path, [], **CACHE, **place) as s:
                assert (damage, (await s.run("Look")).final) == (damage, f"Asked anew {number}.")
        async with stage(tmp_path, [], **CACHE, **place) as s:
            assert (await s.run("Look")).final == "Asked anew 5."
            assert len(s.events(CacheHit)) == 1


async def test_a_place_where_nothing_can_be_kept_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "cache").write_text("a file in the way")
    async with stage(tmp_path, [DONE], **CACHE) as s:
        assert (await s.run("Look")).final == "All done."


@pytest.mark.proves("A22")
def test_the_oldest_go_when_there_is_no_room(tmp_path: Path) -> None:
    folder = tmp_path / "replies"
    Shelf(folder).put("key0", reply())
    size = (folder / "key0.json").stat().st_size
    shelf = Shelf(folder, most_bytes=3 * size)
    for number in range(5):
        shelf.put(f"key{number}", reply())
        os.utime(folder / f"key{number}.json", (number, number))
    assert sorted(file.stem for file in folder.iterdir()) == ["key2", "key3", "key4"]
    # The one that was asked for stays, and one that was not goes in its place.
    assert shelf.get("key2") == reply()
    shelf.put("last", reply())
    assert sorted(file.stem for file in folder.iterdir()) == ["key2", "key4", "last"]


def test_a_huge_reply_is_not_kept(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "replies")
    shelf.put("huge", reply("x" * 5_000_000))
    assert shelf.get("huge") is None


def test_a_reply_under_a_wrong_name_is_not_taken(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "replies")
    shelf.put("one", reply())
    (tmp_path / "replies" / "one.json").rename(tmp_path / "replies" / "two.json")
    assert shelf.get("two") is None


def history(ids: str, day: str = "2026-01-01", answer: str = "found") -> tuple[Message, ...]:
    context = f"<cwd>/w</cwd>\n<current_date>{day}</current_date>"
    return (
        Message(id=f"msg_{ids}0", role="user", kind="context", parts=(Text(text=context),)),
        Message(id=f"msg_{ids}1", role="user", parts=(Text(text="Look"),)),
        Message(
            id=f"msg_{ids}2",
            role="assistant",
            parts=(ToolCall(id=f"call_{ids}", name="ls", arguments="{}"),),
            origin=ORIGIN,
        ),
        Message(
            id=f"msg_{ids}3",
            role="user",
            parts=(ToolResult(call_id=f"call_{ids}", name="ls", parts=(Text(text=answer),)),),
        ),
    )


SAME = Request(model="m", system=("s",), messages=history("a"), cache_key="ses_a")


@pytest.mark.proves("A22")
def test_names_and_the_day_do_not_count() -> None:
    requests = (
        SAME,
        Request(model="m", system=("s",), messages=history("b"), cache_key="ses_b"),
        Request(model="m", system=("s",), messages=history("a", day="2026-02-02")),
        Request(model="m", system=("s",), messages=history("a"), stream=False),
    )
    assert len({key_of(request, ORIGIN, "http://a") for request in requests}) == 1


TOOL = ToolSpec(name="ls", description="Lists.", schema='{"type":"object"}')


def spoken(**changed: Any) -> dict[str, Any]:
    """The history with another task."""
    first, task, *rest = history("a")
    return {"messages": (first, replace(task, **changed), *rest)}


CHANGES: tuple[dict[str, Any], ...] = (
    {"model": "n"},
    {"system": ("t",)},
    {"system": ("s", "")},
    {"tools": (TOOL,)},
    {"tool_choice": "none"},
    {"max_output_tokens": 100},
    {"temperature": 1.0},
    {"effort": "low"},
    {"service_tier": "flex"},
    {"window": 9_000},
    {"messages": history("a", answer="gone")},
    {"messages": history("a")[:2]},
    spoken(role="assistant"),
    spoken(origin=ORIGIN),
    spoken(parts=(Text(text="Look"), Text(text="again"))),
    spoken(parts=(Text(text="Look", meta={"signature": "s"}),)),
)


@pytest.mark.proves("A22", "divergences-identical-request-of-the-reply")
def test_everything_else_and_who_is_asked_counts() -> None:
    own = key_of(SAME, ORIGIN, "http://a")
    same: list[object] = [
        changed
        for changed in CHANGES
        if key_of(replace(SAME, **changed), ORIGIN, "http://a") == own
    ]
    same += [
        (origin, address)
        for origin, address in (
            (ORIGIN, "http://b"),
            (replace(ORIGIN, provider="q"), "http://a"),
            (replace(ORIGIN, protocol="anthropic-messages"), "http://a"),
            (replace(ORIGIN, model="n"), "http://a"),
        )
        if key_of(SAME, origin, address) == own
    ]
    assert same == []


@pytest.mark.proves("A22")
def test_which_call_a_result_answers_counts() -> None:
    keys = {
        key_of(replace(SAME, messages=(*history("a")[:2], *two)), ORIGIN, "http://a")
        for two in (answered("xy"), answered("yx"))
    }
    assert len(keys) == 2


def answered(order: str) -> tuple[Message, Message]:
    """Two calls, and results that come for them in this order."""
    calls = tuple(ToolCall(id=id, name="ls", arguments="{}") for id in "xy")
    texts = {order[0]: "first", order[1]: "second"}
    results = tuple(
        ToolResult(call_id=id, name="ls", parts=(Text(text=text),)) for id, text in texts.items()
    )
    return (
        Message(id="c", role="assistant", parts=calls, origin=ORIGIN),
        Message(id="r", role="user", parts=results),
    )


@pytest.mark.deep
@pytest.mark.proves("A22")
async def test_the_program_has_a_flag_for_it_and_says_so(tmp_path: Path) -> None:
    async with serving([Turn(text="Fine.")]) as server:
        words = ("run", "--model", "openai-chat/m", "--base-url", server.url, "--cache", "Hello")
        first = await to_thread.run_sync(lambda: ouro(*words, cwd=tmp_path))
        again = await to_thread.run_sync(lambda: ouro(*words, cwd=tmp_path))
        assert (first.stdout, again.stdout) == ("Fine.\n", "Fine.\n"), again.stderr
        assert "Answered from the cache" not in first.stderr
        assert "Answered from the cache" in again.stderr
        lines = await to_thread.run_sync(
            lambda: ouro(*words, "--output", "stream-json", cwd=tmp_path).stdout.splitlines()
        )
        assert [e["type"] for e in map(json.loads, lines)].count("cache.hit") == 1
        assert len(server.exchanges) == 1
