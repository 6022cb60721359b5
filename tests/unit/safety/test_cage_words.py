"""What a cage is told and how its refusals are known: values and texts, no process."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ouroboros.safety.sandbox import Confined, Policy, Unconfined, denial, stopped
from ouroboros.safety.sandbox.bubblewrap import Launcher, flags
from ouroboros.safety.sandbox.choice import choose
from ouroboros.safety.sandbox.features import Features
from ouroboros.safety.sandbox.landlock import CHANGE, READ, planned
from ouroboros.safety.sandbox.policy import protected_in, secrets_of, within_none
from ouroboros.safety.sandbox.seatbelt import profile
from tests.cases import every

CAGED = Confined(command=("x",), environment={"OURO_SANDBOX": "landlock"})
SILENT = Confined(
    command=("x",),
    environment={"OURO_SANDBOX": "landlock", "OURO_SANDBOX_NETWORK_DISABLED": "1"},
)


@pytest.mark.proves("codex-2.7", "codex-2.9", "codex-2.10")
@every(
    ("code", "said", "found"),
    [
        (1, "touch: cannot touch 'x': Permission denied", True),
        (1, "bash: x: Operation not permitted", True),
        (1, "mkdir: cannot create: Read-only file system\nmore", True),
        (1, "READ-ONLY FILE SYSTEM", True),
        (1, "error: seccomp", True),
        (1, "sandbox", True),
        (1, "failed to write file", True),
        (2, "ls: cannot open: Permission denied", True),
        (126, "sh: ./x: Permission denied", True),
        (159, "", True),
        (0, "Permission denied", False),
        (1, "1 failed, 2 passed", False),
        (2, "make: *** [all] Error 2", False),
        (126, "cannot execute binary file", False),
        (127, "command not found", False),
        (139, "Segmentation fault", False),
    ],
)
def test_a_denial_is_known_by_code_and_words(code: int, said: str, *, found: bool) -> None:
    assert bool(denial(code, said)) is found
    assert bool(stopped(CAGED, code, said)) is found
    assert stopped(Unconfined().confine(("x",), cwd=Path("/")), code, said) == ""


def test_the_line_that_tells_is_shown_and_no_more() -> None:
    said = "building\ntouch: cannot touch 'x': Permission denied\n" + "y" * 1000
    assert denial(1, said) == "touch: cannot touch 'x': Permission denied"
    assert len(denial(1, "z" * 5000 + " permission denied")) == 201


@pytest.mark.proves("codex-2.7", "codex-2.9", "codex-2.10")
def test_a_network_that_is_off_is_named_only_where_it_is_off() -> None:
    said = "curl: (6) Could not resolve host: example.com"
    assert stopped(SILENT, 6, said) == said
    assert stopped(CAGED, 6, said) == ""


@every(
    ("command", "code", "said", "found"),
    [
        ("curl -s https://example.com", 6, "", True),
        ("curl -s http://127.0.0.1:1 > x", 7, "\n", True),
        ("wget -q https://example.com", 4, "", True),
        ("curl -s https://example.com", 22, "", False),
        ("curl -s https://example.com", 7, "words", False),
        ("./curler", 7, "", False),
    ],
)
def test_a_quiet_program_tells_of_the_network_by_its_exit_code(
    command: str, code: int, said: str, *, found: bool
) -> None:
    silent = replace(SILENT, command=("sh", "-c", command))
    assert bool(stopped(silent, code, said)) is found
    assert stopped(replace(CAGED, command=silent.command), code, said) == ""


def test_a_meter_that_returns_to_its_line_hides_nothing() -> None:
    meter = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0"
    said = f"{meter}\r{meter}\r{meter}\rcurl: (6) Could not resolve host: example.com"
    assert stopped(SILENT, 6, said) == "curl: (6) Could not resolve host: example.com"


def tree(tmp_path: Path) -> Path:
    for name in ("work/.git/hooks", "work/src", "person/.ssh", "person/code"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "work/a.txt").write_text("")
    (tmp_path / "work/link").symlink_to(tmp_path / "person")
    return tmp_path


@pytest.mark.proves("F08", "divergences-the-cage-without-bubblewrap")
def test_landlock_grants_what_lies_beside_the_protected_and_hidden(tmp_path: Path) -> None:
    base = tree(tmp_path)
    policy = Policy(
        writable=(base / "work",),
        protected=protected_in([base / "work"], is_closed=True),
        hidden=secrets_of(base / "person", base / "ours"),
    )
    plan = planned(policy)
    changed = {path for path, rights in plan.grants if rights == CHANGE and base in path.parents}
    assert changed == {base / "work/src", base / "work/a.txt"}
    read = {path for path, rights in plan.grants if rights == READ and base in path.parents}
    assert read == {base / "work", base / "person/code"}
    assert base / "work" in plan.listed
    assert base / "person" in plan.listed


def test_what_has_nothing_protected_is_granted_whole(tmp_path: Path) -> None:
    policy = Policy(writable=(tmp_path,), protected=protected_in([tmp_path]))
    assert (tmp_path, CHANGE) in planned(policy).grants
    read_only = planned(Policy(reach="read-only", writable=(tmp_path,)))
    assert not any(path == tmp_path for path, _ in read_only.grants)


@pytest.mark.proves("F08")
def test_a_pointer_of_git_protects_the_folders_it_names(tmp_path: Path) -> None:
    real = tmp_path / "main/.git/worktrees/one"
    real.mkdir(parents=True)
    (real / "commondir").write_text("../..\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/.git").write_text(f"gitdir: {real}\n")
    assert set(protected_in([tmp_path / "tree"], is_closed=True)) >= {real, tmp_path / "main/.git"}
    (tmp_path / "tree/.git").write_bytes(b"gitdir: \0\xff")
    assert len(protected_in([tmp_path / "tree"], is_closed=True)) == 3


def test_who_works_in_a_folder_may_work_in_it() -> None:
    home = Path("/home/me/.ouroboros")
    assert within_none([home, Path("/etc/shadow")], [home / "work"]) == (Path("/etc/shadow"),)


@pytest.mark.proves("F08")
def test_bubblewrap_mounts_from_outside_in(tmp_path: Path) -> None:
    base = tree(tmp_path)
    work = base / "work"
    policy = Policy(
        writable=(base, work),
        protected=protected_in([work], is_closed=True),
        hidden=secrets_of(base / "person", base / "ours"),
    )
    words = " ".join(flags(policy))
    order = [
        f"--bind {base} {base}",
        f"--bind {work} {work}",
        f"--ro-bind {work}/.git {work}/.git",
    ]
    assert [words.index(part) for part in order] == sorted(words.index(part) for part in order)
    assert f"--perms 0000 --tmpfs {base}/person/.ssh" in words
    assert all(
        f in words for f in ("--unshare-pid", "--unshare-net", "--cap-drop ALL", "--die-with")
    )
    opened = flags(Policy(writable=(work,), network="on"))
    assert "--unshare-net" not in opened
    assert not any(word.lstrip("-") == "bind" for word in flags(Policy(reach="read-only")))


@pytest.mark.proves("F03")
def test_seatbelt_takes_back_what_it_gave(tmp_path: Path) -> None:
    odd = Path('/work/a "quoted" \\ folder')
    text = profile(
        Policy(
            writable=(odd, tmp_path),
            protected=(odd / ".git",),
            hidden=(Path("/me/.ssh"),),
            network="off",
        )
    )
    lines = text.splitlines()
    assert lines[1] == "(deny default)"
    given = lines.index('(allow file-write* (subpath "/work/a \\"quoted\\" \\\\ folder"))')
    taken = next(n for n, line in enumerate(lines) if line.startswith("(deny file-write*"))
    hidden = next(n for n, line in enumerate(lines) if "/me/.ssh" in line)
    assert given < taken < hidden
    assert "file-read*" in lines[hidden]
    assert "network" not in text
    assert "(allow network*)" in profile(Policy(network="on"))
    assert 'localhost:81")' in profile(Policy(network="proxy", ports=(81,)))
    assert "file-write* (subpath" not in profile(Policy(reach="read-only", writable=(odd,)))


@pytest.mark.proves("F03", "divergences-the-cage-without-bubblewrap")
def test_the_strongest_cage_is_chosen_and_gaps_are_said(tmp_path: Path) -> None:
    policy = Policy(writable=(tmp_path,), protected=protected_in([tmp_path]))
    bwrap = Launcher(bwrap="/usr/bin/bwrap", inner=())
    full = choose(policy, Features(landlock=7, seccomp=True, launcher=bwrap))
    assert (full.sandbox.name, full.strength, full.warnings) == ("bubblewrap", "full", ())
    assert choose(policy, Features(seatbelt=True)).sandbox.name == "seatbelt"
    nothing = choose(policy, Features(without="bwrap is not installed"))
    assert (nothing.sandbox.name, nothing.strength) == ("none", "none")
    assert "bwrap is not installed" in nothing.warnings[0]
    for half in (Features(landlock=7), Features(seccomp=True)):
        # Without filters of system calls a network that is off would be open.
        bare = choose(policy, half)
        assert (bare.sandbox.name, bare.strength) == ("none", "none")
        assert "all your rights" in bare.warnings[0]
    wide = Policy(reach="full-access", hidden=(tmp_path,), network="on")
    assert choose(wide, Features(landlock=7, seccomp=True)).sandbox.hides
    open_wide = choose(Policy(reach="full-access"), Features())
    assert (open_wide.sandbox.name, open_wide.strength) == ("none", "full")
