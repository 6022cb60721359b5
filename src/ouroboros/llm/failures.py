"""A provider's refusal as a typed value: what kind it is, may it be sent again, and when.

The vendor's own code decides first, then the HTTP status, then the wording; a text that speaks of
rate limits is never taken for a context overflow.
"""

import re
from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from ouroboros.core.errors import Failure, FailureKind
from ouroboros.llm.fields import Fields, child, children, parse, string
from ouroboros.llm.retry import RETRYABLE
from ouroboros.llm.waits import retry_after

_CODES: dict[str, FailureKind] = {
    "insufficient_quota": "quota",
    "billing_error": "quota",
    "exceeded_current_quota_error": "quota",
    "billing_not_active": "quota",
    "billing_hard_limit_reached": "quota",
    "arrearage": "quota",
    "allocationquota.freetieronly": "quota",
    "servicequotaexceededexception": "quota",
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "unauthenticated": "auth",
    "unauthorized": "auth",
    "unrecognizedclientexception": "auth",
    "expiredtokenexception": "auth",
    "expiredtoken": "auth",
    "invalidclienttokenid": "auth",
    "invalidsignatureexception": "auth",
    "signaturedoesnotmatch": "auth",
    "incompletesignatureexception": "auth",
    "missingauthenticationtokenexception": "auth",
    "permission_error": "permission",
    "accessdeniedexception": "permission",
    "permission_denied": "permission",
    "context_length_exceeded": "context_overflow",
    "exceed_context_size_error": "context_overflow",
    "request_too_large": "context_overflow",
    "model_context_window_exceeded": "context_overflow",
    "content_filter": "content_policy",
    "content_policy_violation": "content_policy",
    "data_inspection_failed": "content_policy",
    "datainspectionfailed": "content_policy",
    "invalid_prompt": "content_policy",
    "bio_policy": "content_policy",
    "cyber_policy": "content_policy",
    "misalignment_policy_violation": "content_policy",
    "image_content_policy_violation": "content_policy",
    "responsibleaipolicyviolation": "content_policy",
    "model_not_found": "model_not_found",
    "not_found_error": "model_not_found",
    "not_found": "model_not_found",
    "deploymentnotfound": "model_not_found",
    "unknown_model": "model_not_found",
    "resourcenotfoundexception": "model_not_found",
    "invalid_encrypted_content": "stale_reasoning",
    "tool_use_failed": "invalid_tool_output",
    "malformed_function_call": "invalid_tool_output",
    "malformed_tool_use": "invalid_tool_output",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "resource_exhausted": "rate_limit",
    "throttlingexception": "rate_limit",
    "service_tier_capacity_exceeded": "rate_limit",
    "overloaded_error": "overloaded",
    "engine_overloaded_error": "overloaded",
    "unavailable": "overloaded",
    "serviceunavailableexception": "overloaded",
    "modelnotreadyexception": "overloaded",
    "slow_down": "overloaded",
    "timeout_error": "timeout",
    "deadline_exceeded": "timeout",
    "modeltimeoutexception": "timeout",
}

_SERVER_CODES = frozenset({
    "api_error",
    "server_error",
    "internal",
    "internal_error",
    "internal_server_error",
    "internalerror",
    "internalfailure",
    "internalserverexception",
    "modelerrorexception",
    "modelstreamerrorexception",
})
"""Codes that say "our fault" and nothing more; the status or the wording may know better."""

_STATUSES: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "permission",
    404: "model_not_found",
    408: "timeout",
    409: "server",
    424: "server",
    425: "server",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    524: "timeout",
    529: "overloaded",
}

_LIMITED = r"rate.?limit|throttl|too many requests|please wait"

_OVERFLOW = (
    r"prompt is too long|request_too_large|exceeds? the context window"
    r"|maximum context length|exceeds? the configured limit|token count.{0,40}exceeds? the maximum"
    r"|input is too long for|too many (input )?tokens|expected maxlength|maximum prompt length"
    r"|exceeds? (the )?context limit|prompt exceeds max length|range of input length"
    r"|reduce the length|too large for model with|exceeded model token limit"
    r"|context window exceeds limit|inputs?`? tokens \+ `?max_new_tokens|while limit is"
    r"|exceeds the available context|greater than the context length|exceeds the limit of \d"
    r"|exceed(s|ed)? (the |max(imum)? )*context (length|size|window)"
    r"|too many images|request contains \d+ images|at most \d+ image"
    r"|token limit reached|request too large"
)

