"""A table of cases as one test: every case is tried, and all that fail are told, each with its values."""

import functools
import inspect
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

_FOLDER = "tmp_path"

type _Test = Callable[..., Any]


class _Trial:
    """Keeps what fails within it, with the case as a note, and goes on."""

    def __init__(self, case: Sequence[Any], failed: list[BaseException]) -> None:
        self._case, self._failed = case, failed

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        found: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(found, Exception | pytest.fail.Exception):
            return False
        found.add_note(f"the case: {', '.join(map(repr, self._case))}"[:500])
        self._failed.append(found)
        return True


def every(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[_Test], _Test]:
    """As ``pytest.mark.parametrize``, but one test; each case has a ``tmp_path`` of its own.

    What else a test asks for is made once, so it may ask for nothing that a case changes.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [[case] if len(wanted) == 1 else [*case] for case in cases]
    assert table, "no case"

    def trials(
        given: dict[str, Any], failed: list[BaseException]
    ) -> Generator[tuple[_Trial, dict[str, Any]]]:
        for number, case in enumerate(table):
            own = dict(zip(wanted, case, strict=True))
            if _FOLDER in given:
                own[_FOLDER] = Path(given[_FOLDER], f"case{number}")
                own[_FOLDER].mkdir()
            yield _Trial(case, failed), given | own
        if failed:
            raise BaseExceptionGroup(f"{len(failed)} of {len(table)} cases failed", failed)

    def merged(test: _Test) -> _Test:
        @functools.wraps(test)
        async def waits(**given: Any) -> None:
            for trial, arguments in trials(given, []):
                with trial:
                    await test(**arguments)

        @functools.wraps(test)
        def tried(**given: Any) -> None:
            for trial, arguments in trials(given, []):
                with trial:
                    test(**arguments)

        asked = inspect.signature(test)
        assert {*wanted} <= {*asked.parameters}, "a name that the test has not"
        one = waits if inspect.iscoroutinefunction(test) else tried
        left = [each for name, each in asked.parameters.items() if name not in wanted]
        vars(one)["__signature__"] = asked.replace(parameters=left)
        return one

    return merged
