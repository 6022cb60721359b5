"""Commands that went on after their call."""

from ouroboros.core.events import Event
from ouroboros.core.events.process import ProcessEnded, ProcessKept
from ouroboros.core.state.present import Present


def apply(state: Present, event: Event) -> None:
    """Takes in a command that goes on, or its end."""
    match event:
        case ProcessKept(number=number, command=command):
            state.processes[number] = command
        case ProcessEnded(number=number):
            state.processes.pop(number, None)
        case _:
            pass
