"""`ouro repo` from outside: loaded, listed, shown, removed; stopped and killed on the way."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.leftovers import still_left
from tests.story.test_cli_run import ouro
from tests.unit.workspace.repos.git_host import Host, Upstream, serving


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    made = Upstream(tmp_path / "srv/o/r.git")
    made.commit(README_dot_md="A library for knots.\n", src__knots_dot_py="def tie(): ...\n")
    return made


def started(host: Host, cwd: Path) -> subprocess.Popen[str]:
    """`ouro repo add` of a server that says nothing; it has asked it."""
    host.hangs = True
    process = forked.Popen(
        [sys.executable, "-m", "ouroboros", "repo", "add", f"{host.url}/o/r.git"],
        cwd=cwd,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert host.reached.wait(60)
    return process


@pytest.mark.deep
@pytest.mark.proves("Y01", "Y03")
def test_a_repository_is_loaded_shown_and_removed(
    tmp_path: Path, fresh_home: Path, upstream: Upstream
) -> None:
    home = fresh_home / ".ouroboros"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(f'[repos]\nhost = "file://{tmp_path}/srv"\n')
    done = ouro("repo", "add", "o/r", cwd=tmp_path)
    path = home / "repos/o_r"
    assert (done.returncode, done.stdout) == (0, f"{path}\n")
    assert "o_r: 2 files" in done.stderr
    again = ouro("repo", "add", "o/r", cwd=tmp_path)
    assert (again.returncode, "o_r is here already" in again.stderr) == (2, True)
    (listed,) = json.loads(ouro("repo", "list", "--json", cwd=tmp_path).stdout)
    assert (listed["name"], listed["commit"]) == ("o_r", upstream.git("rev-parse", "HEAD"))
    shown = ouro("repo", "show", "o_r", cwd=tmp_path).stdout
    assert "src/" in shown
    assert "A library for knots." in shown
    (path / "mine").write_text("x")
    refused = ouro("repo", "remove", "o_r", cwd=tmp_path)
    assert (refused.returncode, (path / "mine").exists()) == (2, True)
    assert ouro("repo", "remove", "o_r", "--yes", cwd=tmp_path).returncode == 0
    assert not path.exists()
    unknown = ouro("repo", "show", "o_r", cwd=tmp_path)
    assert (unknown.returncode, "no repository 'o_r'" in unknown.stderr) == (2, True)


@pytest.mark.proves("Y02")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_leaves_nothing(
    tmp_path: Path, fresh_home: Path, number: signal.Signals
) -> None:
    with serving(tmp_path) as host:
        process = started(host, tmp_path)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, "nothing of it is left" in said) == (130, True)
    assert list((fresh_home / ".ouroboros/repos/.part").iterdir()) == []


@pytest.mark.proves("Y02", "divergences-loading-a-repository")
@pytest.mark.deep
def test_a_killed_load_goes_on_after_its_last_whole_step(
    tmp_path: Path, fresh_home: Path, upstream: Upstream
) -> None:
    upstream.commit(big=os.urandom(1_000_000))
    words = [sys.executable, "-m", "ouroboros", "repo", "add", "--depth", "0"]
    with serving(tmp_path / "srv") as host:
        host.enough = 1_000_000
        process = forked.Popen(
            [*words, f"{host.url}/o/r.git"], cwd=tmp_path, env=os.environ, stderr=subprocess.PIPE
        )
        assert host.stuck.wait(60)
        process.kill()
        process.communicate(timeout=120)
        assert still_left(tmp_path, descent=False) == {}
        repos = fresh_home / ".ouroboros/repos"
        (repos / ".part/o_r/.git/shallow.lock").touch()
        (repos / ".part/o_r/half").touch()
        host.enough, had = 0, sum(host.sent)
        done = ouro("repo", "add", "--depth", "0", f"{host.url}/o/r.git", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sum(host.sent) - had < 20_000
    assert list((repos / ".part").iterdir()) == []
    assert upstream.git("-C", str(repos / "o_r"), "rev-list", "--count", "HEAD") == "2"
    assert upstream.git("-C", str(repos / "o_r"), "status", "--porcelain") == ""
    assert not (repos / "o_r/.git/ouroboros.part.json").exists()


@pytest.mark.proves("Y02")
@pytest.mark.deep
def test_after_a_kill_it_is_loaded_anew(
    tmp_path: Path, fresh_home: Path, upstream: Upstream
) -> None:
    del upstream
    with serving(tmp_path / "srv") as host:
        process = started(host, tmp_path)
        process.kill()
        process.communicate(timeout=120)
        assert still_left(tmp_path, descent=False) == {}
        repos = fresh_home / ".ouroboros/repos"
        assert [path.name for path in (repos / ".part").iterdir()] == ["o_r"]
        host.hangs = False
        done = ouro("repo", "add", f"{host.url}/o/r.git", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list((repos / ".part").iterdir()) == []
    assert (repos / "o_r/README.md").exists()
