"""Statuses, and how long to wait: each that may pass is sent again, and each way of asking is kept."""

import json
from email.utils import formatdate

import pytest

from ouroboros.llm.turns import Fault, Turn
from tests.cases import every
from tests.unit.llm.fault_ground import FEW, FORMATS, asked, listen, running, said, waits

pytestmark = pytest.mark.real

NOW = 1_700_000_000.0
PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 529)
LASTING = (400, 401, 403, 404, 413, 422)
BACKOFF = 0.2

type Way = tuple[dict[str, str], str, float | None]


def google(delay: str) -> str:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}
    return json.dumps({"error": {"details": [info]}})


def worded(text: str) -> str:
    return json.dumps({"error": {"message": text}})


DATE = formatdate(NOW + 9, usegmt=True)
WAYS: dict[str, Way] = {
    "nothing": ({}, "{}", BACKOFF),
    "an empty body": ({}, "", BACKOFF),
    "a web page": ({"content-type": "text/html"}, "<html>gone</html>", BACKOFF),
    "seconds": ({"retry-after": "7"}, "{}", 7.0),
    "parts of a second": ({"retry-after": "1.5"}, "{}", 1.5),
    "milliseconds": ({"retry-after-ms": "250", "retry-after": "9"}, "{}", 0.25),
    "a date": ({"retry-after": DATE}, "{}", 9.0),
    "a date that is past": ({"retry-after": formatdate(NOW - 9, usegmt=True)}, "{}", BACKOFF),
    "Google's way": ({}, google("34.4s"), 34.4),
    "words in seconds": ({}, worded("Please try again in 6s."), 6.0),
    "words in milliseconds": ({}, worded("Please try again in 120ms."), 0.12),
    "other words": ({}, worded("Please retry after 26 seconds."), 26.0),
    "a negative number": ({"retry-after": "-5"}, "{}", BACKOFF),
    "no number": ({"retry-after": "NaN"}, "{}", BACKOFF),
    "no end": ({"retry-after": "inf"}, "{}", BACKOFF),
    "too long a wait": ({"retry-after": "121"}, "{}", None),
    "a no from the server": ({"x-should-retry": "false"}, "{}", None),
}

CASES = [(status, way) for status in PASSING for way in WAYS]


@pytest.mark.deep
@pytest.mark.proves("providers-faults", "A14", "H11")
@pytest.mark.parametrize("format", FEW)
async def test_what_may_pass_is_sent_again_when_the_server_says(format: str) -> None:
    turns: list[Turn] = []
    for status, way in CASES:
        headers, body, _ = WAYS[way]
        turns += [Turn(fault=Fault(kind="server", status=status, headers=headers, body=body))]
        turns += [Turn(text="done")]
    async with running(turns, format) as (client, server, clock):
        for status, way in CASES:
            wanted = WAYS[way][2]
            before, slept = len(server.exchanges), len(clock.slept)
            clock.advance(NOW - clock.now())
            events, error = await listen(client, asked(format))
            where = (format, status, way)
            if wanted is None:
                assert error is not None, where
                assert error.failure.status == status, where
                assert (len(server.exchanges) - before, clock.slept[slept:]) == (1, []), where
                events, error = await listen(client, asked(format))
                assert said(events) == "done", "the script goes on"
                continue
            assert error is None, where
            assert said(events) == "done", where
            assert [round(one, 3) for one in clock.slept[slept:]] == [wanted], where
            assert waits(events) == [(1, 4, wanted)], where
        assert len(server.exchanges) == 2 * len(CASES)


@pytest.mark.proves("providers-faults")
@every("format", FORMATS)
async def test_what_lasts_is_not_sent_again(format: str) -> None:
    turns = [
        Turn(fault=Fault(kind="invalid_request", status=status, body="{}")) for status in LASTING
    ]
    async with running(turns, format) as (client, server, clock):
        for number, status in enumerate(LASTING, 1):
            events, error = await listen(client, asked(format))
            assert error is not None, status
            assert (events, error.failure.status, error.failure.retryable) == ([], status, False)
            assert len(server.exchanges) == number
        assert clock.slept == []
