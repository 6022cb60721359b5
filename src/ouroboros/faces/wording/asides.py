"""Plans that wait, words for later and reviews, as a person reads them."""

from ouroboros.app.text import plain
from ouroboros.core.events import Event
from ouroboros.core.events.asides import PlanAnswered, PlanProposed, WordsDropped, WordsQueued
from ouroboros.core.events.review import ReviewEntered, ReviewExited, ReviewProgressed
from ouroboros.core.findings import rendered
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import one_line


def aside_notice(event: Event) -> Notice | None:
    """What is told of one of them."""
    match event:
        case PlanProposed():
            return Notice(
                text="A plan waits for your answer",
                hint="/plan yes [MODE] carries it out, /plan edit CHANGES does too, with them, /plan no [WHY] refuses it",
            )
        case PlanAnswered(accepted=True, mode=mode, text=text):
            return Notice(
                text=f"Plan accepted{', changed' if text else ''}, to be done in mode {mode}"
            )
        case PlanAnswered(text=text):
            return Notice(text=f"Plan refused{f': {one_line(text)}' if text else ''}")
        case WordsQueued(text=text):
            return Notice(text=f"To be said after this run: {one_line(text)}")
        case WordsDropped():
            return Notice(text="Words that waited for the end of the run are not said")
        case _:
            return _reviewed(event)


def _reviewed(event: Event) -> Notice | None:
    match event:
        case ReviewEntered(subject=subject):
            return Notice(text=f"Review begins: {one_line(subject, 200)}")
        case ReviewProgressed(part=part, parts=parts, files=files):
            more = f" and {len(files) - 3} more" if len(files) > 3 else ""
            shown = one_line(", ".join(files[:3]), 200)
            return Notice(text=f"Reading part {part} of {parts}: {shown}{more}")
        case ReviewExited(outcome="completed", review=review):
            return Notice(text=plain(rendered(review)))
        case ReviewExited(outcome="interrupted"):
            return Notice(text="Review stopped; nothing is known of what it had found")
        case ReviewExited(problem=problem):
            return Notice(text=f"Review failed: {one_line(problem, 400)}", level="warning")
        case _:
            return None
