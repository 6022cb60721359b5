"""The name after an ``@`` that is being typed: where it begins, and how it is written out; pure."""

import re
from typing import NamedTuple

_BEGUN = re.compile(r"(?:^|[\s(\[{,])@(\"[^\"\n]*|[^\s\"]*)$")


class Begun(NamedTuple):
    """A name that is being typed: where it starts, after the ``@``, and what there is of it."""

    start: int
    typed: str


def begun_in(before: str) -> Begun | None:
    """The name that ends at the cursor; None where no name was begun."""
    match = _BEGUN.search(before)
    if match is None:
        return None
    return Begun(match.start(1), match[1].removeprefix('"'))


def spelled(name: str, *, is_all: bool) -> str:
    """A name as it stands in a line; one with blanks is quoted, and the quote left open for more."""
    is_open = not is_all or name.endswith("/")
    if " " not in name:
        return name if is_open else f"{name} "
    return f'"{name}' if is_open else f'"{name}" '
