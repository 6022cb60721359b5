import asyncio
import contextlib
import gc
import os
import signal
import sys
from pathlib import Path

import anyio
import pytest

from ouroboros.safety.marks import MARK
from ouroboros.safety.spawn import Finished, run, shell_command, spawn, start
from tests.cases import deep_after
from tests.passing import passes, until
from tests.unit.tools.spine import gone, is_alive, written

pytestmark = pytest.mark.real

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def holders(variable: str) -> list[int]:
    """The processes that have this variable in their environment."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if variable.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


async def pid_in(path: Path) -> int:
    return int(await written(path))


async def test_output_of_both_streams_and_the_exit_code_come_back(tmp_path: Path):
    finished = await run(
        shell_command("echo out; echo err >&2; exit 3"),
        cwd=tmp_path,
        environment=ENVIRONMENT,
        timeout_seconds=60,
    )
    assert (finished.stdout, finished.stderr, finished.exit_code) == (b"out\n", b"err\n", 3)


async def test_standard_input_is_empty_unless_given(tmp_path: Path):
    empty = await run(["cat"], cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60)
    given = await run(
        ["cat"], cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60, stdin=b"x" * 100_000
    )
    assert (empty.stdout, empty.exit_code) == (b"", 0)
    assert given.stdout == b"x" * 100_000


async def test_death_by_signal_is_128_and_its_number(tmp_path: Path):
    finished = await run(
        shell_command("kill -9 $$"), cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60
    )
    assert finished.exit_code == 137


@pytest.mark.proves("F06")
async def test_credentials_do_not_reach_the_child(tmp_path: Path):
    names = (
        "OPENAI_API_KEY ANTHROPIC_API_KEY GITHUB_TOKEN MY_SECRET AWS_SECRET_ACCESS_KEY"
        " STRIPE_KEY GH_PAT MYSQL_PWD AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN DB_PASSWORD GEMINI_API_KEY_2 npm_token"
    )
    secret = dict.fromkeys(names.split(), "hush")
    finished = await run(
        ["env"],
        cwd=tmp_path,
        environment=ENVIRONMENT | secret | {"PROJECT": "plain", "BASH_ENV": "/tmp/x"},
        timeout_seconds=60,
    )
    seen = dict(line.split("=", 1) for line in finished.stdout.decode().splitlines())
    assert "hush" not in seen.values()
    assert seen.keys() - {MARK} == {
        "PATH", "PROJECT", "COLORTERM", "GH_PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "LANG",
        "LC_ALL", "LC_CTYPE", "NO_COLOR", "OUROBOROS", "PAGER", "TERM",
    }  # fmt: skip


async def test_nothing_that_steers_commands_reaches_the_child(tmp_path: Path):
    """Functions that shadow programs, and what a hook of git says of its own repository."""
    names = (
        "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_EXTERNAL_DIFF GIT_EXEC_PATH CDPATH SHELLOPTS PS4"
        " RIPGREP_CONFIG_PATH GREP_OPTIONS MANPAGER LESSOPEN PERL5OPT LD_PRELOAD"
    )
    steering = dict.fromkeys(names.split(), str(tmp_path / "evil"))
    steering["BASH_FUNC_ls%%"] = "() {  echo shadowed\n}"
    kept = {"GIT_AUTHOR_NAME": "A", "GIT_SSH_COMMAND": "ssh -4", "NODE_OPTIONS": "--trace-warnings"}
    finished = await run(
        shell_command("ls; env"),
        cwd=tmp_path,
        environment=ENVIRONMENT | steering | kept,
        timeout_seconds=60,
    )
    said = finished.stdout.decode()
    assert "shadowed" not in said
    assert "evil" not in said
    assert all(f"{name}={value}" in said for name, value in kept.items())


async def test_a_revealed_name_passes(tmp_path: Path):
    async with spawn(
        ["env"],
        cwd=tmp_path,
        environment=ENVIRONMENT | {"GITHUB_TOKEN": "shown"},
        reveal={"GITHUB_TOKEN"},
    ) as process:
        said = b""
        while piece := await process.read():
            said += piece.data
    assert b"GITHUB_TOKEN=shown" in said


@pytest.mark.proves("F07")
@pytest.mark.parametrize(
    "start",
    deep_after(
        2,
        [
            "setsid sh -c 'echo $$ > pid; exec sleep 60' & wait",
            "(setsid sh -c 'echo $$ > pid; exec sleep 60' &) ; sleep 60",
            "sh -c 'echo $$ > pid; exec sleep 60' & wait",
            "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done' & wait",
        ],
    ),
)
async def test_a_time_out_leaves_nothing_running(tmp_path: Path, start: str):
    ended: list[Finished] = []
    pid = 0

    async def take_long() -> None:
        command = shell_command(start)
        ended.append(await run(command, cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=600))

    async with anyio.create_task_group() as group:
        group.start_soon(take_long)
        pid = await pid_in(tmp_path / "pid")
        while not ended:  # the command may say its number before its time has begun to count
            passes(600)
            await anyio.sleep(0.05)
    assert [(one.exit_code, one.timed_out) for one in ended] == [(124, True)]
    assert await gone(pid)


@pytest.mark.proves("A11", "F07")
async def test_a_cancel_leaves_nothing_running(tmp_path: Path):
    script = "sh -c 'echo $$ > pid; exec sleep 60' & wait"

    async def sleep() -> None:
        await run(shell_command(script), cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60)

    pid = 0
    async with anyio.create_task_group() as group:
        group.start_soon(sleep)
        pid = await pid_in(tmp_path / "pid")
        group.cancel_scope.cancel()
    assert await gone(pid)


@pytest.mark.deep
@pytest.mark.proves("A11", "F07")
async def test_a_task_cancelled_at_any_moment_leaves_no_process_and_no_pipe(tmp_path: Path):
    """asyncio's own cancel, also a second one while the first is cleaned up, passes through shields."""
    mark = f"OURO_TEST_CANCEL={tmp_path}"
    environment = {**ENVIRONMENT, "OURO_TEST_CANCEL": str(tmp_path)}
    command = shell_command(
        "trap 'echo polite; sleep 60' TERM; echo started; sleep 60 & wait; wait"
    )
    await run(["true"], cwd=tmp_path, environment=environment, timeout_seconds=60)
    gc.collect()  # of other tests
    before = open_files()
    for turns in range(24):
        job = asyncio.ensure_future(
            run(command, cwd=tmp_path, environment=environment, timeout_seconds=60)
        )
        for _ in range(turns):
            await asyncio.sleep(0 if turns < 12 else 0.001)
        for _ in range(3):
            job.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        with contextlib.suppress(asyncio.CancelledError):
            await job
    gc.collect()  # a pipe that nobody closed is a ResourceWarning, and so an error
    await until(lambda: open_files() <= before and not holders(mark))


