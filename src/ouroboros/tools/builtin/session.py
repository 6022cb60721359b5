"""Tools that touch only the session: the visible plan and the end."""

from collections.abc import AsyncGenerator
from pathlib import Path

from msgspec import Struct

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
    """Ends the run with an answer."""

    name = "done"
    description = "Ends the work with this answer; a reply without tool calls does the same."
    arguments = DoneArguments
    exposure: Exposure = "hidden"
    parallel_safe = False

    def effect(self, arguments: DoneArguments, cwd: Path) -> Effect:
        """Nothing outside the session."""
        del arguments, cwd
        return Effect(kind="none", action="Finish")

    async def run(self, arguments: DoneArguments, context: ToolContext) -> AsyncGenerator[Result]:
        """The answer, as it is."""
        del context
        yield Result(parts=(Text(text=arguments.answer),), final=True)
