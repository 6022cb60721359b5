"""One contestant in one process: it hears replies and says what they cost.

Usage: python drive.py CONTESTANT WIRE MODE PORT [TIMES], under the Python that has the contestant.
It prints one JSON object. Imports, the connection and a first short reply are made before the
measurement, so that nothing in it is made but events.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Protocol

CONCURRENT = 20


class Contestant(Protocol):
    """A client of one wire format."""

    async def open(self, port: int, wire: str) -> None:
        """Makes the client."""
        ...

    async def hear(self, model: str) -> int:
        """Asks once, and counts the characters of thoughts, words and arguments in the events."""
        ...


def _contestant(name: str) -> Contestant:
    """Each is imported alone: no Python has the packages of all."""
    match name:
        case "ouroboros":
            from bench.llm.contestants.ours import Ours

            return Ours()
        case "openai":
            from bench.llm.contestants.openai_sdk import OpenAI

            return OpenAI()
        case "anthropic":
            from bench.llm.contestants.anthropic_sdk import Anthropic

            return Anthropic()
        case "pydantic-ai":
            from bench.llm.contestants.pydantic_ai import PydanticAI

            return PydanticAI()
        case "litellm":
            from bench.llm.contestants.litellm_client import LiteLLM

            return LiteLLM()
        case _:
            raise SystemExit(f"There is no contestant {name!r}.")


async def _measure(name: str, wire: str, mode: str, port: int, times: int) -> dict[str, float]:
    contestant = _contestant(name)
    await contestant.open(port, wire)
    characters: list[int] = []

    async def hear(model: str) -> None:
        characters.append(await contestant.hear(model))

    if mode == "paced":
        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENT):
                group.create_task(hear("bench-short"))
    else:
        await hear("bench-short")
    characters.clear()
    began, cpu = time.monotonic(), time.process_time()
    if mode == "paced":
        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENT):
                group.create_task(hear("bench-paced"))
    else:
        for _ in range(times):
            await hear("bench-long")
    if name == "litellm":
        await asyncio.sleep(0.2)  # its accounts are written by threads of their own
    return {
        "cpu": time.process_time() - cpu,
        "seconds": time.monotonic() - began,
        "replies": len(characters),
        "least": min(characters),
        "most": max(characters),
    }


def main(words: list[str]) -> None:
    """Measures and prints."""
    name, wire, mode, port, *times = words
    sys.path.insert(0, str(Path(__file__).parents[2]))
    found = asyncio.run(_measure(name, wire, mode, int(port), int(times[0]) if times else 1))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
