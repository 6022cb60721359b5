"""Models without tool calls: what they are told, and how their words become calls."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ouroboros.core.errors import Failure
from ouroboros.core.parts import (
    Media,
    Message,
    Origin,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.framing import Frame
from ouroboros.llm.lowering import lower
from ouroboros.llm.lowering.fenced_prompt import PROMPT
from ouroboros.llm.protocols import by_name
from ouroboros.llm.request import Request, ToolChoice
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockStarted,
    CallReady,
    Failed,
    Finished,
    StreamEvent,
)
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.registry import Registry
from tests.cases import every

FENCED = Dialect(tools="fenced")
ORIGIN = Origin(provider="small", protocol="openai-chat", model="m")
TOOLS = Registry(builtin_tools()).specs()
LS = '{"command":"ls","timeout":300}'


def asked(*messages: Message, choice: ToolChoice = "auto") -> Request:
    return Request(model="m", system=("Be.",), tools=TOOLS, messages=messages, tool_choice=choice)


def replied(
    pieces: Sequence[str | dict[str, str]],
    *,
    stop: str | None = "stop",
    thoughts: str = "",
    choice: ToolChoice = "auto",
) -> list[StreamEvent]:
    decoder = by_name("openai-chat").start(FENCED)
    liftings = lower(asked(choice=choice), FENCED, ORIGIN).liftings()
    deltas = [{"content": piece} if isinstance(piece, str) else piece for piece in pieces]
    if thoughts:
        deltas.insert(0, {"reasoning": thoughts})
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": one}]} for one in deltas]
    if stop is not None:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
    found: list[StreamEvent] = []
    batches = [decoder.step(Frame("", json.dumps(chunk))) for chunk in chunks]
    for batch in [*batches, decoder.finish()]:
        events = batch
        for lifting in liftings:
            events = lifting.lift(events)
        found += events
    return found


def ending(events: list[StreamEvent]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished)
    return last


def parts(*pieces: str, stop: str = "stop") -> tuple[Part, ...]:
    return ending(replied(list(pieces), stop=stop)).parts


def ready_calls(events: list[StreamEvent]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, CallReady)]


def call(name: str, arguments: str, number: int = 1) -> ToolCall:
    return ToolCall(id=f"run_{number}", name=name, arguments=arguments)


BLOCK = "```run sh\nls\n```"


@every(
    ("block", "made"),
    [
        (BLOCK, call("shell", LS)),
        ("```run bash\nls\n```", call("shell", LS)),
        (
            '```run sh\necho "é\\n"\n\n```',
            call("shell", r'{"command":"echo \"é\\n\"\n","timeout":300}'),
        ),
        ("```run sh\n{ ls; }\n```", call("shell", '{"command":"{ ls; }","timeout":300}')),
        ("```run shell\nls\n```", call("shell", LS)),
        ('```run shell\n{"command": "ls"}\n```', call("shell", '{"command": "ls"}')),
        (
            '```run shell\n{"command": "ls", "timeout": 600}\n```',
            call("shell", LS),
        ),
        (
            '```run read\n{"path": "a",\n "limit": 3}\n```',
            call("read", '{"path": "a",\n "limit": 3}'),
        ),
        ("```run read\na.py\n```", call("read", '{"path":"a.py"}')),
        ("```run apply_patch\n\n*** x\n```", call("apply_patch", r'{"input":"\n*** x"}')),
        ('```run apply_patch\n{"input": "x"}\n```', call("apply_patch", '{"input": "x"}')),
        (
            '```run sh\n{"command": "ls", "timeout": 5}\n```',
            call("shell", '{"command": "ls", "timeout": 5}'),
        ),
        (
            '```run write\n{"path": "a", "content": "b\n\t\\"c\\\\"}\n```',
            call("write", r'{"path": "a", "content": "b\n\t\"c\\"}'),
        ),
        ("```run read\n\n\n```", call("read", r'{"path":"\n"}')),
        ("```run ls\n```", call("ls", "{}")),
        ("```run js\n1 + 1\n```", call("js", "1 + 1")),
        ("```run read\n{broken\n```", call("read", "{broken")),
    ],
)
def test_a_run_block_is_a_call(block: str, made: ToolCall) -> None:
    assert parts(block) == parts(*block) == (made,)


def test_words_around_blocks_stay_words_in_order() -> None:
    last = ending(replied([f"First:\n\n{BLOCK}\n\n{BLOCK}\nThen."], thoughts="Hm."))
    assert last.parts == (
        Reasoning(text="Hm."),
        Text(text="First:\n\n"),
        call("shell", LS),
        call("shell", LS, 2),
        Text(text="Then."),
    )
    assert last.stop_reason == "tool_calls"


def test_blocks_before_and_after_a_thought_have_ids_of_their_own() -> None:
    pieces = [BLOCK, {"reasoning": "Hm."}, "```run sh\npwd\n```"]
    calls = ready_calls(events := replied(pieces))
    assert [call.id for call in calls] == ["run_1", "run_2"]
    assert [part for part in ending(events).parts if isinstance(part, ToolCall)] == calls


def test_a_reply_without_blocks_is_what_it_was() -> None:
    text = "See:\n```sh\nls\n```\nThat is all.\n"
    last = ending(replied(list(text)))
    assert (last.parts, last.stop_reason) == ((Text(text=text),), "end")


def test_a_call_is_ready_when_its_block_closes() -> None:
    events = replied([f"{BLOCK}\n", "And more."])
    ready = next(place for place, one in enumerate(events) if isinstance(one, CallReady))
    more = next(
        place
        for place, one in enumerate(events)
        if isinstance(one, BlockGrew) and one.kind == "text"
    )
    assert ready < more
    (event,) = [one for one in events if isinstance(one, CallReady)]
    assert event.call in ending(events).parts
    assert event.parts == (event.call,)


@given(
    st.lists(
        st.sampled_from([
            *("Hi ", "\n", "```run sh\n", "```", "```\n", "```run read\n", "{}", "ls", "```sh\n"),
            *("[result of sh: ok]\n", "<tool_call>", '{"command": "', '"}', "{ ls"),
        ])
    )
)
def test_blocks_open_grow_and_close_and_the_calls_are_those_of_the_ending(
    pieces: list[str],
) -> None:
    events = replied(pieces)
    open_blocks: dict[int, str] = {}
    grown: dict[int, str] = {}
    for event in events:
        match event:
            case BlockStarted(part=part, kind=kind):
                assert part == len(grown)
                open_blocks[part], grown[part] = kind, ""
            case BlockGrew(part=part, kind=kind, text=text):
                assert open_blocks[part] == kind
                grown[part] += text
            case BlockEnded(part=part, kind=kind):
                assert open_blocks.pop(part) == kind
            case _:
                pass
    assert not open_blocks
    last = ending(events)
    made = [part for part in last.parts if isinstance(part, ToolCall)]
    # A call with broken arguments waits for the end of the reply.
    assert sorted(ready_calls(events), key=lambda one: one.id) == sorted(
        made, key=lambda one: one.id
    )
    told = [
        part.arguments if isinstance(part, ToolCall) else part.text
        for part in last.parts
        if isinstance(part, Text | ToolCall)
    ]
    assert [text or "{}" for text in grown.values()] == told
    assert ending(replied(list("".join(pieces)))).parts == last.parts


CUT = "First.\n```run sh\nrm -rf /home/me/proj"


@pytest.mark.proves("H19")
def test_a_block_that_was_cut_off_never_runs() -> None:
    last = ending(replied([CUT], stop="length"))
    assert last.parts == (Text(text="First.\n"), Text(text="```run sh\nrm -rf /home/me/proj"))
    assert last.stop_reason == "length"
    broken = replied([CUT], stop=None)[-1]
    assert isinstance(broken, Failed)
    assert broken.parts == last.parts


def test_a_block_that_was_never_closed_is_told_to_the_model() -> None:
    last = ending(replied([CUT]))
    assert last.parts[1:] == (call("shell", '{"command":"rm -rf /home/me/proj'),)
    assert last.stop_reason == "tool_calls"
    assert parts("```run sh") == (call("shell", '{"command":"'),)
    assert parts("```run ls\n") == (call("ls", "{"),)


def test_a_closed_block_without_arguments_is_ready_at_once() -> None:
    assert parts("```run ls\n```\nAnd", stop="length") == (call("ls", "{}"), Text(text="And"))


def test_whole_arguments_need_no_closing_fence() -> None:
    assert parts('```run read\n{"path": "a"}') == (call("read", '{"path": "a"}'),)


def test_a_stream_that_fails_keeps_the_calls_that_were_ready() -> None:
    (lifting,) = lower(asked(), FENCED, ORIGIN).liftings()
    text = f"{BLOCK}\n{CUT}"
    events = lifting.lift([
        BlockStarted(part=0, kind="text"),
        BlockGrew(part=0, kind="text", text=text),
        Failed(failure=Failure(kind="server", message="Gone."), parts=(Text(text=text),)),
    ])
    last = events[-1]
    assert isinstance(last, Failed)
    assert last.parts[0] == call("shell", LS)
    assert not any(isinstance(part, ToolCall) for part in last.parts[1:])


@every("text", ["```run", "Well. ```run sh", "Well.\n```", "``"])
def test_a_stream_that_fails_loses_no_word(text: str) -> None:
    broken = replied([text], stop=None)[-1]
    assert isinstance(broken, Failed)
    assert "".join(part.text for part in broken.parts if isinstance(part, Text)) == text


@pytest.mark.proves("H19")
def test_a_block_whose_end_was_only_beginning_does_not_run_when_the_stream_fails() -> None:
    broken = replied(["```run sh\nrm -rf x\n```"], stop=None)
    assert ready_calls(broken) == []
    last = broken[-1]
    assert isinstance(last, Failed)
    assert not any(isinstance(part, ToolCall) for part in last.parts)


def test_where_no_call_is_wanted_a_block_is_a_quote() -> None:
    events = replied([f"They ran:\n{BLOCK}"], choice="none")
    assert ending(events).parts == (Text(text=f"They ran:\n{BLOCK}"),)


def test_a_native_call_is_still_a_call() -> None:
    (lifting,) = lower(asked(), FENCED, ORIGIN).liftings()
    native = ToolCall(id="c", name="read")
    (finished,) = lifting.lift([
        BlockStarted(part=0, kind="call", name="read"),
        BlockEnded(part=0, kind="call"),
        CallReady(call=native, parts=(native,)),
        Finished(parts=(native,), stop_reason="tool_calls"),
    ])
    assert isinstance(finished, Finished)
    assert (finished.parts, finished.stop_reason) == ((native,), "tool_calls")


def body(*messages: Message, dialect: Dialect = FENCED) -> dict[str, Any]:
    lowered = lower(asked(*messages), dialect, ORIGIN).request
    return json.loads(by_name("openai-chat").build_body(lowered, dialect, ORIGIN))


def user(*given: Part) -> Message:
    return Message(id="u", role="user", parts=given)


def said(*given: Part) -> Message:
    return Message(id="a", role="assistant", parts=given, origin=ORIGIN)


def result(id: str, text: str, *, name: str = "shell", ok: bool = True) -> ToolResult:
    return ToolResult(call_id=id, name=name, parts=(Text(text=text),), ok=ok)


def test_tools_are_told_in_the_system_prompt_alone() -> None:
    sent = body(user(Text(text="Go.")))
    assert not {"tools", "tool_choice"} & sent.keys()
    system, _ = sent["messages"]
    assert system["content"].startswith(f"Be.\n\n{PROMPT}")
    for tool in TOOLS:
        if tool.name != "shell":
            assert f"\n- {tool.name}: {tool.description}" in system["content"]
    by_word = {
        line.split(":")[0]: line for line in system["content"].splitlines() if line[:2] == "- "
    }
    assert '"path":{"type":"string"}' in by_word["- read"]
    assert by_word["- sh"].endswith("The block holds the command itself and may run 300 s.")
    assert not {"10 s", "600"} & set(re.findall("10 s|600", by_word["- sh"]))
    assert by_word["- apply_patch"].endswith("The block holds the text itself, no JSON.")


@pytest.mark.proves("H19")
def test_the_prompt_is_short_and_its_own_blocks_work() -> None:
    assert len(PROMPT.encode()) < 1_500
    made = [part for part in parts(PROMPT) if isinstance(part, ToolCall)]
    assert [(one.name, json.loads(one.arguments)) for one in made] == [
        ("shell", {"command": "ls -la", "timeout": 300}),
        ("read", {"path": "README.md"}),
    ]


@pytest.mark.proves("H19")
def test_calls_go_back_as_blocks_and_results_as_words() -> None:
    messages = body(
        user(Text(text="Go.")),
        said(
            Text(text="Look:"),
            ToolCall(id="1", name="shell", arguments='{"command":"ls"}'),
            ToolCall(id="2", name="read", arguments='{"path": "a"}'),
            Text(text="So."),
        ),
        user(result("2", "no such file", name="read", ok=False), result("1", "a\nb\n")),
        user(Text(text="Go on.")),
    )["messages"]
    assert [item["role"] for item in messages] == ["system", "user", "assistant", "user", "user"]
    assert messages[2]["content"] == (
        'Look:\n```run sh\nls\n```\n\n```run read\n{"path": "a"}\n```\nSo.'
    )
    assert messages[3]["content"] == (
        "[result of sh: ok]\na\nb\n[end of result]\n\n"
        "[result of read: failed]\nno such file\n[end of result]"
    )
    alternating = Dialect(tools="fenced", alternates=True)
    joined = body(
        user(Text(text="Go.")),
        said(ToolCall(id="1", name="shell", arguments='{"command":"ls"}')),
        user(result("1", "a")),
        user(Text(text="Go on.")),
        dialect=alternating,
    )["messages"]
    assert [item["role"] for item in joined] == ["system", "user", "assistant", "user"]
    assert joined[3]["content"].endswith("[end of result]\n\nGo on.")


def test_a_picture_of_a_result_follows_it() -> None:
    shot = ToolResult(call_id="1", name="shot", parts=(Media(media_type="image/png", data="QQ=="),))
    sent = body(user(Text(text="Go.")), said(ToolCall(id="1", name="shot")), user(shot))
    assert [one["type"] for one in sent["messages"][-1]["content"]] == ["text", "image_url"]


def test_a_call_that_was_never_whole_is_explained_beside_its_result() -> None:
    broken = said(ToolCall(id="1", name="shell", arguments='{"command":"rm -rf /home'))
    sent = body(user(Text(text="Go.")), broken, user(result("1", "failed to parse", ok=False)))
    assert "was not closed" in sent["messages"][-1]["content"]
    assert "failed to parse" not in sent["messages"][-1]["content"]
    assert sent["messages"][-2]["content"] == "```run sh\nrm -rf /home"


@every(("name", "is_said"), [("read", True), ("js", False)])
def test_only_a_known_tool_asks_for_an_object(name: str, is_said: bool) -> None:
    broken = said(ToolCall(id="1", name=name, arguments="{bro"))
    sent = body(user(Text(text="Go.")), broken, user(result("1", "no", name=name, ok=False)))
    assert ("one whole JSON object" in sent["messages"][-1]["content"]) is is_said


@pytest.mark.proves("divergences-what-ends-a-code-block")
def test_results_that_a_model_makes_up_are_left_out_with_all_that_builds_on_them() -> None:
    text = f"Look:\n{BLOCK}\n\n[result of sh: ok]\na.py\n[end of result]\n{BLOCK}\nSo."
    assert parts(text) == parts(*text) == (Text(text="Look:\n"), call("shell", LS))
    assert parts("[result of sh: ok]\n")[0] == Text(text="[result of sh: ok]\n")


TEXTS = [
    "```run sh\ncat >> README.md <<'E'\n```sh\nls\n```\nE\n```",
    "```run apply_patch\n*** Begin Patch\n ```sh\n x\n+```\n ```\n*** End Patch\n```",
    f"Look:\n\n{BLOCK}",
    f"Look:\n\n{BLOCK}\n\n{BLOCK}",
    f"{BLOCK}\n\nThen.",
    '```run read\n{"path": "a"}\n```',
    "````run sh\ncat <<E\n```\nE\n````",
    "```run apply_patch\n*** Begin Patch\n*** End Patch\n```",
    'A.\n```run write\n{"path": "a", "content": "```\\n"}\n```',
]


@every("text", TEXTS)
def test_a_reply_goes_back_to_the_byte(text: str) -> None:
    """So that a server that keeps what it has read need not read it again."""
    made = parts(text)
    assert any(isinstance(part, ToolCall) for part in made)
    assert body(user(Text(text="Go.")), said(*made))["messages"][-1]["content"] == text


@pytest.mark.proves("H19")
@given(
    st.sampled_from(["shell", "read", "apply_patch", "other"]),
    st.dictionaries(
        st.sampled_from(["command", "input", "path", "timeout"]),
        st.text(alphabet='ab\n `~{}"\\', max_size=30) | st.integers(0, 400),
        max_size=2,
    ),
)
@example("read", {"path": '{\n"a"}'})
@example("apply_patch", {"input": ' \n{"input": 1}'})
def test_any_call_survives_being_written_as_a_block(name: str, arguments: dict[str, Any]) -> None:
    written = json.dumps(arguments)
    once = ToolCall(id="1", name=name, arguments=written)
    sent = body(user(Text(text="Go.")), said(once))["messages"][-1]["content"]
    (again,) = [part for part in parts(sent) if isinstance(part, ToolCall)]
    back = json.loads(again.arguments)
    if again.name == "shell" and isinstance(back.get("timeout"), int):
        back["timeout"] = arguments.get("timeout", 300)
        arguments = {**arguments, "timeout": back["timeout"]}
    assert (again.name, back) == (name, arguments)
