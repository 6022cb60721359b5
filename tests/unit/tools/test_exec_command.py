import json
import os
import re
from pathlib import Path

import anyio
import pytest

from ouroboros.core.events import ToolProgress, ToolResulted
from ouroboros.core.events.process import ProcessEnded, ProcessKept
from ouroboros.core.parts import ToolCall
from ouroboros.safety.policy.presets import Escalation
from ouroboros.safety.sandbox import Policy
from ouroboros.safety.sandbox.floor import Floor
from ouroboros.tools.approval import Answer
from ouroboros.tools.builtin.exec_command import (
    ExecCommandArguments,
    ExecCommandTool,
    WriteStdinTool,
    poll_seconds,
    yield_seconds,
)
from ouroboros.tools.exec.processes import Processes
from ouroboros.tools.exec.starting import Starter
from tests.cases import deep_after, every
from tests.passing import hurrying
from tests.unit.tools.living import answered, living, number_of, said, seconds_of, shown
from tests.unit.tools.spine import Spine, gone, is_alive, text_of, written

pytestmark = pytest.mark.real


@pytest.mark.proves("codex-2.6")
async def test_the_lines_of_a_result_stand_in_their_order(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="echo out; echo err >&2; exit 3")
    assert re.fullmatch(
        r"Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\nProcess exited with code 3\n"
        r"Original token count: 2\nOutput:\nout\nerr\n",
        text_of(result),
    )
    assert result.status == "failed"


@pytest.mark.proves("D13")
async def test_what_was_said_between_two_calls_is_read_by_the_next_one_and_only_once(
    tmp_path: Path,
):
    os.mkfifo(tmp_path / "go")
    async with living(tmp_path) as spine:
        command = "echo one; read x < go; echo two $x"
        first = await shown(spine, "one\n", "exec_command", cmd=command)
        assert said(first) == "one\n"
        assert first.status == "done"
        async with await anyio.open_file(tmp_path / "go", "w") as go:
            await go.write("more\n")
        last = await spine.call("write_stdin", session_id=number_of(first))
        assert said(last) == "two more\n"
        assert "Process exited with code 0" in text_of(last)
        assert "session ID" not in text_of(last)
        again = await spine.call("write_stdin", session_id=number_of(first))
        assert text_of(again) == f"write_stdin failed: Unknown process id {number_of(first)}"
    assert spine.journal.of(ProcessKept)[0].number == number_of(first)
    assert 1000 <= number_of(first) <= 99_999
    assert [event.exit_code for event in spine.journal.of(ProcessEnded)] == [0]


@pytest.mark.deep
@pytest.mark.proves("codex-2.1", "codex-2.2")
async def test_waiting_times_are_clamped(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="sleep 60", yield_time_ms=1)
        assert 0.25 <= seconds_of(result) < 60
        assert number_of(result)


@pytest.mark.proves("codex-2.2")
@every(
    ("asked", "yields", "polls"),
    [
        (-5, 0.25, 5),
        (0, 0.25, 5),
        (249, 0.25, 5),
        (250, 0.25, 5),
        (251, 0.251, 5),
        (4_999, 4.999, 5),
        (5_001, 5.001, 5.001),
        (29_999, 29.999, 29.999),
        (30_000, 30, 30),
        (30_001, 30, 30.001),
        (299_999, 30, 299.999),
        (300_001, 30, 300),
        (10**15, 30, 300),
    ],
)
def test_each_waiting_time_has_its_bounds(asked: int, yields: float, polls: float):
    assert (yield_seconds(asked), poll_seconds(asked)) == (yields, polls)


@pytest.mark.deep
@pytest.mark.proves("codex-2.2")
async def test_the_bounds_hold_for_calls(tmp_path: Path):
    async with living(tmp_path) as spine, hurrying(0.2):

        async def timed(name: str, **arguments: object) -> tuple[ToolResulted, float]:
            began = anyio.current_time()
            return await spine.call(name, **arguments), anyio.current_time() - began

        first, waited = await timed("exec_command", cmd="sleep 90", tty=True, yield_time_ms=999_999)
        assert 30 <= waited < 300  # in this time a program takes seconds to begin
        number = number_of(first)
        _, polled = await timed("write_stdin", session_id=number, yield_time_ms=1)
        assert 5 <= polled < 30
        _, typed = await timed("write_stdin", session_id=number, chars="x", yield_time_ms=1)
        assert 0.35 <= typed < 30


