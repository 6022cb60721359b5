"""Changes of lines by their numbers. Pure."""

from collections.abc import Sequence

from ouroboros.workspace.artifacts.dogs.change import Command
from ouroboros.workspace.artifacts.dogs.readers.commands import check_order
from ouroboros.workspace.artifacts.dogs.readers.page import BlockBroken


def numbered(lines: Sequence[str], commands: Sequence[Command]) -> list[str]:
    """The lines after all commands, whose numbers are of the lines as they are given.

    Raises:
        BlockBroken: One names lines that are not there, is out of order or overlaps with another.
    """
    check_order(commands)
    made: list[str] = []
    at = 0
    for command in commands:
        if max(command.last, command.first - 1) > len(lines):
            raise BlockBroken(
                f"{command.name} is out of range: the file has {len(lines)} lines",
                line=command.line,
            )
        made += [*lines[at : command.first - 1], *command.lines]
        at = max(command.last, command.first - 1)
    return [*made, *lines[at:]]
