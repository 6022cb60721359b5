"""A repository whose own settings run programs wherever they can, against real git."""

import os
import subprocess
from pathlib import Path

import pytest

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.paths import Places
from tests.cases import every

pytestmark = pytest.mark.real

CANARY = "ran"

READS = (
    "git status",
    "git status -v",
    "git status --porcelain=v2",
    "git log -p -2",
    "git log --stat --oneline",
    "git log -1 --format=%h",
    "git log -Sneedle --oneline",
    "git log -L 1,1:a.txt",
    "git diff",
    "git diff HEAD~1",
    "git diff --cached",
    "git diff --stat HEAD~1",
    "git diff | head",
    "git show",
    "git show HEAD:a.txt",
    "git show --stat",
    "git stash list",
    "git stash show -p",
    "git blame a.txt",
    "git annotate a.txt",
    "git grep needle",
    "git grep -c a HEAD",
    "git branch -vv",
    "git tag -n",
    "git describe --always",
    "git ls-files -m",
    "git ls-files --others --exclude-standard",
    "git diff-files",
    "git diff-index HEAD",
    "git diff-tree -p HEAD",
    "git for-each-ref",
    "git reflog",
    "git shortlog -sn HEAD",
    "git rev-parse HEAD",
    "git remote -v",
    "git check-ignore -v a.txt",
    "git cat-file -p HEAD",
    "git count-objects -v",
    "git worktree list",
    "bash -lc 'git diff'",
    "timeout 20 git status",
    "cd sub && git status",
    "git -C sub diff",
)

