"""How a command gets to the network where its cage has none: a seam, filled by the wiring."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.parts import Text
from ouroboros.safety.sandbox import Sandbox
from ouroboros.tools.tool import Result

GRACE_SECONDS = 0.1
"""After a refusal a command has this long to say something of its own, and is ended then."""


def _nothing() -> str:
    return ""


class Way(Struct, frozen=True, kw_only=True):
    """The cage of one call.

    Attributes:
        sandbox: With its way out, if there is one.
        refused: What the call wanted of the network and may not have; empty as long as there is nothing.
    """

    sandbox: Sandbox
    refused: Callable[[], str] = _nothing


class Routes(Protocol):
    """The ways out of cages.

    Contract: ``end`` is called at most once, when the call was refused something; leaving the block
    closes the way for what the call asks about.
    """

    def route(
        self, sandbox: Sandbox, call_id: str, end: Callable[[], None]
    ) -> AbstractAsyncContextManager[Way]:
        """A way for the call as long as the block runs."""
        ...


class NoRoutes:
    """A cage has the network that it has."""

    def route(
        self, sandbox: Sandbox, call_id: str, end: Callable[[], None]
    ) -> AbstractAsyncContextManager[Way]:
        """The cage as it is."""
        del call_id, end
        return nullcontext(Way(sandbox=sandbox))


NO_OTHER_PLACE = " do not try the same place another way"
"""Ends what a model is told of a host; a person needs none of it."""


def rejected(result: Result | None, reason: str) -> Result:
    """What a call ends with that was refused something: its own result, if it came to one, and why."""
    said = (
        f"the network was refused: {reason}. The person can allow a host in [web] allow, or when asked;"
        f"{NO_OTHER_PLACE}"
    )
    if result is None:
        return Result.of(f"the command was ended, because {said}.\n", ok=False)
    return replace(result, ok=False, stopped="", parts=(*result.parts, Text(text=f"\n[{said}]\n")))
