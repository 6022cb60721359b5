"""`ouro explain` over tables that were written before anybody looked at what it knows."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ouroboros.app.config import layers as config
from ouroboros.app.offline.explain import (
    Asked,
    Subject,
    answers,
    here_of_command,
    here_of_path,
    here_of_url,
)

pytestmark = pytest.mark.real

TABLES = Path(__file__).parent / "explained"
FILES = (
    *[
        "README.md",
        "Makefile",
        "package.json",
        "pyproject.toml",
        "data.csv",
        "data.json",
        "log.txt",
        "x.yml",
        ".env",
        "x.sh",
    ],
    *[
        "src/a.py",
        "src/b.py",
        "src/a.c",
        "src/deep/x.txt",
        "tests/test_a.py",
        "web/app.ts",
        "docs/guide.md",
    ],
    *[
        "script.sh",
        "pkg.tar",
        "pkg.tgz",
        "pkg.zip",
        "log.gz",
        "app.db",
        "a.out",
        "lib.so",
        "script.sed",
        "prog.awk",
    ],
    *[".github/workflows/ci.yml", "node_modules/x/index.js", ".venv/pyvenv.cfg", "sub/.git/config"],
)
LINKS = {
    "link-in": "src/a.py",
    "link-src": "src",
    "link-passwd": "/etc/passwd",
    "link-shadow": "/etc/shadow",
    "link-out": "/etc",
    "link-root": "/",
    "link-chain": "link-passwd",
    "link-dots": "..",
    "link-proc": "/proc/self",
    "link-dev": "/dev",
    "link-git": ".git",
    "dangling": "/nonexistent/x",
    "link-newfile": "../outside/new",
    "loop": "loop",
}
"""What a workspace holds beside its files, and where it leads."""


class Stage(msgspec.Struct, frozen=True):
    """A workspace, a person's home and a folder that is neither."""

    workspace: Path
    home: Path
    outside: Path

    def filled(self, text: str) -> str:
        """The text of a table with the folders of this stage."""
        names = {
            "WS": self.workspace,
            "HOME": self.home,
            "OUT": self.outside,
        }
        text = text.replace("ROOT", "/root").replace("OUTNAME", self.outside.name)
        text = text.replace("HOMENAME", self.home.name)
        for name, folder in names.items():
            if text == name or text.startswith((f"{name}/", f"{name}X")):
                return f"{folder}{text[len(name) :]}"
        return text

    @property
    def asked(self) -> Asked:
        """A session that begins here, with no settings."""
        environment = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        loaded = config.load(self.workspace, environment, {}, managed=self.home / "none.toml")
        return Asked(cwd=self.workspace, loaded=loaded, environment=environment)

    def answered(self, subject: Subject, questions: list[dict[str, object]]) -> list[str]:
        """The class or the decision for each question."""
        lines = map(msgspec.json.encode, questions)
        found = [*answers(subject, lines, self.home)]
        assert len(found) == len(questions)
        return [str(one.get("class") or one.get("decision") or one["error"]) for one in found]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    base = tmp_path_factory.mktemp("figures").resolve()
    made = Stage(base / "workspace", base / "person", base / "outside")
    for folder in (made.workspace, made.home / ".ssh", made.outside):
        folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", made.workspace], check=True)
    for name in FILES:
        (made.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (made.workspace / name).write_text("x\n", encoding="utf-8")
    for name, target in {**LINKS, "link-home": str(made.home)}.items():
        (made.workspace / name).symlink_to(target)
    (made.home / ".ssh" / "id_ed25519").write_text("a key", encoding="utf-8")
    (made.outside / "note.txt").write_text("x", encoding="utf-8")
    (made.workspace / "hard").hardlink_to(made.outside / "note.txt")
    (made.workspace / "fifo").unlink(missing_ok=True)
    subprocess.run(["mkfifo", made.workspace / "fifo"], check=True)
    return made


def lines(name: str) -> Iterator[str]:
    for line in (TABLES / name).read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("# "):
            yield line.replace("␤", "\n")


def commands(kind: str) -> list[str]:
    return [
        text
        for label, text in (line.split(" ", 1) for line in lines("commands.txt"))
        if label == kind
    ]


def called_safe(stage: Stage, texts: list[str]) -> list[str]:
    """What is taken for a read, and of every tenth also what a session would run unasked."""
    asked = stage.asked
    verdicts = stage.answered(
        "command", [{"command": text, "cwd": str(stage.workspace)} for text in texts]
    )
    free = [text for text in texts[::10] if here_of_command(text, asked).decision == "allow"]
    pairs = zip(texts, verdicts, strict=True)
    return [*free, *(text for text, kind in pairs if kind not in {"approve", "dangerous"})]


@pytest.mark.deep
@pytest.mark.proves("E10", "E12")
def test_no_command_that_harms_or_changes_something_is_called_safe(stage: Stage):
    harm, change = commands("harm"), commands("change")
    assert len(harm) >= 500
    assert len(change) >= 60
    assert called_safe(stage, harm + change) == []


@pytest.mark.deep
@pytest.mark.proves("E10", "E12")
def test_no_runner_hides_what_it_runs(stage: Stage):
    ways, programs = (TABLES / "runners.txt").read_text(encoding="utf-8").split("\n\n")
    runners = [way.replace("␤", "\n") for way in ways.split("\n")[1:]]
    assert len(runners) >= 80
    texts = [
        way.replace("{}", program) for way in runners for program in programs.split("\n") if program
    ]
    assert called_safe(stage, texts) == []


@pytest.mark.deep
@pytest.mark.proves("E09", "E12")
def test_of_the_plain_reads_92_percent_run_unasked(stage: Stage):
    reads, asked = commands("read"), stage.asked
    refused = [text for text in reads if here_of_command(text, asked).decision != "allow"]
    assert len(reads) >= 300
    assert len(refused) <= 0.08 * len(reads), refused


def places(stage: Stage, wanted: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in lines("paths.txt"):
        label, operations, path = line.split(" ", 2)
        if label == wanted:
            found.extend((op, stage.filled(path)) for op in operations.split(","))
    return found


def used_unasked(stage: Stage, cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cases that the place allows, or that a session would go on with."""
    root, asked = str(stage.workspace), stage.asked
    verdicts = stage.answered(
        "path", [{"root": root, "op": op, "path": path} for op, path in cases]
    )
    found: list[tuple[str, str]] = []
    for (op, path), verdict in zip(cases, verdicts, strict=True):
        here = here_of_path(op, path, asked)
        if verdict not in {"ask", "deny"} or (here is not None and here.decision == "allow"):
            found.append((op, path))
    return found


@pytest.mark.deep
@pytest.mark.proves("E12")
def test_no_harmful_path_is_used_unasked(stage: Stage):
    cases = places(stage, "no")
    assert len(cases) >= 280
    assert used_unasked(stage, cases) == []


@pytest.mark.deep
@pytest.mark.proves("E12")
def test_of_the_plain_paths_92_percent_are_free(stage: Stage):
    cases = places(stage, "yes")
    free = set(used_unasked(stage, cases))
    assert len(cases) >= 70
    assert len(free) >= 0.92 * len(cases), [one for one in cases if one not in free]


def addresses(wanted: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for line in lines("addresses.txt"):
        label, text = line.split(" ", 1)
        url, *leads = text.split(" -> ")
        named: list[str] = []
        if not leads and text.count(" ") and not text.startswith(("http://exa ", "http:// ")):
            url, *named = text.split(" ")
        if label == wanted:
            found.append({"url": url, "resolves_to": named, "redirect_chain": leads})
    return found


def opened_unasked(stage: Stage, cases: list[dict[str, object]]) -> list[dict[str, object]]:
    verdicts = stage.answered("url", cases)
    return [case for case, verdict in zip(cases, verdicts, strict=True) if verdict == "allow"]


@pytest.mark.proves("E12")
def test_no_address_within_is_opened(stage: Stage):
    cases, asked = addresses("no"), stage.asked
    assert len(cases) >= 200
    assert opened_unasked(stage, cases) == []
    plain = [
        str(case["url"]) for case in cases if not (case["resolves_to"] or case["redirect_chain"])
    ]
    assert [url for url in plain if here_of_url(url, asked).decision == "allow"] == []


@pytest.mark.proves("E12")
def test_of_the_addresses_outside_92_percent_are_open(stage: Stage):
    cases = addresses("yes")
    opened = opened_unasked(stage, cases)
    assert len(opened) >= 0.92 * len(cases), [case for case in cases if case not in opened]
