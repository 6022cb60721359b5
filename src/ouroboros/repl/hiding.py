"""Takes secrets out of what is told of a block, before anything of it is cut. Pure."""

from collections.abc import Callable

from msgspec import structs

from ouroboros.code.js.values import Outcome, Shape

type Hide = Callable[[str], str]
"""Gives a text without secrets; its end may have been cut within one."""


def nothing(text: str) -> str:
    """Hides nothing."""
    return text


def hidden(outcome: Outcome, hide: Hide) -> Outcome:
    """The outcome as it may be told; the final value is left whole."""
    if hide is nothing:
        return outcome
    thrown = outcome.thrown
    return structs.replace(
        outcome,
        shape=_shown(outcome.shape, hide) if outcome.shape is not None else None,
        thrown=structs.replace(thrown, message=hide(thrown.message))
        if thrown is not None
        else None,
        notes=tuple(map(hide, outcome.notes)),
        logs=tuple(map(hide, outcome.logs)),
        variables=tuple(
            structs.replace(variable, shape=_shown(variable.shape, hide))
            for variable in outcome.variables
        ),
    )


def _shown(shape: Shape, hide: Hide) -> Shape:
    return structs.replace(shape, preview=hide(shape.preview), schema=hide(shape.schema))
