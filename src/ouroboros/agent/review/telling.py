"""A review as words for the model that goes on after it."""

from html import escape

from ouroboros.core.events.review import ReviewOutput
from ouroboros.core.findings import rendered

_INTERRUPTED = (
    "The person began a review of code, which was stopped before it was done. Do not take it that "
    "the code was reviewed; if the person wants a review, it has to be begun anew."
)
_TOLD = (
    "The person had code reviewed, by a reviewer apart from this conversation. Here is all it said; "
    "the person may ask to have one or more of these findings mended."
)
ENDED_EARLY = "The review was stopped before it was done; there are no findings to act on."


def user_action(review: ReviewOutput | None, subject: str) -> str:
    """What the conversation is told that the person did; None is a review that was stopped."""
    told = _INTERRUPTED if review is None else _TOLD
    results = "None." if review is None else escape(rendered(review), quote=False)
    return (
        f"<user_action>\n  <context>{told}</context>\n  <action>review</action>\n"
        f"  <subject>{escape(subject, quote=False)}</subject>\n  <results>\n{results}\n  </results>\n</user_action>"
    )
