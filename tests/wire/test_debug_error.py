"""``ouro debug error`` says what each error of a table is, one JSON line each."""

import json
import sys
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from ouroboros.app.offline.error import debug_error
from ouroboros.testing.clock import ManualClock
from tests import forked
from tests.cases import every
from tests.wire.recordings import FOLDER

pytestmark = pytest.mark.real

SAME = {"output_or_context_limit": "context_overflow"}
SLOW = {"error": {"type": "rate_limit_error", "message": "Slow down."}}


def run(path: Path) -> tuple[int, list[dict[str, Any]]]:
    lines: list[str] = []
    code = debug_error(path, lines.append, ManualClock())
    return code, [json.loads(line) for line in lines]


def judged(tmp_path: Path, *rows: object) -> tuple[int, list[dict[str, Any]]]:
    path = tmp_path / "errors.json"
    path.write_text(json.dumps(rows))
    return run(path)


@pytest.mark.proves("providers-protocols")
def test_the_table_of_recorded_errors() -> None:
    path = FOLDER / "error-bodies.json"
    code, lines = run(path)
    rows = json.loads(path.read_bytes())
    assert code == 0
    assert [(line["kind"], line["retryable"]) for line in lines] == [
        (SAME.get(row["expect_kind"], row["expect_kind"]), row["expect_retryable"]) for row in rows
    ]
    assert all(list(line) == ["kind", "retryable", "retry_after"] for line in lines)
    waits = [line["retry_after"] for line in lines if line["retry_after"] is not None]
    assert 6.0 in waits


@pytest.mark.proves("providers-protocols")
@every(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": 7}, 7.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": formatdate(2030, usegmt=True), "date": formatdate(2000, usegmt=True)}, 30),
        ({"retry-after": "nan", "x-odd": None, "x-list": ["a"]}, None),
        ({}, None),
        (None, None),
    ],
)
def test_waits(tmp_path: Path, headers: object, wait: float | None) -> None:
    row = {"vendor": "v", "protocol": "p", "status": 429, "headers": headers, "body": SLOW}
    assert judged(tmp_path, row) == (
        0,
        [{"kind": "rate_limit", "retryable": True, "retry_after": wait}],
    )


def test_bodies_of_every_shape(tmp_path: Path) -> None:
    rows = [{"status": 500, "body": body} for body in (None, "", "<html>", [], [SLOW], SLOW, 3)]
    code, lines = judged(tmp_path, *rows)
    assert code == 0
    assert [line["kind"] for line in lines] == [
        *("server", "server", "server", "server"),
        *("rate_limit", "rate_limit", "server"),
    ]


@pytest.mark.proves("providers-protocols")
def test_a_row_that_cannot_be_used_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    good: dict[str, Any] = {
        "vendor": "v",
        "protocol": "p",
        "status": 529,
        "headers": {},
        "body": {},
    }
    code, lines = judged(
        tmp_path,
        good,
        3,
        {"status": "500", "body": ""},
        {"status": 7, "body": ""},
        {"status": True, "body": ""},
        {"status": 500},
        {"status": 500, "body": "", "headers": "x"},
        good,
    )
    assert code == 1
    assert lines[0] == lines[-1] == {"kind": "overloaded", "retryable": True, "retry_after": None}
    assert [line["row"] for line in lines[1:-1]] == [2, 3, 4, 5, 6, 7]
    assert [line["error"] for line in lines[1:-1]] == [
        "Row 2: it is not a JSON object.",
        "Row 3: its status is no HTTP status.",
        "Row 4: its status is no HTTP status.",
        "Row 5: its status is no HTTP status.",
        "Row 6: it has no body.",
        "Row 7: its headers are not a JSON object.",
    ]


@every(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"status":500}', "not a JSON list"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "errors.json"
    if content is not None:
        path.write_bytes(content)
    code, lines = run(path)
    assert code == 1
    assert len(lines) == 1
    assert lines[0]["error"].startswith("errors.json: The file")
    assert words in lines[0]["error"]


@pytest.mark.proves("providers-protocols")
def test_the_command_prints_a_line_for_each_row(tmp_path: Path) -> None:
    table = tmp_path / "errors.json"
    table.write_text(
        json.dumps([{"status": 429, "headers": {"retry-after": "2"}, "body": SLOW}, 1])
    )
    done = forked.run(
        [sys.executable, "-m", "ouroboros", "debug", "error", str(table)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        '{"kind":"rate_limit","retryable":true,"retry_after":2.0}',
        '{"row":2,"error":"Row 2: it is not a JSON object."}',
    ]
    assert done.stderr == ""
