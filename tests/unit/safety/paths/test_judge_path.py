"""What may be done with a path, over hostile and harmless spellings in a workspace full of traps."""

import io
import os
import socket
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ouroboros.safety.paths import judge_path
from tests.cases import every
from tests.unit.safety.paths import case_words

pytestmark = pytest.mark.real

TABLES = [name for name in vars(case_words) if name.isupper()]


def cases() -> Iterator[tuple[str, str, str]]:
    for table in TABLES:
        for line in getattr(case_words, table).strip().splitlines():
            decision, operations, written = line.split(" ", 2)
            path = written.encode("latin-1", "backslashreplace").decode("unicode_escape")
            for op in operations.split(","):
                yield decision, op, path


CASES = list(cases())


def whole(path: str, root: Path) -> str:
    if path.startswith("@"):
        return f"{root}{path[1:]}"
    return f"{root.parent}{path[1:]}" if path.startswith("^") else path


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    around = tmp_path_factory.mktemp("around").resolve()
    root = around / "ws"
    for folder in (
        *(
            "ws/src/deep",
            "ws/docs",
            "ws/.git/refs",
            "ws/.git/hooks",
            "ws/sub/.git",
            "ws/.ouroboros",
        ),
        *("outside", "ws-evil", "home/.ouroboros"),
    ):
        (around / folder).mkdir(parents=True)
    for name in (
        *("ws/README.md", "ws/src/app.py", "ws/.git/config", "ws/.git/HEAD", "ws/hard-inside-1"),
        *("outside/file", "ws-evil/file", "home/.ouroboros/keys.toml", "outside/hard"),
    ):
        (around / name).write_text("x\n")
    os.link(around / "outside/hard", root / "hard")
    os.link(around / "outside/hard", root / "src/hard")
    os.link(root / "hard-inside-1", root / "hard-inside-2")
    os.mkfifo(root / "pipe")
    for name, target in {
        "inner-link": "src/app.py",
        "inner-folder": "src",
        "outer-name": "/etc/hostname",
        "outer-folder": "../outside",
        "chain": "relative-out",
        "relative-out": "src/../../outside/file",
        "dangling-out": "../outside/not-there",
        "loop": "loop",
        "loop-a": "loop-b",
        "loop-b": "loop-a",
        "git-link": ".git",
        "git-head": ".git/HEAD",
        "to-root": "/",
        "passwd-by-root": "/usr",
        "round": "../outside/back",
        "proc-root": "/proc/self/root",
        "fd-link": "/dev/fd/0",
        "dev-zero": "/dev/zero",
        "dev-null-link": "/dev/null",
        "pipe-link": "pipe",
        "vault-link": "../home/.ouroboros/keys.toml",
        "vault-folder": "../home/.ouroboros",
    }.items():
        (root / name).symlink_to(target)
    (around / "outside/back").symlink_to(root / "src")
    listener = socket.socket(socket.AF_UNIX)
    before = Path.cwd()
    os.chdir(root)  # a socket's name may be short only
    listener.bind("socket")
    os.chdir(before)
    yield root
    listener.close()


@pytest.mark.deep
@pytest.mark.proves("F09", "G04", "divergences-in-paths")
@every("decision", sorted({decision for decision, _, _ in CASES}))
def test_path(workspace: Path, decision: str):
    judged = [
        (op, path, judge_path(workspace, op, whole(path, workspace)))
        for wanted, op, path in CASES
        if wanted == decision
    ]
    assert [each for each in judged if each[2].decision != decision] == []
    assert [each for each in judged if bool(each[2].reason) != (decision != "allow")] == []


@pytest.mark.proves("F09")
def test_there_are_hundreds_of_cases():
    assert len(CASES) >= 300


