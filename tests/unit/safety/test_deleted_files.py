"""``rm -f`` of files that can be brought back is a change like others, and everything wider is harm."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ouroboros.safety.commands.classify import alters, classify
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Intent, Rules
from ouroboros.tools.registry import canonical
from tests.cases import every

pytestmark = pytest.mark.real


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("a", "b", "x.pyc", "y.pyc", "sub/d", ".git/config", "../beside"):
        (folder / name).touch()
    (folder / "link").symlink_to(tmp_path / "beside")
    (folder / "way").symlink_to(tmp_path)
    return folder


@pytest.mark.proves("E09")
@every(
    "command, names",
    [
        ("rm -f a", ["a"]),
        ("rm -f -- a b", ["a", "b"]),
        ("rm --force --verbose a", ["a"]),
        ("/bin/rm -fv a", ["a"]),
        ("rm -f *.pyc", ["x.pyc", "y.pyc"]),
        ("rm -f a not-there", ["a"]),
        ("rm -f not-there", []),
        ("rm -f link", ["link"]),
        ("rm -f sub/../a", ["a"]),
        ("ls && rm -f a", ["a"]),
        ("make; rm -f a; rm -f b", ["a", "b"]),
        ("cd sub && rm -f d", ["sub/d"]),
    ],
)
def test_files_that_are_deleted_by_name_are_known(
    command: str, names: list[str], work: Path
) -> None:
    found = classify(command, cwd=work, places=Places(roots=(work,)))
    assert found.kind == "dangerous"
    assert found.deletes is not None
    assert sorted(found.deletes) == [work / name for name in names]
    assert found.as_change().kind == "approve"
    assert "dangerous" not in found.as_change().kinds


@pytest.mark.proves("E09", "E10")
@every(
    "command",
    [
        "rename a b && rm -f b",
        "git mv -f a b && rm -f b",
        "python move.py && rm -f b",
        "python3.12 move.py; rm -f b",
        "rm -rf a", "rm -rf sub", "rm -f sub", "rm -f *", "rm -f .", "rm -f ..", "rm -f ../beside", "rm -f /etc/passwd",
        "rm -f way/beside", "rm -f .git/config", "rm -f $X", "rm -f ~/a", "rm -f {a,b}", "rm -f $(cat a)", "rm -f .*",
        "cd /tmp && rm -f a", "cd .. && rm -f beside", "cd way && rm -f beside", "ln -s /etc s; rm -f a", "mv ../beside c; rm -f a",
        "cp b a; rm -f a", "rm -f a; sudo ls", "rm -f a && bash -c 'rm -f a'", "bash -c 'rm -f a'", "timeout 5 rm -f a",
        "echo $(rm -f a)", "./rm -f a", "rm -f a > /etc/x", "rm -f --no-preserve-root a", "xargs rm -f", "find . -exec rm -f a ';'",
        "rm -f a; eval \"$X\"", "rm -f a | sh", "unlink sub; rm -rf b", "sudo rm -f a", "X=1 rm -fr a",
    ],
)  # fmt: skip
def test_whatever_may_delete_more_stays_lasting_harm(command: str, work: Path) -> None:
    (work / ".git" / "config").write_text("x")
    found = classify(command, cwd=work, places=Places(roots=(work,), person=work.parent))
    assert (found.kind, found.deletes) == ("dangerous", None)


@pytest.mark.proves("E09")
def test_it_counts_as_a_change_only_where_every_file_is_kept(work: Path) -> None:
    asked: list[Sequence[Path]] = []

    def keeps(paths: Sequence[Path]) -> bool:
        asked.append(paths)
        return work / "b" not in paths

    rules = Rules([], Places(roots=(work,)), canonical, keeps=keeps)

    def outcome(command: str) -> tuple[str, str]:
        intent = Intent(tool="shell", kind="execute", command=command)
        found = rules.decide(intent, mode="full-auto")
        return found.outcome, found.warning

    assert outcome("rm -f a") == ("allow", "")
    assert outcome("make; rm -f a") == ("allow", "")
    assert outcome("rm -f a b")[0] == "ask"
    assert "lasting harm" in outcome("rm -f a b")[1]
    assert outcome("rm -rf a")[0] == "ask"
    assert asked[0] == (work / "a",)
    intent = Intent(tool="shell", kind="execute", command="rm -f a")
    found = rules.decide(intent, mode="ask")
    assert (found.outcome, found.warning) == ("ask", "")
    assert "a checkpoint is made first" in found.reason
    assert (
        Rules([], Places(roots=(work,)), canonical).decide(intent, mode="full-auto").outcome
        == "ask"
    )


@pytest.mark.proves("A10")
@every(
    ("command", "is_altering"),
    [
        ("git mv a b", True),
        ("git -C sub -c a=b commit -qm x", True),
        ("make test && git add -A", True),
        ("sed -i s/a/b/ f", True),
        ("sed -n 1,5p f", False),
        ("echo x > f", True),
        ("make test > report.txt 2>&1", True),
        ("make test 2>&1 | tail", False),
        ("ls 2>/dev/null", False),
        ("cat <<'E' >> f\nx\nE", True),
        ("git log --oneline; git status", False),
        ("git -C sub log", False),
        ("pytest -q", False),
        ("bash -c 'rm x'", True),
        ("git --git-dir x commit", True),
        ("perl -MList::Util -e 1", False),
        ("perl -pi.bak -e s/a/b/ f", True),
        ("echo " + "x" * 200_000, True),
        ("", False),
    ],
)
def test_a_command_that_says_it_changes_files_is_known(command: str, is_altering: bool) -> None:
    assert alters(command) is is_altering
