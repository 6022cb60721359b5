"""The files as a model saw them: read from the bundle that it was given."""

from ouroboros.workspace.artifacts.dogs import Exact, Refused, Whole
from ouroboros.workspace.artifacts.dogs.reading import read


def references_in(data: bytes) -> dict[str, bytes]:
    """Every whole file of a bundle, by its path.

    Raises:
        Refused: It is no bundle that can be read.
    """
    bundle = read(data)
    if bundle.refusals:
        raise Refused(*bundle.refusals)
    found: dict[str, bytes] = {}
    for change in bundle.changes:
        match change:
            case Whole():
                found[change.path] = change.text.encode()
            case Exact():
                found[change.path] = change.content
            case _:
                pass
    return found
