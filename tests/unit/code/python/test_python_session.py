"""Python that a model wrote, in real workers: values, state, stops, and whatever a block may do to them."""

import hashlib
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import anyio
import pytest

from ouroboros.code.python.session import Outcome, PythonSession
from ouroboros.safety.network.inside import Gated
from ouroboros.safety.sandbox import Policy, Sandbox, Unconfined
from ouroboros.safety.sandbox.floor import Floor
from tests.cases import deep_after
from tests.passing import until
from tests.unit.tools.spine import gone

pytestmark = pytest.mark.real

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Python:
    def __init__(self, session: PythonSession, folder: Path) -> None:
        self.session, self.folder = session, folder
        self.heard: list[tuple[str, str]] = []

    async def __call__(
        self, code: str, seconds: float = 20.0, sandbox: Sandbox | None = None
    ) -> Outcome:
        running = self.session.run(
            code, cwd=self.folder, sandbox=sandbox or Unconfined(), seconds=seconds
        )
        outcome: Outcome | None = None
        async with aclosing(running):
            async for said in running:
                if isinstance(said, Outcome):
                    outcome = said
                else:
                    self.heard.append((said.stream, said.text))
        assert outcome is not None
        return outcome


@asynccontextmanager
async def python(folder: Path) -> AsyncGenerator[Python]:
    session = PythonSession(
        interpreter=(sys.executable, "-I"), environment={}, artifacts=folder / "artifacts"
    )
    try:
        yield Python(session, folder)
    finally:
        await session.close()


@pytest.mark.proves("C20")
async def test_variables_imports_and_functions_stay_between_calls(tmp_path: Path):
    async with python(tmp_path) as run:
        first = await run("import math\ndef area(r): return math.pi * r ** 2\nradius = 2")
        second = await run("round(area(radius), 2)")
        third = await run("_ + 1")
    assert (first.ok, first.value, first.names) == (True, "", ("math", "area", "radius"))
    assert (second.value, second.shape, third.value) == ("12.57", "float", "13.57")


VALUES = [
    (
        "{'a': [1, None, True], 'ä': 1.5}",
        '{"a": [1, null, true], "ä": 1.5}',
        "dict of 2: 'a', 'ä'",
    ),
    ("[1, 'x']", '[1, "x"]', "list of 2 (int, str)"),
    ("None", "", ""),
    ("x = 1", "", ""),
    ("(1, 2)", "(1, 2)", "tuple of 2 (int)"),
    ("'a' * 3", "'aaa'", "str of 3"),
    ("float('nan')", "nan", "float"),
    ("class Bad:\n  def __repr__(self): return 1 / 0\nBad()", "<Bad instance at", "Bad"),
    (
        "class Grid:\n  shape = (3, 4)\n  dtype = 'int8'\nGrid()",
        "<__main__.Grid",
        "Grid 3x4 int8",
    ),
    ("10 ** 10000", "<int whose repr failed>", "int"),
]


@pytest.mark.proves("C20")
async def test_the_last_expression_is_the_value(tmp_path: Path):
    async with python(tmp_path) as run:
        told = [(code, await run(code)) for code, _, _ in VALUES]
    wrong = [
        (code, outcome)
        for (code, outcome), (_, value, shape) in zip(told, VALUES, strict=True)
        if not (outcome.ok and outcome.value.startswith(value) and outcome.shape == shape)
        or (value == "") != (outcome.value == "")
    ]
    assert wrong == []


@pytest.mark.deep
async def test_a_huge_value_is_shown_in_part(tmp_path: Path):
    async with python(tmp_path) as run:
        numbers = await run("list(range(10 ** 6))")
        text = await run("'x' * 10 ** 8")
        nested = await run("a = []\na.append(a)\na")
    assert numbers.shape == "list of 1000000 (int)"
    assert max(len(one.value) for one in (numbers, text, nested)) < 9_000
    assert text.shape == "str of 100000000"
    assert nested.ok


