"""The proxy that commands of a session go out through, opened by the first that needs it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup, TaskStatus

from ouroboros.app.kit import Kit
from ouroboros.app.wiring import toolbox
from ouroboros.core.errors import Denied
from ouroboros.safety.sandbox import Sandbox
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import Registry
from ouroboros.tools.routing import Way
from ouroboros.tools.tool import Effect

if TYPE_CHECKING:
    from ouroboros.safety.network.doorman import Consent, Contact, Protocol
    from ouroboros.safety.network.proxy import Managed
    from ouroboros.safety.policy.values import Decision


@asynccontextmanager
async def hands_of(kit: Kit, registry: Registry) -> AsyncGenerator[Orchestrator]:
    """The hands of a session over these tools, with the ways that their commands go out by."""
    if kit.settings.sandbox.network != "proxy":
        yield toolbox.session_hands(kit, registry)
        return
    ways = Outgoing(kit)
    ways.hands = toolbox.session_hands(kit, registry, ways)
    async with ways.opened():
        yield ways.hands


class Outgoing:
    """The ways of commands to the network; one proxy for all of them."""

    def __init__(self, kit: Kit) -> None:
        """Opens nothing."""
        self._kit = kit
        self._tasks: TaskGroup | None = None
        self._opening = anyio.Lock()
        self._proxy: Managed | None = None
        self.hands: Orchestrator | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """For as long as the block runs there may be a proxy."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    @asynccontextmanager
    async def route(
        self, sandbox: Sandbox, call_id: str, end: Callable[[], None]
    ) -> AsyncGenerator[Way]:
        """A way out for a call whose cage leads to the proxy."""
        from ouroboros.safety.network.inside import Afterlife, Gated

        if not isinstance(sandbox, Gated) or self._tasks is None:
            yield Way(sandbox=sandbox)
            return
        proxy = await self._opened(self._tasks)
        with proxy.calls.attend(call_id, end) as attendance:
            calls = proxy.calls
            after = Afterlife(
                held=partial(calls.live_on, call_id), gone=partial(calls.gone, call_id)
            )
            routed = sandbox.routed(partial(proxy.outlet, call_id), after)
            yield Way(sandbox=routed, refused=lambda: attendance.reason)

    async def _opened(self, tasks: TaskGroup) -> "Managed":
        async with self._opening:
            if self._proxy is None:
                await tasks.start(self._serve)
            assert self._proxy is not None
            return self._proxy

    async def _serve(self, *, task_status: "TaskStatus[None]") -> None:
        from ouroboros.app.wiring.web import host_rules
        from ouroboros.llm.transport.http import Proxies
        from ouroboros.safety.network.doorman import Doorman
        from ouroboros.safety.network.proxy import managed

        web = self._kit.settings.web
        rules = host_rules(web)
        async with anyio.create_task_group() as tasks:
            doorman = Doorman(
                rules,
                tasks=tasks,
                ask=None if web.only_allowed else self._ask,
                traffic="limited" if web.only_reading else "full",
                patience=0 if web.first_contact == "defer" else float("inf"),
                ruled=self._ruled,
            )
            proxies = Proxies.of(self._kit.environment)
            async with managed(
                doorman, self._kit.journal.record, proxy_for=proxies.proxy_for
            ) as proxy:
                self._proxy = proxy
                task_status.started()
                await anyio.sleep_forever()

    def _ruled(self, host: str, protocol: "Protocol") -> "Decision | None":
        """What the policy files say now, with what was added to them meanwhile."""
        found = self._kit.book.policy.host(host, _named(protocol))
        return found.decision if found is not None else None

    async def _ask(self, contact: "Contact") -> "Consent":
        from ouroboros.safety.network.doorman import Consent

        if not contact.call_id or self.hands is None or self._kit.state.ended:
            why = "no call is running that it belongs to, so nobody was asked"
            return Consent(allowed=False, asked=False, message=why)
        effect = Effect(
            kind="fetch",
            action=f"Let the command reach {contact.place}",
            url=contact.url,
            protocol=_named(contact.protocol),
        )
        try:
            await self.hands.admit(effect, name="network", call_id=contact.call_id)
        except Denied as denied:
            return Consent(allowed=False, message=denied.message)
        return Consent(allowed=True)


def _named(protocol: "Protocol") -> str:
    """As policy files call it."""
    return "socks5_tcp" if protocol == "socks5" else protocol
