"""One step ahead of a wire format: a request as the vendor can take it, and its reply made ours."""

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.parts import Message, Origin, ToolSpec
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.lowering.freeform import (
    WIRE_FIELD,
    FieldLifting,
    as_vendor_takes,
    text_field,
)
from ouroboros.llm.lowering.names import NameLifting, Names
from ouroboros.llm.request import Request
from ouroboros.llm.stream import StreamEvent


class Lifting(Protocol):
    """Makes the events of one reply ours again; keeps the state of that reply only."""

    def lift(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        """The events as if the vendor knew our tools; may be fewer or more."""
        ...


class Lowered(Struct, frozen=True, kw_only=True):
    """A request that a protocol can encode as it is, and what undoes the change.

    ``liftings`` makes them anew for each reply, in the order in which they are applied.
    """

    request: Request
    liftings: Callable[[], tuple[Lifting, ...]] = tuple


class _Plan(Struct, frozen=True, kw_only=True):
    """What a list of tools needs at one vendor; made once for it."""

    tools: tuple[ToolSpec, ...]
    system: str
    names: Names
    liftings: Callable[[], tuple[Lifting, ...]]
    fence_liftings: Callable[[Sequence[Message]], tuple[Lifting, ...]] | None = None
    fields: Mapping[str, str] = {}


class Lowering:
    """Lowers the requests of one conversation; remembers what it has lowered.

    It changes how long lowering takes, never what comes out: a message that needs no change stays
    the very same object, and one that was changed is changed once.
    """

    def __init__(self, dialect: Dialect, origin: Origin) -> None:
        """For one vendor and model."""
        self._dialect, self._origin = dialect, origin
        self._tools: tuple[ToolSpec, ...] | None = None
        self._plan = _plan((), dialect)
        self._sources: Sequence[Message] = ()
        self._lowered: list[Message] = []

    def lower(self, request: Request) -> Lowered:
        """The request for this vendor; the very same one where it needs no change."""
        if request.tools is not self._tools and request.tools != self._tools:
            self._plan = _plan(request.tools, self._dialect)
            self._tools = request.tools
            self._sources, self._lowered = (), []
        plan, given = self._plan, request.messages
        messages = self._messages(given)
        is_same = plan.tools is request.tools and messages is request.messages and not plan.system
        if not is_same:
            system = (*request.system, plan.system) if plan.system else request.system
            request = replace(request, tools=plan.tools, system=system, messages=messages)
        # A summary may quote a run block; where no call is wanted, none is looked for.
        quotes = self._dialect.tools == "fenced" and request.tool_choice == "none"
        liftings, fenced = plan.liftings, plan.fence_liftings
        if fenced is not None:
            liftings = tuple if quotes else lambda: fenced(given)
        return Lowered(request=request, liftings=liftings)

    def _messages(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        same = 0
        for known, given in zip(self._sources, messages, strict=False):
            if known is not given and known != given:
                break
            same += 1
        del self._lowered[same:]
        before = messages[same - 1] if same else None
        for message in messages[same:]:
            self._lowered.append(self._message(message, before))
            before = message
        self._sources = messages
        if self._dialect.alternates:
            from ouroboros.llm.lowering.neighbours import joined

            return joined(self._lowered, self._origin)
        if all(map(is_, self._lowered, messages)):
            return messages
        return tuple(self._lowered)

    def _message(self, message: Message, before: Message | None) -> Message:
        message = self._plan.names.lowered(message)
        if self._dialect.tools == "fenced":
            from ouroboros.llm.lowering.fenced import lowered

            return lowered(message, before, self._plan.fields)
        if not self._dialect.result_media:
            from ouroboros.llm.lowering.beside import with_media_beside

            return with_media_beside(message)
        return message


def lower(request: Request, dialect: Dialect, origin: Origin) -> Lowered:
    """The request for a vendor, without any memory."""
    return Lowering(dialect, origin).lower(request)


def _plan(tools: tuple[ToolSpec, ...], dialect: Dialect) -> _Plan:
    is_fenced = dialect.tools == "fenced"
    titles = dialect.tool_names == "capitalised" and not is_fenced
    names = Names((tool.name for tool in tools), titles=titles)
    if not names.are_ours:
        tools = tuple(map(names.told, tools))
    back: tuple[Lifting, ...] = () if names.are_ours else (NameLifting(names),)
    if is_fenced:
        return _fenced(tools, names, back)
    if any(tool.freeform is not None for tool in tools):
        tools = as_vendor_takes(tools, text=dialect.freeform_tools)
    fields = {
        tool.name: field
        for tool in tools
        if tool.freeform is not None and (field := text_field(tool)) != WIRE_FIELD
    }
    liftings: tuple[Lifting, ...] = (FieldLifting(fields), *back) if fields else back
    return _Plan(tools=tools, system="", names=names, liftings=lambda: liftings)


def _fenced(tools: tuple[ToolSpec, ...], names: Names, back: tuple[Lifting, ...]) -> _Plan:
    from ouroboros.llm.lowering.fence_lift import FenceLifting
    from ouroboros.llm.lowering.fence_slips import answers_person, told_last
    from ouroboros.llm.lowering.fenced import text_fields, told

    fields = text_fields(tools)

    def liftings(messages: Sequence[Message]) -> tuple[Lifting, ...]:
        first, last = answers_person(messages), told_last(messages)
        return (FenceLifting(fields, is_first=first, told=last), *back)

    return _Plan(
        tools=(),
        system=told(tools),
        names=names,
        fields=fields,
        liftings=tuple,
        fence_liftings=liftings if tools else None,
    )
