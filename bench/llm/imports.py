"""What a contestant costs before its first request: processor time of importing it, over bare Python."""

import os
import subprocess
from pathlib import Path
from statistics import median

OURS = """
import ouroboros.llm.opening, ouroboros.llm.http_route, ouroboros.llm.transport.http1
from ouroboros.llm.protocols import by_name
by_name("openai-chat")
"""
STATEMENTS = {
    "ouroboros": OURS,
    "openai": "from openai import AsyncOpenAI; AsyncOpenAI(api_key='bench').chat.completions",
    "anthropic": "from anthropic import AsyncAnthropic; AsyncAnthropic(api_key='bench').messages",
    "pydantic-ai": "from pydantic_ai.models.openai import OpenAIChatModel",
    "litellm": "from litellm import acompletion",
}
"""All that a first request over plain HTTP in one wire format needs, but for the event loop."""

FLOORS = {"anyio and msgspec": "import anyio, msgspec", "asyncio": "import asyncio"}
"""What ours is built of, and what any client has besides."""

OURS_TIMES, PEER_TIMES = 20, 5
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    "NO_PROXY": "127.0.0.1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # it would fetch one while it is imported
    "LITELLM_LOG": "CRITICAL",
}
"""Nothing of this process's own but where programs are; no key is real."""


_ENDING = """
import os, time
print(time.process_time(), flush=True)
os._exit(0)
"""


def seconds(python: str, statement: str) -> float:
    """Processor time of a fresh process until the statement is done; its end is not counted."""
    found = subprocess.run(
        (python, "-c", statement + _ENDING),
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    if found.returncode:
        raise SystemExit(f"{python} cannot run: {statement}\n{found.stderr}")
    return float(found.stdout.split()[-1])


def over_bare(pythons: dict[str, str], floors_python: str) -> dict[str, list[float]]:
    """Seconds over an empty program, one for each round; everybody in turn in each of them."""
    found: dict[str, list[float]] = {}
    for number in range(OURS_TIMES):
        bare = median(seconds(floors_python, "pass") for _ in range(3))
        runs = {"ouroboros": (floors_python, OURS)}
        runs |= {name: (floors_python, statement) for name, statement in FLOORS.items()}
        if number < PEER_TIMES:
            runs |= {name: (python, STATEMENTS[name]) for name, python in pythons.items()}
        for name, (python, statement) in runs.items():
            found.setdefault(name, []).append(seconds(python, statement) - bare)
    return found
