"""`ouro browse` and `ouro demo browse` as a person runs them: real Chromium, real pages, real pipes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ouroboros.app.demo.site.server import Shop, open_shops
from tests import forked


@pytest.fixture
def shops() -> Iterator[tuple[Shop, ...]]:
    with open_shops() as opened:
        yield opened


def script(folder: Path, *blocks: str) -> str:
    """A model that answers with these blocks."""
    path = folder / "turns.jsonl"
    turns = [json.dumps({"text": f"```repl\n{block}\n```"}) for block in blocks]
    path.write_text("\n".join(turns) + "\n", encoding="utf-8")
    return f"script:{path}"


def command(*words: str) -> list[str]:
    return [sys.executable, "-I", "-m", "ouroboros", *words]


def environment(folder: Path, **extra: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), **extra}


def ouro(folder: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return forked.run(
        command(*words),
        capture_output=True,
        text=True,
        env=environment(folder, **extra),
        cwd=folder,
        timeout=90,
        check=False,
    )


def browse(
    folder: Path, blocks: Sequence[str], *words: str, **extra: str
) -> subprocess.CompletedProcess[str]:
    return ouro(folder, "browse", "--model", script(folder, *blocks), *words, **extra)


def running_on(folder: Path) -> list[int]:
    """Processes that were started with a profile in this folder."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if f"--user-data-dir={folder}".encode() in words:
                found.append(int(entry.name))
    return found


@pytest.mark.deep
@pytest.mark.proves("browser-demo")
def test_the_demo_orders_the_cheapest_of_600_and_leaves_nothing(tmp_path: Path) -> None:
    ended = ouro(tmp_path, "demo", "browse")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (found["shop"], found["price"], found["compared"]) == ("Mill Lane Shop", 40.79, 600)
    assert "Checked apart from the agent" in ended.stderr
    assert "Iteration 5/25, tab_3 http://127.0.0.1:" in ended.stderr
    assert "Click #order in tab_3" in ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr
    assert not list(tmp_path.glob("ouro-demo-*"))
    assert running_on(tmp_path) == []


@pytest.mark.proves("browser-start")
def test_without_a_browser_the_demo_says_how_to_get_one(tmp_path: Path) -> None:
    ended = browse(tmp_path, ["1"], "look", OUROBOROS_BROWSER_PROGRAM="no-such-browser")
    assert ended.returncode == 69
    assert "no-such-browser" in ended.stderr
    assert "hint: " in ended.stderr
    assert ended.stdout == ""


@pytest.mark.deep
@pytest.mark.proves("B02", "browser-commands", "browser-new-origin")
def test_a_value_comes_whole_from_named_places_and_the_person_sees_steps(
    tmp_path: Path, shops: tuple[Shop, ...]
) -> None:
    blocks = [
        f"const tab = await openTab('{shops[0].url}'); const read = await getText(tab)",
        f"await openTab('{shops[1].url}')",
        "log('counting'); const text = 'ü'.repeat(5_000_000); setFinal(tabs.length + text)",
    ]
    place = shops[1].url.split("/")[2]
    ended = browse(tmp_path, blocks, "--allow-domain", place, f"look at {shops[0].url}")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "3" + "ü" * 5_000_000 + "\n"
    assert shops[1].asked[0] == "/"
    assert f"Open {shops[0].url}" in ended.stderr
    assert "  counting" in ended.stderr
    assert "Continue with: ouro browse --resume ses_" in ended.stderr
    assert len(ended.stderr) < 4_000


@pytest.mark.deep
@pytest.mark.proves("browser-new-origin")
def test_a_new_place_after_reading_is_refused_where_nobody_can_be_asked(
    tmp_path: Path, shops: tuple[Shop, ...]
) -> None:
    read = f"const tab = await openTab('{shops[0].url}'); const text = await getText(tab)"
    blocks = [
        read,
        f"await openTab('{shops[1].url}?stolen=' + encodeURIComponent(text.slice(0, 50)))",
        f"await execInTab(tab, `fetch('{shops[1].url}?stolen=1', {{mode: 'no-cors'}})`)",
        "setFinal('went on')",
    ]
    ended = browse(tmp_path, blocks, "--mode", "full-auto", f"look at {shops[0].url}")
    assert (ended.returncode, "nobody was here to approve" in ended.stderr) == (0, True)
    assert ended.stdout == "went on\n"
    assert "a new place, after reading data of" in ended.stderr
    assert shops[1].asked == []


