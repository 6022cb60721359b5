"""Refusals are typed by code, then status, then wording; waits are read wherever they are said."""

import json
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import Failure
from ouroboros.llm.failures import classify
from ouroboros.llm.waits import Window, rate_limits
from tests.cases import every
from tests.wire.recordings import FOLDER

ROWS = json.loads((FOLDER / "error-bodies.json").read_bytes())
NOW = 1_800_000_000.0
SAME = {"output_or_context_limit": "context_overflow"}


@pytest.mark.proves("providers-protocols")
def test_the_whole_table_is_here() -> None:
    assert len(ROWS) == 57


@pytest.mark.proves("providers-protocols", "H11")
@every("row", ROWS, ids=lambda row: row["id"])
@every("as_bytes", [True, False])
def test_a_row_of_the_table(row: dict[str, Any], as_bytes: bool) -> None:
    body: object = row["body"]
    if as_bytes:
        body = json.dumps(body).encode() if body else b""
    failure = classify(row["status"], row["headers"], body, now=NOW, vendor=row["vendor"])
    kind = SAME.get(row["expect_kind"], row["expect_kind"])
    assert (failure.kind, failure.retryable) == (kind, row["expect_retryable"])
    assert failure.message


def said(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


@pytest.mark.proves("H11")
@every(
    ("status", "body", "kind"),
    [
        (429, said("Request too large for gpt-x on tokens per min (TPM)"), "context_overflow"),
        (429, said("Too many tokens, please wait before trying again."), "rate_limit"),
        (429, said("You exceeded your current quota, please check your plan."), "quota"),
        (400, said("Too many tokens, please wait: rate limit"), "rate_limit"),
        (400, said("Invalid 'user': string too long"), "invalid_request"),
        (400, b"", "invalid_request"),
        (413, b"", "context_overflow"),
        (413, b"{}", "context_overflow"),
        (413, b"<html>Request Entity Too Large</html>", "context_overflow"),
        (500, said("the input exceeds the available context size"), "context_overflow"),
        (400, said("Too many images in request. Max is 10."), "context_overflow"),
        (400, said("At most 1 image(s) may be provided in one request."), "context_overflow"),
        (500, b"<html>oops</html>", "server"),
        (502, b"Bad gateway", "server"),
        (599, b"", "server"),
        (401, b"", "auth"),
        (404, b'{"detail": "Not Found"}', "model_not_found"),
        (422, b'{"detail": [{"msg": "field required"}]}', "invalid_request"),
        (400, b'[{"error": {"message": "API key not valid", "status": "INVALID_ARGUMENT"}}]', "auth"),
        (400, said("Item 'rs_1' of type 'reasoning' was provided without its required following item"), "stale_reasoning"),
        (400, said("messages.1.content.0: Invalid `signature` in `thinking` block"), "stale_reasoning"),
        (400, said("messages.1.content.0: The block is bound to a different conversation."), "stale_reasoning"),
        (400, said("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."), "stale_reasoning"),
        (418, b"{", "invalid_request"),
        (200, b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "overloaded"),
        (200, b'{"error":{"message":"what?"}}', "unknown"),
        (200, b'{"error":"Rate limit reached"}', "rate_limit"),
        (404, b'{"error":"model \'llama9\' not found"}', "model_not_found"),
        (500, b'{"error":"model requires more system memory (9 GiB) than is available (3 GiB)"}', "invalid_request"),
        (503, b'{"error":"server busy, please try again.  maximum pending requests exceeded"}', "overloaded"),
        (400, b'{"error":"prompt too long; exceeded max context length by 12 tokens"}', "context_overflow"),
        (500, b'{"error":"the input length exceeds the context length"}', "context_overflow"),
        (400, b'{"error":"registry.ollama.ai/library/x does not support tools"}', "invalid_request"),
        (200, b'{"error":"an error was encountered while running the model: unexpected EOF"}', "server"),
        (400, b'{"error":{"code":400,"message":"too big","type":"exceed_context_size_error"}}', "context_overflow"),
        (403, b'{"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"?"}', "auth"),
        (200, b'{":message-type":"error",":error-code":"InternalError",":error-message":"x"}', "server"),
        (200, b'{":message-type":"exception",":exception-type":"validationException","payload":{"message":"x"}}', "invalid_request"),
    ],
)  # fmt: skip
def test_statuses_and_wordings(status: int, body: bytes, kind: str) -> None:
    assert classify(status, {}, body, now=NOW).kind == kind


@pytest.mark.proves("H11")
@every(
    ("vendor", "status", "body", "kind"),
    [
        ("cerebras", 400, b"", "context_overflow"),
        ("cerebras", 413, b"", "context_overflow"),
        ("cerebras", 400, b'{"message":"no such field"}', "invalid_request"),
        ("other", 400, b"", "invalid_request"),
        ("other", 413, b"", "context_overflow"),
    ],
)
def test_refusals_without_a_word(vendor: str, status: int, body: bytes, kind: str) -> None:
    assert classify(status, {}, body, now=NOW, vendor=vendor).kind == kind


@pytest.mark.proves("A14")
@every(
    ("headers", "body", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, b"", 1.5),
        ({"Retry-After": "7"}, b"", 7.0),
        ({"retry-after": "0.5"}, b"", 0.5),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, b"", 30.0),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, b"", None),
        ({"retry-after": "-3"}, b"", None),
        ({"retry-after": "inf"}, b"", None),
        ({"retry-after": "nan"}, b"", None),
        ({"retry-after": "soon"}, b"", None),
        ({}, said("Please try again in 6s."), 6.0),
        ({}, said("Please try again in 120ms."), 0.12),
        ({}, said("Please retry after 26 seconds."), 26.0),
        ({}, said("Please retry in 2 minutes."), 120.0),
        (
            {},
            b'{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"slow",'
            b'"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}}',
            34.4,
        ),
        ({}, said("Please try again in 7m12.5s. Visit us."), 432.5),
        ({}, said("Please try again in 1h2m3s."), 3723.0),
        ({}, said("Try again in 2 minutes and 5 seconds."), 125.0),
        ({}, said("Try again in 3 sessions."), None),
        ({"retry-after-ms": "-5", "retry-after": "7"}, b"", 7.0),
        ({"retry-after-ms": "nan", "retry-after": "-1"}, said("retry in 4s"), 4.0),
        ({"retry-after": " 8 "}, b"", 8.0),
        ({"retry-after": "1e308"}, b"", 31_536_000.0),
        ({}, said(f"Please try again in {'9' * 400}s."), 31_536_000.0),
        (
            {},
            b'[{"error":{"code":429,"message":"slow","details":[{"retryDelay":"2s"}]}}]',
            2.0,
        ),
        ({}, b"", None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], body: bytes, seconds: float | None) -> None:
    assert classify(429, headers, body, now=NOW).retry_after_seconds == seconds


