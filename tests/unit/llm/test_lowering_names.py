"""Tools go by names that every vendor takes, and come back by ours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import Failure
from ouroboros.core.parts import Message, Origin, Part, Text, ToolCall, ToolResult, ToolSpec
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering import Lowering, lower
from ouroboros.llm.lowering.names import TITLES, Names
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockStarted, CallReady, Failed, Finished, StreamEvent
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.registry import Registry
from tests.cases import every

ORIGIN = Origin(provider="p", protocol="x", model="m")
PATTERN = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TITLED = Dialect(tool_names="capitalised")
OWN = Registry(builtin_tools()).specs()


def tools(*names: str) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(name=name, description="", schema='{"type":"object"}') for name in names)


def used(*names: str) -> tuple[Message, ...]:
    calls = tuple(ToolCall(id=f"c{place}", name=name) for place, name in enumerate(names))
    results = tuple(ToolResult(call_id=call.id, name=call.name) for call in calls)
    return (
        Message(id="u", role="user", parts=(Text(text="Go."),)),
        Message(id="a", role="assistant", parts=(Text(text="Yes."), *calls), origin=ORIGIN),
        Message(id="r", role="user", parts=results),
    )


def names_in(messages: tuple[Message, ...]) -> list[list[str]]:
    return [
        [part.name for part in message.parts if isinstance(part, kind)]
        for message, kind in zip(messages[1:], (ToolCall, ToolResult), strict=True)
    ]


@pytest.mark.deep
@pytest.mark.proves("D30")
@given(st.lists(st.text(min_size=1, max_size=90), unique=True, max_size=8), st.booleans())
def test_any_names_are_mapped_apart_and_back(given_names: list[str], titled: bool) -> None:
    names = Names(given_names, titles=titled)
    wire = [names.wire(name) for name in given_names]
    assert all(PATTERN.fullmatch(one) for one in wire)
    assert len(set(wire)) == len(given_names)
    assert [names.own(one) for one in wire] == given_names


@pytest.mark.deep
@given(st.text(min_size=1, max_size=90), st.lists(st.text(min_size=1, max_size=9), max_size=4))
def test_a_name_is_mapped_the_same_way_whatever_else_there_is(name: str, others: list[str]) -> None:
    alone = Names([name]).wire(name)
    assert Names([*others, name]).wire(name) == alone == Names([]).wire(name)


def test_names_stay_readable() -> None:
    wire = Names([]).wire
    assert wire("github.search/issues").startswith("github_search_issues_")
    assert wire("x" * 65).startswith("x" * 48)
    assert wire("x" * 65) != wire("x" * 66)
    assert all(PATTERN.fullmatch(wire(name)) for name in ("x" * 65, "x" * 200, "." * 90))
    assert wire("1st").startswith("_1st_")
    assert (wire("read"), wire("mcp__a__b-c")) == ("read", "mcp__a__b-c")


@pytest.mark.proves("D30")
def test_no_tool_can_answer_for_another() -> None:
    stolen = Names([]).wire("a.b")
    names = Names(["a.b", stolen])
    assert names.wire(stolen) == stolen
    assert names.wire("a.b") not in {stolen, "a.b"}
    assert names.own(stolen) == stolen
    titled = Names(["shell", "Bash", "read"], titles=True)
    assert [titled.wire(name) for name in ("shell", "Bash", "read")] == ["shell", "Bash", "Read"]
    assert titled.own("Bash") == "Bash"


@pytest.mark.proves("D30")
def test_title_case_names_go_out_and_come_back() -> None:
    lowered = lower(Request(model="m", tools=OWN, messages=used("shell", "read")), TITLED, ORIGIN)
    told = [tool.name for tool in lowered.request.tools]
    assert told == [TITLES.get(tool.name, tool.name) for tool in OWN]
    assert {"Bash", "Read", "Edit", "Write", "Glob", "Grep", "LS"} <= set(told)
    assert names_in(lowered.request.messages) == [["Bash", "Read"]] * 2
    assert [tool.schema for tool in lowered.request.tools] == [tool.schema for tool in OWN]
    (lifting,) = lowered.liftings()
    calls = tuple(ToolCall(id=name, name=name) for name in ("Bash", "read", "Nonsense"))
    events: list[StreamEvent] = [
        BlockStarted(part=0, kind="call", name="Bash"),
        CallReady(call=calls[0], parts=calls[:1]),
        Finished(parts=(Text(text="x"), *calls), stop_reason="tool_calls"),
        Failed(failure=Failure(kind="server", message="Gone."), parts=calls[:1]),
    ]
    started, ready, finished, failed = lifting.lift(events)
    assert isinstance(started, BlockStarted)
    assert isinstance(ready, CallReady)
    assert isinstance(finished, Finished)
    assert isinstance(failed, Failed)
    assert (started.name, ready.call.name) == ("shell", "shell")
    named = [part.name for part in finished.parts if isinstance(part, ToolCall)]
    assert named == ["shell", "read", "Nonsense"]
    assert ready.parts == failed.parts == finished.parts[1:2]


def test_a_vendor_that_needs_nothing_gets_the_very_same_request() -> None:
    request = Request(model="m", tools=OWN[:3], messages=used("read", "edit"))
    lowered = lower(request, Dialect(), ORIGIN)
    assert lowered.request is request
    assert lowered.liftings() == ()


def test_only_messages_with_other_names_are_made_anew_and_only_once() -> None:
    lowering = Lowering(Dialect(), ORIGIN)
    specs = tools("a.b", "c")
    first = used("a.b")
    lowered = lowering.lower(Request(model="m", tools=specs, messages=first)).request
    assert lowered.messages[0] is first[0]
    assert names_in(lowered.messages)[0] != ["a.b"]
    longer = (*first, *used("c"))
    again = lowering.lower(Request(model="m", tools=tools("a.b", "c"), messages=longer)).request
    for before, after in zip(lowered.messages, again.messages, strict=False):
        assert before is after
    assert again.messages[3:] == longer[3:]


def test_a_name_that_a_model_made_up_is_replayed_as_one_that_vendors_take() -> None:
    """Another vendor's model called ``functions.read:0``; this vendor would refuse the request."""
    lowered = lower(
        Request(model="m", messages=used("functions.read:0", "read")), Dialect(), ORIGIN
    )
    for found in names_in(lowered.request.messages):
        assert all(PATTERN.fullmatch(name) for name in found)
        assert found[1] == "read"


