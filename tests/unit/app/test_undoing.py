"""Each kind of thing is taken back by its own handler, the last first; one that fails is told."""

from typing import Any

import pytest

from ouroboros.app.rewind.undoing import Span, reapply, revert, span_on
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.state import State


class Kind:
    """A handler that notes what it is asked, and fails where it is told to."""

    def __init__(
        self,
        name: str,
        seen: list[str],
        fails: dict[str, Exception] | None = None,
        has: bool = True,
    ) -> None:
        self.name, self._seen, self._fails, self._has = name, seen, fails or {}, has

    async def check(self, span: Span) -> None:
        await self._note("check", span)

    async def revert(self, span: Span) -> bool:
        return await self._note("revert", span)

    async def reapply(self, span: Span) -> bool:
        return await self._note("reapply", span)

    async def _note(self, what: str, span: Span) -> bool:
        assert span.turns == 2
        self._seen.append(f"{what} {self.name}")
        if what in self._fails:
            raise self._fails[what]
        return self._has


SPAN = Span(turns=2)


def kinds(seen: list[str], **fails: dict[str, Exception]) -> list[Any]:
    return [Kind(name, seen, fails.get(name)) for name in ("history", "memory", "files", "goal")]


@pytest.mark.proves("K08")
async def test_they_are_taken_back_in_the_opposite_order_and_had_again_in_theirs():
    seen: list[str] = []
    report = await revert(kinds(seen), SPAN)
    assert seen[4:] == ["revert goal", "revert files", "revert memory", "revert history"]
    assert report.failed == []
    seen.clear()
    await reapply(kinds(seen), SPAN)
    assert seen[4:] == ["reapply history", "reapply memory", "reapply files", "reapply goal"]


@pytest.mark.proves("K08")
async def test_one_that_fails_is_told_and_the_others_go_on():
    seen: list[str] = []
    failing = kinds(
        seen,
        memory={"revert": OuroborosError("it is locked")},
        goal={"revert": OSError(28, "No space left on device")},
    )
    report = await revert(failing, SPAN)
    assert report.done == ["files", "history"]
    assert report.failed == ["goal: No space left on device", "memory: it is locked"]


async def test_nothing_is_taken_back_where_one_stands_in_the_way():
    seen: list[str] = []
    with pytest.raises(Misuse, match="not now"):
        await revert(kinds(seen, files={"check": Misuse("not now")}), SPAN)
    assert [each for each in seen if each.startswith("revert")] == []


async def test_what_had_nothing_to_do_is_not_counted():
    seen: list[str] = []
    report = await revert([Kind("history", seen), Kind("files", seen, has=False)], SPAN)
    assert report.done == ["history"]


@pytest.mark.proves("K05")
def test_where_nothing_was_taken_back_it_is_said_how_words_are_found_again():
    with pytest.raises(Misuse, match="nothing to have again") as refused:
        span_on(State(), "ask")
    assert refused.value.hint == (
        "a new turn lets go of what was taken back; /tree and /branch lead to any message"
    )
