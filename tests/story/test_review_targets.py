"""What a review is made of: commits, branches, files that git does not know, and parts of much."""

import os
from pathlib import Path
from typing import Any

import pytest

from ouroboros.app.review import git as repository_of
from ouroboros.app.review.subjects import subject
from ouroboros.core.commands import Review
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events.fleet import SubagentReplied
from ouroboros.core.events.review import ReviewExited, ReviewProgressed
from ouroboros.llm.turns import Fault, Turn
from tests.story.stage import stage
from tests.story.test_review import finding, git, reply, repository

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def paths(found: Any) -> list[str]:
    return [file.path for file in found.files]


async def test_uncommitted_changes_are_staged_unstaged_and_untracked_but_not_ignored(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path)
    (folder / "staged.py").write_text("s\n")
    git(folder, "add", "staged.py")
    git(folder, "mv", "a.py", "moved.py")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "x.log").write_text("never\n")
    (folder / "ümlaut name.py").write_text("u\nv")
    (folder / "pic.png").write_bytes(b"\x89PNG\0\1")
    (folder / "link").symlink_to("/etc/passwd")
    below = folder / "below"
    below.mkdir()
    found = await subject(Review(), below, ENVIRONMENT)
    assert set(paths(found)) == {
        "staged.py", "moved.py", ".gitignore", "ümlaut name.py", "pic.png", "link",
    }  # fmt: skip
    by = {file.path: file for file in found.files}
    assert by["moved.py"].before == "a.py"
    assert by["pic.png"].binary
    assert by["link"].binary
    assert by["ümlaut name.py"].hunks[0].last == 2
    assert found.root == folder


