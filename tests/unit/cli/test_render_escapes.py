"""No word of a model, a tool or a page moves the cursor, sets the clipboard or hides text."""

import re
import time
from itertools import islice

import pytest

from ouroboros.app.text import plain
from ouroboros.core.events import (
    AgentMessage,
    ErrorRaised,
    Event,
    ModelDelta,
    PermissionRequested,
    PlanStep,
    PlanUpdated,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.parts import Text
from ouroboros.faces.cli.render.approvals import question_rows
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.rows import ansi, wrap
from ouroboros.faces.wording.text.markdown import markdown_rows
from tests.cases import every
from tests.markdown_texts import AROUND, FEW, MANY, SEEN, drawn, growing_too_fast, texts
from tests.unit.cli.render_events import enveloped, message, spoken
from tests.unit.cli.render_stage import in_pipes, on_terminal

ATTACKS = {
    "clear": "\x1b[2J\x1b[H",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "title": "\x1b]0;owned\x1b\\",
    "link": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "c1": "\x9b31mred\x9c",
    "overwrite": "safe\rrm -rf",
    "backspace": "rm\b\b\b\bls",
    "bidi": "abc\u202ecba",
    "isolate": "abc\u2066cba\u2069",
    "delete": "a\x7fb",
    "shift": "\x0e\x0f\x1b(0qqq\x1b(B",
    "query": "\x1b[6n\x1b[c\x05",
    "surrogate": "a\udc9bb",
}
ENTITIES = "&#27;[2J &#x1b;]52;c;x&#7; &#155;31m &#x202e;abc `&#27;[31m`"
ALLOWED = re.compile(r"\x1b\[(?:[0-9;]*m|[0-9]*[AC]|J|\?25[hl])")
FORBIDDEN = re.compile(
    r"[\x00-\x09\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]"
)


def run_with(attack: str) -> list[Event]:
    hostile = f"before {attack} after"
    return [
        *spoken(hostile, size=3),
        AgentMessage(message=message(hostile), stop_reason="tool_calls"),
        ToolStarted(call_id="c", name=hostile, arguments=f'{{"x": "{attack}"}}', title=hostile),
        ToolResulted(
            call_id="c",
            name=hostile,
            status="failed",
            parts=(Text(text=f"{hostile}\n{attack}\n{hostile}"),),
            detail=f"--- a/{attack}\n+++ b/x\n@@ -1 +1 @@\n-{attack}\n+{attack}\n",
        ),
        ToolStarted(call_id="d", name="read", arguments="{}"),
        ToolResulted(call_id="d", name="read", status="done", parts=(Text(text=hostile),)),
        PlanUpdated(steps=(PlanStep(step=hostile, status="pending"),), explanation=hostile),
        ModelDelta(phase="start", kind="reasoning", part=0),
        ModelDelta(kind="reasoning", part=0, text=hostile),
        ModelDelta(phase="end", kind="reasoning", part=0),
        ErrorRaised(fault="provider", kind="server", message=hostile, hint=hostile),
        TaskCompleted(reason="completed", final=hostile),
    ]


def leftovers(text: str) -> list[str]:
    return FORBIDDEN.findall(ALLOWED.sub("", text))


@pytest.mark.proves("V22")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("colour", [True, False])
async def test_a_terminal_gets_no_sequence_but_our_own(attack: str, colour: bool) -> None:
    picture, text = await on_terminal(enveloped(run_with(attack)), columns=80, colour=colour)
    assert leftovers(text) == []
    assert "before" in picture.text
    assert "after" in picture.text


@pytest.mark.proves("V22")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("streaming", [True, False])
async def test_plain_text_has_no_control_character(attack: str, streaming: bool) -> None:
    out, err = await in_pipes(enveloped(run_with(attack)), streaming=streaming)
    assert FORBIDDEN.findall(out + err) == []
    assert "\r" not in out + err
    assert "before" in out


@pytest.mark.proves("E13")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_question_shows_what_would_run_and_nothing_hidden(attack: str) -> None:
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action=f"Run {attack}", input=attack
    )
    rows = question_rows(asked, Size(columns=40, lines=10), whole=True)
    text = "\n".join(ansi(line, colour=False) for line in rows)
    assert FORBIDDEN.findall(text) == []
    assert "\r" not in text


