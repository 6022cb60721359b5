"""Show what the model says while it says it, and each call that it makes."""

from pathlib import Path

import anyio

from ouroboros import Ouroboros
from ouroboros.core.events import ModelDelta, ToolStarted


async def main(engine: Ouroboros) -> None:
    async with engine.open(cwd=Path()) as session:
        async for event in session.stream("List the files here, and say what they are for."):
            match event.data:
                case ModelDelta(kind="text", text=text):
                    print(text, end="", flush=True)
                case ToolStarted(title=title, name=name):
                    print(f"\n[{title or name}]")
                case _:
                    pass
        assert session.outcome is not None
        print(f"\n{session.outcome.reason} after {session.outcome.turns} turns")


anyio.run(main, Ouroboros.configured(Path(), mode="plan"))
