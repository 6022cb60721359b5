"""The full screen and a page over the same sessions of one process: each question has one answer, whoever gives it."""

import json
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import anyio
import pytest
from textual.events import Key
from websockets.asyncio.client import connect

from ouroboros.core.commands import Approve, Submit
from ouroboros.core.events import Envelope, PermissionAnswered
from ouroboros.faces.web.door import Doorplate, served
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.tui.small_app import Small, small
from tests.web.serving import Socket


class Race:
    """``count`` questions, asked one after the other; both faces answer each of them.

    Of four the first waits for the screen's answer, the second for the page's; the others are raced for.
    """

    def __init__(self, s: Small, count: int) -> None:
        self.s, self.count = s, count
        self.asked: list[str] = []
        self.answers: dict[str, PermissionAnswered] = {}
        self.done: dict[str, anyio.Event] = defaultdict(anyio.Event)
        self.page: dict[str, str] = {}
        self.random = Random(count)
        s.room.listen(self.hear)

    def hear(self, envelope: Envelope) -> None:
        if envelope.type == "permission.requested":
            self.asked.extend(self.s.room.state.approvals.keys() - set(self.asked))
        if isinstance(envelope.data, PermissionAnswered):
            assert envelope.data.request_id not in self.answers
            self.answers[envelope.data.request_id] = envelope.data
            self.done[envelope.data.request_id].set()

    async def by_page(self, plate: Doorplate) -> None:
        """Answers each question over the websocket of a page."""
        address = f"ws://127.0.0.1:{plate.port}/api/v1/sessions/{self.s.room.id}/stream?after=0"
        headers = {"Authorization": f"Bearer {plate.token}"}
        async with (
            connect(address, additional_headers=headers, proxy=None, compression=None) as raw,
            anyio.create_task_group() as tasks,
        ):
            socket = Socket(raw)
            names: dict[str, str] = {}

            async def answer(request: str) -> None:
                turn = self.asked.index(request) % 4
                if turn == 0:
                    await self.done[request].wait()
                elif turn > 1:
                    await anyio.sleep(self.random.uniform(0, 0.03))
                wish = {"type": "deny", "request_id": request, "message": "page"}
                names[request] = name = f"r{len(names)}"
                frame: dict[str, Any] = {"kind": "command", "id": name, "command": wish}
                await raw.send(json.dumps(frame))

            while len(self.page) < self.count:
                frame = await socket.hear()
                if frame["kind"] in {"done", "refused"}:
                    named = {name: request for request, name in names.items()}
                    self.page[named[frame["id"]]] = frame["kind"]
                for each in frame.get("events", ()):
                    if each["type"] == "permission.requested":
                        tasks.start_soon(answer, each["data"]["request_id"])

    async def by_screen(self) -> None:
        """Answers each question by a key, where its card still has them."""
        app = self.s.app
        driver = app._driver
        assert driver is not None
        while len(self.answers) < self.count:
            card = app.slot.card
            # A key that came too late for its card stands in the prompt, where it holds cards off.
            app.line.value = ""
            if card is not None and card.has_keys and self.may_press(card.asked):
                # The pilot waits for every widget, and cards go while it does.
                key = Key("y", "y")
                key.set_sender(app)
                driver.send_message(key)
            await anyio.sleep(0.005)

    def may_press(self, request: str) -> bool:
        """Whether the screen's turn has come."""
        known = request in self.asked
        return known and (self.asked.index(request) % 4 != 1 or request in self.answers)


async def raced(tmp_path: Path, count: int) -> None:
    turns = [
        Turn(tool_calls=tuple(call("shell", command=f"rm -r x{n}") for n in range(10)))
        for _ in range(count // 10)
    ]
    async with small(tmp_path, [*turns, Turn(text="done")], size=(100, 30)) as s:
        race = Race(s, count)
        async with served(s.hub.outfit, rooms=s.hub) as plate:
            with anyio.fail_after(900 if count > 100 else 60):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(race.by_page, plate)
                    await s.room.send(Submit(text="go"))
                    await race.by_screen()
            await s.rested()
        # The page's server is gone, and the session of the screen is not.
        assert s.room in s.hub.rooms()
        assert len(race.answers) == count
        by_page = {name for name, each in race.answers.items() if each.message == "page"}
        assert by_page == {name for name, kind in race.page.items() if kind == "done"}
        by_screen = {name for name, each in race.answers.items() if each.allowed}
        assert by_page | by_screen == set(race.answers)
        said = {each.request_id for each in s.commands if isinstance(each, Approve)}
        assert by_screen <= said
        assert len(by_screen) >= count // 4
        assert len(by_page) >= count // 4
        # Who came too late is told so once the answer was refused, maybe after the run.
        await s.until(
            lambda: (
                len([each for each in s.app.told if "first answer counted" in each.text])
                == len([name for name in said if name in by_page])
            )
        )


@pytest.mark.proves("interfaces-same-queue")
async def test_the_screen_and_a_page_race_for_twenty_approvals_with_one_winner_each(
    tmp_path: Path,
) -> None:
    await raced(tmp_path, 20)


@pytest.mark.soak
async def test_the_screen_and_a_page_race_for_a_thousand_approvals_with_one_winner_each(
    tmp_path: Path,
) -> None:
    await raced(tmp_path, 1_000)
