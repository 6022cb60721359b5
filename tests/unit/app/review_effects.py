"""What the settings of reviews, and of the manner of speaking, change."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from ouroboros.core.commands import Review
from ouroboros.llm.turns import Turn
from tests.story.stage import stage

type Effect = Callable[[Path], Awaitable[None]]

_FINE = Turn(text="Fine.")


async def model(folder: Path) -> None:
    wanted = {"model": "openai-chat/careful"}
    async with stage(folder, [_FINE], check=False, review=wanted) as s:
        await s.session.send(Review(target="custom", words="the design"))
        assert s.body()["model"] == "careful"


async def personality(folder: Path) -> None:
    async with stage(folder, [_FINE], personality="pragmatic") as s:
        await s.run()
        assert "personality_spec" in str(s.body()["messages"])


REVIEW_EFFECTS: dict[str, Effect] = {"review.model": model, "personality": personality}
