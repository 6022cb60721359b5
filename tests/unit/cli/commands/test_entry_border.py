"""Every failure becomes words and an exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ouroboros.core.errors import Interrupted, Misuse
from ouroboros.faces.cli.entry import main
from ouroboros.faces.cli.groups import Entry
from ouroboros.faces.cli.invocation import say_json
from ouroboros.faces.cli.tree import COMMANDS, root
from tests.unit.cli.commands.calling import Ouro

pytestmark = pytest.mark.real

PROGRAM = "import sys; from ouroboros.faces.cli.entry import main; sys.exit(main(sys.argv[1:]))"


def test_an_unknown_command_is_named_with_the_near_one(ouro: Ouro) -> None:
    assert ouro("sesions", "list") == (
        2,
        "",
        "error: there is no command 'sesions'; did you mean 'sessions'?\n"
        "hint: `ouro --help` shows what it takes\n",
    )
    assert "did you mean 'rename'?" in ouro("sessions", "renam").err


def test_an_unknown_option_is_a_usage_error(ouro: Ouro) -> None:
    ended = ouro("config", "list", "--jsn")

    assert (ended.code, ended.out) == (2, "")
    assert "--jsn" in ended.err
    assert "hint: `ouro config list --help` shows what it takes\n" in ended.err


def test_help_names_every_command_and_imports_none(ouro: Ouro) -> None:
    program = (
        "import sys; from ouroboros.faces.cli.entry import main; main(['--help']);"
        "heavy = {'httpx2', 'rich', 'ssl', 'sqlite3', 'tomlkit', 'tomllib', 'anyio', 'logging'};"
        "print(sorted(heavy & set(sys.modules)),"
        "[name for name in sys.modules if name.startswith('ouroboros.faces.cli.commands.')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ended.stdout.endswith("[] []\n")
    for name, entry in COMMANDS.items():
        assert f"  {name} " in ended.stdout
        assert entry.help in ended.stdout


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_answers_to_help(ouro: Ouro, name: str) -> None:
    ended = ouro(name, "--help")

    assert ended.code == 0
    assert ended.out.startswith(f"Usage: ouro {name} ")


@pytest.mark.parametrize("name", ["policy", "scan", "tools", "explain", "sessions"])
def test_a_group_alone_shows_what_it_holds_and_no_error(ouro: Ouro, name: str) -> None:
    ended = ouro(name)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"Usage: ouro {name} ")
    assert "hint:" not in ended.err


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Adds a command ``fail`` that runs the given statement."""

    def add(statement: str) -> None:
        (tmp_path / "failing_command.py").write_text(
            "import click, errno\nfrom ouroboros.core.errors import *\n"
            "@click.command('fail')\n@click.option('--ephemeral', is_flag=True)\n"
            f"def command(ephemeral):\n    {statement}\n",
            encoding="utf-8",
        )
        sys.modules.pop("failing_command", None)
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        monkeypatch.setitem(root.entries, "fail", Entry("failing_command", ""))

    return add


FATES = [
    ("raise Misuse('bad \\x1b[31mword', hint='good')", 2, "error: bad word\nhint: good\n"),
    ("raise OuroborosError('no')", 1, "error: no\n"),
    ("raise Interrupted('stopped')", 130, "error: stopped\n"),
    ("raise KeyboardInterrupt", 130, "error: interrupted\n"),
    ("raise ExceptionGroup('g', [ExceptionGroup('h', [Misuse('deep')])])", 2, "error: deep\n"),
    ("raise BaseExceptionGroup('g', [KeyboardInterrupt()])", 130, "error: interrupted\n"),
    ("raise SystemExit(7)", 7, ""),
    ("return 3", 3, ""),
]


@pytest.mark.proves("V09")
@pytest.mark.parametrize(("statement", "code", "said"), FATES)
def test_each_kind_of_ending_has_its_code_and_words(
    ouro: Ouro, failing: Callable[[str], None], statement: str, code: int, said: str
) -> None:
    failing(statement)

    assert ouro("fail") == (code, "", said)


@pytest.mark.proves("V25")
def test_a_bug_is_one_line_and_its_traceback_goes_to_the_log(
    ouro: Ouro, failing: Callable[[str], None], home: Path
) -> None:
    failing("raise RuntimeError('first\\nsecond \\x1b[2J')")

    ended = ouro("fail")
    log = home / "log" / "ouro.log"

    assert ended == (
        1,
        "",
        "error: something broke inside: RuntimeError: first\n"
        f"hint: the details are in {log}; --debug shows them here\n",
    )
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.proves("codex-16.6")
def test_a_bug_in_what_is_not_kept_leaves_no_log(
    ouro: Ouro, failing: Callable[[str], None], home: Path
) -> None:
    failing("raise RuntimeError('first')")

    assert ouro("fail", "--ephemeral").err.endswith("hint: --debug shows the details\n")
    assert not home.exists()


@pytest.mark.proves("V25")
def test_debug_shows_the_traceback_wherever_it_stands(
    ouro: Ouro, failing: Callable[[str], None]
) -> None:
    failing("raise RuntimeError('first')")

    ended = ouro("fail", "--debug")

    assert ended.code == 1
    assert "Traceback (most recent call last)" in ended.err


@pytest.mark.proves("interfaces-command-line")
def test_the_words_of_another_program_are_left_to_it(ouro: Ouro, home: Path) -> None:
    rules = home / "rules"
    rules.mkdir(parents=True)
    (rules / "own.rules").write_text(
        'prefix_rule(pattern=["git", "push", "--verbose"], decision="prompt")\n'
    )

    asked = ouro("--profile", "sandbox", "policy", "check", "git", "push", "--verbose", "--debug")

    assert json.loads(asked.out)["decision"] == "prompt"
    assert not (home / "log").exists()
    assert ouro("--verbose", "policy", "check", "git").code == 0
    assert (home / "log").exists()


