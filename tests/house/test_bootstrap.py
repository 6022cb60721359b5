"""``./ouro`` and ``./test`` on machines that lack something, and on first calls that go wrong.

What needs no packages runs in every ``./test``; making real environments is for ``--deep``.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ouroboros
from tests.cases import every
from tests.house.rules import ROOT

pytestmark = pytest.mark.real

PERSON = dict(os.environ)
VERSION = f"ouro {ouroboros.__version__}\n"
TOOLS = ("cat", "cmp", "ln", "mkdir", "mv", "readlink", "rm", "sh", "sleep", "touch")
FAKE_PYTHON = '#!/bin/sh\nprintf "%s|" "$@"\n'
type Done = subprocess.CompletedProcess[str]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what a checkout starts with, in a folder whose name needs quoting."""
    home = tmp_path / "a folder's name"
    home.mkdir()
    for name in ("ouro", "test"):
        shutil.copy2(ROOT / name, home / name)
    shutil.copytree(ROOT / "requirements", home / "requirements")
    (home / "src").mkdir()
    return home


@pytest.fixture
def whole(checkout: Path) -> Path:
    """The same with the program in it, and a lock of few packages: they are all it takes to say its version."""
    leaving = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", checkout / "src", ignore=leaving, dirs_exist_ok=True)
    lock = checkout / "requirements" / "run.txt"
    head, *packages = re.split(r"(?m)^(?=\w)", lock.read_text("utf-8"))
    lock.write_text(head + "".join(packages[:2]), encoding="utf-8")
    return checkout


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has uv."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "uv").symlink_to(Path(sys.executable).with_name("uv"))
    return PERSON | {"PATH": f"{tmp_path / 'tools'}:{PERSON['PATH']}"}


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine with no Python, no uv, no git and an empty home."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None, tool
        (programs / tool).symlink_to(found)
    return {"PATH": str(programs), "HOME": str(tmp_path / "nobody")}