@pytest.mark.proves("sandbox-ending-of-processes")
async def test_what_a_process_starts_when_it_is_told_to_end_is_ended_too(tmp_path: Path):
    starts = "setsid sleep 60 >/dev/null 2>&1 </dev/null & echo $! > late; sleep 0.2; exit"
    script = f"trap '{starts}' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    process = await start(shell_command(script), cwd=tmp_path, environment=ENVIRONMENT)
    await pid_in(tmp_path / "pid")
    await process.close()
    assert await gone(await pid_in(tmp_path / "late"))


@pytest.mark.deep
async def test_a_grandchild_that_holds_the_pipe_is_given_up_and_ended(tmp_path: Path):
    finished = await run(
        shell_command("sh -c 'echo $$ > pid; exec sleep 60' & echo started"),
        cwd=tmp_path,
        environment=ENVIRONMENT,
        timeout_seconds=60,
    )
    assert (finished.exit_code, finished.stdout) == (0, b"started\n")
    assert await gone(await pid_in(tmp_path / "pid"))


async def test_a_detached_background_process_may_survive_a_regular_end(tmp_path: Path):
    script = "sh -c 'echo $$ > pid; exec sleep 60' >/dev/null 2>&1 & while ! [ -s pid ]; do :; done"
    process = await start(shell_command(script), cwd=tmp_path, environment=ENVIRONMENT)
    while await process.read():
        pass
    await process.close(survivors=True)
    pid = await pid_in(tmp_path / "pid")
    alive = await anyio.to_thread.run_sync(is_alive, pid)
    os.kill(pid, 9)
    assert alive


async def test_a_missing_program_and_a_missing_folder_are_os_errors(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        await run(["no-such-program"], cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60)
    with pytest.raises(FileNotFoundError):
        await run(["true"], cwd=tmp_path / "x", environment=ENVIRONMENT, timeout_seconds=60)


async def test_pipes_and_watches_are_closed_again(tmp_path: Path):
    await run(["true"], cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60)
    before = open_files()
    for _ in range(20):
        await run(["true"], cwd=tmp_path, environment=ENVIRONMENT, timeout_seconds=60)
    assert open_files() == before


async def test_output_beyond_the_limit_keeps_head_and_tail(tmp_path: Path):
    finished = await run(
        shell_command("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"),
        cwd=tmp_path,
        environment=ENVIRONMENT,
        timeout_seconds=60,
        limit=1000,
    )
    assert finished.stdout.startswith(b"first\n")
    assert finished.stdout.endswith(b"last\n")
    assert b"bytes of output dropped here" in finished.stdout
    assert len(finished.stdout) < 1100


INTERRUPTED = """
import os
import signal
import sys
from functools import partial
from pathlib import Path

import anyio

from ouroboros.safety.spawn import run

script = "sh -c 'echo $$ > pid; exec sleep 60' & wait"
work = partial(run, cwd=Path.cwd(), environment=dict(os.environ), timeout_seconds=60)
anyio.run(work, ["sh", "-c", script])
"""


@pytest.mark.deep
async def test_ctrl_c_leaves_nothing_running(tmp_path: Path):
    environment = ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await start(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, environment=environment
    )
    try:
        pid = await pid_in(tmp_path / "pid")
        os.killpg(process.pid, signal.SIGINT)
        while await process.read():
            pass
        assert process.exit_code not in {0, None}
        assert await gone(pid)
    finally:
        await process.close()


@pytest.mark.deep
async def test_a_time_out_ends_what_an_inner_spawn_started(tmp_path: Path):
    environment = ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await start(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, environment=environment
    )
    try:
        pid = await pid_in(tmp_path / "pid")
    finally:
        await process.close()
    assert await gone(pid)