@pytest.mark.parametrize(
    ("hidden", "seen"),
    [
        ("rm -rf ./a\u200b", "./a\\u{200b}"),
        ("ls \u202e fr- mr", "ls \\u{202e} fr- mr"),
        ("ls\u00a0-l", "ls\\u{a0}-l"),
        ("ls \u3164", "ls \\u{3164}"),
        ("ls \U000e0041", "ls \\u{e0041}"),
        ("ls a\rb", "ls a\\u{d}b"),
        ("ls \x1b[2K", "ls \\u{1b}[2K"),
        ("echo é 漢 🙂", "echo é 漢 🙂"),
    ],
)
def test_a_question_spells_out_what_nobody_would_see(hidden: str, seen: str) -> None:
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action=f"Run {hidden}", input=hidden
    )
    rows = question_rows(asked, Size(columns=80, lines=10), whole=True)
    shown = [ansi(line, colour=False) for line in rows]
    assert shown[0].endswith(seen)
    assert shown[-1].endswith(seen)


def test_entities_of_markdown_do_not_become_control_characters() -> None:
    text = "\n".join(ansi(line, colour=True) for line in markdown_rows(ENTITIES, 80, colours=256))
    assert leftovers(text) == []


def test_a_link_shows_its_target_and_is_not_clickable() -> None:
    rows = markdown_rows("[bank](http://evil.example/login)", 80, colours=256)
    text = "".join(ansi(line, colour=True) for line in rows)
    assert "http://evil.example/login" in text
    assert "\x1b]8" not in text


@pytest.mark.proves("V20")
@pytest.mark.parametrize(
    "text", ["Use <your-key> here.", "List<T> and <b>bold</b>", "<div>\nhidden?\n</div>"]
)
def test_what_looks_like_html_is_shown(text: str) -> None:
    shown = " ".join(
        "".join(span.text for span in row) for row in markdown_rows(text, 60, colours=16)
    )
    assert shown.split() == text.split()


@pytest.mark.proves("V20")
def test_the_lines_around_a_plan_are_not_shown() -> None:
    rows = markdown_rows(
        "<proposed_plan>\n1. one\n2. `<proposed_plan>`\n</proposed_plan>\n\nEnd", 60, colours=16
    )
    words = " ".join("".join(span.text for span in row) for row in rows).split()
    assert words == ["1", "one", "2", "<proposed_plan>", "End"]


async def spent_on_rows(text: str) -> float:
    begun = time.thread_time()
    markdown_rows(text, 100, colours=256)
    wrap(plain(text), 100)
    return time.thread_time() - begun


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.deep
async def test_no_markdown_costs_more_than_its_length_in_a_terminal(step: int) -> None:
    pairs = zip(texts(FEW // 4), texts(MANY // 4), strict=True)
    assert await growing_too_fast(spent_on_rows, islice(pairs, 0, None, step)) == []


@pytest.mark.parametrize(
    "step",
    [pytest.param(6, marks=pytest.mark.deep), pytest.param(1, marks=pytest.mark.soak)],
)
async def test_no_markdown_among_other_text_costs_more_than_its_length_in_a_terminal(
    step: int,
) -> None:
    pairs = zip(texts(FEW // 4, AROUND[1:3]), texts(MANY // 4, AROUND[1:3]), strict=True)
    assert await growing_too_fast(spent_on_rows, islice(pairs, 0, None, step)) == []


@pytest.mark.soak
async def test_no_markdown_of_chance_costs_more_than_its_length_in_a_terminal() -> None:
    pairs = ((drawn(seed, FEW // 4), drawn(seed, MANY // 4)) for seed in range(100))
    assert await growing_too_fast(spent_on_rows, pairs) == []


@every("text", SEEN, ids=lambda text: text[:20])
@pytest.mark.deep
def test_a_word_that_lies_deep_is_shown_however_narrow_the_terminal(text: str) -> None:
    for columns in (8, 12, 20, 40, 80, 200):
        rows = markdown_rows(text, columns, colours=16)
        shown = re.sub(r"[^a-z]", "", "".join(span.text for line in rows for span in line))
        assert "inmost" in shown, columns


@pytest.mark.deep
def test_a_table_of_very_many_cells_stays_text() -> None:
    text = "|a" * 60 + "\n" + "|-" * 60 + "\n" + "|b\n" * 2000
    rows = markdown_rows(text.rstrip(), 100, colours=16)
    assert [span.text for span in rows[-1]] == ["|b"]
