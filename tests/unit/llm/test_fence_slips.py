"""Models that cannot call tools, and write what they mean to run in another way than they are told."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.parts import Message, Origin, Part, Text, ToolCall, ToolResult
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering import lower
from ouroboros.llm.lowering.json_strings import Strings
from ouroboros.llm.request import Request
from ouroboros.llm.stream import BlockEnded, BlockGrew, BlockStarted, Finished, StopReason
from ouroboros.tools.builtin.catalogue import builtin_tools
from ouroboros.tools.registry import Registry
from tests.cases import every

FENCED = Dialect(tools="fenced")
ORIGIN = Origin(provider="small", protocol="openai-chat", model="m")
TOOLS = Registry(builtin_tools()).specs()
BLOCK = "```run sh\nls\n```"


def user(*parts: Part) -> Message:
    return Message(id="u", role="user", parts=parts)


def said(*parts: Part) -> Message:
    return Message(id="a", role="assistant", parts=parts)


ASKED = (user(Text(text="Go.")),)
AT_WORK = (
    *ASKED,
    said(ToolCall(id="1", name="ls", arguments="{}")),
    user(ToolResult(call_id="1", name="ls", parts=(Text(text="a"),))),
)


def told(line: str) -> tuple[Message, ...]:
    return (
        *ASKED,
        said(Text(text=line), ToolCall(id="1", name="shell", arguments=line)),
        user(ToolResult(call_id="1", name="shell", parts=(Text(text="no"),), ok=False)),
    )


TOLD = told("```sh")


def replied(text: str, messages: tuple[Message, ...], stop: StopReason = "end") -> Finished:
    request = Request(model="m", system=(), tools=TOOLS, messages=messages)
    (lifting,) = lower(request, FENCED, ORIGIN).liftings()
    last = lifting.lift([
        BlockStarted(part=0, kind="text"),
        BlockGrew(part=0, kind="text", text=text),
        BlockEnded(part=0, kind="text"),
        Finished(parts=(Text(text=text),), stop_reason=stop),
    ])[-1]
    assert isinstance(last, Finished)
    return last


def calls(text: str, messages: tuple[Message, ...] = AT_WORK) -> list[tuple[str, str]]:
    found = [part for part in replied(text, messages).parts if isinstance(part, ToolCall)]
    return [(one.name, one.arguments) for one in found]


@pytest.mark.proves("H19")
@every(
    ("text", "name", "line"),
    [
        ('```read\n{"path": "a"}\n```', "read", "```read"),
        ("First:\n```apply_patch\n*** Begin Patch", "apply_patch", "```apply_patch"),
        ("```run\nls\n```\n", "shell", "```run"),
        ("```run sh -x\nls\n```\nThen the rest.", "shell", "```run sh -x"),
        ("So:\n```run sh ls```\n", "shell", "```run sh ls```"),
        ("<tool_call>\n{}\n</tool_call>", "shell", "<tool_call>"),
        ("Well.\n<function=read>\n{}\n</function>\n", "shell", "<function=read>"),
    ],
)
def test_what_can_only_be_meant_to_run_is_told(text: str, name: str, line: str) -> None:
    assert calls(text) == [(name, line)]
    assert replied(text, AT_WORK).stop_reason == "tool_calls"
    assert calls(text, TOLD) == [(name, line)]
    assert calls(text, told(line)) == []


@every(
    "text",
    ["```bash\nls\n```", "I look:\n\n```sh\nls", f"```\n{BLOCK}\n", f"````md\n{BLOCK}\n````"],
)
def test_a_sample_is_meant_to_run_where_it_ends_the_first_reply(text: str) -> None:
    assert [name for name, _ in calls(text, ASKED)] == ["shell"]
    assert calls(text, AT_WORK) == calls(text, TOLD) == []
    assert calls(text, told(text.splitlines()[0])) == []
    assert calls(f"{text}\n````\nThat is how.", ASKED) == []


@pytest.mark.proves("H19")
@every(
    "text",
    [
        "Done.",
        "```python\nprint(1)\n```",
        "See ```run sh``` for more.",
        "~~~\n<tool_call>\n~~~\n",
        "```md\n```run\n```\n",
        "```read\n```\nis how it is spelt.",
    ],
)
def test_other_words_are_an_answer(text: str) -> None:
    assert calls(text, ASKED) == []


def test_beside_true_blocks_only_a_misspelled_one_is_told() -> None:
    assert [line for _, line in calls(f"{BLOCK}\n```bash\nls\n```", ASKED)] == [
        '{"command":"ls","timeout":300}'
    ]
    assert calls(f"{BLOCK}\n```run sh ls\n```")[1:] == [("shell", "```run sh ls")]


def test_a_reply_that_was_cut_off_is_not_told_about_its_form() -> None:
    last = replied("```read\n{", AT_WORK, "length")
    assert last.stop_reason == "length"
    assert not any(isinstance(part, ToolCall) for part in last.parts)


@given(st.lists(st.sampled_from(['"', "\\", "\n", "\t", "\x01", "a", "\\n", '{"a": "', '"}'])))
def test_any_cut_of_json_is_mended_alike(pieces: list[str]) -> None:
    one, other = Strings(), Strings()
    text = "".join(pieces)
    mended = one.mended(text)
    assert "".join(map(other.mended, pieces)) == mended
    if is_json(text):
        assert mended == text


@given(st.text(alphabet='ab"\\\n\r\t\x00', max_size=20))
def test_raw_line_breaks_in_strings_are_what_was_meant(text: str) -> None:
    raw = json.dumps({"a": text}).replace("\\n", "\n") if "\\" not in text else ""
    if raw:
        assert json.loads(Strings().mended(raw)) == {"a": text}


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