_WORDINGS: dict[FailureKind, str] = {
    "auth": r"api key (not valid|expired)|incorrect api key|invalid (x-)?api.key|security token"
    r"|login fail",
    "quota": r"credit balance|insufficient (credits|balance|funds)|exceeded your current quota"
    r"|usage limits? reached|specified api usage limits",
    "stale_reasoning": r"required following item|required 'reasoning' item|thought_?signature"
    r"|reasoning_content.{0,80}(passed back|is missing)|invalid `?signature`? in `?thinking"
    r"|encrypted content.{0,80}could not be|bound to a different conversation"
    r"|expected `thinking` or `redacted_thinking`",
    "invalid_tool_output": r"tool call validation failed|error parsing tool call",
    "content_policy": r"safety system|usage (polic|guideline)|content management policy"
    r"|input was flagged|unsafe or sensitive content",
    "model_not_found": r"model.{0,120}does not exist|model identifier is invalid|no such model"
    r"|model.{0,120}not found|unknown model",
}

_COARSE: tuple[FailureKind, ...] = ("rate_limit", "permission")
"""Kinds by status that the wording may make more exact."""

_FINER = {("rate_limit", "quota"), ("permission", "auth"), ("permission", "content_policy")}

_OVERLOADED = r"overloaded|out of capacity|server busy"
_SERVER = (
    r"error was encountered while running the model|runner (process )?has (terminated|crashed)"
)
_HOPELESS = r"requires more (system )?memory"
"""Said with a status of 500, and as true the next time."""

_BAD_KEY = r"api key (is valid|was reported)|authentication failed"
_DAILY = r"too many tokens per day"


class Refusal(Struct, frozen=True, kw_only=True):
    """What an error reply says, whatever its shape."""

    status: int
    codes: tuple[str, ...]
    message: str
    error: Fields
    request_id: str


def classify(
    status: int,
    headers: Mapping[str, str],
    body: object,
    *,
    now: float,
    vendor: str = "",
    who: str = "The provider",
) -> Failure:
    """The failure that an error reply tells of.

    Args:
        status: HTTP status; 200 for an error inside a stream that began well.
        headers: Of the reply, names in any case.
        body: The bytes, the text, or the parsed object.
        now: Seconds since the epoch, for a Retry-After that names a date.
        vendor: Some say a thing in a way that no other does.
        who: What is told to have answered where it said nothing, such as its address.
    """
    names = {name.lower(): value for name, value in headers.items()}
    refusal = _read(status, names, body)
    kind = _kind(refusal, vendor)
    retryable = kind in RETRYABLE
    asked = names.get("x-should-retry", "").strip().lower()
    if asked in {"true", "false"}:
        retryable = asked == "true"
    return Failure(
        kind=kind,
        message=refusal.message or f"{who} answered with status {status} and no message.",
        retryable=retryable,
        retry_after_seconds=retry_after(names, refusal.error, refusal.message, now=now),
        status=refusal.status if refusal.status >= 400 else None,
        code=refusal.codes[0] if refusal.codes else "",
        request_id=refusal.request_id,
    )


def error_of(body: object) -> object:
    """The error object inside a reply's body, or None if the reply is no error."""
    if isinstance(body, list) and body:
        body = cast("list[object]", body)[0]
    if not isinstance(body, dict):
        return None
    fields = cast("Fields", body)
    error = fields.get("error") or child(fields, "response").get("error")
    if error:
        return error
    said = child(fields, "base_resp")
    if said.get("status_code"):  # MiniMax's, beside a reply that is none
        return {"message": string(said, "status_msg"), "code": str(said["status_code"])}
    is_flat = fields.get("type") == "error" or fields.get("object") == "error"
    return fields if is_flat else None


def _read(status: int, headers: Mapping[str, str], body: object) -> Refusal:
    parsed = _parsed(body)
    outer = cast("Fields", parsed) if isinstance(parsed, dict) else {}
    found = error_of(outer)
    error = cast("Fields", found) if isinstance(found, dict) else {}
    if not error:
        error = child(outer, "payload") or ({} if isinstance(found, str) else outer)
    page = parsed if isinstance(parsed, str) else ""
    message = found if isinstance(found, str) else _message(error, outer, page)
    named = (
        string(error, "code"),
        string(error, "type"),
        string(error, "status"),
        string(child(error, "innererror"), "code"),
        headers.get("x-amzn-errortype", "").partition(":")[0],
        string(outer, "__type").rpartition("#")[2],
        string(outer, ":exception-type"),
        string(outer, ":error-code"),
    )
    return Refusal(
        status=status if status >= 400 else _inner_status(error),
        codes=tuple(code for code in named if code and code != "error"),
        message=message.strip()[:2000],
        error=error,
        request_id=string(outer, "request_id")
        or headers.get("request-id", "")
        or headers.get("x-request-id", "")
        or headers.get("x-amzn-requestid", ""),
    )