@pytest.mark.deep
async def test_a_branch_is_compared_with_where_the_work_parted_from_it(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    git(folder, "checkout", "-qb", "work")
    (folder / "mine.py").write_text("m\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "mine")
    git(folder, "checkout", "-q", "main")
    (folder / "theirs.py").write_text("t\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "theirs")
    git(folder, "checkout", "-q", "work")
    (folder / "loose.py").write_text("l\n")
    found = await subject(Review(target="base", words="main"), folder, ENVIRONMENT)
    assert paths(found) == ["mine.py", "loose.py"]
    git(folder, "checkout", "-q", "--orphan", "alone")
    git(folder, "commit", "-qm", "alone")
    apart = await subject(Review(target="base", words="main"), folder, ENVIRONMENT)
    assert "no commit in common" in apart.notes[0]


async def test_a_commit_is_its_own_change_also_the_first_and_a_merge(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    first = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-qb", "side")
    (folder / "side.py").write_text("s\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "side")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "join", "side")
    (folder / "loose.py").write_text("not in it\n")
    merge = await subject(Review(target="commit", words="HEAD"), folder, ENVIRONMENT)
    assert (paths(merge), merge.on_disk) == (["side.py"], True)
    assert "join" in merge.name
    begin = await subject(Review(target="commit", words=first[:8]), folder, ENVIRONMENT)
    assert (paths(begin), begin.on_disk) == (["a.py"], False)


async def test_a_repository_without_a_commit_has_all_its_files_to_review(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a\n")
    git(tmp_path, "add", ".")
    assert paths(await subject(Review(), tmp_path, ENVIRONMENT)) == ["a.py"]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Review(), "^there is nothing to review in the uncommitted changes$"),
        (Review(target="base", words="nowhere"), "'nowhere' names no commit"),
        (Review(target="base", words="--output=x"), "'--output=x' names no commit"),
        (Review(target="commit", words=" "), "is to be named"),
        (Review(target="custom", words=" "), "nothing to review"),
    ],
)
async def test_what_cannot_be_reviewed_is_said(tmp_path: Path, wish: Review, words: str) -> None:
    folder = repository(tmp_path)
    with pytest.raises(Misuse, match=words):
        await subject(wish, folder, ENVIRONMENT)
    assert sorted(path.name for path in folder.iterdir()) == [".git", "a.py"]


async def test_a_folder_outside_git_can_only_be_reviewed_in_words(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="not in the work tree of a git repository"):
        await subject(Review(), tmp_path, {**ENVIRONMENT, "GIT_CEILING_DIRECTORIES": "/"})
    found = await subject(Review(target="custom", words="the design"), tmp_path, ENVIRONMENT)
    assert (found.task, found.files) == ("the design", ())


async def test_nothing_that_a_repository_names_is_run(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for key in (
        *("diff.external", "core.fsmonitor", "core.pager", "diff.x.textconv", "diff.x.command"),
        *("filter.x.clean", "filter.x.process", "filter.x.smudge", "core.sshCommand"),
    ):
        git(folder, "config", key, str(trap))
    git(folder, "config", "filter.x.required", "true")
    (folder / ".git/hooks/post-index-change").write_text(trap.read_text())
    (folder / ".git/hooks/post-index-change").chmod(0o755)
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")
    (folder / "a.py").write_text("changed\n")
    environment = {**ENVIRONMENT, "GIT_EXTERNAL_DIFF": str(trap), "GIT_DIR": "/nowhere"}
    index = (folder / ".git/index").read_bytes()
    found = await subject(Review(), folder, environment)
    assert set(paths(found)) == {"a.py", ".gitattributes"}
    assert not (tmp_path / "sprung").exists()
    assert (folder / ".git/index").read_bytes() == index
    asked = await repository_of.at(folder, environment)
    assert await asked.commit("HEAD") == git(folder, "rev-parse", "HEAD")


@pytest.mark.parametrize("name", ["a=b", "a=b.c", "="])
async def test_a_filter_that_git_cannot_be_told_not_to_run_ends_it(
    tmp_path: Path, name: str
) -> None:
    folder = repository(tmp_path)
    with (folder / ".git/config").open("a") as config:
        config.write(f'[filter "{name}"]\n\tclean = touch {tmp_path}/sprung; cat\n')
    (folder / ".gitattributes").write_text(f"* filter={name}\n")
    (folder / "a.py").write_text("changed\n")
    with pytest.raises(Misuse, match="cannot be told not to run"):
        await subject(Review(), folder, ENVIRONMENT)
    assert not (tmp_path / "sprung").exists()


async def test_a_folder_may_end_in_a_space(tmp_path: Path) -> None:
    (tmp_path / "work ").mkdir()
    folder = repository(tmp_path).rename(tmp_path / "work " / "of mine ")
    (folder / "a.py").write_text("changed\n")
    found = await subject(Review(), folder, ENVIRONMENT)
    assert (found.root, paths(found)) == (folder, ["a.py"])


async def test_files_that_git_does_not_know_are_bounded_together(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    for at in range(33):
        (folder / f"new{at}.txt").write_text("x" * 1_048_576)
    with pytest.raises(Misuse, match="the change is larger than"):
        await subject(Review(), folder, ENVIRONMENT)


@pytest.mark.proves("divergences-what-a-reviewer-sees")
async def test_a_change_too_large_for_one_reading_is_read_in_parts_and_that_is_said(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path)
    for at in range(4):
        (folder / f"f{at}.py").write_text(f"x{at} = 'some words that fill a line'\n" * 200)
    good = reply(verdict="patch is correct")
    turns = [
        good,
        reply(finding("f1.py", 3)),
        reply(finding("f2.py", 999, "[P0] No", priority=0)),
        good,
    ]
    async with stage(tmp_path, turns, check=False, context={"window": 8_000}) as s:
        await s.session.send(Review())
        told = s.events(ReviewProgressed)
        assert [event.part for event in told] == [1, 2, 3, 4]
        (exited,) = s.events(ReviewExited)
        review = exited.review
        assert [one.title for one in review.findings] == ["[P0] No", "[P1] Mend it"]
        assert [one.remark for one in review.findings] == ["the file has no such line", ""]
        assert review.overall_correctness == "patch is incorrect"
        assert "read in 4 parts" in review.notes[0]
        bodies = [str(s.body(at)["messages"]) for at in range(4)]
        assert "In the others: f0.py, f2.py, f3.py." in bodies[1]
        assert "not to be reported again" not in bodies[1]
        assert "[P1] Mend it (f1.py)" in bodies[2]
        assert "[P0] No (f2.py)" in bodies[3]
        assert [sum(f"b/f{at}.py" in body for body in bodies) for at in range(4)] == [1] * 4


async def test_prose_is_kept_as_the_explanation(tmp_path: Path) -> None:
    (repository(tmp_path) / "a.py").write_text("new\n")
    async with stage(tmp_path, [Turn(text="Looks fine to me.")], check=False) as s:
        await s.session.send(Review())
        (exited,) = s.events(ReviewExited)
        assert exited.review.findings == ()
        assert exited.review.overall_explanation == "Looks fine to me."
        assert s.session.state.history[-1].text == "Looks fine to me."


async def test_a_reviewer_that_fails_leaves_the_conversation_as_it_was(tmp_path: Path) -> None:
    (repository(tmp_path) / "a.py").write_text("new\n")
    broken = Turn(fault=Fault(kind="auth"))
    async with stage(tmp_path, [broken, Turn(text="Yes.")], check=False) as s:
        with pytest.raises(OuroborosError, match="the reviewer failed"):
            await s.session.send(Review())
        assert [event.outcome for event in s.events(ReviewExited)] == ["failed"]
        assert s.session.state.history == []
        assert not s.session.running
        await s.run("Hello")


async def test_a_reply_of_the_reviewers_that_broke_off_is_counted(tmp_path: Path) -> None:
    (repository(tmp_path) / "a.py").write_text("new\n")
    broken = Turn(text="It looks " * 40, fault=Fault(kind="cut", after=100, times=9))
    async with stage(tmp_path, [broken], check=False) as s:
        with pytest.raises(OuroborosError, match="the reviewer failed"):
            await s.session.send(Review())
        (spent,) = s.events(SubagentReplied)
        assert spent.usage
        assert s.session.state.spent.tokens == spent.usage.total