def call(
    script: Path, *arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> Done:
    return subprocess.run(
        [str(script), *arguments],
        env=PERSON if env is None else env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def pretend(checkout: Path, lock: str = "run.txt") -> Path:
    """An environment whose Python only prints its arguments."""
    environment = checkout / ".venv"
    python = environment / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(FAKE_PYTHON, encoding="utf-8")
    python.chmod(0o755)
    shutil.copyfile(checkout / "requirements" / lock, environment / "ready")
    return environment


@pytest.mark.proves("spine-commands")
def test_no_python_is_named_with_the_fix(checkout: Path, bare: dict[str, str]) -> None:
    done = call(checkout / "ouro", "--version", env=bare)
    assert (done.returncode, done.stdout) == (69, "")
    assert "Python >= 3.12 is needed" in done.stderr
    assert "install one:" in done.stderr
    assert "OURO_PYTHON=" in done.stderr
    assert "git was not found" in done.stderr
    assert not (checkout / ".ouro-lock").exists()


@pytest.mark.proves("spine-commands")
def test_no_git_is_named_with_the_fix_before_anything_is_made(
    checkout: Path, bare: dict[str, str]
) -> None:
    done = call(checkout / "test", env=bare)
    assert (done.returncode, done.stdout) == (69, "")
    assert "git was not found" in done.stderr
    assert "apt-get install git" in done.stderr
    assert not (checkout / ".venv-dev").exists()


@pytest.mark.parametrize("person", ["0", pytest.param("1000", marks=pytest.mark.deep)])
def test_what_tests_write_is_in_memory_for_root_alone_and_gone_afterwards(
    checkout: Path, bare: dict[str, str], person: str
) -> None:
    scratch, programs = checkout.parent / "scratch", Path(bare["PATH"])
    python = checkout / ".venv-dev" / "bin" / "python"
    python.parent.mkdir(parents=True)
    scratch.mkdir()
    shutil.copy2(checkout / "requirements/dev.txt", checkout / ".venv-dev/ready")
    (programs / "id").write_text(f"#!/bin/sh\necho {person}\n", encoding="utf-8")
    python.write_text(
        f'#!/bin/sh\necho "$@"; for each in "{scratch}"/*; do stat -f -c %T "$each"; done; exit 0\n',
        encoding="utf-8",
    )
    for program in (programs / "id", python):
        program.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    done = call(
        checkout / "test", "--quick", "-x", env=bare | {"PATH": path, "TMPDIR": f"{scratch}"}
    )
    words = done.stdout.split()
    is_told = any(word.startswith(f"--basetemp={scratch}/") for word in words)
    assert (done.returncode, words[:2], list(scratch.iterdir())) == (0, ["-m", "pytest"], [])
    assert is_told == ("tmpfs" in words)
    assert not (is_told and person != "0")


def test_a_missing_browser_is_named_with_the_fix(checkout: Path, bare: dict[str, str]) -> None:
    programs = Path(bare["PATH"])
    (programs / "git").symlink_to("/bin/false")
    for browser in ("", "chromium", "google-chrome"):
        if browser:
            (programs / browser).symlink_to("/bin/false")
        done = call(checkout / "test", env=bare | {"OURO_PYTHON": "/bin/false"})
        assert ("apt-get install chromium" in done.stderr) == (not browser)
        assert done.returncode == 69
        if browser:
            (programs / browser).unlink()


def test_a_named_python_that_is_too_old_or_broken_is_refused(
    checkout: Path, bare: dict[str, str]
) -> None:
    done = call(checkout / "ouro", env=bare | {"OURO_PYTHON": "/bin/false"})
    assert done.returncode == 69
    assert "OURO_PYTHON is /bin/false" in done.stderr


def test_a_shim_that_does_not_run_is_passed_over(checkout: Path, bare: dict[str, str]) -> None:
    shim = Path(bare["PATH"]) / "python3.13"
    shim.write_text("#!/bin/sh\necho 'command not found' >&2\nexit 127\n", encoding="utf-8")
    shim.chmod(0o755)
    pyenv = checkout.parent / "pyenv" / "versions" / "3.12.9" / "bin"
    pyenv.mkdir(parents=True)
    # Stands in for a Python that works but can make no environment.
    found = pyenv / "python3"
    found.write_text(f"#!/bin/sh\n[ $2 = -c ] && echo {found}\n", encoding="utf-8")
    found.chmod(0o755)
    done = call(checkout / "ouro", env=bare | {"PYENV_ROOT": str(pyenv.parents[2])})
    assert f"Python: {found}" in done.stderr
    assert done.returncode == 69


@pytest.mark.proves("spine-commands")
def test_a_ready_environment_starts_from_anywhere_with_every_argument(
    checkout: Path, bare: dict[str, str], tmp_path: Path
) -> None:
    pretend(checkout)
    (tmp_path / "link").symlink_to("a folder's name/ouro")
    expected = "-I|-m|ouroboros|run|two words||*|"
    words = ("run", "two words", "", "*")
    env = bare | {"CDPATH": "/"}
    assert call(checkout / "ouro", *words, env=env, cwd=Path("/")).stdout == expected
    assert call(tmp_path / "link", *words, env=env).stdout == expected
    assert call(Path("a folder's name/ouro"), *words, env=env, cwd=tmp_path).stdout == expected
    assert call(Path("../ouro"), *words, env=env, cwd=checkout / "src").stdout == expected
    sh = subprocess.run(
        ["sh", "ouro", *words], cwd=checkout, env=env, capture_output=True, text=True, check=True
    )
    assert sh.stdout == expected


def test_a_touched_lock_costs_a_look_and_a_changed_one_a_new_environment(
    checkout: Path, bare: dict[str, str]
) -> None:
    lock = checkout / "requirements" / "run.txt"
    ready = pretend(checkout) / "ready"
    os.utime(ready, (1, 1))
    assert call(checkout / "ouro", "x", env=bare).stdout == "-I|-m|ouroboros|x|"
    assert ready.stat().st_mtime > 1
    with lock.open("a", encoding="utf-8") as text:
        text.write("# another wish\n")
    os.utime(ready, (1, 1))
    done = call(checkout / "ouro", "x", env=bare)
    assert (done.returncode, done.stdout) == (69, "")
    assert "making the environment .venv" in done.stderr


def test_what_a_dead_builder_left_is_swept_up(checkout: Path, bare: dict[str, str]) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    gate = checkout / ".ouro-lock"
    gate.mkdir()
    (gate / "pid").write_text(f"{dead.pid}\n", encoding="utf-8")
    half = checkout / f".venv.tmp.{dead.pid}"
    half.mkdir()
    done = call(checkout / "ouro", env=bare)
    assert f"process {dead.pid} died" in done.stderr
    assert not half.exists()
    assert not gate.exists()


def test_a_second_call_waits_for_a_living_builder_and_uses_its_work(
    checkout: Path, bare: dict[str, str]
) -> None:
    pause = Path(bare["PATH"]) / "sleep"  # it looks every second
    pause.unlink()
    pause.write_text("#!/bin/sh\nexec /bin/sleep 0.02\n", encoding="utf-8")
    pause.chmod(0o755)
    gate = checkout / ".ouro-lock"
    gate.mkdir()
    (gate / "pid").write_text(f"{os.getpid()}\n", encoding="utf-8")
    waiting = subprocess.Popen(
        [checkout / "ouro", "x"],
        env=bare,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr is not None
    assert f"waiting for process {os.getpid()}" in waiting.stderr.readline()
    pretend(checkout)
    shutil.rmtree(gate)
    assert waiting.communicate(timeout=60)[0] == "-I|-m|ouroboros|x|"


def test_a_checkout_that_cannot_be_written_is_named(checkout: Path, bare: dict[str, str]) -> None:
    # Root may write everywhere, unless that right is taken away.
    setpriv = shutil.which("setpriv") or "setpriv"
    without = [setpriv, "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    checkout.chmod(0o555)
    done = subprocess.run(
        [*without, checkout / "ouro"],
        env=bare,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    checkout.chmod(0o755)
    assert done.returncode == 69
    assert f"cannot write to {checkout}" in done.stderr


CLOSINGS = (
    ("3 passed", "1 passed", 0, "=== 3 passed in 0.10s ==="),
    ("1 failed, 2 passed", "1 passed", 1, "=== 1 failed, 2 passed in 0.10s ==="),
    ("3 passed", "1 error", 1, "=== 3 passed in 0.10s ==="),
    ("", "1 passed", 1, "pytest did not come to its end"),
)
"""What pytest says of all tests and of the pure ones on the other Python, the exit code, and the last line."""


@pytest.mark.proves("spine-commands")
def test_ci_runs_both_and_closes_with_what_pytest_said(
    checkout: Path, bare: dict[str, str]
) -> None:
    runs = checkout / ".ci" / "run"
    runs.parent.mkdir()
    shutil.copy2(ROOT / ".ci" / "run", runs)
    for name in ("git", "rg", "apt-get", "chromium"):  # there, so that nothing is installed
        (Path(bare["PATH"]) / name).symlink_to("/bin/false")
    (Path(bare["PATH"]) / "python3.13").symlink_to("/bin/true")
    env = bare | {"PATH": f"{bare['PATH']}:{os.defpath}"}
    wrong: list[object] = []
    for whole, pure, code, last in CLOSINGS:
        (checkout / "test").write_text(
            f"""#!/bin/sh
case "$*" in --deep=[1-4]/4) said='{whole}' ;; "--python=python3.13 --pure") said='{pure}' ;; esac
[ -n "$said" ] || exit 2
echo "=== $said in 0.10s ==="
echo "test: done" >&2
case $said in *failed* | *error*) exit 1 ;; esac
""",
            encoding="utf-8",
        )
        done = call(runs, env=env, cwd=Path("/"))
        lines = done.stdout.splitlines()
        is_right = f"=== {pure} in 0.10s ===" in lines[-4:]
        if (done.returncode, lines[-1], is_right) != (code, last, True):
            wrong.append((whole, pure, done.returncode, lines))
    assert wrong == []


def test_ci_installs_what_the_tests_need_where_it_is_not_there(
    checkout: Path, bare: dict[str, str]
) -> None:
    runs = checkout / ".ci" / "run"
    runs.parent.mkdir()
    shutil.copy2(ROOT / ".ci" / "run", runs)
    (checkout / "test").write_text("#!/bin/sh\n", encoding="utf-8")
    programs = Path(bare["PATH"])
    for name in ("git", "rg", "openssl"):
        (programs / name).symlink_to("/bin/false")
    for name in ("bash", "dirname", "grep", "mktemp", "tail", "tee", "env"):
        found = shutil.which(name)
        assert found is not None, name
        (programs / name).symlink_to(found)
    asked = checkout / "asked"
    for name in ("apt-get", "sudo"):
        program = programs / name
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{asked}"\n', encoding="utf-8")
        program.chmod(0o755)
    call(runs, env=bare, cwd=Path("/"))
    for package in ("chromium", "bubblewrap", "strace"):
        said = f"install -q -y --no-install-recommends {package}\n"
        assert said in asked.read_text(encoding="utf-8")


@pytest.mark.proves("spine-commands")
@pytest.mark.deep
def test_two_first_calls_at_once_both_work_and_the_next_needs_nothing(
    whole: Path, person: dict[str, str]
) -> None:
    both = [
        subprocess.Popen(
            [whole / "ouro", "--version"],
            env=person | {"CDPATH": "/"},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ends = [each.communicate(timeout=300) for each in both]
    assert [end[0] for end in ends] == [VERSION, VERSION], ends
    assert call(whole / "ouro", "--version", env={}).stdout == VERSION
    left = {path.name for path in whole.iterdir()}
    assert left - {".tools"} == {".venv", "ouro", "requirements", "src", "test"}
    moved = whole.rename(whole.with_name("elsewhere"))
    assert call(moved / "ouro", "--version", env={}).stdout == VERSION


@pytest.mark.proves("spine-commands")
@pytest.mark.parametrize(
    ("number", "seconds"),
    [
        pytest.param(signal.SIGINT, 0.3, marks=pytest.mark.deep),
        pytest.param(signal.SIGKILL, 0.6, marks=pytest.mark.deep),
        *(
            pytest.param(number, seconds, marks=pytest.mark.soak)
            for number in (signal.SIGINT, signal.SIGKILL)
            for seconds in (0.1, 0.2, 0.4, 0.9, 1.2, 2.4)
        ),
    ],
)
def test_a_first_call_that_was_cut_off_can_be_made_again(
    whole: Path, person: dict[str, str], seconds: float, number: int
) -> None:
    cut = subprocess.Popen(
        [whole / "ouro", "--version"],
        env=person,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(cut.pid, number)
    cut.wait()
    if number == signal.SIGINT:
        assert [path.name for path in whole.iterdir() if ".tmp." in path.name] == []
        assert not (whole / ".ouro-lock").exists()
    done = call(whole / "ouro", "--version", env=person)
    assert (done.returncode, done.stdout) == (0, VERSION), done.stderr
    assert [path.name for path in whole.iterdir() if ".tmp." in path.name] == []


@pytest.mark.soak
def test_pip_does_it_where_uv_cannot(whole: Path) -> None:
    (whole / "requirements" / "uv.txt").write_text("nothing-of-this-name==1\n", encoding="utf-8")
    env = PERSON | {"OURO_PYTHON": sys.executable, "UV_OFFLINE": "1", "UV_NO_CACHE": "1"}
    done = call(whole / "ouro", "--version", env=env)
    assert (done.returncode, done.stdout) == (0, VERSION), done.stderr


@pytest.mark.deep
def test_a_package_that_is_not_the_locked_one_is_refused(
    whole: Path, person: dict[str, str]
) -> None:
    lock = whole / "requirements" / "run.txt"
    wrong = re.sub("sha256:.{8}", "sha256:00000000", lock.read_text("utf-8"))
    lock.write_text(wrong, encoding="utf-8")
    done = call(whole / "ouro", "--version", env=person)
    assert (done.returncode, done.stdout) == (69, "")
    assert not (whole / ".venv").exists()


def holds(checkout: Path, *extras: str) -> Path:
    """A pretended environment that holds these extras."""
    environment = pretend(checkout)
    for extra in extras:
        with (environment / "ready").open("a", encoding="utf-8") as ready:
            ready.write((checkout / "requirements" / f"extra-{extra}.txt").read_text("utf-8"))
    return environment


def listed(checkout: Path, env: dict[str, str]) -> dict[str, str]:
    done = call(checkout / "ouro", "extras", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return {line[:10].strip(): line[10:].strip() for line in done.stdout.splitlines()}


def test_an_extra_that_was_added_is_part_of_every_later_environment(
    checkout: Path, bare: dict[str, str]
) -> None:
    unset = dict.fromkeys(("bedrock", "keyring", "litellm", "search"), "not added")
    assert listed(checkout, bare) == unset
    holds(checkout, "bedrock", "litellm")
    done = call(checkout / "ouro", "extras", "add", "litellm", "bedrock", env=bare)
    assert (done.returncode, done.stderr) == (0, "ouro: added: litellm bedrock\n")
    assert listed(checkout, bare) == unset | {"bedrock": "added", "litellm": "added"}
    assert call(checkout / "ouro", "x", env=bare).stdout == "-I|-m|ouroboros|x|"
    lock = checkout / "requirements" / "extra-bedrock.txt"
    lock.write_text("# another wish\n", encoding="utf-8")
    os.utime(checkout / ".venv" / "ready", (1, 1))
    done = call(checkout / "ouro", "x", env=bare)
    assert "making the environment .venv" in done.stderr


def test_an_extra_that_cannot_be_had_leaves_everything_as_it_was(
    checkout: Path, bare: dict[str, str]
) -> None:
    holds(checkout, "search")
    call(checkout / "ouro", "extras", "add", "search", env=bare)
    done = call(checkout / "ouro", "extras", "add", "search", "litellm", env=bare)
    assert done.returncode == 69
    assert "nothing was added" in done.stderr
    found = listed(checkout, bare)
    assert (found["litellm"], found["search"]) == ("not added", "added")
    assert call(checkout / "ouro", "x", env=bare).stdout == "-I|-m|ouroboros|x|"


def test_an_extra_may_be_removed(checkout: Path, bare: dict[str, str]) -> None:
    environment = holds(checkout, "search")
    call(checkout / "ouro", "extras", "add", "search", env=bare)
    shutil.copyfile(checkout / "requirements" / "run.txt", environment / "ready")
    done = call(checkout / "ouro", "extras", "remove", "search", env=bare)
    assert (done.returncode, done.stderr) == (0, "ouro: removed: search\n")
    assert listed(checkout, bare)["search"] == "not added"


def test_an_extra_that_cannot_be_left_out_stays(checkout: Path, bare: dict[str, str]) -> None:
    holds(checkout, "search")
    call(checkout / "ouro", "extras", "add", "search", env=bare)
    done = call(checkout / "ouro", "extras", "remove", "search", env=bare)
    assert done.returncode == 69
    assert "nothing was removed" in done.stderr
    assert listed(checkout, bare)["search"] == "added"
    assert call(checkout / "ouro", "x", env=bare).stdout == "-I|-m|ouroboros|x|"


@every("words", [("add",), ("add", "bedrok"), ("add", "../run"), ("add", ""), ("what",)])
def test_a_wrong_word_for_an_extra_is_answered_with_the_right_ones(
    checkout: Path, bare: dict[str, str], words: tuple[str, ...]
) -> None:
    done = call(checkout / "ouro", "extras", *words, env=bare)
    assert (done.returncode, done.stdout) == (64, "")
    assert "./ouro extras [list | add NAME... | remove NAME...]" in done.stderr
    assert "bedrock" in done.stderr
    assert not (checkout / ".venv").exists()


@pytest.mark.soak
def test_all_packages_and_uv_are_had_where_there_is_nothing_yet(whole: Path) -> None:
    shutil.copy2(ROOT / "requirements" / "run.txt", whole / "requirements")
    done = call(whole / "ouro", "demo", env=PERSON | {"OURO_PYTHON": sys.executable})
    assert (done.returncode, "tests pass" in done.stdout) == (0, True), done.stderr


@pytest.mark.soak
def test_botocore_is_there_once_its_extra_was_added(whole: Path) -> None:
    done = call(whole / "ouro", "extras", "add", "bedrock", "search")
    assert done.returncode == 0, done.stderr
    python = str(whole / ".venv" / "bin" / "python")
    asked = subprocess.run([python, "-I", "-c", "import botocore"], check=False)
    assert asked.returncode == 0
    assert call(whole / "ouro", "--version", env={}).stdout == VERSION
    assert call(whole / "ouro", "extras", "remove", "bedrock").returncode == 0
    asked = subprocess.run(
        [python, "-I", "-c", "import botocore"], check=False, capture_output=True
    )
    assert asked.returncode == 1
