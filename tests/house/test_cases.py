"""A table as one test: how its cases are named, and what each has for itself."""

import os

import pytest

from tests.cases import every


def notes(group: BaseExceptionGroup[BaseException]) -> list[str]:
    return [note for each in group.exceptions for note in each.__notes__]


def test_a_wrong_case_is_told_by_its_name_or_its_values() -> None:
    @every("number", [1, pytest.param(2, id="two"), 3, 4], ids=lambda each: f"<{each}>")
    def odd(number: int) -> None:
        assert number % 2

    @every(("one", "other"), [(1, "a"), (2, "b")], ids=["first", ""])
    def never(one: int, other: str) -> None:
        pytest.fail(f"{one} {other}")

    @every(("only",), [(1,)])
    def passed_over(only: int) -> None:
        pytest.skip(f"{only}")

    told: list[list[str]] = []
    for test in (odd, never, passed_over):
        with pytest.raises(BaseExceptionGroup) as caught:
            test()
        told.append(notes(caught.value))
    assert told == [
        ["the case: two", "the case: <4>"],
        ["the case: first", "the case: 2, 'b'"],
        ["the case: 1"],
    ]


async def test_a_case_has_a_patch_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    @every("name", ["ONE", "TWO"])
    async def fresh(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "OF_A_CASE" not in os.environ
        monkeypatch.setenv("OF_A_CASE", name)

    await fresh(monkeypatch=monkeypatch)
    assert "OF_A_CASE" not in os.environ


def test_no_case_has_a_mark_of_its_own() -> None:
    with pytest.raises(AssertionError, match="no mark of its own"):
        every("word", [pytest.param("a", marks=pytest.mark.deep)])
