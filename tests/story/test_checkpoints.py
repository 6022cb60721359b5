"""The files of a run: kept before each call that may write, and brought back."""

import random
import subprocess
import threading
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from ouroboros.app.rewind.journey import ForeignEdits
from ouroboros.core.commands import Approve, Branch, Redo, Restore, Rewind, Submit, Undo
from ouroboros.core.errors import Misuse
from ouroboros.core.events import PermissionRequested, ToolAttempted, ToolResulted
from ouroboros.core.events.checkpoint import (
    CheckpointCreated,
    CheckpointRestored,
    TurnRedone,
    TurnUndone,
)
from ouroboros.core.events.code import Logged
from ouroboros.core.state import fold
from ouroboros.llm.turns import Turn
from tests.small_disk import mounted
from tests.story.rlm_stage import block, rlm_stage
from tests.story.stage import Stage, call, stage
from tests.unit.workspace.kept_folder import seen

DONE = Turn(text="All done.")


def shell(command: str) -> Turn:
    return Turn(tool_calls=(call("shell", command=command),))


def write(path: str, content: str) -> Turn:
    return Turn(tool_calls=(call("write", path=path, content=content),))


def words(s: Stage) -> list[str]:
    tree = s.session.state.tree
    return [tree.nodes[id].message.text for id in reversed(tree.turns())]


def names(s: Stage) -> list[str]:
    return sorted(path.name for path in s.cwd.iterdir())


@pytest.mark.deep
@pytest.mark.proves("K02")
async def test_each_call_that_may_write_has_a_checkpoint_on_disk_before_it_acts(tmp_path: Path):
    turns = [write("a.txt", "one\n"), shell("ls"), shell("sed -i s/one/two/ a.txt"), DONE]
    async with stage(tmp_path, turns) as s:
        await s.run()
        made = s.events(CheckpointCreated)
        assert [each.kind for each in made] == ["before", "before", "end"]
        calls = list(s.results)
        assert [each.call_id for each in made] == [calls[0], calls[2], ""]
        assert made[0].paths == ("a.txt",)
        order = [kind for kind in s.types if kind in {"checkpoint.created", "tool.attempted"}]
        assert order == [
            *("checkpoint.created", "tool.attempted", "tool.attempted"),
            *("checkpoint.created", "tool.attempted", "checkpoint.created"),
        ]
        (repository,) = (tmp_path / "home" / "checkpoints").glob("*.git")
        shown = git(repository, "show", "-s", "--format=%B", made[1].checkpoint)
        assert f"Call: {calls[2]}" in shown
        assert git(repository, "show", f"{made[1].checkpoint}:a.txt") == "one\n"
        assert git(repository, "show", f"{made[2].checkpoint}:a.txt") == "two\n"


def git(repository: Path, *more: str) -> str:
    ran = subprocess.run(
        ["git", f"--git-dir={repository}", *more], capture_output=True, text=True, check=True
    )
    return ran.stdout


@pytest.mark.proves("K09")
async def test_what_a_command_did_is_taken_back_and_had_again(tmp_path: Path):
    work = tmp_path / "work"
    (work / "lib").mkdir(parents=True)
    for name in ("a.txt", "lib/b.txt", "old"):
        (work / name).write_text("one\n")
    was = seen(work)
    commands = (
        "sed -i s/one/two/ a.txt && mv old new && rm -r lib && mkdir -p out/x && echo 1 > out/x/y"
    )
    async with stage(tmp_path, [shell(commands), DONE]) as s:
        await s.run("Build it")
        then = seen(work)
        assert then != was
        await s.session.send(Undo())
        assert seen(work) == was
        assert words(s) == []
        await s.session.send(Redo())
        assert seen(work) == then
        assert words(s) == ["Build it"]
        (undone,), (redone,) = s.events(TurnUndone), s.events(TurnRedone)
        assert set(undone.done) == set(redone.done) == {"history", "files"}
        assert undone.failed == redone.failed == ()
        with pytest.raises(Misuse, match="nothing to have again"):
            await s.session.send(Redo())