@every("dialect", [Dialect(), TITLED, Dialect(tools="fenced")])
def test_a_history_that_was_written_anew_is_lowered_anew(dialect: Dialect) -> None:
    lowering = Lowering(dialect, ORIGIN)
    for name in ("a.b", "c.d", "a.b"):
        request = Request(model="m", tools=tools("a.b", "c.d"), messages=used(name))
        assert lowering.lower(request).request == lower(request, dialect, ORIGIN).request


@pytest.mark.parametrize("dialect", [Dialect(), TITLED, Dialect(tools="fenced")])
@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_the_memory_never_shows(dialect: Dialect, lengths: list[int]) -> None:
    parts: list[tuple[Part, ...]] = [message.parts for message in used("a.b", "shell")]
    history = tuple(
        Message(
            id=str(place), role="assistant" if place % 3 == 1 else "user", parts=parts[place % 3]
        )
        for place in range(6)
    )
    lowering = Lowering(dialect, ORIGIN)
    for length in lengths:
        specs = tools("shell", "a.b", "Bash")[: 1 + length % 3]
        request = Request(model="m", tools=specs, messages=history[:length])
        assert lowering.lower(request).request == lower(request, dialect, ORIGIN).request


@pytest.mark.proves("D30")
def test_whichever_tool_runs_commands_has_the_name_that_models_know() -> None:
    """A session tells of ``exec_command`` in the place of ``shell``."""
    living = Names(["exec_command", "write_stdin", "read"], titles=True)
    assert living.wire("exec_command") == "Bash"
    assert living.own("Bash") == "exec_command"
    assert living.wire("write_stdin") == "write_stdin"
    both = Names(["exec_command", "shell"], titles=True)
    assert [both.wire(name) for name in ("exec_command", "shell")] == ["Bash", "shell"]
    assert (both.own("Bash"), both.own("shell")) == ("exec_command", "shell")