async def test_output_streams_while_the_block_runs_and_also_from_children(tmp_path: Path):
    code = (
        "import os, subprocess, sys\nprint('one')\nprint('two', file=sys.stderr)\n"
        "subprocess.run(['echo', 'three'])\nos.write(1, b'four\\n')"
    )
    async with python(tmp_path) as run:
        outcome = await run(code)
    assert outcome.stdout == "one\nthree\nfour\n"
    assert outcome.stderr == "two\n"
    assert ("stderr", "two\n") in run.heard


async def test_an_exception_is_told_with_the_lines_of_the_block(tmp_path: Path):
    async with python(tmp_path) as run:
        failed = await run("def f(x):\n    return 1 / x\nbefore = 1\nf(0)")
        syntax = await run("if True print(1)")
        after = await run("before")
    assert not failed.ok
    assert 'File "<block 1>", line 2, in f\n    return 1 / x' in failed.error
    assert "worker.py" not in failed.error
    assert "SyntaxError" in syntax.error
    assert after.value == "1"


@pytest.mark.proves("C20")
async def test_pictures_come_in_the_order_in_which_they_were_shown(tmp_path: Path):
    code = (
        f"import base64\ndot = base64.b64decode({DOT!r})\n"
        "class Drawn:\n  def _repr_png_(self): return dot + b'2'\n"
        "display(dot + b'1')\ndisplay(Drawn())\ndot + b'3'"
    )
    dot = b64decode(DOT)
    async with python(tmp_path) as run:
        outcome = await run(code)
        text = await run("display({'a': 1})")
    assert outcome.images == tuple(("image/png", dot + end) for end in (b"1", b"2", b"3"))
    assert outcome.value == ""
    assert text.stdout == '{"a": 1}\n'


async def test_figures_of_pyplot_are_pictures_and_are_closed(tmp_path: Path):
    fake = (
        "import sys, types\nplots = types.ModuleType('matplotlib.pyplot')\n"
        "class Figure:\n  def savefig(self, target, format): target.write(b'\\x89PNG\\r\\n\\x1a\\n')\n"
        "plots.numbers = [1, 2]\nplots.get_fignums = lambda: plots.numbers\n"
        "plots.figure = lambda number: Figure()\n"
        "plots.close = lambda which: plots.numbers.clear()\n"
        "sys.modules['matplotlib.pyplot'] = plots"
    )
    async with python(tmp_path) as run:
        assert [kind for kind, _ in (await run(fake)).images] == ["image/png", "image/png"]
        assert (await run("plots.numbers")).value == "[]"


@pytest.mark.proves("C20")
async def test_files_in_the_folder_for_artifacts_are_listed_once(tmp_path: Path):
    async with python(tmp_path) as run:
        first = await run(
            "(artifacts / 'sub').mkdir()\n(artifacts / 'sub/a.csv').write_text('1,2')\n"
            "(artifacts / 'link').symlink_to('/etc/hostname')"
        )
        second = await run("1")
        third = await run("(artifacts / 'sub/a.csv').write_text('1,2,3')")
    (artifact,) = first.artifacts
    assert (artifact.name, artifact.bytes) == ("sub/a.csv", 3)
    assert artifact.sha256 == hashlib.sha256(b"1,2").hexdigest()
    assert second.artifacts == ()
    assert [one.bytes for one in third.artifacts] == [5]


STOPPED = [
    "while True: pass",
    "import time\ntime.sleep(60)",
    "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
    "import threading\nthreading.Event().wait()",
    "while True:\n  try:\n    while True: pass\n  except KeyboardInterrupt:\n    pass\n  break\n"
    "import time\ntime.sleep(60)",
    "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
    "import subprocess\nsubprocess.run(['sleep', '60'])",
]


@pytest.mark.deep
@pytest.mark.proves("C20")
@pytest.mark.parametrize("code", deep_after(2, STOPPED))
async def test_a_block_that_is_stopped_keeps_its_variables(tmp_path: Path, code: str):
    async with python(tmp_path) as run:
        await run("kept = 1")
        pid = run.session.pid
        # However busy the machine is, what is kept is there before the time begins.
        await run("kept = 2")
        stopped = await run(code, 0.3)
        after = await run("kept")
        assert (stopped.ok, stopped.stopped, stopped.lost) == (False, "time", ())
        assert (after.value, run.session.pid) == ("2", pid)


