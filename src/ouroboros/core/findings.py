"""Findings of a review: how they are weighed, put in order and said."""

from collections.abc import Sequence

from ouroboros.core.events.review import Finding, ReviewOutput

NOTHING = "The reviewer gave no answer."
UNRATED = 1
"""What a finding without a priority counts as, so that nobody overlooks it."""


def rank(finding: Finding) -> int:
    """A finding's priority: 0 is the worst."""
    return UNRATED if finding.priority is None else finding.priority


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The worst first, and of equals the surest."""
    return tuple(sorted(findings, key=lambda one: (rank(one), -one.confidence_score)))


def is_review(review: ReviewOutput) -> bool:
    """Whether the reviewer gave anything but words."""
    return bool(review.findings or review.overall_correctness)


def rendered(review: ReviewOutput, *, most: int | None = None) -> str:
    """Explanation, findings and notes as text; at most so many findings, the worst ones."""
    shown = review.findings if most is None else review.findings[:most]
    parts = [review.overall_explanation.strip()]
    if shown:
        head = "Full review comments:" if len(shown) > 1 else "Review comment:"
        parts.append("\n\n".join((head, *map(_one, shown))))
    hidden = len(review.findings) - len(shown)
    if hidden:
        parts.append(f"({hidden} more of less weight {'is' if hidden == 1 else 'are'} not shown)")
    if review.notes:
        parts.append("\n".join(f"Note: {note}" for note in review.notes))
    return "\n\n".join(filter(None, parts)) or NOTHING


def _one(finding: Finding) -> str:
    place, lines = finding.code_location, finding.code_location.line_range
    head = f"- {finding.title} — {place.absolute_file_path}:{lines.start}-{lines.end}"
    body = [f"  {line}".rstrip() for line in finding.body.splitlines()]
    remark = [f"  ({finding.remark})"] if finding.remark else []
    return "\n".join((head, *body, *remark))