@pytest.mark.deep
@pytest.mark.proves("codex-2.1", "codex-2.2")
async def test_output_never_ends_a_call_early(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call(
            "exec_command", cmd="echo a; sleep 0.3; echo b", yield_time_ms=20_000
        )
        assert said(result) == "a\nb\n"


@pytest.mark.deep
@pytest.mark.proves("D13", "codex-2.3")
async def test_a_program_on_a_terminal_answers_line_by_line(tmp_path: Path):
    async with living(tmp_path) as spine:
        begun = await shown(spine, ">>>", "exec_command", cmd="python3 -q -i", tty=True)
        assert ">>>" in said(begun)
        number = number_of(begun)
        assert "42" in await answered(spine, "42", number, "print(6 * 7)\n")
        last = await spine.call(
            "write_stdin", session_id=number, chars="exit()\n", yield_time_ms=20_000
        )
        assert "Process exited with code 0" in text_of(last)


async def test_ctrl_c_ends_what_has_no_terminal(tmp_path: Path):
    async with living(tmp_path) as spine:
        text = "trap 'echo bye; exit 5' TERM; sleep 600 & echo $!; wait"
        first = await shown(spine, "\n", "exec_command", cmd=text)
        number = number_of(first)
        stopped = await spine.call("write_stdin", session_id=number, chars="\x03")
        assert "Process exited with code" in text_of(stopped)
        assert await gone(int(said(first)))
        again = await spine.call("write_stdin", session_id=number, chars="\x03")
        assert text_of(again) == f"write_stdin failed: Unknown process id {number}"


@pytest.mark.proves("D13", "codex-2.3")
async def test_without_a_terminal_nothing_can_be_typed_but_it_can_be_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "go")
    async with living(tmp_path) as spine:
        first = await spine.call("exec_command", cmd="cat go", yield_time_ms=250)
        refused = await spine.call("write_stdin", session_id=number_of(first), chars="x\n")
        assert "rerun exec_command with tty=true" in text_of(refused)
        async with await anyio.open_file(tmp_path / "go", "w") as go:
            await go.write("done\n")
        waited = await spine.call("write_stdin", session_id=number_of(first))
        assert said(waited) == "done\n"


@pytest.mark.deep
async def test_control_c_ends_what_runs_on_a_terminal(tmp_path: Path):
    async with living(tmp_path) as spine:
        first = await spine.call("exec_command", cmd="sleep 600", tty=True, yield_time_ms=250)
        last = await spine.call(
            "write_stdin", session_id=number_of(first), chars="\x03", yield_time_ms=20_000
        )
        assert "Process exited with code 130" in text_of(last)


@pytest.mark.proves("codex-2.7")
async def test_the_forced_variables_are_seen_also_on_a_terminal(tmp_path: Path):
    async with living(tmp_path) as spine:
        for tty in (False, True):
            text = said(await spine.call("exec_command", cmd="env; stty size; true", tty=tty))
            lines = set(text.splitlines())
            wanted = {"NO_COLOR=1", "TERM=dumb", "LANG=C.UTF-8", "LC_CTYPE=C.UTF-8", "COLORTERM="}
            assert wanted <= lines
            pagers = {"LC_ALL=C.UTF-8", "PAGER=cat", "GIT_PAGER=cat", "GH_PAGER=cat", "OUROBOROS=1"}
            assert pagers <= lines
            assert ("24 80" in lines) is tty


@pytest.mark.proves("D17", "codex-2.4")
async def test_much_output_keeps_its_head_and_tail_and_says_how_much_there_was(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="seq 1 400000")  # 2.7 MB
    text = said(result)
    assert "Original token count: 672224\n" in text_of(result)
    assert text.startswith("Total output lines: ")
    assert "\n1\n2\n3\n" in text
    assert text.endswith("\n399999\n400000\n")
    assert "chars truncated…" in text
    assert len(text_of(result).encode()) <= 10_000


@pytest.mark.proves("D17")
async def test_a_call_may_ask_for_less(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="seq 1 20000", max_output_tokens=100)
    assert 200 < len(said(result).encode()) <= 400
    assert result.blob


@pytest.mark.proves("codex-2.7", "codex-2.9", "codex-2.10")
async def test_pieces_that_are_shown_are_bounded(tmp_path: Path):
    async with living(tmp_path) as spine:
        await spine.call("exec_command", cmd="head -c 3000000 /dev/zero | tr '\\0' x")
    sizes = [len(event.text.encode()) for event in spine.journal.of(ToolProgress)]
    assert max(sizes) <= 8192
    assert len(sizes) <= 10_000
    assert sum(sizes) == 3_000_000


