"""What the settings of the mind that writes code, and of scripts, change."""

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from anyio import to_thread

from ouroboros.core.events.fleet import SubagentStarted
from ouroboros.core.parts import Text
from ouroboros.llm.turns import Turn
from tests import forked
from tests.story.rlm_stage import block, contexts, rlm_stage
from tests.story.stage import call, stage

type Effect = Callable[[Path], Awaitable[None]]

LARGE = "The crane at pier nine lifts forty tons. " * 1_000
ASKED = "setFinal(await llm_query('Work.', data))"


def when(words: str, **more: object) -> Turn:
    return msgspec.convert({"when": words, **more}, Turn)


async def told(folder: Path, *turns: Turn, **rlm: Any) -> tuple[str, list[str]]:
    """The final value of a run over large data, and what each request said."""
    async with rlm_stage(folder, turns, data={"data": LARGE}, rlm=rlm) as s:
        outcome = await s.run()
        return outcome.final, contexts(s)


async def max_iterations(folder: Path) -> None:
    final, asked = await told(
        folder, block("1"), block("2"), Turn(text="about two"), max_iterations=2
    )
    assert (final, len(asked)) == ("about two", 3)


async def child_iterations(folder: Path) -> None:
    _, asked = await told(folder, block(ASKED), block("setFinal('a')"), child_iterations=4)
    assert "Iteration 1 of 4." in asked[1]


async def max_sub_calls(folder: Path) -> None:
    code = "await llm_query('Read.', 'x'); setFinal(await llm_query('Read.', 'x'))"
    final, _ = await told(folder, block(code), when("Read.", text="ok"), max_sub_calls=1)
    assert "1 sub-calls of this run are used up" in final


async def depth(folder: Path) -> None:
    deeper = block("setFinal(await llm_query('Read.', 'x'))")
    final, _ = await told(folder, block(ASKED), deeper, Turn(text="deep"), depth=2)
    assert final == "deep"


async def concurrency(folder: Path) -> None:
    code = "setFinal((await llm_batch(Array(3).fill({prompt: 'Read.', data: 'x'}))).length)"
    turns = [block(code), when("Read.", text="ok", delay_seconds=0.2)]
    async with rlm_stage(folder, turns, rlm={"concurrency": 1}) as s:
        assert (await s.run()).final == "3"
        asked = s.server.exchanges[1:]
        for before, after in zip(asked, asked[2:], strict=False):
            assert (before.ended_at or 0) <= after.arrived_at


async def leaf_tokens(folder: Path) -> None:
    turns = [block("setFinal(await llm_query('Work.', 'a few words'))"), block("setFinal('a')")]
    async with rlm_stage(folder, turns, rlm={"leaf_tokens": 1}) as s:
        assert (await s.run()).final == "a"
        assert [event.kind for event in s.events(SubagentStarted)] == ["run"]


async def child_model(folder: Path) -> None:
    turns = [block("setFinal(await llm_query('Read.', 'x'))"), Turn(text="a")]
    async with rlm_stage(folder, turns, rlm={"child_model": "openai-chat/cheap"}) as s:
        await s.run()
        assert [s.body(at)["model"] for at in range(2)] == ["scripted", "cheap"]


async def block_timeout(folder: Path) -> None:
    _, asked = await told(folder, block("for (;;);"), block("setFinal(1)"), block_timeout=0.3)
    assert "ran for too long" in asked[1]


async def history_tokens(folder: Path) -> None:
    turns = [block(f"// {'x' * 4_000}\n{number}") for number in range(2)]
    _, asked = await told(folder, *turns, block("setFinal(1)"), history_tokens=500)
    assert "x" * 2_000 not in asked[2]


async def script_timeout(folder: Path) -> None:
    turns = [Turn(tool_calls=(call("js", code="for (;;) {}"),)), Turn(text="Done.")]
    settings: dict[str, Any] = {"tools": {"scripts": True}, "rlm": {"script_timeout": 0.3}}
    async with stage(folder, turns, **settings) as s:
        await s.run()
        (result,) = s.results.values()
    assert "it ran for too long" in "".join(p.text for p in result.parts if isinstance(p, Text))


async def data_max(folder: Path) -> None:
    def run() -> subprocess.CompletedProcess[str]:
        (folder / "a.txt").write_text("x" * 100, encoding="utf-8")
        (folder / "turns.jsonl").write_text('{"text": "a"}\n', encoding="utf-8")
        made = folder / ".ouroboros"
        made.mkdir()
        (made / "config.toml").write_text("[rlm]\ndata_max = 99\n", encoding="utf-8")
        words = ["rlm", "--model", f"script:{folder / 'turns.jsonl'}", "--data", "a.txt", "go"]
        return forked.run(
            [sys.executable, "-I", "-m", "ouroboros", *words],
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
            cwd=folder,
            timeout=60,
            check=False,
        )

    ended = await to_thread.run_sync(run)
    assert "rlm.data_max" in ended.stderr, ended.stderr


async def scripts(folder: Path) -> None:
    async with stage(folder, [Turn(text="Hi.")], tools={"scripts": True}) as s:
        await s.run()
        assert "js" in {tool["function"]["name"] for tool in s.body()["tools"]}


RLM_EFFECTS: dict[str, Effect] = {
    "rlm.max_iterations": max_iterations,
    "rlm.child_iterations": child_iterations,
    "rlm.max_sub_calls": max_sub_calls,
    "rlm.depth": depth,
    "rlm.concurrency": concurrency,
    "rlm.leaf_tokens": leaf_tokens,
    "rlm.child_model": child_model,
    "rlm.data_max": data_max,
    "rlm.block_timeout": block_timeout,
    "rlm.history_tokens": history_tokens,
    "rlm.script_timeout": script_timeout,
    "tools.scripts": scripts,
}
