"""A cap on time stands still while the agent waits for a tab that a person drives."""

from pathlib import Path

import pytest
from anyio import create_task_group

from ouroboros.core.events import TurnStarted
from ouroboros.llm.turns import Turn
from tests.story.stage import stage

LONG = Turn(text="word " * 12, chunk=5, pace_seconds=0.1)


@pytest.mark.proves("A14")
@pytest.mark.deep
async def test_a_person_who_drives_a_tab_costs_the_run_no_time(tmp_path: Path) -> None:
    limits = {"max_time": 1}
    async with stage(tmp_path, [LONG, LONG], opening={"browser": True}, limits=limits) as s:
        assert s.session.live is not None
        drivers = s.session.live.ground.drivers

        async def drive() -> None:
            await s.until(TurnStarted)
            drivers.take("tab_0", "somebody")
            await drivers.turn("tab_0", acts=False)

        async with create_task_group() as tasks:
            tasks.start_soon(drive)
            assert (await s.run("Talk.")).reason == "completed"
            drivers.give("tab_0")
        # Without anybody it is what it is for.
        assert (await s.run("Talk.")).reason == "limit_reached:max_time"