@pytest.mark.proves("codex-2.9")
async def test_two_run_beside_each_other_and_typing_waits_for_both(tmp_path: Path):
    os.mkfifo(tmp_path / "a")
    async with living(tmp_path) as spine:
        may = spine.orchestrator.may_overlap
        assert may(ToolCall(id="1", name="exec_command", arguments="{}"))
        assert not may(ToolCall(id="1", name="write_stdin", arguments="{}"))
        for changing in (
            '{"cmd": "rm a"}',
            '{"command": "git commit"}',
            '{"cmd": ["mv", "a", "b"]}',
        ):
            assert not may(ToolCall(id="1", name="exec_command", arguments=changing))
        deep = '{"cmd": "ls", "x": ' + "[" * 3000 + "]" * 3000 + "}"
        for odd in (deep, '{"cmd": "\ud800"}', "{", "[]", "3", '{"cmd": "rm a'):
            assert may(ToolCall(id="1", name="exec_command", arguments=odd))
        results: list[str] = []

        async def run(command: str) -> None:
            results.append(said(await spine.call("exec_command", cmd=command)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, "cat a")
            tasks.start_soon(run, "echo through > a")
    assert sorted(results) == ["", "through\n"]


@pytest.mark.proves("codex-2.1", "codex-2.2")
async def test_time_does_not_pass_while_a_person_is_asked(tmp_path: Path):
    asked = [True]
    async with living(tmp_path, is_paused=lambda: asked[0]) as spine:
        ended: list[str] = []

        async def run() -> None:
            result = await spine.call("exec_command", cmd="sleep 0.5; echo late", yield_time_ms=250)
            ended.append(text_of(result))

        with anyio.fail_after(60):
            await run()
    assert "late" in ended[0]


@pytest.mark.deep
@pytest.mark.proves("D13")
async def test_a_shell_that_stays_is_asked_about_again_for_what_is_typed_into_it(tmp_path: Path):
    yes = Answer(allowed=True)
    async with living(tmp_path, mode="ask", answers=[yes, yes]) as spine:
        first = await spine.call("exec_command", cmd="bash", tty=True, yield_time_ms=250)
        number = number_of(first)
        await spine.call("write_stdin", session_id=number, chars="ls\n")
        refused = await spine.call("write_stdin", session_id=number, chars="touch evil\n")
        waited = await spine.call("write_stdin", session_id=number, chars="\x03")
    assert [question.input for question in spine.asker.questions] == [
        "bash",
        "ls\n",
        "touch evil\n",
    ]
    assert spine.asker.questions[2].action == "Type 'touch evil' into bash"
    assert refused.status == "denied"
    assert not (tmp_path / "evil").exists()
    assert waited.status == "done"


@pytest.mark.deep
@pytest.mark.proves("D13")
async def test_a_rule_that_denies_a_command_denies_typing_it(tmp_path: Path):
    yes = Answer(allowed=True)
    async with living(tmp_path, rules=[("deny", "shell(rm:*)")], answers=[yes]) as spine:
        first = await spine.call("exec_command", cmd="bash", tty=True, yield_time_ms=250)
        result = await spine.call("write_stdin", session_id=number_of(first), chars="rm -rf x\n")
        started = await spine.call("exec_command", cmd="rm -rf x")
    assert (result.status, started.status) == ("denied", "denied")


async def test_a_command_that_is_broken_off_before_it_has_a_number_leaves_nothing(tmp_path: Path):
    async with living(tmp_path) as spine:
        scope = anyio.CancelScope()

        async def run() -> None:
            command = "sh -c 'echo $$ > pid; exec sleep 600' & wait"
            with scope:
                await spine.call("exec_command", cmd=command)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await written(tmp_path / "pid")
            scope.cancel()
        assert await gone(int((tmp_path / "pid").read_text()))
        assert re.match(
            r"aborted by user after \d+\.\ds$", text_of(spine.journal.of(ToolResulted)[-1])
        )


@pytest.mark.deep
async def test_a_poll_that_is_broken_off_leaves_the_command_alone(tmp_path: Path):
    async with living(tmp_path) as spine:
        command = "echo $$ > pid; sleep 600"
        number = number_of(await spine.call("exec_command", cmd=command, yield_time_ms=250))
        pid = int(await written(tmp_path / "pid"))
        with anyio.move_on_after(0.2):
            await spine.call("write_stdin", session_id=number)
        assert is_alive(pid)
    assert await gone(int((tmp_path / "pid").read_text()))


@pytest.mark.deep
@pytest.mark.proves("D13", "F07")
@pytest.mark.parametrize(
    ("command", "tty"),
    deep_after(
        2,
        [
            ("(setsid sh -c 'echo $$ > pid; exec sleep 600' &) ; sleep 600", False),
            ("exec >&- 2>&-; echo $$ > pid; sleep 600", True),
            ("(setsid sh -c 'echo $$ > pid; exec sleep 600' &) ; sleep 600", True),
            ("exec >&- 2>&-; echo $$ > pid; sleep 600", False),
            ("trap '' TERM HUP; echo $$ > pid; while :; do sleep 1; done", False),
            ("trap '' TERM HUP; echo $$ > pid; while :; do sleep 1; done", True),
        ],
    ),
)
async def test_the_end_of_the_session_ends_everything(tmp_path: Path, command: str, tty: bool):
    async with living(tmp_path) as spine:
        await spine.call("exec_command", cmd=command, tty=tty, yield_time_ms=250)
        pid = int(await written(tmp_path / "pid"))
        assert is_alive(pid)
    assert await gone(pid)


@pytest.mark.deep
@pytest.mark.proves("D13")
async def test_who_closes_its_output_and_lives_is_not_taken_for_ended(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="exec >&- 2>&-; sleep 600", yield_time_ms=400)
        assert number_of(result)


@pytest.mark.proves("D13")
async def test_a_child_that_holds_the_output_open_does_not_hold_the_call(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="sleep 600 & echo here")
        assert said(result) == "here\n"
        assert "Process exited with code 0" in text_of(result)
        assert seconds_of(result) < 60


@pytest.mark.proves("D13")
async def test_garbage_is_text_without_holes(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd=r"printf '\xff\xfe\0\x1b[31m\xe6'", tty=True)
        assert json.dumps(said(result))
        assert said(result).startswith("\ufffd\ufffd\0\x1b[31m\ufffd")


@pytest.mark.proves("codex-2.7", "codex-2.9", "codex-2.10")
async def test_a_folder_that_is_not_there_is_an_error_that_names_the_command(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="ls", workdir="nowhere")
        assert text_of(result).startswith("exec_command failed for `ls`: No such file")
        (tmp_path / "deep").mkdir()
        below = await spine.call("exec_command", cmd="pwd", workdir="deep")
        same = await spine.call("exec_command", cmd="pwd", workdir="")
    assert said(below) == f"{tmp_path / 'deep'}\n"
    assert said(same) == f"{tmp_path}\n"


async def test_another_shell_runs_the_command_and_no_other_program_does(tmp_path: Path):
    async with living(tmp_path) as spine:
        plain = await spine.call("exec_command", cmd="echo ${BASH_VERSION:-none}", shell="sh")
        other = await spine.call("exec_command", cmd="print(1)", shell="python3")
    assert said(plain) == "none\n"
    assert "'python3' is no shell that is known" in text_of(other)


@every("shell", ["./bash", "own/bash", "{0}/own/bash", "//bin/bash", "../bash"])
async def test_a_file_that_is_called_like_a_shell_is_none(tmp_path: Path, shell: str):
    """Else a harmless command would be read by whatever the workspace brought."""
    canary = tmp_path / "ran"
    for place in (tmp_path / "bash", tmp_path / "own/bash"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\ntouch {canary}\n")
        place.chmod(0o755)
    async with living(tmp_path) as spine:
        result = await spine.call("exec_command", cmd="ls", shell=shell.format(tmp_path))
    assert "is no shell that is known" in text_of(result)
    assert not canary.exists()


async def test_a_question_names_the_folder_of_a_command_however_long_that_is(tmp_path: Path):
    arguments = ExecCommandArguments(cmd="rm -rf build " + "x" * 5_000, workdir="../other")
    processes = Processes()
    async with processes.opened():
        effect = ExecCommandTool(Starter(), processes).effect(arguments, tmp_path)
    assert effect.action.startswith("Run in ../other: rm -rf build")


async def test_where_no_command_can_outlive_its_call_that_is_said(tmp_path: Path):
    tool = ExecCommandTool(Starter(), Processes())
    result = await Spine(tmp_path, tools=[tool]).call("exec_command", cmd="true")
    assert text_of(result) == "commands cannot outlive a call here; use shell"


async def test_what_a_model_asks_for_beyond_the_cage_reaches_the_rules(tmp_path: Path):
    async with living(tmp_path) as spine:
        tool = spine.registry.find("exec_command")
        assert isinstance(tool, ExecCommandTool)
        arguments = tool.arguments(
            cmd="make", sandbox_permissions="require_escalated", justification="May I?"
        )
        effect = tool.effect(arguments, tmp_path)
    assert effect.escalation == Escalation(permissions="require_escalated", justification="May I?")


async def test_a_command_may_be_called_by_the_name_of_a_sister(tmp_path: Path):
    async with living(tmp_path) as spine:
        result = await spine.call("execCommand", command="echo hi")
        assert said(result) == "hi\n"


async def test_a_flood_on_a_terminal_is_kept_at_both_ends_and_stopped(tmp_path: Path):
    async with living(tmp_path) as spine:
        flood = "echo begin; yes"
        first = await shown(spine, "end", "exec_command", most=100_000, cmd=flood, tty=True)
        number = number_of(first)
        assert "\nbegin\r\ny\r\n" in said(first)
        assert len(text_of(first).encode()) <= 10_000
        last = await spine.call(
            "write_stdin", session_id=number, chars="\x03", yield_time_ms=20_000
        )
        assert "Process exited with code 130" in text_of(last)


@pytest.mark.deep
@pytest.mark.proves("F07")
async def test_a_command_of_many_processes_holds_up_no_other_and_ends_whole(tmp_path: Path):
    command = "for i in $(seq 100); do setsid sleep 600 & echo $! >> pids; done; echo made; wait"
    async with living(tmp_path) as spine:
        begun = await shown(spine, "made", "exec_command", cmd=command)
        assert number_of(begun)
        assert said(await spine.call("exec_command", cmd="echo alive")) == "alive\n"
        pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
        assert any(is_alive(pid) for pid in pids)
    assert all([await gone(pid) for pid in pids])


@pytest.mark.proves("sandbox-cage")
async def test_in_a_cage_a_terminal_belongs_to_the_command_too(tmp_path: Path):
    async with living(tmp_path, sandbox=Floor(Policy(writable=(tmp_path,)))) as spine:
        command = "echo there >/dev/tty; sleep 600"
        first = await shown(spine, "there", "exec_command", cmd=command, tty=True)
        assert "there" in said(first)
        outside = await spine.call(
            "exec_command", cmd="echo x > ../outside", tty=True, yield_time_ms=30_000
        )
        assert "Permission denied" in said(outside)
        last = await spine.call(
            "write_stdin", session_id=number_of(first), chars="\x03", yield_time_ms=20_000
        )
        assert "Process exited with code 130" in text_of(last)


@pytest.mark.proves("D13")
async def test_a_terminal_has_the_size_of_the_persons_and_follows_it(tmp_path: Path):
    processes = Processes()
    tools = [ExecCommandTool(Starter(), processes, login=False), WriteStdinTool(processes)]
    async with processes.opened():
        spine = Spine(tmp_path, tools=tools)
        processes.resize(132, 43)
        text = "trap 'stty size' WINCH; stty size; tput -T xterm cols; while :; do sleep 0.1; done"
        first = await shown(spine, "132\r\n132\r\n", "exec_command", cmd=text, tty=True)
        assert said(first).split() == ["43", "132", "132"]
        processes.resize(100, 30)
        later = await shown(spine, "30 100", "write_stdin", session_id=number_of(first))
        assert said(later).split() == ["30", "100"]
        stopped = await spine.call(
            "write_stdin", session_id=number_of(first), chars="\x03", yield_time_ms=20_000
        )
        assert "Process exited with code 130" in text_of(stopped)
        processes.resize(90, 20)  # of one that is gone nothing can be changed


@pytest.mark.proves("D13")
@every(
    ("wanted", "given"),
    [
        ((1, 1), (20, 5)),
        ((10_000, 10_000), (500, 200)),
        ((20, 5), (20, 5)),
        ((500, 200), (500, 200)),
    ],
)
async def test_a_size_that_no_program_expects_is_bounded(
    wanted: tuple[int, int], given: tuple[int, int]
):
    processes = Processes()
    assert processes.size == (80, 24)
    processes.resize(*wanted)
    assert processes.size == given


@pytest.mark.deep
@pytest.mark.proves("D13")
@pytest.mark.parametrize(
    ("keys", "wanted"),
    deep_after(
        1,
        [
            ("\x04", "Process exited with code 0"),
            ("\x1c", "Process exited with code 131"),
            ("ab\x7fc\n", "ac\r\n"),
        ],
    ),
)
async def test_control_characters_mean_what_they_mean_on_a_terminal(
    tmp_path: Path, keys: str, wanted: str
):
    """Ctrl-D ends the input, Ctrl-\\ quits, and backspace takes a character back."""
    async with living(tmp_path) as spine:
        first = await spine.call("exec_command", cmd="exec cat", tty=True, yield_time_ms=250)
        number = number_of(first)
        if keys.endswith("\n"):
            assert wanted in await answered(spine, wanted, number, keys)
        else:
            last = await spine.call(
                "write_stdin", session_id=number, chars=keys, yield_time_ms=30_000
            )
            assert wanted in text_of(last)
