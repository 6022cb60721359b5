"""The guards every test relies on do guard."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketAttribute
from blockbuster import BlockingError

import ouroboros
from tests import purity, signals
from tests.cases import every
from tests.house import rules
from tests.leftovers import left, still_left

pytestmark = pytest.mark.real


def test_a_look_up_beyond_loopback_is_refused() -> None:
    with pytest.raises(RuntimeError, match="only reach loopback"):
        socket.getaddrinfo("example.com", 443)


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_a_connection_beyond_loopback_is_refused(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with (
        socket.socket(family, socket.SOCK_STREAM) as line,
        pytest.raises(RuntimeError, match="only reach loopback"),
    ):
        line.connect((address, 443))


async def test_loopback_is_open() -> None:
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = listener.extra(SocketAttribute.local_port)
    async with listener, await anyio.connect_tcp("localhost", port):
        pass


def test_a_test_sees_neither_a_home_nor_a_key(fresh_home: Path) -> None:
    assert Path.home() == fresh_home
    assert not fresh_home.exists()
    assert os.environ["OUROBOROS_HOME"] == str(fresh_home / ".ouroboros")
    assert [name for name in os.environ if name.endswith("_API_KEY")] == []


@every("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGHUP])
def test_programs_hear_signals_also_where_the_tests_run_behind_a_script(number: int) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        signals.heard()
        program = 'trap "echo heard" INT QUIT HUP; kill -$0 $$'
        said = subprocess.run(
            ["/bin/sh", "-c", program, str(number)], capture_output=True, check=True
        )
    finally:
        signal.signal(number, before)
    assert said.stdout == b"heard\n"


@pytest.mark.proves("divergences-pure-tiers-of-tests")
@pytest.mark.deep
def test_the_inner_loop_reads_no_test_that_is_marked_and_fails_one_that_should_be(
    tmp_path: Path,
) -> None:
    assert purity.is_left_out(Path(__file__))
    assert purity.is_left_out(Path(__file__).parents[1] / "story")
    assert not purity.is_left_out(Path(__file__).with_name("test_catalogue.py"))
    starts = "import subprocess\ndef test_a(): subprocess.run(['true'])\n"
    (tmp_path / "test_a.py").write_text(starts)
    (tmp_path / "test_b.py").write_text(f"import pytest\npytestmark = {purity.MARK}\n{starts}")
    words = ("-q", "-n0", "-p", "no:cacheprovider", "-p", "tests.conftest", "--pure")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "-c", rules.ROOT / "pyproject.toml", tmp_path],
        cwd=rules.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ERROR at teardown of test_a" in done.stdout
    assert "AssertionError: mark its module" in done.stdout
    assert "2 passed, 1 error" in done.stdout


@pytest.mark.proves("A29")
async def test_our_own_code_may_not_block_the_loop() -> None:
    # The guard looks for frames of our package: compile a sleep as if it stood there.
    package = Path(ouroboros.__file__).parent
    sleep = "import time; time.sleep(0)"
    with pytest.raises(BlockingError):
        exec(compile(sleep, str(package / "sleeper.py"), "exec"), {})
    exec(compile(sleep, "/elsewhere/sleeper.py", "exec"), {})


def test_what_a_test_leaves_running_is_found(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    scratch = tmp_path_factory.getbasetemp()
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        assert left(scratch)[child.pid] == "/bin/sleep 60"
        child.kill()
    orphan = subprocess.run(
        ["/bin/sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"],
        env={"PATH": os.environ["PATH"], "HOME": f"{tmp_path}/home"},
        capture_output=True,
        check=True,
    )
    pid = int(orphan.stdout)
    assert pid in left(scratch)
    os.kill(pid, signal.SIGKILL)
    assert child.pid not in left(scratch)
    # By descent it would wait for the browser that tests share, which ends with the last of them.
    assert pid not in still_left(scratch, descent=False)


def test_a_table_in_one_test_tries_every_case_and_names_those_that_fail(tmp_path: Path) -> None:
    tried: list[tuple[int, list[Path]]] = []

    @every(("number", "is_even"), [(1, True), (2, True), (3, False), (4, False)])
    def judge(tmp_path: Path, number: int, is_even: bool) -> None:
        tried.append((number, list(tmp_path.iterdir())))
        (tmp_path / "mine").touch()
        assert (number % 2 == 0) == is_even

    with pytest.raises(ExceptionGroup, match="2 of 4 cases failed") as told:
        judge(tmp_path=tmp_path)
    assert tried == [(1, []), (2, []), (3, []), (4, [])]
    assert [each.__notes__ for each in told.value.exceptions] == [
        ["the case: 1, True"],
        ["the case: 4, False"],
    ]


async def test_a_table_of_an_asynchronous_test_fails_where_nothing_was_raised() -> None:
    @every("word", ["1", "one"])
    async def judge(word: str) -> None:
        await anyio.lowlevel.checkpoint()
        with pytest.raises(ValueError, match="invalid literal"):
            int(word)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases failed"):
        await judge()
