"""How the full-screen face looks, as kept pictures."""

from pathlib import Path

import pytest

from ouroboros.core.events import (
    AgentMessage,
    Event,
    PlanStep,
    PlanUpdated,
    TaskCompleted,
    ToolProgress,
    ToolResulted,
    ToolStarted,
    UserMessage,
)
from ouroboros.core.events.browser import ArtifactKept
from ouroboros.core.events.code import CodeGenerated, CodeResulted, IterationStarted, Logged
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.parts import Media, Message, Reasoning, Text, Usage
from ouroboros.faces.tui.transcript.scribe import Scribe
from tests.tui.pictures import Album
from tests.tui.screen_stage import envelope, sees, settled, shown, started, turns

DIFF = """--- a/parcel.py
+++ b/parcel.py
@@ -9,6 +9,7 @@ def tier_price(grams):
     for limit, cents in TIERS:
-        if grams < limit:
+        if grams <= limit:
             return cents
+    # Heavier than the last tier.
     return TIERS[-1][1]
"""
KINDS: tuple[Event, ...] = (
    UserMessage(
        message=Message(
            id="m1",
            role="user",
            parts=(
                Text(text="Why is a parcel of 500 g too dear?\nSee the picture."),
                Media(media_type="image/png", data="", name="bill.png"),
            ),
        )
    ),
    AgentMessage(
        message=Message(
            id="m2",
            role="assistant",
            parts=(
                Reasoning(text="A boundary, most likely: < in the place of <=."),
                Text(text="I will look at `parcel.py`.\n\n* **tiers** first\n* then the tests"),
            ),
        ),
        stop_reason="end",
        usage=Usage(input_uncached=1_200, output_text=80),
    ),
    PlanUpdated(
        steps=(
            PlanStep(step="Find the boundary", status="completed"),
            PlanStep(step="Mend it", status="in_progress"),
            PlanStep(step="Run the tests", status="pending"),
        )
    ),
    ToolStarted(call_id="c1", name="edit", arguments="{}", title="Edit parcel.py"),
    ToolResulted(call_id="c1", name="edit", status="done", seconds=0.04, detail=DIFF),
    ToolStarted(call_id="c2", name="shell", arguments="{}", title="Run the tests"),
    ToolResulted(
        call_id="c2",
        name="shell",
        status="failed",
        seconds=2.3,
        parts=(
            Text(
                text="Exit code: 1\nWall time: 2.3 seconds\nOutput:\n"
                + "\n".join(f"line {at}" for at in range(1, 10))
            ),
        ),
    ),
    ToolStarted(call_id="c3", name="shell", arguments="{}", title="Run the tests again"),
    ToolProgress(call_id="c3", part=0, text="test_a ok\ntest_b ok\n"),
    Logged(level="warning", text="The disk is nearly full"),
    ArtifactKept(
        id="a1",
        kind="screenshot",
        name="bill.png",
        path="artifacts/ses_1/bill.png",
        bytes=48_213,
        sha256="",
        mime="image/png",
    ),
)
CODE: tuple[Event, ...] = (
    IterationStarted(iteration=1, task="compare"),
    CodeGenerated(block=0, code="const rows = await llm_batch(pages)\nrows.length", iteration=1),
    SubagentStarted(child="r1", task="Read the first shop", tokens=800),
    SubagentStarted(child="r2", task="Read a leaf", kind="leaf", parent="r1"),
    SubagentCompleted(child="r2", reason="completed"),
    IterationStarted(iteration=1, child="r1"),
    CodeResulted(block=0, ok=True, metadata='{"type": "array", "size": 3}', seconds=1.25),
    CodeGenerated(block=1, code="set_final(best(rows))", iteration=1),
    CodeResulted(block=1, ok=False, metadata='{"error": "best is not defined"}', seconds=0.01),
)


@pytest.mark.proves("V02")
@pytest.mark.parametrize(
    ("name", "size", "theme"),
    [
        ("kinds-80-dark", (80, 52), "dark"),
        ("kinds-130-light", (130, 46), "light"),
        ("kinds-40-colour-blind", (40, 60), "colour-blind"),
        ("kinds-80-none", (80, 52), "none"),
    ],
)
async def test_every_kind_of_message_has_its_own_look(
    tmp_path: Path, album: Album, name: str, size: tuple[int, int], theme: str
) -> None:
    start = started(tmp_path, model="echo", tui__theme=theme)
    async with shown(start, size=size) as (app, pilot):
        app.transcript.empty()
        app.transcript._now = lambda: 5.0
        scribe = Scribe(app.transcript)
        for seq, event in enumerate(KINDS):
            scribe.take(envelope(event, seq, ts=1.0))
        await settled(pilot)
        await album.check(app, name)


@pytest.mark.deep
@pytest.mark.proves("V02")
async def test_a_mind_that_writes_code_shows_its_iterations_and_children(
    tmp_path: Path, album: Album
) -> None:
    async with shown(started(tmp_path, model="echo"), size=(80, 30)) as (app, pilot):
        app.transcript.empty()
        app.transcript._now = lambda: 5.0
        scribe = Scribe(app.transcript)
        for seq, event in enumerate(CODE):
            scribe.take(envelope(event, seq, ts=1.0))
        scribe.take(envelope(TaskCompleted(reason="completed", final="42 EUR"), 99, ts=3.0))
        await settled(pilot)
        await album.check(app, "iterations-80x30")


@pytest.mark.deep
@pytest.mark.proves("V01")
@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_the_screen_has_a_transcript_a_prompt_and_a_status_line(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    model = turns(tmp_path, {"text": "A short answer."})
    async with shown(started(tmp_path, model=model), size=size) as (app, pilot):
        await pilot.press(*"hello", "enter")
        await sees(app, pilot, "hello", "A short answer.", "full-auto")
