"""The line of the log file that the journal writes of each event."""

import logging
import os

import pytest

from ouroboros.agent.journal import Journal
from ouroboros.core.clock import SystemClock
from ouroboros.core.events import Envelope, ModelSwitched
from ouroboros.core.events.approval import PermissionBlocked
from ouroboros.core.events.goal import GoalUpdated
from ouroboros.core.ids import TimeOrderedIds
from ouroboros.core.state import State

FORGED = "of the model\n2026-11-22 INFO ouroboros.agent.journal: forged"


class Log:
    """Events that are kept nowhere."""

    def append(self, envelope: Envelope) -> None:
        """There is no disk to wait for."""

    async def settled(self, seq: int) -> None:
        """Everything is."""


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name == "ouroboros.agent.journal"]


@pytest.mark.proves("V22")
def test_it_holds_no_words_of_the_model_and_one_short_line_of_each_event(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "ouroboros.agent.journal")
    clock = SystemClock()
    ids = TimeOrderedIds(clock, os.urandom)
    journal = Journal(state=State(session="ses_1"), log=Log(), ids=ids, clock=clock)
    journal.record(GoalUpdated(goal_id="g", reason=FORGED))
    journal.record(PermissionBlocked(call_id="c", tool="shell", rule="r", reason=FORGED))
    journal.record(ModelSwitched(old="a", new="b", reason="503\r\nover\u2028loaded " + "x" * 500))
    assert told(caplog) == [
        "ses_1 1 goal.updated",
        "ses_1 2 permission.blocked",
        f"ses_1 3 model.switched: 503 over loaded {'x' * 183}",
    ]
