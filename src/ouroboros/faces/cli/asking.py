"""Questions that a command puts to the person; they go to stderr, data goes to stdout."""

import sys

import click

from ouroboros.core.errors import Misuse


def is_person_there() -> bool:
    """Whether standard input is a terminal; a caller may have closed it altogether."""
    return sys.stdin is not None and sys.stdin.isatty()


def agreed(question: str, *, hint: str) -> bool:
    """Whether the person says yes.

    Raises:
        Misuse: Nobody is there to ask; ``hint`` says how to go on without.
    """
    if not is_person_there():
        raise Misuse("nobody is there to ask", hint=hint)
    return click.confirm(question, default=False, err=True)


def typed(what: str, *, hidden: bool, piped: bool = False) -> str:
    """A line that the person types, or the next one of a pipe."""
    if piped or not is_person_there():
        return sys.stdin.readline() if sys.stdin is not None else ""
    return str(click.prompt(what, hide_input=hidden, err=True))
