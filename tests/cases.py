"""A table of cases as one test: every case is tried, and all that fail are told, each with its values."""

import functools
import inspect
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import pytest

_FOLDER, _PATCH = "tmp_path", "monkeypatch"

type _Test = Callable[..., Any]
type _Show = Callable[[Any], object]

_Param: Any = type(pytest.param())
_FALLEN: tuple[type[BaseException], ...] = (
    Exception,
    BaseExceptionGroup,
    pytest.fail.Exception,
    pytest.skip.Exception,
)


class _Trial:
    """Keeps what fails within it, with the case as a note, and goes on.

    A ``monkeypatch`` of the test is one of the case alone.
    """

    def __init__(
        self, tell: Callable[[], str], arguments: dict[str, Any], failed: list[BaseException]
    ) -> None:
        self._tell, self._failed = tell, failed
        self._patch = pytest.MonkeyPatch()
        self.arguments = arguments
        if _PATCH in arguments:
            arguments[_PATCH] = self._patch

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        found: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._patch.undo()
        # Passed over, a case would hide those behind it.
        if not isinstance(found, _FALLEN):
            return False
        found.add_note(f"the case: {self._tell()}"[:500])
        self._failed.append(found)
        return True


def every(
    names: str | Sequence[str], cases: Iterable[Any], *, ids: Iterable[object] | _Show | None = None
) -> Callable[[_Test], _Test]:
    """As ``pytest.mark.parametrize``, but one test; each case has a ``tmp_path`` of its own.

    It has a ``monkeypatch`` of its own too. What else a test asks for is made once, so it may ask for
    nothing that a case changes.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [*_rows(cases, ids, single=len(wanted) == 1 and isinstance(names, str))]
    assert table, "no case"

    def trials(given: dict[str, Any], failed: list[BaseException]) -> Generator[_Trial]:
        for number, (case, tell) in enumerate(table):
            own = dict(zip(wanted, case, strict=True))
            if _FOLDER in given:
                own[_FOLDER] = Path(given[_FOLDER], f"case{number}")
                own[_FOLDER].mkdir()
            yield _Trial(tell, given | own, failed)
        if failed:
            # One that was passed over is no Exception, and neither is what pytest.fail raises.
            raise BaseExceptionGroup(f"{len(failed)} of {len(table)} cases failed", failed)

    def merged(test: _Test) -> _Test:
        @functools.wraps(test)
        async def waits(**given: Any) -> None:
            for trial in trials(given, []):
                with trial:
                    await test(**trial.arguments)

        @functools.wraps(test)
        def tried(**given: Any) -> None:
            for trial in trials(given, []):
                with trial:
                    test(**trial.arguments)

        asked = inspect.signature(test)
        assert {*wanted} <= {*asked.parameters}, "a name that the test has not"
        one = waits if inspect.iscoroutinefunction(test) else tried
        left = [each for name, each in asked.parameters.items() if name not in wanted]
        vars(one)["__signature__"] = asked.replace(parameters=left)
        return one

    return merged


def deep_after(number: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for ``pytest.mark.parametrize``: the first so many in every run, the others in the deep one.

    A tuple holds the values of several names.
    """
    rows: list[Any] = [*cases]
    return [*rows[:number], *map(_deep, rows[number:])]


def soak_but(every: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for ``pytest.mark.parametrize``: each so many-th in the deep run, the others before releases alone."""
    rows: list[Any] = [*cases]
    return [
        _marked(row, pytest.mark.soak if number % every else pytest.mark.deep)
        for number, row in enumerate(rows)
    ]


def _deep(row: Any) -> Any:
    return _marked(row, pytest.mark.deep)


def _marked(row: Any, mark: pytest.MarkDecorator) -> Any:
    values = cast("tuple[Any, ...]", row) if isinstance(row, tuple) else (row,)
    return pytest.param(*values, marks=mark)


def _rows(
    cases: Iterable[Any], ids: Iterable[object] | _Show | None, *, single: bool
) -> Generator[tuple[Sequence[Any], Callable[[], str]]]:
    """The values of each case, and how it is told of when it fails: by its name, or by its values."""
    rows: list[Any] = [*cases]
    labels: list[object] = [None] * len(rows) if ids is None or callable(ids) else [*ids]
    show: _Show = ids if callable(ids) else repr
    for row, label in zip(rows, labels, strict=True):
        if isinstance(row, _Param):
            assert not row.marks, "a case has no mark of its own"
            values, name = [*row.values], row.id or label
        else:
            values, name = [row] if single else [*row], label
        yield values, functools.partial(_told, name, values, show)


def _told(name: object, values: Sequence[Any], show: _Show) -> str:
    return str(name) if name else ", ".join(str(show(value)) for value in values)