@every(
    ("path", "resolved"),
    [
        ("src/../README.md", "README.md"),
        ("inner-folder/app.py", "src/app.py"),
        ("inner-link", "src/app.py"),
        ("outer-folder/file", "../outside/file"),
        ("src/not/there", "src/not/there"),
    ],
)
def test_it_tells_where_a_path_really_leads(workspace: Path, path: str, resolved: str):
    assert judge_path(workspace, "read", path).resolved == os.path.normpath(workspace / resolved)


@every("op", ["read", "write", "list", "delete"])
def test_what_is_too_long_is_no_path(workspace: Path, op: str):
    assert judge_path(workspace, op, "a" * 256).decision == "deny"
    assert judge_path(workspace, op, "a/" * 2048 + "a").decision == "deny"
    assert judge_path(workspace, op, "ä" * 128).decision == "deny"


def test_a_workspace_reached_by_a_link_is_the_workspace(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    judged = judge_path(tmp_path / "link", "write", f"{tmp_path}/real/x")
    assert (judged.decision, judged.resolved) == ("allow", f"{tmp_path.resolve()}/real/x")


def zipped(path: Path, name: str, *, mode: int = stat.S_IFREG, content: str = "x") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.txt", "x")
        member = zipfile.ZipInfo(name)
        member.external_attr = (mode | 0o644) << 16
        archive.writestr(member, content)
    return path


def tarred(path: Path, name: str, *, kind: bytes = tarfile.REGTYPE, link: str = "") -> Path:
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, link
        member.size = 1 if kind == tarfile.REGTYPE else 0
        archive.addfile(member, io.BytesIO(b"x"))
    return path


@pytest.mark.proves("F09")
@every(
    "name", ["../x", "a/../../x", "/etc/x", "..\\x", "C:\\x", ".git/hooks/x", "GIT~1/x", "a/.GIT/x"]
)
def test_an_archive_with_a_member_that_leaves_is_not_unpacked(tmp_path: Path, name: str):
    zipped(tmp_path / "a.zip", name)
    tarred(tmp_path / "a.tar.gz", name)
    assert judge_path(tmp_path, "extract", "a.zip").decision == "deny"
    assert judge_path(tmp_path, "extract", "a.tar.gz").decision == "deny"


@pytest.mark.proves("F09")
@every("target", ["/etc", "../..", "a/../../x"])
def test_an_archive_with_a_link_that_leaves_is_not_unpacked(tmp_path: Path, target: str):
    zipped(tmp_path / "a.zip", "link", mode=stat.S_IFLNK, content=target)
    tarred(tmp_path / "a.tgz", "link", kind=tarfile.SYMTYPE, link=target)
    tarred(tmp_path / "hard.tgz", "link", kind=tarfile.LNKTYPE, link=target)
    for name in ("a.zip", "a.tgz", "hard.tgz"):
        assert judge_path(tmp_path, "extract", name).decision == "deny", name


@pytest.mark.proves("F09")
@every("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_an_archive_with_a_device_is_not_unpacked(tmp_path: Path, kind: bytes):
    tarred(tmp_path / "a.tgz", "device", kind=kind)
    assert judge_path(tmp_path, "extract", "a.tgz").decision == "deny"


def test_an_archive_that_is_damaged_is_not_unpacked(tmp_path: Path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 nonsense")
    (tmp_path / "a.tar").write_bytes(b"\x1f\x8b nonsense")
    assert judge_path(tmp_path, "extract", "a.zip").decision == "deny"
    assert judge_path(tmp_path, "extract", "a.tar").decision == "deny"


def test_an_archive_that_stays_below_its_folder_may_be_unpacked(tmp_path: Path):
    zipped(tmp_path / "a.zip", "folder/file.txt")
    zipped(tmp_path / "b.zip", "folder/link", mode=stat.S_IFLNK, content="../good.txt")
    tarred(tmp_path / "a.tgz", "./folder/file.txt")
    for name in ("a.zip", "b.zip", "a.tgz"):
        assert judge_path(tmp_path, "extract", name) == (
            "allow",
            "",
            f"{tmp_path.resolve()}/{name}",
        )
