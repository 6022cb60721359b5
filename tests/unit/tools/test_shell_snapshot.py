"""How the person's own shell is set up, as commands see it."""

import os
import stat
from pathlib import Path

import pytest

from ouroboros.core.clock import SystemClock
from tests.unit.tools.living import living, said
from tests.unit.tools.spine import Spine

pytestmark = pytest.mark.real

RC = """
echo noise on every start
alias greet='echo hello from the alias'
shout() { echo "$1!"; }
export EDITOR_OF_MINE=ed HOMEMADE_TOKEN=hush PAGER=less
export GREETING=rc PATH="$HOME/own/bin:$PATH"
shopt -s globstar
keyed() { echo ghp_16C7e42F292c6912E7710c838347Ae178B4a; }
"""


def homed(tmp_path: Path, rc: str, **more: str) -> dict[str, str]:
    home = tmp_path / "person"
    home.mkdir()
    (home / ".bashrc").write_text(rc)
    return {"PATH": os.environ["PATH"], "HOME": str(home), **more}


async def shown(spine: Spine, cmd: str, **more: object) -> str:
    return said(await spine.call("exec_command", cmd=cmd, **more))


@pytest.mark.proves(
    "D32", "codex-23.1", "codex-23.2", "codex-23.3", "divergences-snapshot-of-the-shell"
)
async def test_aliases_functions_options_path_and_variables_are_there(tmp_path: Path):
    folder = tmp_path / "snapshots"
    environment = homed(tmp_path, RC)
    async with living(tmp_path, snapshots=folder / "ses_1", environment=environment) as spine:
        assert await shown(spine, "greet") == "hello from the alias\n"
        assert await shown(spine, "shout hi; echo $#") == "hi!\n0\n"
        assert await shown(spine, "shopt globstar; echo $EDITOR_OF_MINE") == (
            "globstar       \ton\ned\n"
        )
        assert f"{tmp_path}/person/own/bin" in (await shown(spine, "echo $PATH")).strip().split(":")
        assert await shown(spine, "exit 3") == ""
        (file,) = folder.iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


@pytest.mark.proves("D32")
async def test_nothing_that_looks_like_a_key_is_kept(tmp_path: Path):
    environment = homed(tmp_path, RC)
    folder = tmp_path / "snapshots"
    async with living(tmp_path, snapshots=folder / "s", environment=environment) as spine:
        assert await shown(spine, "echo ${HOMEMADE_TOKEN-none}; type keyed 2>/dev/null") == "none\n"
        (file,) = folder.iterdir()
        assert "ghp_" not in file.read_text()
        assert "hush" not in file.read_text()


async def test_nothing_that_steers_commands_comes_back_by_it(tmp_path: Path):
    rc = "export LD_PRELOAD= CDPATH=/ RIPGREP_CONFIG_PATH=/x GIT_DIR=/x MANPAGER=less ORDINARY=1\n"
    environment = homed(tmp_path, rc)
    async with living(tmp_path, snapshots=tmp_path / "s" / "s", environment=environment) as spine:
        shown_all = await shown(spine, "env; greet 2>/dev/null; echo $CDPATH-")
    assert "ORDINARY=1" in shown_all
    assert shown_all.endswith("\n-\n")
    assert not {"LD_PRELOAD", "RIPGREP_CONFIG_PATH", "GIT_DIR", "MANPAGER"} & {
        line.partition("=")[0] for line in shown_all.splitlines()
    }


@pytest.mark.proves("D32", "codex-23.1", "codex-23.2", "codex-23.3")
async def test_what_we_were_started_with_and_what_is_forced_win(tmp_path: Path):
    environment = homed(tmp_path, RC, GREETING="mine")
    async with living(tmp_path, snapshots=tmp_path / "k" / "s", environment=environment) as spine:
        assert await shown(spine, "echo $GREETING $PAGER") == "mine cat\n"


@pytest.mark.proves("D32")
async def test_without_login_nothing_of_it_is_there(tmp_path: Path):
    environment = homed(tmp_path, RC)
    async with living(tmp_path, snapshots=tmp_path / "k" / "s", environment=environment) as spine:
        text = await shown(spine, "shout hi 2>/dev/null || echo none", login=False)
        assert text == "none\n"


@pytest.mark.deep
@pytest.mark.proves("D32")
async def test_start_up_files_that_hang_hold_up_no_command(tmp_path: Path):
    environment = homed(tmp_path, "trap '' TERM; sleep 600")
    async with living(tmp_path, snapshots=tmp_path / "k" / "s", environment=environment) as spine:
        assert await shown(spine, "echo here") == "here\n"


@pytest.mark.proves("D32")
async def test_start_up_files_that_end_the_shell_cost_only_the_snapshot(tmp_path: Path):
    environment = homed(tmp_path, "exit 7")
    async with living(tmp_path, snapshots=tmp_path / "k" / "s", environment=environment) as spine:
        assert await shown(spine, "echo here") == "here\n"
        assert not (tmp_path / "k").exists()


@pytest.mark.proves("D32", "codex-23.1", "codex-23.2", "codex-23.3")
async def test_a_file_that_was_taken_away_is_made_up_for_by_a_login_shell(tmp_path: Path):
    environment = homed(tmp_path, "")
    (tmp_path / "person" / ".profile").write_text("GREETING=profile\n")
    folder = tmp_path / "k"
    async with living(tmp_path, snapshots=folder / "s", environment=environment) as spine:
        await shown(spine, "true")
        next(folder.iterdir()).unlink()
        assert await shown(spine, "echo $GREETING") == "profile\n"


@pytest.mark.proves("D32")
async def test_what_a_killed_session_left_is_taken_away_after_three_days(tmp_path: Path):
    folder = tmp_path / "k"
    folder.mkdir()
    for name, age in (("old.sh", 4 * 86400), ("new.sh", 86400)):
        (folder / name).write_text("")
        moment = SystemClock().now() - age
        os.utime(folder / name, (moment, moment))
    async with living(
        tmp_path, snapshots=folder / "s", environment=homed(tmp_path, "alias a=b")
    ) as spine:
        await shown(spine, "true")
    assert [file.name for file in folder.iterdir()] == ["new.sh"]