@pytest.mark.deep
@pytest.mark.proves("browser-commands")
def test_the_result_goes_into_a_file_and_data_into_a_variable(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("name,price\na,2\nb,3\n", encoding="utf-8")
    blocks = ["setFinal(data.map((row) => Number(row.price)).reduce((a, b) => a + b))"]
    words = ("--data", "prices.csv", "--output", "sum.json", "add")
    ended = browse(tmp_path, blocks, *words)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    assert (tmp_path / "sum.json").read_text("utf-8") == "5"
    assert "Wrote 1 bytes to" in ended.stderr


@pytest.mark.deep
@pytest.mark.proves("B04")
def test_a_limit_of_iterations_ends_with_3_and_the_best_answer(tmp_path: Path) -> None:
    blocks = ["let n = 1", "n += 1", "setFinal(`partly ${n}`)"]
    ended = browse(tmp_path, blocks, "--max-iterations", "2", "count")
    assert (ended.returncode, ended.stdout) == (3, "partly 2\n"), ended.stderr


@pytest.mark.deep
@pytest.mark.proves("C08")
def test_the_mind_that_calls_tools_browses_too(tmp_path: Path, shops: tuple[Shop, ...]) -> None:
    code = f"const tab = await openTab('{shops[0].url}'); await waitForLoad(tab); tabs.length"
    turns: list[dict[str, object]] = [
        {"tool_calls": [{"name": "browser_execute", "arguments": {"code": code}}]},
        {"tool_calls": [{"name": "browser_observe", "arguments": {}}]},
        {"text": "Two tabs."},
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    words = ("--mind", "tools", "--model", f"script:{path}", f"look at {shops[0].url}")
    ended = ouro(tmp_path, "browse", *words)
    assert (ended.returncode, ended.stdout) == (0, "Two tabs.\n"), ended.stderr
    assert "title: North Street Shop" in ended.stderr


@pytest.mark.deep
@pytest.mark.proves("browser-no-orphans")
def test_ctrl_c_stops_the_run_and_the_browser(tmp_path: Path, shops: tuple[Shop, ...]) -> None:
    model = script(tmp_path, f"await openTab('{shops[0].url}'); log('there'); await sleep(9000)")
    with forked.Popen(
        command("browse", "--model", model, f"look at {shops[0].url}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
        cwd=tmp_path,
    ) as process:
        deadline = time.monotonic() + 120
        while not shops[0].asked and time.monotonic() < deadline:
            time.sleep(0.05)
        assert running_on(tmp_path) != []
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert running_on(tmp_path) == []


@pytest.mark.deep
@pytest.mark.proves("browser-no-orphans")
def test_a_killed_run_leaves_no_browser(tmp_path: Path, shops: tuple[Shop, ...]) -> None:
    model = script(tmp_path, f"await openTab('{shops[0].url}'); await sleep(9000)")
    with forked.Popen(
        command("browse", "--model", model, f"look at {shops[0].url}"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
        cwd=tmp_path,
    ) as process:
        deadline = time.monotonic() + 120
        while not shops[0].asked and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
    deadline = time.monotonic() + 120
    while running_on(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running_on(tmp_path) == []


@pytest.mark.deep
@pytest.mark.proves("browser-mistakes-at-the-command-line")
def test_a_browser_that_does_not_start_ends_the_run_that_needs_it(tmp_path: Path) -> None:
    program = tmp_path / "browser.sh"
    program.write_text("#!/bin/sh\necho cannot find a library >&2\nexit 1\n")
    program.chmod(0o755)
    blocks = ["await openTab()", "setFinal('made up')"]
    ended = browse(tmp_path, blocks, "go", OUROBOROS_BROWSER_PROGRAM=str(program))
    assert (ended.returncode, ended.stdout) == (1, "")
    told = f"error: {program} did not start (exit code 1): cannot find a library\nhint: start it by hand"
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.deep
@pytest.mark.proves("C11")
def test_profiles_are_listed_and_removed(tmp_path: Path) -> None:
    made = browse(
        tmp_path, ["await openTab('about:blank'); setFinal(1)"], "--profile", "work", "go"
    )
    assert made.returncode == 0, made.stderr
    assert ouro(tmp_path, "browser", "profiles").stdout.startswith("work  ")
    assert "profile work: free" in ouro(tmp_path, "browser", "status").stdout
    assert ouro(tmp_path, "browser", "profiles", "remove", "work").returncode == 2
    assert ouro(tmp_path, "browser", "profiles", "remove", "work", "--yes").returncode == 0
    assert ouro(tmp_path, "browser", "profiles").stdout == ""
    assert ouro(tmp_path, "browser", "stop").stderr == "Nothing of ours is running\n"


@pytest.mark.deep
@pytest.mark.proves("browser-start")
def test_the_doctor_starts_a_browser_and_a_worker(tmp_path: Path) -> None:
    with TemporaryDirectory(prefix="o") as short:
        ended = ouro(tmp_path, "browser", "doctor", "--json", TMPDIR=short)
        assert not list(Path(short).iterdir())
    checks = {check["name"]: check for check in json.loads(ended.stdout)}
    assert ended.returncode == 0
    assert checks["browser"]["verdict"] == "ok"
    assert "answers over its pipe" in checks["browser start"]["said"]
    assert checks["code cage"]["verdict"] in {"ok", "warning"}


@pytest.mark.deep
@pytest.mark.proves("C11")
def test_a_window_without_a_screen_is_refused(tmp_path: Path) -> None:
    for words in (("browse", "--headed", "look"), ("browser", "open")):
        ended = ouro(tmp_path, *words, OUROBOROS_MODEL="echo")
        assert ended.returncode == 2
        assert "there is no screen" in ended.stderr
