"""Workspaces that come into a session bring their own settings, rights and instructions."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from ouroboros.app.config import trust
from ouroboros.app.repos.bringing import Asked, Repos
from ouroboros.app.settings import Settings
from ouroboros.core.errors import ConfigBroken
from ouroboros.core.events import PermissionRequested
from ouroboros.core.events.code import Logged
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("red", "blue"):
        (tmp_path / name / ".git").mkdir(parents=True)
    return tmp_path / "red", tmp_path / "blue"


async def configure(folder: Path, text: str, *, trusted: bool) -> None:
    await to_thread.run_sync(partial(configured, folder, text, trusted=trusted))


def configured(folder: Path, text: str, *, trusted: bool) -> None:
    (folder / ".ouroboros").mkdir(exist_ok=True)
    (folder / ".ouroboros/config.toml").write_text(text, encoding="utf-8")
    if trusted:
        home = folder.parent / "home"
        home.mkdir(exist_ok=True)
        trust.grant(home, trust.read(folder, home))


async def bring(s: Stage, *folders: Path) -> None:
    repos = Repos(Settings(), home=s.cwd.parent / "home", cwd=s.cwd, environment=dict(os.environ))
    for folder in folders:
        await s.session.visit(Asked(source=str(folder)), repos)


def work(*calls: Any) -> list[Turn]:
    return [Turn(tool_calls=calls), Turn(text="Done.")]


def statuses(s: Stage) -> list[str]:
    calls = (call for message in s.session.history() for call in message.calls)
    return [s.results[each.id].status for each in calls if each.id in s.results]


@pytest.mark.proves("Y06")
async def test_each_path_is_judged_by_its_own_workspace(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, blue = places
    await configure(red, '[permissions]\ndeny = ["edit(kept/**)"]\n', trusted=True)
    await configure(blue, 'mode = "plan"\n', trusted=True)
    paths = [folder / name for folder in (red, blue, tmp_path / "work") for name in ("kept/a", "b")]
    turns = work(*(call("write", path=str(path), content="x") for path in paths))
    async with stage(tmp_path, turns) as s:
        await bring(s, red, blue)
        await s.run()
        assert statuses(s) == ["denied", "done", "denied", "denied", "done", "done"]
    there = [await anyio.Path(path).exists() for path in paths]
    assert there == [False, True, False, False, True, True]


@pytest.mark.deep
@pytest.mark.proves("Y06")
@pytest.mark.parametrize("trusted", [True, False])
async def test_a_stranger_may_tighten_and_never_loosen(
    tmp_path: Path, places: tuple[Path, Path], trusted: bool
) -> None:
    red, _ = places
    text = '[permissions]\nallow = ["shell(touch:*)"]\ndeny = ["read(keys.txt)"]\n'
    await configure(red, text, trusted=trusted)
    (red / "keys.txt").write_text("k", encoding="utf-8")
    turns = work(
        call("exec_command", cmd="touch made", workdir=str(red)),
        call("exec_command", cmd="touch made"),
        call("read", path=str(red / "keys.txt")),
    )
    async with stage(tmp_path, turns, mode="ask") as s:
        await bring(s, red)
        await s.run()
        assert statuses(s) == ["done" if trusted else "denied", "denied", "denied"]
        said = [each.text for each in s.events(Logged) if "not trusted" in each.text]
        narrow = "what asks, denies or narrows there counts already"
        wanted = (
            f"{red}: not trusted, so not used: .ouroboros/config.toml; `ouro trust {red}` to use it "
            f"({narrow})"
        )
        assert said == ([] if trusted else [wanted])
    assert (red / "made").exists() is trusted


@pytest.mark.proves("Y06")
@pytest.mark.deep
async def test_trust_that_is_given_later_counts_from_the_next_words_on(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, _ = places
    touches = call("exec_command", cmd="touch made", workdir=str(red))
    text = '[permissions]\nallow = ["shell(touch:*)"]\n'
    await configure(red, text, trusted=False)
    async with stage(tmp_path, [*work(touches), *work(touches)], mode="ask") as s:
        await bring(s, red)
        await s.run()
        await configure(red, text, trusted=True)
        await s.run()
        assert statuses(s) == ["denied", "done"]


@pytest.mark.proves("Y06")
async def test_a_session_that_goes_on_knows_them(tmp_path: Path, places: tuple[Path, Path]) -> None:
    red, blue = places
    await configure(red, 'mode = "plan"\n', trusted=True)
    await configure(blue, 'model = "a/b"\n', trusted=False)
    async with stage(tmp_path, [Turn(text="Hello.")]) as s:
        await bring(s, red, blue)
        await s.run()
    writes = call("write", path=str(red / "a"), content="x")
    async with stage(tmp_path, work(writes), latest=True) as s:
        assert [each for each in s.session.warnings if f"{blue}: not trusted" in each]
        await s.run()
        assert statuses(s) == ["denied"]


@pytest.mark.deep
@pytest.mark.proves("Y06")
async def test_its_cage_is_narrower_there(tmp_path: Path, places: tuple[Path, Path]) -> None:
    red, blue = places
    await configure(red, '[sandbox]\nmode = "read-only"\n', trusted=False)
    await configure(blue, '[sandbox]\nhide = ["hidden", "/etc"]\n', trusted=False)
    (blue / "hidden").mkdir()
    (blue / "hidden/a").write_text("x", encoding="utf-8")
    turns = work(
        call("shell", command=f"cd {red}; echo x > a"),
        call("shell", command=f"cd {blue}; echo x > a"),
        call("shell", command=f"cat {blue}/hidden/a"),
        call("shell", command="cat /etc/passwd"),
    )
    async with stage(tmp_path, turns, sandbox={"exclude_tmp": True}) as s:
        await bring(s, red, blue)
        await s.run()
        assert statuses(s) == ["failed", "done", "failed", "done"]
    assert not (red / "a").exists()
    assert (blue / "a").exists()


@pytest.mark.proves("permissions-visited-later")
@pytest.mark.deep
async def test_its_cage_becomes_narrower_when_it_says_so_later(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, _ = places
    turns = [
        *work(call("shell", command=f"cd {red}; echo x > a")),
        *work(call("shell", command=f"cd {red}; echo x > b"), call("shell", command="echo x > c")),
        *work(call("shell", command=f"cd {red}; echo x > d")),
    ]
    async with stage(tmp_path, turns, sandbox={"exclude_tmp": True}) as s:
        await bring(s, red)
        await s.run()
        await configure(red, '[sandbox]\nmode = "read-only"\n', trusted=False)
        await s.run()
        await configure(red, "", trusted=False)
        await s.run()
        assert statuses(s) == ["done", "failed", "done", "done"]
    made = [(red / name).exists() for name in "abd"]
    assert made == [True, False, True]


@pytest.mark.proves("Y06")
async def test_instructions_hold_where_they_stand_and_are_told_when_they_change(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, blue = places
    (red / "AGENTS.md").write_text("Use tabs in red.", encoding="utf-8")
    async with stage(tmp_path, [Turn(text="1"), Turn(text="2"), Turn(text="3")]) as s:
        await bring(s, red, blue)
        await s.run()
        (told,) = [each for each in texts(s) if "INSTRUCTIONS" in each]
        assert f"# AGENTS.md instructions for {red}\n\nThey hold for work in {red}." in told
        assert "Use tabs in red." in told
        assert s.session.state.sources == [f"instructions {red}/AGENTS.md"]
        await s.run()
        assert len([each for each in texts(s) if "INSTRUCTIONS" in each]) == 1
        (red / "AGENTS.md").unlink()
        (blue / "AGENTS.md").write_text("Use spaces in blue.", encoding="utf-8")
        await s.run()
        said = "\n".join(texts(s))
        assert f"given earlier for work in {red} are gone" in said
        assert "Use spaces in blue." in said


def texts(s: Stage) -> list[str]:
    return [
        str(message["content"]) for message in s.body()["messages"] if message["role"] == "user"
    ]


@pytest.mark.proves("Y06")
async def test_a_broken_file_stops_nobody_who_does_not_trust_it(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, blue = places
    await configure(red, "mode = [", trusted=False)
    await configure(blue, 'mode = "nonsense"', trusted=True)
    writes = call("write", path=str(red / "a"), content="x")
    async with stage(tmp_path, work(writes)) as s:
        await bring(s, red)
        with pytest.raises(ConfigBroken, match="blue"):
            await bring(s, blue)
        await s.run()
        assert statuses(s) == ["done"]
        assert s.events(PermissionRequested) == []


@pytest.mark.proves("Y06")
async def test_where_settings_break_later_what_held_still_holds(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, _ = places
    await configure(red, '[permissions]\ndeny = ["edit(kept)"]\n', trusted=True)
    writes = call("write", path=str(red / "kept"), content="x")
    async with stage(tmp_path, work(writes)) as s:
        await bring(s, red)
        await configure(red, 'mode = "nonsense"', trusted=True)
        await s.run()
        assert statuses(s) == ["denied"]
        assert any("what held stays" in each.text for each in s.events(Logged))
    async with stage(
        tmp_path, work(call("write", path=str(red / "b"), content="x")), latest=True
    ) as s:
        await s.run()
        assert statuses(s) == ["denied"]


@pytest.mark.deep
async def test_rules_of_a_stranger_that_cost_much_are_left_out(
    tmp_path: Path, places: tuple[Path, Path]
) -> None:
    red, _ = places
    stars = "**/".join("a" * 12)
    rules = f'["read({stars})", "shell(re:(a+)+$)", "nonsense", "edit({"x" * 400})", "edit(kept)"]'
    await configure(red, f"[permissions]\ndeny = {rules}\n", trusted=False)
    turns = work(
        call("exec_command", cmd=f"echo {'a' * 40}b", workdir=str(red)),
        call("write", path=str(red / "kept"), content="x"),
    )
    async with stage(tmp_path, turns) as s:
        await bring(s, red)
        await s.run()
        assert statuses(s) == ["done", "denied"]