def _parsed(body: object) -> object:
    if isinstance(body, bytes | bytearray):
        body = bytes(body).decode("utf-8", "replace")
    if isinstance(body, list):
        items = cast("list[object]", body)
        return items[0] if items else {}
    if not isinstance(body, str):
        return body
    text = body.strip()
    if text.startswith("["):
        # Only a list of one error is expected.
        return parse(text.removeprefix("[").removesuffix("]")) or text
    found = parse(text)
    return text if found is None else found


def _message(error: Fields, outer: Fields, page: str) -> str:
    if page:
        return "" if page[:1] == "<" else page
    text = string(error, "message") or string(error, "Message") or string(outer, "message")
    if not text:
        details = [*children(outer, "detail"), *children(child(error, "message"), "detail")]
        text = (
            string(outer, ":error-message")
            or string(outer, "detail")
            or "; ".join(string(one, "msg") for one in details)
        )
    upstream = string(child(error, "metadata"), "raw")
    return f"{text}: {upstream}" if upstream else text


def _inner_status(error: Fields) -> int:
    for key in ("code", "status", "status_code", "originalStatusCode"):
        value = error.get(key)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return 0


def _kind(refusal: Refusal, vendor: str) -> FailureKind:
    if refusal.status in {413, 429} and refusal.message.lower().startswith("request too large"):
        return "context_overflow"
    kind = _kind_by_code(refusal)
    if kind is None and not refusal.message and not refusal.codes:
        kind = _kind_of_silence(refusal.status, vendor)
    return kind or _kind_by_status(refusal) or _kind_by_wording(refusal) or _fallback(refusal)


def _kind_by_code(refusal: Refusal) -> FailureKind | None:
    kinds: list[FailureKind] = [
        _CODES[code.lower()] for code in refusal.codes if code.lower() in _CODES
    ]
    if "quota" in kinds or ("rate_limit" in kinds and _is_daily(refusal)):
        return "quota"
    if "permission" in kinds and _says(refusal.message, _BAD_KEY):
        return "auth"
    return kinds[0] if kinds else None


def _is_daily(refusal: Refusal) -> bool:
    return _says(refusal.message, _DAILY) or any(
        "PerDay" in string(violation, "quotaId")
        for detail in children(refusal.error, "details")
        for violation in children(detail, "violations")
    )


def _kind_of_silence(status: int, vendor: str) -> FailureKind | None:
    if status == 413 or (status == 400 and vendor == "cerebras"):
        return "context_overflow"
    return None


def _kind_by_status(refusal: Refusal) -> FailureKind | None:
    kind = _STATUSES.get(refusal.status)
    if kind == "rate_limit" and _says(refusal.message, _OVERLOADED):
        return "overloaded"
    if kind == "permission" and _says(refusal.message, _OVERFLOW):
        return "context_overflow"
    worded = _worded(refusal.message) if kind in _COARSE else None
    return worded if (kind, worded) in _FINER else kind


def _kind_by_wording(refusal: Refusal) -> FailureKind | None:
    if _says(refusal.message, _OVERFLOW) and not _says(refusal.message, _LIMITED):
        return "context_overflow"
    if _says(refusal.message, _HOPELESS):
        return "invalid_request"
    if refusal.status >= 500 or any(code.lower() in _SERVER_CODES for code in refusal.codes):
        return "overloaded" if _says(refusal.message, _OVERLOADED) else "server"
    return _worded(refusal.message)


def _worded(message: str) -> FailureKind | None:
    return next((kind for kind, pattern in _WORDINGS.items() if _says(message, pattern)), None)


def _says(message: str, pattern: str) -> bool:
    # Compiled when first needed: most runs never fail.
    return re.search(pattern, message, re.IGNORECASE | re.DOTALL) is not None


def _fallback(refusal: Refusal) -> FailureKind:
    if _says(refusal.message, _LIMITED):
        return "rate_limit"
    if _says(refusal.message, _OVERLOADED):
        return "overloaded"
    if refusal.status == 413:
        return "context_overflow"
    if _says(refusal.message, _SERVER):
        return "server"
    is_invalid = any(re.match(r".*invalid|validation", code.lower()) for code in refusal.codes)
    return "invalid_request" if refusal.status >= 400 or is_invalid else "unknown"
