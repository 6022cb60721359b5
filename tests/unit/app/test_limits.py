"""What the person may spend in a day and a month, over all sessions."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from anyio import lowlevel, to_thread

from ouroboros.app.limits.periods import period
from ouroboros.app.limits.watch import Watch
from ouroboros.app.settings import Limits
from ouroboros.core.events import AgentMessage, Envelope
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.parts import Message, Usage
from ouroboros.core.state import State
from ouroboros.store import copying, sessions
from ouroboros.store.db import open_database
from ouroboros.store.lease import Lease
from ouroboros.store.ledger import Ledger, Line
from ouroboros.store.line import encode
from ouroboros.store.spending import Total, since
from ouroboros.testing.clock import ManualClock
from tests.cases import every

BERLIN = ZoneInfo("Europe/Berlin")
USAGE = Usage(input_uncached=90, output_text=10)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def reply(
    session: str, seq: int, ts: float, cost: float | None, *, child: bool = False
) -> Envelope:
    said = Message(id=f"m{seq}", role="assistant")
    told = SubagentReplied(child="a", usage=USAGE, cost=cost)
    event = told if child else AgentMessage(message=said, stop_reason="end", usage=USAGE, cost=cost)
    return Envelope(
        id=f"evt{seq}",
        session=session,
        turn=1,
        seq=seq,
        ts=ts,
        type=event.type,
        source="agent",
        data=event,
    )


def keep(home: Path, *envelopes: Envelope) -> None:
    session = envelopes[0].session
    connection = open_database(home)
    with Lease.take(home, session) as lease:
        ledger = Ledger(home, connection)
        ledger.admit(lease)
        ledger.store([Line(envelope=each, encoded=encode(each)) for each in envelopes])
    connection.close()


@pytest.mark.proves("Z10")
@every(
    ("now", "hours"),
    [
        ("2026-03-29T12:00", 23),
        ("2026-10-25T02:30", 25),
        ("2026-10-25T23:59", 25),
        ("2026-07-01", 24),
    ],
)
def test_a_day_goes_from_midnight_to_midnight_also_when_clocks_change(now: str, hours: int) -> None:
    day = period("daily_cost", at(now), BERLIN)
    assert (day.end - day.start) / 3600 == hours
    assert datetime.fromtimestamp(day.start, BERLIN).isoformat()[:16] == f"{now[:10]}T00:00"
    assert day.start <= at(now) < day.end


@pytest.mark.proves("Z10")
def test_a_month_goes_from_its_first_day_to_the_next() -> None:
    month = period("monthly_cost", at("2026-12-31T23:59"), BERLIN)
    assert (month.start, month.end) == (at("2026-12-01"), at("2027-01-01"))


@pytest.mark.proves("Z10")
def test_what_was_spent_is_kept_once_with_its_time_and_stays(tmp_path: Path) -> None:
    keep(tmp_path, reply("ses_a", 1, 100.0, 1.5), reply("ses_a", 2, 200.0, 0.5, child=True))
    keep(tmp_path, reply("ses_b", 1, 300.0, None))
    copying.put(tmp_path, [reply("ses_c", 1, 300.0, 9.0)])
    whole = Total(requests=3, tokens=300, cost=2.0, unpriced=1)
    late = Total(requests=2, tokens=200, cost=0.5, unpriced=1)
    assert since(tmp_path, 0.0, 150.0, 999.0) == [whole, late, Total()]


def test_what_was_spent_counts_also_where_a_number_comes_again(tmp_path: Path) -> None:
    """After damaged events were set aside, or a deleted session was brought back from a file."""
    keep(tmp_path, reply("ses_a", 1, 100.0, None), reply("ses_a", 2, 200.0, 0.5))
    sessions.delete(tmp_path, "ses_a")
    keep(tmp_path, reply("ses_a", 1, 300.0, 2.0), reply("ses_a", 2, 400.0, None))
    late = Total(requests=2, tokens=200, cost=2.0, unpriced=1)
    whole = Total(requests=4, tokens=400, cost=2.5, unpriced=2)
    assert since(tmp_path, 250.0, 0.0) == [late, whole]


async def reached(home: Path, clock: ManualClock, told: list[str], **limits: float) -> str | None:
    watch = Watch(
        home,
        msgspec.convert(limits, Limits),
        clock=clock,
        settle=lowlevel.checkpoint,
        warn=told.append,
        zone=BERLIN,
    )
    found = await watch.reached(State())
    assert await watch.reached(State()) == found
    return found


@pytest.mark.proves("Z10")
async def test_all_sessions_count_and_a_new_day_begins_anew(tmp_path: Path) -> None:
    told: list[str] = []
    noon = at("2026-05-01T12:00")
    both = (reply("ses_a", 1, noon - 60, 2.0), reply("ses_b", 1, noon - 30, 2.5))
    for each in both:
        await to_thread.run_sync(keep, tmp_path, each)
    clock = ManualClock(noon)
    assert await reached(tmp_path, clock, told, daily_cost=5.0, monthly_cost=100.0) is None
    assert told == ["90 % of limits.daily_cost is used: $4.50 of $5.00 today, over all sessions"]
    assert await reached(tmp_path, clock, told, daily_cost=4.5) == "daily_cost"
    clock.advance(86_400)
    assert await reached(tmp_path, clock, told, daily_cost=4.5) is None
    assert await reached(tmp_path, clock, told, monthly_cost=4.0) == "monthly_cost"


@pytest.mark.proves("Z10", "divergences-days-of-limits")
async def test_a_clock_that_is_set_back_frees_nothing(tmp_path: Path) -> None:
    noon = at("2026-05-02T12:00")
    await to_thread.run_sync(keep, tmp_path, reply("ses_a", 1, noon, 5.0))
    for hours in (0, 1, 20, 100):
        clock = ManualClock(noon - hours * 3600)
        assert await reached(tmp_path, clock, [], daily_cost=5.0) == "daily_cost"


@pytest.mark.proves("Z10")
async def test_an_unknown_price_counts_nothing_and_that_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    noon = at("2026-05-02T12:00")
    await to_thread.run_sync(keep, tmp_path, reply("ses_a", 1, noon, None))
    assert await reached(tmp_path, ManualClock(noon), told, daily_cost=5.0) is None
    said = "limits.daily_cost leaves out what has no known price, today 1 of 1 requests"
    assert told == [said]
