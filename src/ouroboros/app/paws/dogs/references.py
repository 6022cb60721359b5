"""The files as a model saw them: read from the bundle that it was given."""

from ouroboros.workspace.artifacts import faults
from ouroboros.workspace.artifacts.cats.reading import read as read_files
from ouroboros.workspace.artifacts.dogs import Exact, Refused, Whole
from ouroboros.workspace.artifacts.dogs.reading import read as read_changes


def references_in(data: bytes) -> dict[str, bytes]:
    """Every whole file of a bundle of either kind, by its path.

    Raises:
        OuroborosError: It is none that can be read.
    """
    try:
        found = read_files(data)
    except faults.Malformed as no_files:
        if references := _new_files(data):
            return references
        raise no_files from None
    return {file.path: file.data for file in found.files if not file.is_outline}


def _new_files(data: bytes) -> dict[str, bytes]:
    """What a bundle of changes holds of whole files."""
    try:
        changes = read_changes(data).changes
    except Refused:
        return {}
    found: dict[str, bytes] = {}
    for change in changes:
        match change:
            case Whole():
                found[change.path] = change.text.encode()
            case Exact():
                found[change.path] = change.content
            case _:
                pass
    return found
