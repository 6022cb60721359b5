"""A verb that needs no network: what we make of the errors that providers answer with."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct

from ouroboros.app.offline.stream import Unusable
from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.errors import FailureKind
from ouroboros.llm.fields import Fields, integer, string
from ouroboros.llm.waits import moment


class Verdict(Struct, frozen=True, kw_only=True):
    """What an error is; ``retry_after`` is in seconds, None where the provider names no wait."""

    kind: FailureKind
    retryable: bool
    retry_after: float | None


def judge(row: object, *, now: float) -> Verdict:
    """The verdict on one row, or ``Unusable``.

    A row is ``{vendor, protocol, status, headers, body}``; an error within a stream has the status
    200 of its stream. A wait until a date counts from the reply's own ``date``, or else from
    ``now``, in seconds since the epoch.
    """
    from ouroboros.llm.failures import classify

    if not isinstance(row, dict):
        raise Unusable("it is not a JSON object")
    fields = cast("Fields", row)
    status = integer(fields, "status")
    if status is None or not 100 <= status < 1000:
        raise Unusable("its status is no HTTP status")
    if "body" not in fields:
        raise Unusable("it has no body")
    given: object = fields.get("headers") or {}
    if not isinstance(given, dict):
        raise Unusable("its headers are not a JSON object")
    headers = {
        name.lower(): value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in cast("Mapping[str, object]", given).items()
        if value is not None
    }
    body = "" if fields["body"] is None else fields["body"]
    said_at = moment(headers.get("date", ""))
    failure = classify(
        status,
        headers,
        body,
        now=now if said_at is None else said_at,
        vendor=string(fields, "vendor"),
    )
    return Verdict(
        kind=failure.kind,
        retryable=failure.retryable,
        retry_after=failure.retry_after_seconds,
    )


def debug_error(path: Path, write: Callable[[str], None], clock: Clock | None = None) -> int:
    """Writes one JSON line for each row of a table of errors; 1 if one of them cannot be used."""
    clock = clock or SystemClock()
    try:
        rows = _rows(path)
    except Unusable as error:
        write(msgspec.json.encode({"error": f"{path.name}: {error.message}"}).decode())
        return 1
    exit_code = 0
    for number, row in enumerate(rows, 1):
        try:
            line: object = judge(row, now=clock.now())
        except Unusable as error:
            exit_code, line = 1, {"row": number, "error": f"Row {number}: {error.message}."}
        write(msgspec.json.encode(line).decode())
    return exit_code


def _rows(path: Path) -> list[object]:
    try:
        table: object = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise Unusable(f"The file cannot be read: {reason}.") from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Unusable("The file is not JSON.") from error
    if not isinstance(table, list):
        raise Unusable("The file is not a JSON list of errors.")
    return cast("list[object]", table)
