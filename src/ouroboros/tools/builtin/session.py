"""Tools that touch only the session: the visible plan and the end."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.events import PlanStep, PlanUpdated
from ouroboros.core.parts import Text
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext


class UpdatePlanArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole plan, every time."""

    plan: list[PlanStep]
    explanation: str = ""


class DoneArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to tell the user at the end."""

    answer: str
    finish_and_close_children: bool = False


class Children(Protocol):
    """The runs that this one started and that are at work."""

    def active(self) -> tuple[str, ...]:
        """Their names."""
        ...

    async def close(self, child: str) -> bool:
        """Stops one and waits for its end; false where that cannot be."""
        ...


class NoChildren:
    """A run that starts no others."""

    def active(self) -> tuple[str, ...]:
        """None."""
        return ()

    async def close(self, child: str) -> bool:
        """There is none."""
        del child
        return False


class UpdatePlanTool:
    """Shows the person the steps of the work."""

    name = "update_plan"
    description = "Show the user the steps of your work; send all of them each time."
    arguments = UpdatePlanArguments
    parallel_safe = False

    def effect(self, arguments: UpdatePlanArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del cwd
        return Effect(kind="none", action=f"Plan of {len(arguments.plan)} steps")

    async def run(
        self, arguments: UpdatePlanArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """Puts the plan on record."""
        context.publish(PlanUpdated(steps=tuple(arguments.plan), explanation=arguments.explanation))
        yield Result.of("Plan updated")


class DoneTool:
    """Ends the run with an answer; not over the heads of children that are at work."""

    name = "done"
    description = (
        "Ends the work with this answer; a reply without tool calls does the same. Refused while "
        "children are at work, unless they are to be closed."
    )
    arguments = DoneArguments
    exposure: Exposure = "hidden"
    parallel_safe = False

    def __init__(self, children: Children | None = None) -> None:
        """Without ``children`` there are none."""
        self._children = children or NoChildren()

    def effect(self, arguments: DoneArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del arguments, cwd
        return Effect(kind="none", action="Finish")

    async def run(self, arguments: DoneArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """The answer, as it is."""
        del context
        active = self._children.active()
        if active and not arguments.finish_and_close_children:
            raise ToolFailed(
                f"children are still at work: {', '.join(active)}; wait for them, or finish with "
                "finish_and_close_children"
            )
        stuck = [child for child in active if not await self._children.close(child)]
        if stuck:
            raise ToolFailed(f"children could not be closed: {', '.join(stuck)}; wait for them")
        yield Result(parts=(Text(text=arguments.answer),), final=True)
