"""A whole run that stands still and loses its session: it does and writes nothing more, and says so."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ouroboros.app.past import sessions
from ouroboros.core.errors import SessionBusy
from ouroboros.core.events import TaskCompleted
from ouroboros.store import resume
from ouroboros.store.lease import Lease
from tests import forked
from tests.story.test_cli_run import script

WAIT = "echo on; until [ -e go ]; do sleep 0.05; done"
WAITS = {
    "text": "I wait.",
    "tool_calls": [{"name": "shell", "arguments": {"command": WAIT}}],
}
ACTS = {
    "text": "I act.",
    "tool_calls": [{"name": "shell", "arguments": {"command": "touch acted"}}],
}


def stands_still(pid: int) -> None:
    until = time.monotonic() + 60
    while " T " not in Path(f"/proc/{pid}/stat").read_text("utf-8"):
        assert time.monotonic() < until
        time.sleep(0.01)


def taken(home: Path, name: str) -> Lease:
    """The session, once nothing was heard for a while of the one that has it."""
    until = time.monotonic() + 60
    while True:
        try:
            return Lease.take(home, name, patience=0.1)
        except SessionBusy:
            assert time.monotonic() < until
            time.sleep(0.01)


@pytest.mark.proves("I15")
def test_a_run_that_was_stopped_and_goes_on_too_late_does_nothing_more(tmp_path: Path) -> None:
    home = Path(os.environ["OUROBOROS_HOME"])
    model = script(tmp_path, WAITS, ACTS, {"text": "Done."})
    command = [sys.executable, "-m", "ouroboros", "run", "--model", model, "--mode", "full-auto"]
    command += ["--output", "stream-json", "Do it"]
    with forked.Popen(
        command,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        try:
            for line in run.stdout:
                if '"tool.progress"' in line:
                    break
            os.kill(run.pid, signal.SIGSTOP)
            stands_still(run.pid)
            name = sessions.find(home, "last").id
            with pytest.raises(SessionBusy):
                Lease.take(home, name)
            with taken(home, name) as lease:
                before = resume.load(home, lease)
            sessions.rename(home, name, "Taken over")
            (tmp_path / "go").touch()
            os.kill(run.pid, signal.SIGCONT)
            _, told = run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == 1
    assert f"was taken over by process {os.getpid()}" in told
    assert not (tmp_path / "acted").exists()
    after = resume.read(home, name)
    assert not after.warnings
    assert len(after.envelopes) == before.last + 1
    assert not any(isinstance(each.data, TaskCompleted) for each in after.envelopes)
