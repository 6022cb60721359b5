"""A reviewer's words as a review: strict where they are, and never lost where they are not."""

import re
from collections.abc import Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec.structs import replace

from ouroboros.core.events.review import CodeLocation, Finding, LineRange, ReviewOutput
from ouroboros.core.findings import ordered

_RATED = re.compile(r"^\s*\[?P([0-3])\]?[\s:.-]")
_WORST = 3
CORRECT, INCORRECT = "patch is correct", "patch is incorrect"


def read(text: str) -> ReviewOutput:
    """The review in a reply: the whole of it, else from its first brace to its last.

    A reply that is none becomes the explanation of a review without findings and without a verdict.
    """
    found = _object(text)
    if found is None:
        return ReviewOutput(overall_explanation=text.strip())
    written = found.get("findings")
    raw = cast("list[object]", written) if isinstance(written, list) else []
    findings = [finding for one in raw if (finding := _finding(one)) is not None]
    unread = len(raw) - len(findings)
    notes = (_unread(unread),) if unread else ()
    return ReviewOutput(
        findings=tuple(findings),
        overall_correctness=_verdict(found.get("overall_correctness")),
        overall_explanation=str(found.get("overall_explanation") or "").strip(),
        overall_confidence_score=_share(found.get("overall_confidence_score")),
        notes=notes,
    )


def joined(reviews: Sequence[ReviewOutput]) -> ReviewOutput:
    """Reviews of the parts of one change as one: the worst first, and only as good as its worst part."""
    if len(reviews) == 1:
        return replace(reviews[0], findings=ordered(reviews[0].findings))
    findings = ordered(_once([finding for review in reviews for finding in review.findings]))
    verdicts = {review.overall_correctness for review in reviews}
    verdict = INCORRECT if INCORRECT in verdicts else "" if "" in verdicts else CORRECT
    said = [review.overall_explanation for review in reviews if review.overall_explanation]
    return ReviewOutput(
        findings=findings,
        overall_correctness=_verdict(verdict),
        overall_explanation="\n\n".join(said),
        overall_confidence_score=min(review.overall_confidence_score for review in reviews),
        notes=tuple(dict.fromkeys(note for review in reviews for note in review.notes)),
    )


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """Without those that another part has said of the same lines."""
    said: dict[tuple[str, CodeLocation], Finding] = {}
    for one in findings:
        said.setdefault((one.title.casefold(), one.code_location), one)
    return list(said.values())


def _object(text: str) -> dict[str, Any] | None:
    for part in (text, text[text.find("{") : text.rfind("}") + 1]):
        try:
            found: object = msgspec.json.decode(part)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            continue
        if isinstance(found, dict) and ("findings" in found or "overall_correctness" in found):
            return cast("dict[str, Any]", found)
    return None


def _finding(raw: object) -> Finding | None:
    if not isinstance(raw, dict):
        return None
    known = cast("dict[str, Any]", raw)
    place = known.get("code_location")
    try:
        location = msgspec.convert(place, CodeLocation, strict=False)
    except msgspec.ValidationError:
        return None
    title = str(known.get("title") or "").strip()
    body = str(known.get("body") or "").strip()
    if not title and not body:
        return None
    lines = location.line_range
    return Finding(
        title=title or body[:80],
        body=body,
        confidence_score=_share(known.get("confidence_score")),
        priority=_priority(known.get("priority"), title),
        code_location=CodeLocation(
            absolute_file_path=location.absolute_file_path,
            line_range=LineRange(start=lines.start, end=max(lines.start, lines.end)),
        ),
    )


def _priority(raw: object, title: str) -> int | None:
    if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 <= raw <= _WORST:
        return int(raw)
    rated = _RATED.match(title)
    return int(rated[1]) if rated else None


def _share(raw: object) -> float:
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return float(min(max(raw, 0), 1))  # json has no NaN, but numbers too large for a float
    return 0.0


def _verdict(raw: object) -> Literal["patch is correct", "patch is incorrect", ""]:
    word = str(raw or "").strip().lower().rstrip(".")
    if word in {CORRECT, "correct"}:
        return "patch is correct"
    return "patch is incorrect" if word in {INCORRECT, "incorrect"} else ""


def _unread(count: int) -> str:
    if count == 1:
        return "1 finding could not be read and is left out"
    return f"{count} findings could not be read and are left out"
