"""Gives the mind that calls tools a browser, pictures and scripts; nothing starts before its first use.

Imported only by sessions that have one of these switched on.
"""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from ouroboros.app.browsing import browser as browsing
from ouroboros.app.kit import Kit
from ouroboros.app.wiring.pythons import Pythons
from ouroboros.app.wiring.repls import Repls, base
from ouroboros.app.wiring.seat import BrowserSeat, seated
from ouroboros.code.pool import Isolates
from ouroboros.core.events import Envelope, UserMessage
from ouroboros.core.parts import Message
from ouroboros.repl.following import Elsewhere, follow
from ouroboros.repl.tools.control import agreed
from ouroboros.repl.tools.family import browser_tools, script_tools
from ouroboros.repl.tools.seat import Seat
from ouroboros.safety.guard import Guard
from ouroboros.tools.builtin.image import Blind, sees
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import AnyTool, Registry


@asynccontextmanager
async def added(
    kit: Kit,
    registry: Registry,
    hands: Orchestrator,
    *,
    browser: bool,
    logins: tuple[str, ...] = (),
    pythons: Pythons | None = None,
    blind: Blind = sees,
) -> AsyncGenerator[BrowserSeat]:
    """Registers the tools that the settings wish for, until the end of the session."""
    async with seat_of(kit, registry, hands, browser=browser, logins=logins) as seat:
        join(registry, family(seat, browser=browser, blind=blind))
        if pythons is not None:
            pythons.sight = seat
        yield seat


@asynccontextmanager
async def seat_of(
    kit: Kit,
    registry: Registry,
    hands: Orchestrator,
    *,
    browser: bool,
    logins: tuple[str, ...] = (),
) -> AsyncGenerator[BrowserSeat]:
    """What these tools work with; everything behind it is started by the first use."""
    settings = kit.settings
    async with AsyncExitStack() as stack:
        opened = None
        if browser:
            ground = browsing.ground(kit, logins)
            opened = await stack.enter_async_context(browsing.opened(ground))
        guard = opened.guard if opened is not None else Guard()
        isolates = await stack.enter_async_context(
            Isolates(environment=kit.environment, guard=guard, clock=kit.clock)
        )

        def tools() -> tuple[AnyTool, ...]:
            found = (registry.find(name) for name in registry.names())
            return tuple(tool for tool in found if tool is not None)

        repls = Repls(base(kit, isolates, hands, opened, tools=tools))
        follow(hands, repls.taint, repls.own.ledger)

        state = kit.state
        elsewhere = Elsewhere(repls.taint, lambda: state.sources, is_new=not state.history)
        hands.watch(elsewhere.admitted)

        def hear(message: Message) -> None:
            if message.role == "user" and message.kind == "plain":
                repls.taint.hear(message.text)

        def listen(envelope: Envelope) -> None:
            if isinstance(envelope.data, UserMessage):
                hear(envelope.data.message)

        for message in state.history:
            hear(message)
        repls.taint.allow(*agreed(kit.state))
        kit.journal.listen(listen)
        yield await stack.enter_async_context(
            seated(repls, guard, script_seconds=settings.rlm.script_timeout)
        )


def join(registry: Registry, tools: tuple[AnyTool, ...]) -> None:
    """Registers them, each in the place of a lesser one of its name."""
    for tool in tools:
        registry.take_out(tool.name)
        registry.register(tool)


def family(seat: Seat, *, browser: bool, blind: Blind = sees) -> tuple[AnyTool, ...]:
    """Scripts, and the browser's tools where there is one, in the order a model reads them."""
    return (*(browser_tools(seat, blind) if browser else ()), *script_tools(seat))
