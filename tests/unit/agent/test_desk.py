"""What a model hears where nobody can be asked."""

from pathlib import Path

import pytest

from ouroboros.agent.asking.approvals import Desk
from ouroboros.core.events import PermissionRequested
from ouroboros.testing.clock import ManualClock
from ouroboros.tools.approval import Answer, Decider
from tests.unit.tools.spine import ScriptedAsker, Spine, text_of


class SlowPerson(ScriptedAsker):
    """Says yes after half a minute."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__([Answer(allowed=True, decider="person")])
        self.clock = clock

    async def ask(self, question: PermissionRequested) -> Answer:
        self.clock.advance(30)
        return await super().ask(question)


def asked(reason: str, rules: tuple[str, ...] = ()) -> PermissionRequested:
    return PermissionRequested(
        request_id="r",
        call_id="c",
        tool="shell",
        action="Run make",
        input="make",
        reason=reason,
        rules=rules,
    )


async def test_a_refusal_by_nobody_says_what_why_and_what_would_allow_it() -> None:
    desk = Desk(interactive=False)
    answer = await desk.ask(asked("make runs scripts", ("shell(make)", "x")))
    assert (answer.allowed, answer.decider, desk.unanswered) == (False, "nobody", 1)
    assert "(Run make): make runs scripts." in answer.message
    assert answer.message.endswith("; the rule shell(make) would allow it.")
    assert "rule" not in (await desk.ask(asked("no"))).message


async def test_nobody_is_not_to_be_asked_how_to_go_on(tmp_path: Path) -> None:
    deciders: tuple[Decider, ...] = ("nobody", "person")
    for decider in deciders:
        no = Answer(allowed=False, decider=decider)
        spine = Spine(tmp_path, mode="ask", answers=[no])
        told = text_of(await spine.call("shell", command="make"))
        assert told.startswith("shell was refused: the user said no.")
        assert ("ask the user how to go on" in told) == (decider == "person")


@pytest.mark.proves("permissions-a-no-with-words")
async def test_who_said_what_to_do_instead_is_not_to_be_asked_again(tmp_path: Path) -> None:
    no = Answer(allowed=False, decider="person", message="Use tabs.")
    spine = Spine(tmp_path, mode="ask", answers=[no])
    told = text_of(await spine.call("shell", command="make"))
    assert told.startswith(
        'shell was refused: the person says: "Use tabs.". Nothing of it was done.'
    )
    assert "ask the user" not in told


@pytest.mark.proves("permissions-a-no-with-words")
async def test_a_call_took_what_it_took_without_the_time_of_the_question(tmp_path: Path) -> None:
    clock = ManualClock()
    spine = Spine(tmp_path, mode="ask", clock=clock, asker=SlowPerson(clock))
    result = await spine.call("write", path="a.txt", content="x")
    assert (result.status, result.seconds) == ("done", 0.0)