@pytest.mark.deep
@pytest.mark.proves("C20")
async def test_a_block_that_does_not_let_go_is_ended_and_its_names_are_told(tmp_path: Path):
    async with python(tmp_path) as run:
        await run("kept = 1\nother = 2")
        stubborn = "sum(iter(int, 1))"  # counts for ever without a look at anything else
        stopped = await run(stubborn, 0.2)
        after = await run("1 + 1")
    assert (stopped.stopped, stopped.lost) == ("time", ("kept", "other"))
    assert after.value == "2"


@pytest.mark.deep
@pytest.mark.proves("C20")
async def test_a_block_that_holds_the_interpreter_is_interrupted_in_the_sandbox(tmp_path: Path):
    sandbox = Floor(Policy(reach="workspace-write", writable=(tmp_path,)))
    async with python(tmp_path) as run:
        await run("kept = 1", sandbox=sandbox)
        holds = "import ctypes\nctypes.PyDLL(None).sleep(1000)"
        stopped = await run(holds, 0.3, sandbox=sandbox)
        assert (stopped.stopped, stopped.lost) == ("time", ())
        assert (await run("kept", sandbox=sandbox)).value == "1"


@pytest.mark.proves("C20")
async def test_a_cancel_stops_the_block_and_keeps_its_variables(tmp_path: Path):
    async with python(tmp_path) as run:
        await run("kept = 1")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, "kept = 2\nprint('begun', flush=True)\nwhile True: pass")
            await until(lambda: run.heard)
            tasks.cancel_scope.cancel()
        assert (await run("kept")).value == "2"


@pytest.mark.deep
async def test_what_was_said_after_a_block_belongs_to_nobody_elses_result(tmp_path: Path):
    async with python(tmp_path) as run:
        await run("import threading, time\nthreading.Timer(0.2, lambda: print('late')).start()")
        await anyio.sleep(0.4)
        assert (await run("'now'")).value == "'now'"


DEADLY = [
    "import os\nos._exit(3)",
    "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "import ctypes\nctypes.string_at(0)",
    "import os\nfor fd in range(3, 50):\n  try: os.close(fd)\n  except OSError: pass",
    "import os\nos.closerange(0, 100)",
    "import faulthandler\nfaulthandler._sigsegv()",
]


@pytest.mark.proves("C20")
@pytest.mark.parametrize("code", deep_after(2, DEADLY))
async def test_a_worker_that_dies_is_told_and_a_fresh_one_runs_the_next_block(
    tmp_path: Path, code: str
):
    async with python(tmp_path) as run:
        await run("kept = 1")
        died = await run(code, 5)
        assert (died.ok, died.lost) == (False, ("kept",))
        after = await run("print('here')\n1 + 1", 10)
    assert (after.ok, after.value, after.stdout) == (True, "2", "here\n")


HARMFUL = [
    "import sys\nsys.exit(3)",
    "raise SystemExit",
    "input('name? ')",
    "def f(): return f()\nf()",
    "import builtins\nfor name in list(vars(builtins)): delattr(builtins, name)",
    "import builtins\nbuiltins.print = None\nbuiltins.len = None",
    "import sys\nsys.stdout = None\nsys.stderr = None",
    "import sys\nsys.stdout.close()",
    "import sys\nsys.modules.clear()",
    "globals().clear()",
    "import os\npid = os.fork()\nif pid == 0:\n  x = 1\nelse:\n  os.waitpid(pid, 0)",
    "import os\nif os.fork() == 0: raise ValueError",
    "import threading\nthreads = [threading.Thread(target=lambda: 1 / 0) for _ in range(50)]\n"
    "for thread in threads: thread.start()",
    "import signal\nfor number in range(1, 65):\n  try: signal.signal(number, signal.SIG_IGN)\n"
    "  except (OSError, ValueError): pass",
    "import os, tempfile\nplace = tempfile.mkdtemp()\nos.chdir(place)\nos.rmdir(place)",
    "import sys\nsys.setrecursionlimit(10)",
    "b'x' * (5 * 2 ** 30)",
    "import sys\nsys.settrace(lambda *a: 1 / 0)",
    "raise BaseException('\\ud800')",
    "class E(Exception):\n  def __str__(self): raise E\nraise E",
    "import json, os\njson.dumps = None\nos.write = None\nos.getpid = None",
    "import os\nos.environ.clear()",
    "raise KeyboardInterrupt",
    "\x00",
    "'\ud800'",
]


