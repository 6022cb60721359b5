"""The policy of a session as it stands now: what files said, and what a person added since."""

from collections.abc import Callable

from anyio import to_thread

from ouroboros.safety.policy import amendments
from ouroboros.safety.policy.evaluate import Policy
from ouroboros.safety.policy.values import Decision, NetworkRule, Protocol, Words


class Book:
    """Holds one policy, and adds to it on paper and in memory.

    Attributes:
        policy: Every rule that holds now.
    """

    def __init__(
        self, policy: Policy | None = None, keep: Callable[[str], None] | None = None
    ) -> None:
        """``keep`` writes one line for good, may block and may raise ``StoreFailed``."""
        self.policy = Policy() if policy is None else policy  # one of hosts alone is false
        self._keep = keep

    async def allow(self, prefix: Words) -> None:
        """From now on commands that begin like this are allowed, in later sessions too.

        Raises:
            StoreFailed: It could not be written; then it does not hold in this session either.
        """
        if prefix in amendments.BANNED or not prefix:
            return
        await self._write(amendments.line(prefix))
        self.policy = amendments.amended(self.policy, prefix)

    async def decide_host(self, host: str, protocol: Protocol, decision: Decision) -> None:
        """The same for a host, which may be allowed or forbidden; raises ``StoreFailed``."""
        rule = NetworkRule(host=host.rstrip(".").lower(), protocol=protocol, decision=decision)
        await self._write(amendments.network_line(rule.host, protocol, decision))
        if rule not in self.policy.network:
            self.policy = self.policy.joined(Policy(network=[rule]))

    async def _write(self, line: str) -> None:
        if self._keep is not None:
            await to_thread.run_sync(self._keep, line)