def test_a_log_that_cannot_be_written_does_not_hide_the_bug(
    ouro: Ouro, failing: Callable[[str], None], home: Path
) -> None:
    home.write_text("a file", encoding="utf-8")
    failing("raise RuntimeError('first')")

    assert ouro("fail").err == (
        "error: something broke inside: RuntimeError: first\nhint: --debug shows the details\n"
    )


@pytest.mark.proves("V26")
def test_verbose_logs_to_the_file_and_not_to_the_screen(
    ouro: Ouro, failing: Callable[[str], None], home: Path
) -> None:
    failing("import logging; logging.getLogger('ouroboros.x').info('noted'); return 0")

    assert ouro("--verbose", "fail") == (0, "", "")
    assert "INFO ouroboros.x: noted" in (home / "log" / "ouro.log").read_text(encoding="utf-8")


def run(script: str, home: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "OUROBOROS_HOME": str(home), "PY": sys.executable}
    command = script.replace("OURO ", f'"$PY" -c "{PROGRAM}" ')
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, env=environment, capture_output=True, text=True
    )


@pytest.mark.deep
def test_a_reader_that_leaves_ends_it_quietly(home: Path, tmp_path: Path) -> None:
    ended = run("OURO config list | true; echo ${PIPESTATUS[0]}", home, tmp_path)

    assert ended.stderr == ""
    assert ended.stdout.strip() in {"0", "141"}


@pytest.mark.deep
def test_a_full_disk_under_the_output_is_said(home: Path, tmp_path: Path) -> None:
    few = run("OURO config list > /dev/full", home, tmp_path)
    ended = run("OURO tools list --json > /dev/full", home, tmp_path)

    assert (few.returncode, ended.returncode) == (1, 1)
    assert few.stderr == ended.stderr
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.deep
def test_closed_output_and_input_break_nothing(home: Path, tmp_path: Path) -> None:
    ended = run("OURO config list >&- 2>&- <&-; echo $?", home, tmp_path)

    assert ended.stdout == "0\n"


@pytest.mark.deep
@pytest.mark.proves("interfaces-command-line")
@pytest.mark.parametrize("option", ["--verbose", "--debug"])
def test_a_program_with_a_log_ends_without_a_word(home: Path, tmp_path: Path, option: str) -> None:
    ended = run(f"OURO {option} config get mode", home, tmp_path)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ask\n", "")
    assert (home / "log" / "ouro.log").is_file()


@pytest.mark.proves("interfaces-command-line")
@pytest.mark.parametrize(
    "words", ["scan secrets - <&-", "debug error table >&-", "export last >&-"]
)
@pytest.mark.deep
def test_a_stream_that_is_closed_breaks_no_command(home: Path, tmp_path: Path, words: str) -> None:
    (tmp_path / "table").write_text('[{"vendor": "openai", "status": 500, "body": ""}]')
    ended = run(f"OURO run --model echo hi 2> told; OURO {words}", home, tmp_path)

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.proves("spine-bad-input")
def test_a_folder_that_vanished_is_said(home: Path, tmp_path: Path) -> None:
    ended = run('mkdir gone && cd gone && rmdir "$PWD" && OURO config list', home, tmp_path)

    assert ended.returncode == 2
    assert ended.stderr.startswith("error: the current folder no longer exists\n")


def test_a_name_the_terminal_cannot_show_is_escaped(home: Path, tmp_path: Path) -> None:
    ended = run(
        "PYTHONIOENCODING=ascii OUROBOROS_MODEL=naïve OURO config get model", home, tmp_path
    )

    assert (ended.returncode, ended.stdout) == (0, "na\\xefve\n")


@pytest.mark.proves("interfaces-command-line")
def test_a_name_that_is_no_unicode_is_escaped_in_json(
    ouro: Ouro, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()

    say_json({"caf\udcff": [Path("/caf\udcff"), ("plain", None, 1.5, {"file": "\udcfe"})]})

    told = json.loads(capsys.readouterr().out)
    assert told == {"caf\\xff": ["/caf\\xff", ["plain", None, 1.5, {"file": "\\xfe"}]]}


@pytest.mark.deep
@pytest.mark.proves("interfaces-command-line")
def test_words_that_are_no_unicode_are_escaped_or_refused(home: Path, tmp_path: Path) -> None:
    said = run("OURO run --model echo --system $'caf\\xff' hi", home, tmp_path)
    called = run("OURO sessions rename last $'caf\\xff'; OURO sessions list", home, tmp_path)
    kept = run("OURO config set model $'caf\\xff'", home, tmp_path)

    assert (said.returncode, said.stdout) == (0, "hi\n")
    assert "caf\\xff" in called.stdout
    assert (kept.returncode, kept.stderr.partition("\n")[0]) == (
        2,
        "error: the value 'caf\\udcff' is no UTF-8",
    )


def test_an_error_of_an_unknown_kind_of_group_is_a_bug(
    ouro: Ouro, failing: Callable[[str], None]
) -> None:
    failing("raise ExceptionGroup('two things', [ValueError('a'), TypeError('b')])")

    assert ouro("fail").err.startswith("error: something broke inside: ExceptionGroup: two things")


def test_the_errors_used_here_have_the_documented_codes() -> None:
    assert (Misuse("x").exit_code, Interrupted("x").exit_code) == (2, 130)
    assert main(["--version"]) == 0
