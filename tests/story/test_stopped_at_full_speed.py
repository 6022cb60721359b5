"""A stop lands within a reply, however fast it streams, and sessions beside it get their turns."""

import json
from pathlib import Path

import anyio
import pytest

from ouroboros.app.hub import Room
from ouroboros.core.commands import Interrupt, Submit
from ouroboros.core.events import Envelope, ModelDelta, TaskCancelled
from tests.story.hub_stage import hub_stage, idle

WORDS = 40_000


def said(room: Room) -> int:
    """Characters of the reply that was cut off, or is whole."""
    return sum(len(each.text) for each in room.state.history if each.role == "assistant")


async def begun(room: Room) -> None:
    """Returns when the reply has begun."""
    seen = anyio.Event()

    def note(envelope: Envelope) -> None:
        if isinstance(envelope.data, ModelDelta):
            seen.set()

    room.session.listen(note)
    await room.send(Submit(text="Talk."))
    await seen.wait()


@pytest.mark.proves("agent-stop-at-full-speed")
@pytest.mark.deep
async def test_a_stop_and_a_close_land_within_replies_at_full_speed(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    # Played within this process, so that nothing that is waited for lies between two pieces.
    script.write_text(json.dumps({"text": "word " * WORDS, "chunk": 5}) + "\n")
    async with hub_stage(tmp_path, [], model=f"script:{script}", base_url=None) as stage:
        rooms = [await stage.hub.open() for _ in range(3)]
        ends: list[str] = []
        for room in rooms:
            room.session.listen(
                lambda each: (
                    ends.append(each.data.reason) if isinstance(each.data, TaskCancelled) else None
                )
            )
            await begun(room)
        assert all(room.running for room in rooms)  # none was done before the next one began
        await rooms[0].send(Interrupt(reason="user"))
        await idle(rooms[0])
        assert ends == ["user"]
        assert rooms[1].running
        for room in rooms[1:]:
            await stage.hub.close(room.id)
        assert ends == ["user", "closed", "closed"]
        # Of 200,000 characters each; what is said meanwhile are a few rounds of the event loop.
        assert all(0 < said(room) < WORDS for room in rooms)
