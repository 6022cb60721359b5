"""The terminal as an agent's program meets it: its lines on standard error, its questions one by one."""

import sys

import anyio
import msgspec

from ouroboros.core.ipc.messages import Log, PermissionRequest, PermissionResponse
from ouroboros.faces.cli.asking import is_person_there
from ouroboros.faces.cli.invocation import note
from ouroboros.faces.cli.prompting.typed_line import forget_typed, typed_answer
from ouroboros.faces.wording.words import one_line

_INPUT = 600
_NOBODY = "nobody is there to answer; go on without"


class TerminalSeat:
    """Asks the person who started it, and where there is none says no."""

    def __init__(self, name: str) -> None:
        """``name`` is the agent's."""
        self._name = name
        self._lock = anyio.Lock()  # one card at a time: an answer belongs to what is shown
        self.denied = 0

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        """Shows what is asked and waits for y, a or n."""
        if not is_person_there():
            self.denied += 1
            return PermissionResponse(request_id="", behavior="deny", message=_NOBODY)
        async with self._lock:
            forget_typed()  # it was meant for something else
            note(f"{self._name} asks: {one_line(request.permission_result.message, _INPUT)}")
            note(f"  {request.tool_name} {one_line(_shown(request), _INPUT)}")
            if request.warning:
                note(f"  warning: {one_line(request.warning, _INPUT)}")
            while True:
                always = ", [a]lways in this run" if request.rules else ""
                if sys.stderr is not None:
                    sys.stderr.write(f"[y]es{always}, [n]o WHY: ")
                    sys.stderr.flush()
                if (answer := _answer(await typed_answer(), request)) is not None:
                    return answer

    def tell(self, log: Log) -> None:
        """A line of the agent's."""
        if log.level != "debug":
            before = "" if log.level == "info" else f"{log.level}: "
            note(f"{self._name}: {before}{one_line(log.message, 2_000)}")


def _shown(request: PermissionRequest) -> str:
    """The input as a person reads it: a text without its quotes, the rest as JSON."""
    try:
        value = msgspec.json.decode(request.input)
    except (msgspec.MsgspecError, RecursionError):
        return bytes(request.input).decode("utf-8", "replace")
    return value if isinstance(value, str) else bytes(request.input).decode("utf-8", "replace")


def _answer(line: str, request: PermissionRequest) -> PermissionResponse | None:
    word, _, rest = line.strip().partition(" ")
    match word.lower():
        case "y" | "yes":
            return PermissionResponse(request_id="", behavior="allow")
        case "a" | "always" if request.rules:
            return PermissionResponse(request_id="", behavior="allow", new_rules=request.rules)
        case "n" | "no":
            return PermissionResponse(request_id="", behavior="deny", message=rest.strip())
        case "" if not line:
            return PermissionResponse(request_id="", behavior="deny", message=_NOBODY)
        case _:
            return None