@pytest.mark.deep
@pytest.mark.proves("K09")
async def test_what_is_sent_while_turns_are_taken_back_comes_after_it(tmp_path: Path):
    """A person types faster than files are brought back: nothing is refused, no turn begins too early."""
    turns = [write("n", "one"), DONE, write("n", "two"), DONE, shell("cat n"), DONE]
    async with stage(tmp_path, turns, check=False) as s:
        await s.run("First")
        await s.run("Second")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.session.send, Undo())
            tasks.start_soon(s.session.send, Redo())
            tasks.start_soon(s.session.send, Undo())
            tasks.start_soon(s.session.send, Submit(text="Read it"))
        happened = [type(envelope.data) for envelope in s.shown]
        kinds = [each for each in happened if each in {TurnUndone, TurnRedone, ToolAttempted}]
        assert kinds[2:] == [TurnUndone, TurnRedone, TurnUndone, ToolAttempted]
        assert words(s) == ["First", "Read it"]
        assert (s.cwd / "n").read_text() == "one"


@pytest.mark.deep
@pytest.mark.proves("K07")
async def test_twenty_turns_can_be_taken_back_and_a_new_one_lets_go_of_them(tmp_path: Path):
    turns = [turn for number in range(25) for turn in (write("n", f"{number}"), DONE)]
    # What is said after turns were taken back no longer extends them.
    async with stage(tmp_path, [*turns, DONE], check=False) as s:
        for number in range(25):
            await s.run(f"Turn {number}")
        file = s.cwd / "n"
        for number in range(20):
            await s.session.send(Undo())
            assert file.read_text() == f"{23 - number}"
        with pytest.raises(Misuse, match="only the latest 20"):
            await s.session.send(Undo())
        for number in range(5, 10):
            await s.session.send(Redo())
            assert file.read_text() == f"{number}"
        assert words(s)[-1] == "Turn 9"
        await s.run("Something else")
        with pytest.raises(Misuse, match="nothing to have again"):
            await s.session.send(Redo())
        await s.session.send(Undo(turns=3))
        assert (file.read_text(), words(s)[-1]) == ("7", "Turn 7")
        with pytest.raises(Misuse, match="cannot take back 30 turns"):
            await s.session.send(Undo(turns=30))


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_somebody_elses_changes_are_named_and_need_a_decision(tmp_path: Path):
    turns = [write("a", "one"), DONE, write("b", "two"), DONE]
    async with stage(tmp_path, turns) as s:
        await s.run("First")
        (s.cwd / "mine").write_text("the person's, between the turns")
        await s.run("Second")
        (s.cwd / "b").write_text("the person's, after it")
        first = s.session.state.tree.turns()[-1]
        with pytest.raises(ForeignEdits) as refused:
            await s.session.send(Restore(message_id=first))
        assert refused.value.paths == ("b", "mine")
        assert "and what is new goes" in refused.value.hint
        assert names(s) == ["a", "b", "mine"]
        with pytest.raises(ForeignEdits) as refused:
            await s.session.send(Undo(turns=2))
        assert refused.value.paths == ("b",)  # no turn has touched the other
        assert len(words(s)) == 2
        await s.session.send(Restore(message_id=first, foreign="keep"))
        assert names(s) == ["b", "mine"]
        await s.session.send(Restore(message_id=first, foreign="overwrite"))
        assert names(s) == []


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_a_file_that_a_tool_did_not_name_is_somebody_elses(tmp_path: Path):
    turns = [
        write("a", "one"),
        Turn(text="Let me see.", tool_calls=(call("ls", path="."),)),
        write("a", "two"),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:

        def meddle(envelope: object) -> None:
            if getattr(envelope, "type", "") == "tool.result":
                (s.cwd / "mine").write_text("saved in an editor during the run")

        s.session.listen(meddle)
        await s.run()
        first = s.session.state.tree.turns()[-1]
        with pytest.raises(ForeignEdits) as refused:
            await s.session.send(Restore(message_id=first))
        assert refused.value.paths == ("mine",)


@pytest.mark.deep
@pytest.mark.proves("K05")
async def test_going_back_is_itself_gone_back_from(tmp_path: Path):
    async with stage(tmp_path, [write("a", "one"), DONE, write("a", "two"), DONE]) as s:
        await s.run("First")
        await s.run("Second")
        head = s.session.state.tree.head
        second = s.session.state.tree.turns()[0]
        await s.session.send(Restore(message_id=second))
        await s.session.send(Rewind(message_id=second))
        assert ((s.cwd / "a").read_text(), words(s)) == ("one", ["First"])
        (restored,) = s.events(CheckpointRestored)
        assert (restored.changed, restored.paths) == (1, ("a",))
        await s.session.send(Restore(checkpoint=restored.start[:10]))
        await s.session.send(Branch(message_id=head))
        assert ((s.cwd / "a").read_text(), words(s)) == ("two", ["First", "Second"])
        with pytest.raises(Misuse, match="names no checkpoint"):
            await s.session.send(Restore(checkpoint="0000000"))


@pytest.mark.deep
@pytest.mark.proves("K07")
async def test_a_session_that_goes_on_knows_its_checkpoints(tmp_path: Path):
    async with stage(tmp_path, [write("a", "one"), DONE, write("a", "two"), DONE]) as s:
        await s.run("First")
        await s.run("Second")
        id = s.session.id
        live = s.session.state.files
        assert fold(s.shown).files == live
    async with stage(tmp_path, [DONE], resume=id) as s:
        assert s.session.state.files == live
        await s.session.send(Undo(turns=2))
        assert not (s.cwd / "a").exists()
        await s.session.send(Redo())
    async with stage(tmp_path, [DONE], resume=id) as s:
        await s.session.send(Undo())
        assert (s.cwd / "a").read_text() == "one"


@pytest.mark.proves("sessions-k-faults")
async def test_what_cannot_be_kept_is_asked_about_once(tmp_path: Path):
    turns = [write("a", "one"), write("b", "two"), DONE]
    few = {"max_entries": 2}
    work = tmp_path / "work"
    work.mkdir()
    for name in "xyz":
        (work / name).write_text(name)
    async with stage(tmp_path, turns, mode="auto-edit", checkpoints=few) as s:
        await s.run()
        asked = s.events(PermissionRequested)
        assert "more than 2 names" in asked[0].reason
        assert [result.status for result in s.results.values()] == ["denied", "denied"]
        assert not (s.cwd / "a").exists()


@pytest.mark.deep
async def test_what_cannot_be_kept_is_told_once_where_nobody_is_asked(tmp_path: Path):
    turns = [write("a", "one"), write("b", "two"), DONE]
    work = tmp_path / "work"
    work.mkdir()
    for name in "xyz":
        (work / name).write_text(name)
    async with stage(tmp_path, turns, checkpoints={"max_entries": 2}) as s:
        await s.run()
        told = [event.text for event in s.events(Logged) if "cannot be kept" in event.text]
        assert len(told) == 1
        assert (s.cwd / "b").read_text() == "two"


@pytest.mark.deep
async def test_files_that_are_not_kept_are_named_once(tmp_path: Path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "large").write_bytes(b"x" * 2_000)
    turns = [write("a", "one"), write("b", "two"), DONE]
    async with stage(tmp_path, turns, checkpoints={"max_file": 1_000}) as s:
        await s.run()
        named = [each.left for each in s.events(CheckpointCreated)]
        assert named == [("large: it has 2000 bytes",), (), ()]


async def test_checkpoints_can_be_switched_off(tmp_path: Path):
    async with stage(tmp_path, [write("a", "one"), DONE], checkpoints={"enabled": False}) as s:
        await s.run()
        assert s.events(CheckpointCreated) == []
        assert not (tmp_path / "home" / "checkpoints").exists()
        with pytest.raises(Misuse, match="keeps no checkpoints"):
            await s.session.send(Undo())


@pytest.mark.deep
@pytest.mark.proves("K02")
async def test_a_block_of_code_is_one_step_that_is_taken_back_whole(tmp_path: Path):
    code = "await write('a.txt', 'x'); await write('b.txt', 'y');"
    async with rlm_stage(tmp_path, [block(code), block("setFinal(1)")]) as s:
        await s.run()
        assert names(s) == ["a.txt", "b.txt"]
        assert [each.kind for each in s.events(CheckpointCreated)] == ["before", "end"]
        await s.session.send(Undo())
        assert names(s) == []
        await s.session.send(Redo())
        assert names(s) == ["a.txt", "b.txt"]


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_what_is_saved_while_code_runs_is_told_from_what_it_writes(tmp_path: Path):
    saved = "for (;;) { try { await read('mine'); break } catch { await sleep(20) } }"
    code = f"await write('a.txt', 'x'); {saved} await write('b.txt', 'y');"
    async with rlm_stage(tmp_path, [block(code), block("setFinal(1)")]) as s:
        async with anyio.create_task_group() as group:
            group.start_soon(s.run)
            await s.until(ToolResulted)
            (s.cwd / "mine").write_text("saved in an editor")
        assert names(s) == ["a.txt", "b.txt", "mine"]
        await s.session.send(Undo())
        assert names(s) == ["mine"]


@pytest.mark.deep
@pytest.mark.proves("sessions-k-faults")
async def test_a_full_disk_of_checkpoints_stops_a_write_that_could_not_be_undone(tmp_path: Path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "noise").write_bytes(random.Random(1).randbytes(3_000_000))
    with mounted(tmp_path / "small", mebibytes=1) as small:
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "checkpoints").symlink_to(small)
        async with stage(tmp_path, [write("a", "one"), DONE], mode="auto-edit") as s:
            await s.run()
            (result,) = s.results.values()
            assert result.status == "denied"
            assert "No space left" in s.events(PermissionRequested)[0].reason
            assert names(s) == ["noise"]


