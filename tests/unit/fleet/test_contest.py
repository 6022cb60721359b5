"""The best of several answers: by the command, an end of its own, the size of the change, and cost."""

import itertools

import anyio
import pytest
from msgspec.structs import replace

from ouroboros.app.paws.contest import size_of
from ouroboros.core.errors import OuroborosError, StoreFull
from ouroboros.fleet.contest.ranking import Entry, Size, ranked
from ouroboros.fleet.contest.running import held
from tests.cases import every

GOOD = Entry(
    number=5,
    session="s",
    tests="passed",
    reason="completed",
    size=Size(files=1, added=3, removed=1),
    cost=0.2,
    tokens=500,
)
BEST_FIRST = [
    replace(GOOD, number=1, size=Size(files=1, added=1)),
    replace(GOOD, number=2, size=Size(files=1, added=4), cost=0.1),
    replace(GOOD, number=3, size=Size(files=1, added=4), tokens=400),
    GOOD,
    replace(GOOD, number=6),
    replace(GOOD, number=7, cost=None, tokens=1),
    replace(GOOD, number=8, size=Size(files=2, added=4), cost=0.0),
    replace(GOOD, number=9, size=Size(files=1, added=400, removed=100)),
    replace(GOOD, number=10, size=Size()),
    replace(GOOD, number=11, reason="limit_reached:max_turns", size=Size(files=1, added=1)),
    replace(GOOD, number=12, tests="failed", size=Size(files=1, added=1)),
    replace(GOOD, number=13, tests="timed out", size=Size(files=1, added=2)),
    replace(GOOD, number=14, problem="it broke", size=Size(files=1, added=1)),
]


@pytest.mark.proves("N17")
@every("turn", range(len(BEST_FIRST)))
def test_the_order_does_not_depend_on_who_was_ready_first(turn: int) -> None:
    shuffled = [*BEST_FIRST[turn:], *BEST_FIRST[:turn]][::-1]
    assert ranked(shuffled) == BEST_FIRST
    for better, worse in itertools.combinations(BEST_FIRST, 2):
        assert ranked([worse, better]) == [better, worse]


def test_good_is_what_ended_by_itself_and_passed() -> None:
    assert [each.is_good for each in BEST_FIRST] == [True] * 9 + [False] * 4
    assert replace(GOOD, tests="not run").is_good


def test_the_size_counts_lines_and_files_that_are_no_text() -> None:
    assert size_of("3\t1\ta b\0-\t-\tpicture\0" + "0\t7\tgone\0") == Size(
        files=3, added=4, removed=8
    )
    assert size_of("") == Size()
    assert size_of("1\t2\tname with\ttab\nand line\0") == Size(files=1, added=1, removed=2)


@pytest.mark.proves("N17")
async def test_one_that_fails_ends_alone_and_no_more_work_than_may() -> None:
    working, most = 0, 0
    heard: list[int] = []

    async def contestant(number: int) -> Entry:
        nonlocal working, most
        working += 1
        most = max(most, working)
        try:
            await anyio.sleep(0.01)
            if number == 2:
                raise ExceptionGroup("of a task group", [OuroborosError("it broke")])
            return replace(GOOD, number=number)
        finally:
            working -= 1

    found = await held(
        contestant, count=5, at_once=2, tell=lambda entry: heard.append(entry.number)
    )
    assert [each.number for each in found] == [1, 3, 4, 5, 2]
    assert (found[-1].problem, most, sorted(heard)) == ("it broke", 2, [1, 2, 3, 4, 5])


async def test_a_bug_and_a_full_disk_end_all() -> None:
    async def full(number: int) -> Entry:
        raise StoreFull("no room")

    async def broken(number: int) -> Entry:
        raise ZeroDivisionError

    for contestant, kind in ((full, StoreFull), (broken, ZeroDivisionError)):
        with pytest.raises(ExceptionGroup) as caught:
            await held(contestant, count=2, at_once=1, tell=lambda _: None)
        assert caught.group_contains(kind)
