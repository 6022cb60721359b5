"""Killed while questions are open, are being answered or have just been: a yes counts once, for its call."""

import os
import random
import sys
from pathlib import Path

import pytest
from msgspec import Struct

from ouroboros.core.events import Envelope, PermissionAnswered, PermissionRequested, ToolAttempted
from tests import forked
from tests.faults import asked_driver, oracle
from tests.faults.faulted import fresh_seed

MOMENTS = (
    "permission.requested",
    "permission.answered",
    "tool.attempted",
    "tool.result",
    "turn.started",
    "agent.message",
)
ROOT = Path(__file__).parents[2]


class Kill(Struct, frozen=True, kw_only=True):
    """What the questions get before it, when it comes, and what those get that are asked afterwards."""

    answers: str
    moment: str
    count: int
    delay: float
    later: str


def driven(folder: Path, answers: str, moment: str, count: int, delay: float) -> tuple[int, str]:
    words = (str(folder), answers, moment, str(count), str(delay))
    ran = forked.run(
        [sys.executable, "-m", asked_driver.__name__, *words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        check=False,
    )
    return ran.returncode, ran.stderr


def of_consent(kept: list[Envelope], most: int) -> list[str]:
    """Every act has a yes of its own, which was given to that very call, and there are no others."""
    calls = {
        e.data.request_id: e.data.call_id for e in kept if isinstance(e.data, PermissionRequested)
    }
    answers = [e.data for e in kept if isinstance(e.data, PermissionAnswered)]
    said = {one.request_id: one.allowed for one in answers}
    yes = {calls[name] for name, allowed in said.items() if allowed}
    acted = [e.data.call_id for e in kept if isinstance(e.data, ToolAttempted)]
    found = [f"call {name} acted without a yes" for name in acted if name not in yes]
    found += [
        f"call {name} acted {acted.count(name)} times"
        for name in set(acted)
        if acted.count(name) > 1
    ]
    given = sum(said.values())
    return [*found, f"{given} times yes, and {most} were said"] if given > most else found


def of_kill(folder: Path, kill: Kill) -> list[str]:
    folder.mkdir()
    code, told = driven(folder, kill.answers, kill.moment, kill.count, kill.delay)
    if code not in {-9, 0}:
        return [f"it ended with {code}: {told}"]
    before = log(folder)
    said = kill.answers.count("y")
    found = examined(folder, before, most=said, is_over=code == 0)
    if code == 0:
        return found
    code, told = driven(folder, kill.later, "", 0, 0)
    if code:
        return [*found, f"it did not go on: {code}, {told}"]
    after = log(folder)
    return (
        found
        + oracle.of_log(before, after)
        + examined(folder, after, most=said + kill.later.count("y"), is_over=True)
    )


def log(folder: Path) -> list[Envelope]:
    ((_, kept),) = oracle.on_disk(folder / "home")[0].items()
    return kept


def examined(folder: Path, kept: list[Envelope], *, most: int, is_over: bool) -> list[str]:
    found = oracle.of_log([], kept) + oracle.of_calls(kept, is_over=is_over)
    found += oracle.of_approvals(kept) + of_consent(kept, most)
    found += oracle.of_effects(folder / "work" / "effects", kept)
    return found + oracle.of_processes(folder)


def kills(seed: int, count: int) -> list[Kill]:
    chance = random.Random(seed)
    return [
        Kill(
            answers="".join(chance.choices("yyn-", k=4)),
            moment=MOMENTS[number % len(MOMENTS)],
            count=chance.randint(1, 2),
            delay=chance.choice((0.0, 0.001, 0.005, 0.02)),
            later="".join(chance.choices("ny", k=4)),
        )
        for number in range(count)
    ]


def complaints(folder: Path, found: list[Kill]) -> dict[str, list[str]]:
    told = {str(kill): of_kill(folder / str(number), kill) for number, kill in enumerate(found)}
    return {kill: wrong for kill, wrong in told.items() if wrong}


def chosen(answers: str, moment: str, count: int, later: str) -> Kill:
    return Kill(answers=answers, moment=moment, count=count, delay=0.0, later=later)


@pytest.mark.proves("sessions-faults-questions")
@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(chosen("y-", "permission.requested", 2, "yn"), id="one answered, one open"),
        pytest.param(
            chosen("-", "permission.requested", 1, "ny"), id="open", marks=pytest.mark.deep
        ),
        pytest.param(
            chosen("yy", "permission.answered", 2, "nnn"), id="answered", marks=pytest.mark.deep
        ),
    ],
)
def test_a_yes_counts_once_and_for_its_call_whenever_it_is_killed(
    tmp_path: Path, kill: Kill
) -> None:
    assert complaints(tmp_path, [kill]) == {}


@pytest.mark.soak
def test_a_yes_counts_once_and_for_its_call_at_very_many_moments(tmp_path: Path) -> None:
    assert complaints(tmp_path, kills(fresh_seed(), count=150)) == {}