@pytest.mark.proves("sandbox-cage")
@pytest.mark.parametrize("code", deep_after(6, HARMFUL))
async def test_the_next_block_runs_whatever_a_block_did(tmp_path: Path, code: str):
    async with python(tmp_path) as run:
        await run(code, 5)
        after = await run("print('here')\n1 + 1", 10)
    assert (after.ok, after.value, after.stdout) == (True, "2", "here\n"), after


@pytest.mark.deep
@pytest.mark.proves("sandbox-cage")
async def test_a_hundred_megabytes_of_prints_are_counted_and_cut(tmp_path: Path):
    async with python(tmp_path) as run:
        outcome = await run("print('x' * 10 ** 8)\nprint('end')", 60)
        assert len(outcome.stdout) == 1_048_576
        assert outcome.dropped == 10**8 + 5 - 1_048_576
        assert (await run("print('here')")).stdout == "here\n"


@pytest.mark.proves("sandbox-cage")
async def test_frames_that_a_block_forges_end_the_worker_only(tmp_path: Path):
    forge = (
        "import os\nfor fd in range(3, 20):\n"
        "  try: os.write(fd, b'\\xff\\xff\\xff\\xffZ' + b'x' * 100)\n  except OSError: pass"
    )
    async with python(tmp_path) as run:
        assert not (await run(forge, 5)).ok
        assert (await run("1 + 1")).value == "2"


@pytest.mark.proves("C20", "F06")
async def test_the_worker_sees_no_credentials(tmp_path: Path):
    session = PythonSession(
        interpreter=(sys.executable, "-I"),
        environment={"OPENAI_API_KEY": "sk-1", "SHOWN": "1"},
        artifacts=tmp_path / "artifacts",
    )
    try:
        seen = await Python(session, tmp_path)("import os\n'SHOWN' in os.environ, list(os.environ)")
    finally:
        await session.close()
    assert seen.value.startswith("(True,")
    assert "OPENAI_API_KEY" not in seen.value


@pytest.mark.proves("sandbox-cage")
async def test_nothing_is_left_running_at_the_end(tmp_path: Path):
    async with python(tmp_path) as run:
        outcome = await run("import subprocess\nsubprocess.Popen(['sleep', '60']).pid")
        pids = [run.session.pid, int(outcome.value)]
    for pid in pids:
        assert await gone(pid)


@pytest.mark.deep
@pytest.mark.proves("C20")
async def test_another_cage_has_another_worker_also_under_the_same_name(tmp_path: Path):
    """A worker that was started where it may write is not used where it may not."""
    work = tmp_path / "work"
    work.mkdir()
    open_ = Floor(Policy(reach="workspace-write", writable=(tmp_path,)))
    shut = Floor(Policy(reach="read-only"))
    write = f"open({str(work / 'a')!r}, 'a').write('x')"
    async with python(tmp_path) as run:
        first = await run(f"kept = 1\n{write}", sandbox=open_)
        same = await run(f"kept\n{write}", sandbox=open_)
        worker = run.session.pid
        other = await run(write, sandbox=shut)
        assert run.session.pid != worker
        back = await run(write, sandbox=open_)
    assert (first.ok, same.ok, back.ok) == (True, True, True)
    assert "kept" in other.lost
    assert "PermissionError" in other.error or "Permission denied" in other.error
    assert (work / "a").read_text() == "xxx"


@pytest.mark.proves("C20")
async def test_a_way_out_for_each_call_keeps_the_worker(tmp_path: Path):
    gated = Gated(Floor(Policy(reach="workspace-write", writable=(tmp_path,))))
    async with python(tmp_path) as run:
        await run("kept = 1", sandbox=gated)
        assert (await run("kept", sandbox=gated)).value == "1"
        assert (await run("kept", sandbox=gated.cage)).value == "1"