@pytest.mark.deep
@pytest.mark.proves("K08")
async def test_a_goal_goes_back_and_comes_again_with_its_turn(tmp_path: Path):
    turns = [
        Turn(tool_calls=(call("create_goal", objective="Write it all down"),)),
        Turn(tool_calls=(call("update_goal", status="complete"),)),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run("Set yourself a goal: write it all down")

        def goals(s: Stage) -> list[tuple[str, str]]:
            known = s.session.state.goals
            return [(goal.objective, goal.status) for goal in (known.all if known else ())]

        then = goals(s)
        assert then == [("Write it all down", "complete")]
        await s.session.send(Undo())
        assert goals(s) == []
        await s.session.send(Redo())
        assert goals(s) == then


@pytest.mark.proves("K02")
async def test_an_answer_without_a_call_reads_no_file(tmp_path: Path):
    async with stage(tmp_path, [DONE]) as s:
        await s.run()
    assert not (tmp_path / "home" / "checkpoints").exists()


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_what_a_person_saves_while_they_are_asked_is_theirs(tmp_path: Path):
    turns = [shell("echo 1 > a"), shell("echo 2 > b"), DONE]
    async with stage(tmp_path, turns, interactive=True, mode="ask") as s:
        async with anyio.create_task_group() as group:
            group.start_soon(s.run)
            for number, name in enumerate(("", "mine"), start=1):
                await s.until(PermissionRequested, number)
                if name:
                    await to_thread.run_sync(looked_behind)
                    (s.cwd / name).write_text("saved in an editor")
                request = s.events(PermissionRequested)[-1].request_id
                await s.session.send(Approve(request_id=request))
        assert names(s) == ["a", "b", "mine"]
        await s.session.send(Undo())
        assert names(s) == ["mine"]


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_a_turn_is_taken_back_beside_the_persons_own_work(tmp_path: Path):
    turns = [write("folder/a", "one"), shell("rm old; echo 2 > b"), DONE, DONE]
    work = tmp_path / "work"
    work.mkdir()
    for name in ("old", "edited", "gone"):
        (work / name).write_text("before")
    async with stage(tmp_path, turns) as s:
        await s.run()
        (s.cwd / "folder" / "mine").write_text("the person's")
        (s.cwd / "edited").write_text("the person's")
        (s.cwd / "gone").unlink()
        await s.session.send(Undo())
        assert names(s) == ["edited", "folder", "old"]
        assert [each.name for each in (s.cwd / "folder").iterdir()] == ["mine"]
        assert (s.cwd / "edited").read_text() == "the person's"
        left = s.events(CheckpointRestored)[-1].left
        assert sorted(left) == [
            f"{name}: it was changed by somebody else" for name in ("edited", "folder/mine", "gone")
        ]
        (s.cwd / "later").write_text("the person's")
        await s.session.send(Redo())
        assert names(s) == ["b", "edited", "folder", "later"]
        assert (s.cwd / "folder" / "a").read_text() == "one"
        # What a turn has touched is asked about, whoever touched it last.
        (s.cwd / "b").write_text("the person's")
        with pytest.raises(ForeignEdits) as refused:
            await s.session.send(Undo())
        assert refused.value.paths == ("b",)


def looked_behind() -> None:
    """Returns when what the latest command made is kept, which nobody is kept waiting for."""
    for thread in threading.enumerate():
        if thread.name == "checkpoints":
            thread.join()


@pytest.mark.proves("K02", "E09")
async def test_files_that_can_be_brought_back_are_deleted_unasked(tmp_path: Path):
    """In full-auto what a checkpoint keeps is an ordinary change; what none keeps is asked about."""
    (tmp_path / "work").mkdir()
    for name, text in {
        "a": "mine",
        "b": "mine too",
        "key": "secret",
        ".gitignore": "key\n",
    }.items():
        (tmp_path / "work" / name).write_text(text)
    turns = [
        *(shell("rm -f a not-there"), shell("echo new > c && rm -f b c"), shell("rm -f key")),
        *(shell("rm -rf .gitignore"), DONE),
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        assert [result.status for result in s.results.values()] == [
            "done",
            "done",
            "denied",
            "denied",
        ]
        asked = s.events(PermissionRequested)
        assert [each.input for each in asked] == ["rm -f key", "rm -rf .gitignore"]
        assert all("lasting harm" in each.warning for each in asked)
        assert names(s) == [".gitignore", "key"]
        await s.session.send(Undo())
        assert (s.cwd / "a").read_text() == "mine"
        assert (s.cwd / "b").read_text() == "mine too"


async def test_without_checkpoints_a_forced_deletion_stays_lasting_harm(tmp_path: Path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a").write_text("mine")
    turns = [shell("rm -f a"), DONE]
    async with stage(tmp_path, turns, checkpoints={"enabled": False}) as s:
        await s.run()
        assert [each.input for each in s.events(PermissionRequested)] == ["rm -f a"]
        assert (s.cwd / "a").read_text() == "mine"


@pytest.mark.deep
@pytest.mark.proves("K06")
async def test_commands_one_after_the_other_need_no_more_checkpoints(tmp_path: Path):
    async with stage(tmp_path, [shell("echo 1 > a"), shell("echo 2 > b"), DONE]) as s:
        await s.run()
        assert [each.kind for each in s.events(CheckpointCreated)] == ["before", "before", "end"]
        await s.session.send(Undo())
        assert names(s) == []


@pytest.mark.deep
@pytest.mark.proves("K06", "divergences-who-wrote-a-file-while")
async def test_what_is_saved_while_a_long_command_runs_needs_a_yes(tmp_path: Path):
    """Whose work it is cannot be told."""
    done = tmp_path / "done"
    waits = f"echo 1 > a; until [ -e {done} ]; do sleep 0.05; done"
    async with stage(tmp_path, [shell(waits), DONE], checkpoints={"ask_after": 0.1}) as s:
        async with anyio.create_task_group() as group:
            group.start_soon(s.run)
            await s.until(ToolAttempted)
            (s.cwd / "mine").write_text("saved in an editor")
            await anyio.sleep(0.1)
            done.touch()
        assert [result.status for result in s.results.values()] == ["done"]
        with pytest.raises(ForeignEdits, match="somebody while it ran: a, mine"):
            await s.session.send(Undo())
        await s.session.send(Undo(foreign="keep"))
        left = s.events(CheckpointRestored)[-1].left
        assert left == tuple(f"{name}: it was changed while a command ran" for name in names(s))
        await s.session.send(Redo())
        await s.session.send(Undo(foreign="overwrite"))
        assert names(s) == []
