"""Hooks as one line each: what the person wanted to be told, what refused, and what failed."""

from ouroboros.core.events import Event
from ouroboros.core.events.hooks import HookFinished, HookStarted
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import one_line


def hook_notice(event: Event) -> Notice | None:
    """The line that a hook deserves; one that had nothing to say deserves none."""
    match event:
        case HookStarted(message=message) if message:
            return Notice(text=one_line(message, 400))
        case HookFinished(status="failed"):
            return Notice(
                text=f"{_name(event)} failed: {one_line(event.text, 400)}", level="warning"
            )
        case HookFinished(status="blocked" | "stopped" as status):
            done = "refused" if status == "blocked" else "stopped it"
            said = f"; it says: {one_line(event.message, 400)}" if event.message else ""
            text = f"{_name(event)} {done}: {one_line(event.text, 400)}{said}"
            return Notice(text=text, level="warning")
        case HookFinished(message=message) if message:
            return Notice(text=f"{_name(event)}: {one_line(message, 400)}")
        case _:
            return None


def _name(event: HookFinished) -> str:
    return f"Hook {one_line(event.event)} of {one_line(event.origin, 120)}"
