"""Runs one call of a tool's code, in an interpreter of its own; standard library only.

Hears ``{code, path, arguments}`` on standard input. What the code prints is progress; the result goes to
the real standard output as one line of JSON: ``{success, output, error}``.
"""

import json
import os
import sys
import traceback
from collections.abc import Generator
from importlib.abc import SourceLoader
from types import ModuleType, TracebackType
from typing import Literal, TextIO, cast


class Held(SourceLoader):
    """Code that was handed over, under the path it has on the disk."""

    def __init__(self, path: str, code: str) -> None:
        self._path, self._code = path, code

    def get_filename(self, fullname: str) -> str:
        """Where it lies."""
        del fullname
        return self._path

    def get_data(self, path: bytes | str) -> bytes:
        """The code; compiled forms are neither read nor kept."""
        if str(path) != self._path:
            raise OSError(path)
        return self._code.encode()


class Answer:
    """Tells one result, whatever happens to the code: also an exit is only the tool's end."""

    def __init__(self, answer: TextIO, path: str) -> None:
        self._answer, self._path = answer, path
        self.value: object = None

    def __enter__(self) -> "Answer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[True]:
        told = result(self.value)
        if problem is not None:
            told = {"success": False, "output": "", "error": explained(problem, self._path)}
        json.dump(told, self._answer)
        self._answer.flush()
        return True


def main() -> None:
    """Calls ``call(**arguments)`` of the code, and tells what it gave or how it failed."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    heard = json.load(sys.stdin)
    with Answer(out, heard["path"]) as answer:
        module = ModuleType("tool")
        Held(heard["path"], heard["code"]).exec_module(module)
        answer.value = finished(module.call(**heard["arguments"]))
    sys.stdout.flush()
    os._exit(0)  # threads of the tool end with its call


def finished(given: object) -> object:
    """What a generator returns at its end; all that it yields is progress."""
    if not isinstance(given, Generator):
        return given
    steps = cast("Generator[object, None, object]", given)
    while True:
        try:
            sys.stderr.write(f"{next(steps)}\n")
        except StopIteration as end:
            return cast("object", end.value)


def result(value: object) -> dict[str, object]:
    """The value as a result; one that is a result already stays."""
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        if isinstance(fields.get("success"), bool):
            output, error = fields.get("output") or "", fields.get("error") or ""
            return {"success": fields["success"], "output": text(output), "error": text(error)}
    output = "" if value is None else text(cast("object", value))
    return {"success": True, "output": output, "error": ""}


def text(value: object) -> str:
    """Text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=repr)


def explained(problem: BaseException, path: str) -> str:
    """The problem, and where in the tool's own code it came up."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame.lineno for frame in frames if frame.filename == path]
    where = f" (line {own[-1]})" if own else ""
    return f"{type(problem).__name__}: {problem}{where}"


main()
