"""The hooks around the children of a session: runs and plain reads that it starts."""

from msgspec.structs import replace

from ouroboros.agent.running.hooked import Begun
from ouroboros.app.hooks.calls import Calls
from ouroboros.app.hooks.facts import Facts
from ouroboros.core.events import Envelope
from ouroboros.core.events.fleet import SubagentCompleted
from ouroboros.plugins.hooks.contexts import as_prompt
from ouroboros.plugins.hooks.running import Hooks

MOST_CONTINUATIONS = 5
"""How often hooks may send one child back to work."""


class Children:
    """Is asked when a child begins and when it has an answer; tells of those that came to none."""

    def __init__(self, hooks: Hooks, facts: Facts) -> None:
        """There are none yet."""
        self._hooks, self._facts = hooks, facts
        self._kinds: dict[str, str] = {}

    async def begins(self, child: str, kind: str) -> Begun:
        """Whether it may, and what it is told before all else."""
        self._kinds[child] = kind
        found = await self._hooks.fire(
            "SubagentStart",
            lambda: {**self._facts.common("SubagentStart"), **_agent(child, kind)},
            names=(kind,),
        )
        return Begun(refused=found.stopped, told=tuple(map(self._facts.context, found.contexts)))

    async def stops(self, child: str, answer: str, times: int) -> str:
        """What a child goes on with that has an answer; empty when it may end."""
        kind = self._kinds.get(child, "run")
        found = await self._hooks.fire(
            "SubagentStop",
            lambda: self._end(child, answer, is_back=times > 0),
            names=(kind,),
        )
        if not found.blocked or found.stopped or times >= MOST_CONTINUATIONS:
            return ""
        source = self._hooks.fitting("SubagentStop", (kind,))[0].source
        return as_prompt(found.blocked, f"subagentstop:{times + 1}:{source}")

    def listen(self, envelope: Envelope) -> None:
        """Tells hooks of children that failed or were stopped; what they say counts for nothing."""
        match envelope.data:
            case SubagentCompleted(child=child, reason=reason) if reason != "completed":
                told = self._end(child, "", is_back=False)
                kind = self._kinds.pop(child, "run")
                self._hooks.tell("SubagentStop", lambda: told, names=(kind,))
            case SubagentCompleted(child=child):
                self._kinds.pop(child, None)
            case _:
                pass

    def within(self, child: str) -> Calls:
        """The hooks around the calls of one child, which are told that they are its own."""
        agent = (child, self._kinds.get(child, "run"))
        return Calls(self._hooks, replace(self._facts, agent=agent))

    def _end(self, child: str, answer: str, *, is_back: bool) -> dict[str, object]:
        return {
            **self._facts.common("SubagentStop"),
            **_agent(child, self._kinds.get(child, "run")),
            "agent_transcript_path": None,
            "stop_hook_active": is_back,
            "last_assistant_message": answer or None,
        }


def _agent(child: str, kind: str) -> dict[str, object]:
    return {"agent_id": child, "agent_type": kind}
