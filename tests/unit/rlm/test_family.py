"""What code asks of models when the session cannot be kept any more: the run ends, nobody is told words."""

from contextlib import AbstractAsyncContextManager

import pytest
from msgspec import Raw

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.core.errors import StoreFailed
from ouroboros.core.events import Event
from ouroboros.core.limits import Caps
from ouroboros.core.state import State
from ouroboros.rlm.children.family import Family, Item
from ouroboros.rlm.children.ground import Allowance, Birth, Bounds, Ground, Room, places
from ouroboros.testing.clock import ManualClock
from ouroboros.testing.ids import SequentialIds

BOUNDS = Bounds(
    calls=50, iterations=10, depth=1, at_once=4, leaf_tokens=8_000, history_tokens=8_000
)


class Closed:
    """Opens nothing."""

    def has_browser(self) -> bool:
        return False

    def open(self, birth: Birth) -> AbstractAsyncContextManager[Room]:
        raise AssertionError(f"{birth.child} is opened, though nothing can be kept any more")


def full(event: Event) -> None:
    raise StoreFailed(f"no space left for {event.type}")


async def nobody() -> Lineup:
    raise AssertionError("a model is asked, though nothing can be kept any more")


async def nothing() -> None:
    return


def family() -> Family:
    state, clock = State(), ManualClock()
    ground = Ground(
        state=state,
        record=full,
        settle=nothing,
        lineup=nobody,
        nursery=Closed(),
        bounds=BOUNDS,
        allowance=Allowance(Caps(), state, clock),
        places=places(BOUNDS),
        ids=SequentialIds(),
        clock=clock,
        marks=lambda: "mark",
        leaf="Answer.",
    )
    return Family(ground, state=state)


@pytest.mark.proves("B17")
async def test_a_full_disk_ends_the_run_whichever_way_models_are_asked() -> None:
    one = family()
    with pytest.raises(StoreFailed):
        await one.query("Read.", Raw(b'"x"'))
    with pytest.raises(StoreFailed):
        await one.batch([Item(prompt="Read.", data=Raw(b'"x"'))])
    with pytest.raises(StoreFailed):
        await one.batch([Item(prompt="Read.", data=Raw(b'"x"'))] * 3)
    with pytest.raises(StoreFailed):
        await one.map("Read.", [Raw(b'"x"')] * 3)