@pytest.mark.proves("H11")
@every(
    ("status", "kind", "message", "wanted"),
    [
        (403, "AccessDeniedException", "Authentication failed: make sure your API Key is valid.", "auth"),
        (403, "", "The security token included in the request is expired", "auth"),
        (403, "", "You may not.", "permission"),
        (403, "AccessDeniedException", "You don't have access to the model.", "permission"),
        (403, "InvalidSignatureException:http://x/", "Signature expired", "auth"),
        (429, "ThrottlingException", "Too many tokens per day, please wait before trying again.", "quota"),
        (429, "ThrottlingException", "Too many tokens, please wait before trying again.", "rate_limit"),
        (429, "ModelNotReadyException", "Loading.", "overloaded"),
        (400, "ServiceQuotaExceededException", "Enough.", "quota"),
        (408, "ModelTimeoutException", "Slow.", "timeout"),
        (424, "ModelErrorException", "Odd.", "server"),
        (400, "ValidationException:http://x/", "Input is too long for requested model.", "context_overflow"),
        (400, "ValidationException", "Malformed input request", "invalid_request"),
    ],
)  # fmt: skip
def test_amazons_kinds_stand_in_a_header(status: int, kind: str, message: str, wanted: str) -> None:
    body = json.dumps({"message": message}).encode()
    assert classify(status, {"X-Amzn-ErrorType": kind}, body, now=NOW).kind == wanted


def test_the_server_may_overrule() -> None:
    assert not classify(503, {"x-should-retry": "false"}, b"", now=NOW).retryable
    assert classify(400, {"X-Should-Retry": "True"}, b"", now=NOW).retryable


def test_a_whole_failure() -> None:
    body = (
        b'{"type":"error","error":{"type":"rate_limit_error","message":"Slow."},"request_id":"r1"}'
    )
    assert classify(429, {"retry-after": "39"}, body, now=NOW) == Failure(
        kind="rate_limit",
        message="Slow.",
        retryable=True,
        retry_after_seconds=39.0,
        status=429,
        code="rate_limit_error",
        request_id="r1",
    )
    silent = classify(500, {"x-request-id": "r2"}, b"", now=NOW)
    assert silent.message == "The provider answered with status 500 and no message."
    assert silent.request_id == "r2"
    assert classify(500, {"x-amzn-RequestId": "r3"}, b"", now=NOW).request_id == "r3"


@pytest.mark.proves("H11")
def test_both_families_of_rate_limit_headers() -> None:
    openai = {
        "x-ratelimit-limit-requests": "500",
        "X-RateLimit-Remaining-Requests": "499",
        "x-ratelimit-reset-requests": "1m30s",
        "x-ratelimit-remaining-tokens": "29000",
        "x-ratelimit-reset-tokens": "11ms",
    }
    assert rate_limits(openai, now=NOW) == {
        "requests": Window(limit=500, remaining=499, reset_seconds=90.0),
        "tokens": Window(remaining=29_000, reset_seconds=0.011),
    }
    anthropic = {
        "anthropic-ratelimit-input-tokens-limit": "40000",
        "anthropic-ratelimit-input-tokens-remaining": "39000",
        "anthropic-ratelimit-input-tokens-reset": "2027-01-15T08:01:00Z",
    }
    assert rate_limits(anthropic, now=NOW) == {
        "input-tokens": Window(limit=40_000, remaining=39_000, reset_seconds=60.0)
    }
    assert rate_limits({"x-ratelimit-reset-tokens": "500"}, now=NOW) == {
        "tokens": Window(reset_seconds=500.0)
    }
    assert rate_limits({"x-ratelimit-reset-tokens": "tomorrow, Tuesday"}, now=NOW) == {
        "tokens": Window()
    }
    assert rate_limits({}, now=NOW) == {}


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "message", "details", "status", "detail"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@pytest.mark.proves("H11")
@given(status=st.integers(0, 1000), body=junk | st.binary(max_size=40), headers=st.dictionaries(
    st.sampled_from(["retry-after", "retry-after-ms", "x-should-retry", "x-amzn-errortype"]),
    st.text(max_size=6)))  # fmt: skip
@pytest.mark.deep
def test_nothing_a_server_says_raises(status: int, body: object, headers: dict[str, str]) -> None:
    failure = classify(status, headers, body, now=NOW)
    assert failure.message
    wait = failure.retry_after_seconds
    assert wait is None or wait >= 0
    rate_limits(dict.fromkeys(("x-ratelimit-reset-tokens",), str(body)), now=NOW)