HOSTILE = """
[core]
    fsmonitor = {program}
    pager = {program}
    editor = {program}
    sshCommand = {program}
    hooksPath = {folder}/hooks
    askPass = {program}
    alternateRefsCommand = {program}
[diff]
    external = {program}
    submodule = diff
[diff "evil"]
    textconv = {program}
    command = {program}
[merge "evil"]
    driver = {program}
[gpg]
    program = {program}
[gpg "ssh"]
    program = {program}
[log]
    showSignature = true
    diffMerges = remerge
[format]
    pretty = %h %G? %s
[alias]
    status = !{program}
    log = !{program}
[pager]
    status = {program}
    log = {program}
    diff = {program}
    branch = {program}
[interactive]
    diffFilter = {program}
[credential]
    helper = !{program}
[remote "origin"]
    url = ext::{program}
    promisor = true
    uploadpack = {program}
[extensions]
    partialClone = origin
[protocol "ext"]
    allow = always
[protocol]
    allow = always
[status]
    submoduleSummary = true
[submodule]
    recurse = true
[trailer "x"]
    cmd = {program}
[help]
    autocorrect = immediate
[man]
    viewer = evil
[man "evil"]
    cmd = {program}
"""


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a program wherever git might look for one."""
    above = tmp_path_factory.mktemp("hostile")
    folder = above / "ws"
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "A")
    git(folder, "config", "user.email", "a@b")
    for number in range(3):
        (folder / "a.txt").write_text(f"needle {number}\n")
        (folder / "sub/b.txt").write_text(f"{number}\n")
        (folder / ".gitattributes").write_text("* diff=evil merge=evil\n")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", f"c{number}")
    (folder / "a.txt").write_text("stashed\n")
    git(folder, "stash")
    _sign(folder)
    (folder / "a.txt").write_text("changed\n")
    program = folder / ".git/evil"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{above}/{CANARY}"\ncat\nexit 0\n')
    program.chmod(0o755)
    hooks = folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    with (folder / ".git/config").open("a") as config:
        config.write(HOSTILE.format(program=program, folder=folder / ".git"))
    return folder


def _sign(folder: Path) -> None:
    """Gives the last commit a signature, so that showing it would ask a program."""
    read = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=folder, check=True, capture_output=True
    ).stdout
    head, _, body = read.partition(b"\n\n")
    pgp = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n =abcd\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=folder,
        check=True,
        capture_output=True,
        input=head + b"\n" + pgp + b"\n\n" + body,
    ).stdout
    git(folder, "update-ref", "HEAD", made.decode().strip())


def places(folder: Path) -> Places:
    return Places(roots=(folder,)).resolved()


def run(text: str, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    surroundings = {name: value for name, value in os.environ.items() if name != "LC_ALL"}
    evil = str(folder / ".git/evil")
    surroundings |= {"GIT_EXTERNAL_DIFF": evil, "GIT_PAGER": evil, "GIT_SSH_COMMAND": evil}
    return subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=surroundings,
        capture_output=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.deep
@pytest.mark.proves("E09", "E20")
def test_a_safe_git_read_runs_nothing_of_a_hostile_repository(hostile: Path):
    canary = hostile.parent / CANARY
    canary.unlink(missing_ok=True)
    for text in READS:
        verdict = classify(text, cwd=hostile, places=places(hostile))
        assert verdict.kind == "safe", (text, verdict.reason)
        assert verdict.hardened, text
        ended = run(verdict.hardened, hostile)
        assert not canary.exists(), (text, canary.read_text(), ended.stderr)
        assert ended.returncode in {0, 1}, (text, ended.stderr)
        assert b"unknown option" not in ended.stderr, text


@pytest.mark.deep
@pytest.mark.proves("E09", "E20")
def test_the_repository_is_hostile_indeed(hostile: Path):
    """As written the same reads do run its programs; else the test above would prove nothing."""
    canary = hostile.parent / CANARY
    for text in ("git status", "git diff", "git show", "git blame a.txt", "git log -1"):
        canary.unlink(missing_ok=True)
        run(text, hostile)
        assert canary.exists(), text


@pytest.mark.deep
@pytest.mark.proves("E09", "E20")
def test_a_repository_inside_that_runs_programs_is_not_entered(tmp_path: Path):
    """A changed file in a repository inside is filtered by what that repository's settings name."""
    folder, canary = tmp_path / "ws", tmp_path / CANARY
    inner = folder / "sub"
    inner.mkdir(parents=True)
    for each in (inner, folder):
        git(each, "init", "-q")
        (each / "f").write_text("x\n")
        (each / ".gitattributes").write_text("* filter=evil\n")
        if each == folder:
            modules = '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n'
            (each / ".gitmodules").write_text(modules)
        git(each, "add", ".")
        git(each, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x")
    git(inner, "config", "filter.evil.clean", f"echo ran >> {canary}; cat")
    # Of another length it would be known to be changed without a look inside, and no filter asked.
    (inner / "f").write_text("y\n")
    for text in READS:
        verdict = classify(text, cwd=folder, places=places(folder))
        if "a.txt" not in text and "sub" not in text and verdict.kind == "safe":
            run(verdict.hardened, folder)
            assert not canary.exists(), text
    subprocess.run(["git", "status"], cwd=folder, capture_output=True, timeout=60, check=True)
    assert canary.exists(), "the repository inside is not hostile"
    assert (
        classify("git status --ignore-submodules=none", cwd=folder, places=places(folder)).kind
        == "approve"
    )


@pytest.mark.proves("E09", "E20")
def test_hardened_reads_say_what_plain_ones_say(tmp_path: Path):
    folder = tmp_path / "ws"
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "-q")
    for number in range(2):
        (folder / "a.txt").write_text(f"needle {number}\n")
        git(folder, "add", ".")
        git(folder, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", f"c{number}")
    (folder / "a.txt").write_text("changed\n")
    for text in ("git status -s", "git diff", "git log --oneline", "git show --stat | head -3"):
        hardened = classify(text, cwd=folder, places=places(folder)).hardened
        plain = subprocess.run(
            ["bash", "-c", text], cwd=folder, capture_output=True, timeout=60, check=True
        )
        said = subprocess.run(
            ["bash", "-c", hardened], cwd=folder, capture_output=True, timeout=60, check=True
        )
        assert said.stdout == plain.stdout, text
        assert said.stdout, text


@pytest.mark.proves("E09", "E20")
@every(
    "settings",
    [
        '[filter "evil"]\n\tclean = evil\n',
        '[core] x = y [filter "evil"]\n\tclean = evil\n',
        "[filter.evil]\nclean = evil\n",
        '[FILTER "evil"]\nprocess = evil\n',
        "[include]\n\tpath = /tmp/x\n",
        '[includeIf "gitdir:/"]\n\tpath = /tmp/x\n',
        "[core]\n\tworktree = /etc\n",
        "[hook]\n\tx = evil\n",
    ],
)
def test_a_repository_whose_settings_cannot_be_undone_is_asked_about(tmp_path: Path, settings: str):
    git(tmp_path, "init", "-q")
    assert classify("git status", cwd=tmp_path, places=places(tmp_path)).kind == "safe"
    with (tmp_path / ".git/config").open("a") as config:
        config.write(settings)
    verdict = classify("git status", cwd=tmp_path, places=places(tmp_path))
    assert (verdict.kind, verdict.rule) == ("approve", "ask.repository")
    assert "settings" in verdict.reason


@pytest.mark.proves("E09", "E20")
def test_settings_are_looked_at_where_git_takes_them_from(tmp_path: Path):
    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty")
    git(main, "worktree", "add", "-q", str(tree))
    assert classify("git log", cwd=tree, places=places(tree)).kind == "safe"
    git(main, "config", "filter.evil.clean", "evil")
    assert classify("git log", cwd=tree, places=places(tree)).rule == "ask.repository"
    (tree / ".git").write_text("something else")
    assert classify("git log", cwd=tree, places=places(tree)).rule == "ask.repository"


def test_a_bare_repository_and_one_around_the_workspace_are_asked_about(tmp_path: Path):
    bare = tmp_path / "ws/x.git"
    bare.mkdir(parents=True)
    git(bare, "init", "-q", "--bare")
    here = places(tmp_path / "ws")
    assert classify("cd x.git && git log", cwd=tmp_path / "ws", places=here).kind == "approve"
    git(tmp_path, "init", "-q")
    assert classify("git log", cwd=tmp_path / "ws", places=here).rule == "ask.outside"


@every("broken", ["", "HEAD objects", "HEAD refs", "objects refs", "BAD"])
def test_a_folder_that_only_looks_like_a_repository_hides_no_settings_above(
    tmp_path: Path, broken: str
):
    """Git passes over a ``.git`` that is none, and takes the next one above."""
    outer, canary = tmp_path / "ws", tmp_path / CANARY
    below = outer / "below"
    (below / ".git").mkdir(parents=True)
    git(outer, "init", "-q")
    for name in broken.split() if broken != "BAD" else ("HEAD", "objects", "refs"):
        if name == "HEAD":
            (below / ".git/HEAD").write_text("x" if broken == "BAD" else "ref: refs/heads/main\n")
        else:
            (below / ".git" / name).mkdir()
    (below / "f").write_text("x\n")
    (below / ".gitattributes").write_text("* filter=evil\n")
    git(outer, "add", "below/f")
    git(outer, "config", "filter.evil.clean", f"echo ran >> {canary}; cat")
    (below / "f").write_text("other\n")
    verdict = classify("git diff", cwd=below, places=places(outer))
    run("git diff", below)
    assert canary.exists(), "git does not look further up"
    assert (verdict.kind, verdict.rule) == ("approve", "ask.repository")


@every("said", [b"\nelsewhere", b"else\xffwhere\n", b"elsewhere\n\nx", b""])
def test_a_repository_that_hides_where_its_settings_are_is_asked_about(tmp_path: Path, said: bytes):
    git(tmp_path, "init", "-q")
    (tmp_path / ".git/commondir").write_bytes(said)
    verdict = classify("git log", cwd=tmp_path, places=places(tmp_path))
    assert (verdict.kind, verdict.rule) == ("approve", "ask.repository")
