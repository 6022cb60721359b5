"""Events of a run that writes code in the names and fields of the earlier design.

For programs that listen to a session and know only that design; no face of ours speaks it. Commands need
no such table: submit, cancel, state and confirmation are ``Submit``, ``Interrupt``, ``State``, and
``Approve`` or ``Deny``.
"""

import msgspec

from ouroboros.core.events.approval import PermissionRequested
from ouroboros.core.events.browser import BrowserChanged
from ouroboros.core.events.code import (
    CodeGenerated,
    CodeResulted,
    EnvironmentUpdated,
    IterationStarted,
    Logged,
)
from ouroboros.core.events.envelope import Envelope
from ouroboros.core.events.fleet import SubagentCompleted, SubagentStarted
from ouroboros.core.events.run import ErrorRaised, TaskCompleted
from ouroboros.core.events.turn import ModelDelta

type Told = tuple[str, dict[str, object]]


class Earlier:
    """Reads a session's events in order and says them the old way."""

    def __init__(self) -> None:
        """Before the first iteration."""
        self._iteration = 0

    def tell(self, envelope: Envelope) -> Told | None:
        """The old name and payload; None for what the earlier design did not know."""
        event = envelope.data
        match event:
            case IterationStarted(child="", iteration=iteration, task=task):
                self._iteration = iteration
                return "rlm:iteration-start", {"iteration": iteration, "taskGoal": task}
            case ModelDelta(kind="text", phase="delta", text=text):
                return "rlm:stream-token", {"token": text, "iteration": self._iteration}
            case CodeGenerated(child="", code=code, block=block):
                return "rlm:code-generated", {"code": code, "blockIndex": block}
            case CodeResulted(child=""):
                return "rlm:code-result", _result(event)
            case EnvironmentUpdated(child="", metadata=metadata):
                return "rlm:env-update", {"metadata": metadata}
            case Logged(text=text):
                return "rlm:log", {"message": text}
            case _:
                return _tell(envelope)


def _tell(envelope: Envelope) -> Told | None:
    match envelope.data:
        case SubagentStarted(task=task):
            return "rlm:sub-llm-start", {"prompt": task}
        case SubagentCompleted(final=final):
            return "rlm:sub-llm-complete", {"resultMeta": final}
        case BrowserChanged(tab=tab, summary=summary):
            return "rlm:page-changes", {"changes": [f"{tab} {summary}"]}
        case PermissionRequested(action=action, input=details):
            return "rlm:confirmation-req", {"action": action, "details": details}
        case ErrorRaised(message=message):
            return "rlm:error", {"error": message}
        case TaskCompleted(final=final):
            return "rlm:complete", {"final": final}
        case _:
            return None


def _result(event: CodeResulted) -> dict[str, object]:
    metadata = msgspec.json.decode(event.metadata, type=dict[str, object])
    told: dict[str, object] = {"metadata": metadata, "blockIndex": event.block}
    return told if event.ok else told | {"error": metadata.get("error", metadata.get("stopped"))}
