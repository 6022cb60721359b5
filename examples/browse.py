"""Let code that the model writes read a page in a real browser; the page itself never goes to the model."""

import sys
from pathlib import Path

import anyio

from ouroboros import Ouroboros


async def main(engine: Ouroboros, address: str) -> None:
    async with engine.open(cwd=Path(), mind="rlm", browser=True) as session:
        outcome = await session.run(f"Open {address} and give me the page's heading.")
    print(outcome.final)


place = sys.argv[1] if len(sys.argv) > 1 else "https://example.org/"
anyio.run(main, Ouroboros.configured(Path(), mode="full-auto"), place)
