"""A stage for runs of the mind that writes code; every request is linted when it is left."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ouroboros.llm.turns import Turn
from ouroboros.repl.seeds import Seed, Seeds
from ouroboros.testing.linter import Findings, lint
from tests.story.stage import Stage, stage


def block(*codes: str, prose: str = "", **more: Any) -> Turn:
    """A reply with a block for each code."""
    return Turn(text="\n".join([prose, *(f"```repl\n{code}\n```" for code in codes)]), **more)


def seeds(**values: object) -> Seeds:
    return Seeds(
        seeds=tuple(
            Seed(name=name, value=msgspec.json.encode(value), source=f"{name}.json", characters=1)
            for name, value in values.items()
        )
    )


def findings(
    s: Stage, pages: Sequence[str] = (), canaries: Sequence[str] = (), leaf_tokens: int = 8_000
) -> Findings:
    asked = (*s.before, *s.server.exchanges)
    bodies = [exchange.body for exchange in asked if exchange.method == "POST"]
    return lint(bodies, pages, canaries=canaries, leaf_tokens=leaf_tokens)


def contexts(s: Stage) -> list[str]:
    """The one message of each request, in the OpenAI chat format."""
    bodies = [msgspec.json.decode(exchange.body) for exchange in s.server.exchanges]
    for body in bodies:
        assert [message["role"] for message in body["messages"]] == ["developer", "user"]
    return [body["messages"][1]["content"] for body in bodies]


@asynccontextmanager
async def rlm_stage(
    tmp_path: Path,
    turns: Sequence[Turn],
    *,
    data: dict[str, object] | None = None,
    pages: Sequence[str] = (),
    canaries: Sequence[str] = (),
    with_browser: bool = False,
    way: str = "repl",
    **settings: Any,
) -> AsyncGenerator[Stage]:
    """As ``stage``; ``pages`` and ``canaries`` are what no request may hold but in previews."""
    opening = {"mind": "rlm", "browser": with_browser, "way": way, "seeds": seeds(**(data or {}))}
    settings.setdefault("browser", {"profile": ""})
    async with stage(tmp_path, turns, check=False, opening=opening, **settings) as s:
        yield s
        tokens = settings.get("rlm", {}).get("leaf_tokens", 8_000)
        found = findings(s, pages, canaries, tokens)
        assert found.breaches == ()
        assert found.prefixes <= 3  # the run, and children that may ask and that may not
