"""A proof that no variable names as a secret is kept nowhere, though the vendor says it back."""

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.cassettes import Record
from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings
from ouroboros.llm.auth.oauth import LoginFile, Tokens
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from tests.story.stage import call, stage

PROOF = "zq81-learned-proof-0042"
SAID = Turn(text=f"You are {PROOF}, are you not?", chunk=5)
WAYS: dict[str, dict[str, Any]] = {
    "a variable of any name": {"key_env": "WORKLLM"},
    "a command": {"auth": "command", "command": ["echo", PROOF]},
    "a header": {"auth": "none", "headers": {"X-Tenant-Token": PROOF}},
}


def vendor(way: str, url: str = "{server}") -> dict[str, Any]:
    return {"mine": {"base_url": url, "protocol": "openai-chat", **WAYS[way]}}


def kept(folder: Path) -> list[str]:
    """Files that hold the proof."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [str(file) for file in files if PROOF.encode() in file.read_bytes()]


@pytest.mark.proves("H20")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cache", [False, True], ids=["", "kept replies"])
async def test_what_proves_who_asks_is_kept_nowhere(tmp_path: Path, way: str, cache: bool) -> None:
    async with stage(
        tmp_path,
        [SAID],
        environment={"WORKLLM": PROOF},
        model="mine/m",
        base_url="",
        providers=vendor(way),
        cache_replies=cache,
    ) as s:
        outcome = await s.run()
        [sent] = s.server.exchanges
        shown = msgspec.json.encode(s.shown).decode()
    assert any(PROOF in value for value in sent.headers.values())
    assert outcome.final.startswith("You are [REDACTED:")
    assert PROOF not in shown
    assert await to_thread.run_sync(kept, tmp_path / "home") == []


@pytest.mark.proves("H20")
async def test_a_command_of_the_model_does_not_see_the_key(tmp_path: Path) -> None:
    looks = Turn(tool_calls=(call("shell", command="echo begin; env | grep -c WORKLLM"),))
    async with stage(
        tmp_path,
        [looks, Turn(text="Done.")],
        environment={"WORKLLM": PROOF},
        model="mine/m",
        base_url="",
        providers=vendor("a variable of any name"),
    ) as s:
        await s.run()
        [result] = s.results.values()
    assert "begin\n0\n" in str(msgspec.to_builtins(result.parts)[0]["text"])


async def test_a_refresh_token_that_a_command_prints_is_not_shown(tmp_path: Path) -> None:
    refresh = "refresh-of-the-login-0099"
    file = LoginFile(tmp_path / "home", "mine", store="plain")
    async with await file.hold() as held:
        await held.write(Tokens(access_token=PROOF, refresh_token=refresh, client_id="me"))
    login = {"client_id": "me", "authorize_url": "http://[::1]/", "token_url": "http://[::1]/"}
    own = {"base_url": "{server}", "protocol": "openai-chat", "auth": "oauth", "oauth": login}
    looks = Turn(tool_calls=(call("shell", command=f"cat {file.path}"),))
    turns = [looks, Turn(text="Done.")]
    bare = {"mode": "danger-full-access"}  # the sandbox does not let it read the file at all
    async with stage(
        tmp_path, turns, model="mine/m", base_url="", providers={"mine": own}, sandbox=bare
    ) as s:
        await s.run()
        shown = msgspec.json.encode(s.shown).decode()
    assert "access_token" in shown
    assert PROOF not in shown
    assert refresh not in shown


@pytest.mark.proves("H20")
@pytest.mark.parametrize("way", WAYS)
async def test_a_recording_holds_no_proof(tmp_path: Path, way: str) -> None:
    file, home = tmp_path / "tape.json", tmp_path / "home"
    tap = await to_thread.run_sync(Record, file, dict[str, str]())
    async with serving([Turn(text=f"You are {PROOF}.", chunk=99)]) as server:
        words = {"model": "mine/m", "providers": vendor(way, server.url)}
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "WORKLLM": PROOF}
        engine = Ouroboros(
            msgspec.convert(words, Settings), home=home, environment=environment, tap=tap
        )
        async with engine.open(cwd=tmp_path) as session:
            assert (await session.run("Who am I?")).reason == "completed"
    text = await anyio.Path(file).read_text()
    assert "Who am I?" in text
    assert PROOF not in text
