"""A review is made beside the conversation, which is told of it when it has ended."""

import anyio
from anyio import get_cancelled_exc_class

from ouroboros.agent.review import telling
from ouroboros.agent.roles import Assignment, Journal
from ouroboros.core.commands import Review
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events.review import ReviewEntered, ReviewExited, ReviewOutput
from ouroboros.core.findings import rendered
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State


async def carried_out(
    wish: Review, assignment: Assignment, state: State, journal: Journal, ids: Ids
) -> None:
    """Returns when the review has ended; a cancel ends it as interrupted.

    Raises:
        OuroborosError: The reviewer failed.
    """
    journal.record(ReviewEntered(target=wish.target, subject=assignment.subject))
    try:
        review = await assignment.review()
        shaped = await assignment.shaped(review)
    except get_cancelled_exc_class():
        journal.record(interrupted(state, ids))
        with anyio.CancelScope(shield=True):
            await journal.settle()
        raise
    except Exception as failed:
        problem = failed.message if isinstance(failed, OuroborosError) else repr(failed)
        journal.record(ReviewExited(outcome="failed", problem=problem))
        await journal.settle()
        raise
    told = _messages(ids, assignment.subject, review)
    exited = ReviewExited(outcome="completed", review=review, messages=told, shaped=shaped)
    journal.record(exited)


def interrupted(state: State, ids: Ids) -> ReviewExited:
    """How a review ends that was stopped."""
    return ReviewExited(outcome="interrupted", messages=_messages(ids, state.reviewing, None))


def _messages(ids: Ids, subject: str, review: ReviewOutput | None) -> tuple[Message, ...]:
    told = telling.user_action(review, subject)
    answer = rendered(review) if review is not None else telling.ENDED_EARLY
    return (
        Message(id=ids.new("msg"), role="user", kind="context", parts=(Text(text=told),)),
        Message(id=ids.new("msg"), role="assistant", parts=(Text(text=answer),)),
    )
