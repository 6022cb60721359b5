import os
import re
from pathlib import Path

import anyio
import pytest

from ouroboros.core.events import ToolProgress, ToolResulted, ToolStarted
from ouroboros.core.parts import Text
from ouroboros.tools.builtin.shell import ShellTool
from tests.passing import passes, until
from tests.unit.tools.spine import Spine, gone, text_of, written

pytestmark = pytest.mark.real


async def lines_of(folder: Path, command: str, **arguments: object) -> list[str]:
    return text_of(await Spine(folder).call("shell", command=command, **arguments)).split("\n")


@pytest.mark.proves("D02", "D12")
async def test_the_result_has_code_time_and_output(tmp_path: Path):
    spine = Spine(tmp_path)
    result = await spine.call("shell", command="echo out; echo err >&2; exit 3")
    lines = text_of(result).split("\n")
    assert result.status == "failed"
    assert (lines[0], lines[2]) == ("Exit code: 3", "Output:")
    assert re.fullmatch(r"Wall time: \d+\.\d+ seconds", lines[1])
    assert sorted(lines[3:]) == ["", "err", "out"]


@pytest.mark.proves("A07")
async def test_progress_comes_before_the_result(tmp_path: Path):
    spine = Spine(tmp_path)
    wait = "until [ -e $i ]; do sleep 0.01; done"

    async def answer() -> None:
        for number in (1, 2, 3):
            await until(lambda n=number: len(spine.journal.of(ToolProgress)) >= n)
            await (anyio.Path(tmp_path) / f"{number}").touch()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(answer)
        await spine.call("shell", command=f"for i in 1 2 3; do echo $i; {wait}; done; echo e >&2")
    progress = spine.journal.of(ToolProgress)
    assert [(event.part, event.text, event.stream) for event in progress] == [
        (0, "1\n", "stdout"),
        (1, "2\n", "stdout"),
        (2, "3\n", "stdout"),
        (3, "e\n", "stderr"),
    ]
    assert spine.journal.types()[-1] == "tool.result"


async def test_a_character_cut_in_two_is_put_together(tmp_path: Path):
    spine = Spine(tmp_path)
    result = await spine.call("shell", command=r"printf '\xe6\xbc'; sleep 0.1; printf '\xa2\xff'")
    assert "".join(event.text for event in spine.journal.of(ToolProgress)) == "漢\ufffd"
    assert text_of(result).endswith("Output:\n漢\ufffd")


@pytest.mark.proves("D12", "F07")
async def test_a_time_out_says_so_and_kills_grandchildren(tmp_path: Path):
    command = "sh -c 'echo $$ > pid; echo started; exec sleep 60' & wait"
    results: list[ToolResulted] = []
    spine = Spine(tmp_path)

    async def take_long() -> None:
        results.append(await spine.call("shell", command=command, timeout=400))

    pid = 0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take_long)
        pid = int(await written(tmp_path / "pid"))
        await until(lambda: spine.journal.of(ToolProgress))
        passes(400)
    (result,) = results
    lines = text_of(result).split("\n")
    assert (result.status, lines[0]) == ("failed", "Exit code: 124")
    assert re.fullmatch(
        r"command timed out after \d+ milliseconds "
        r"\(timeout 400 s; raise timeout for longer work\)",
        lines[3],
    )
    assert lines[4] == "started"
    assert await gone(pid)


@pytest.mark.proves("D12")
async def test_the_cap_is_above_what_a_model_asks_for(tmp_path: Path):
    spine = Spine(tmp_path, tools=[ShellTool(timeout_cap_seconds=0.2)])
    result = await spine.call("shell", command="sleep 30", timeout=3600)
    assert "Exit code: 124" in text_of(result)
    assert text_of(result).endswith(
        " (timeout 0.2 s; that is the most; run longer work in the background)\n(no output)\n"
    )


def test_the_description_names_the_real_limits():
    assert "Default timeout 10 s, at most 600 s;" in ShellTool.description
    made = ShellTool(timeout_seconds=0.5, timeout_cap_seconds=90)
    assert "Default timeout 0.5 s, at most 90 s;" in made.description


async def test_silence_is_said(tmp_path: Path):
    lines = await lines_of(tmp_path, "true")
    assert lines[2:] == ["Output:", "(no output)", ""]


async def test_the_result_is_one_text_however_it_is_joined(tmp_path: Path):
    result = await Spine(tmp_path).call("shell", command="printf '\nx'")
    (part,) = result.parts
    assert isinstance(part, Text)
    assert part.text.endswith("\nOutput:\n\nx")


@pytest.mark.deep
async def test_a_flood_is_stopped_by_the_time_out(tmp_path: Path):
    result = await Spine(tmp_path).call("shell", command="yes", timeout=0.3)
    assert "Exit code: 124" in text_of(result)
    assert len(text_of(result).encode()) <= 10_000


async def test_no_input_no_terminal_and_bash_when_there_is_one(tmp_path: Path):
    lines = await lines_of(tmp_path, "cat; [ -t 0 ] || echo no terminal; [[ 1 == 1 ]] && echo bash")
    assert lines[3:] == ["no terminal", "bash", ""]


@pytest.mark.proves("F06")
async def test_profiles_are_not_read_and_keys_are_not_seen(tmp_path: Path):
    (tmp_path / "profile").write_text("echo sneaked\n")
    environment = {
        "PATH": os.environ["PATH"],
        "BASH_ENV": str(tmp_path / "profile"),
        "ENV": str(tmp_path / "profile"),
        "OPENAI_API_KEY": "sk-hush",
        "HOME": str(tmp_path),
    }
    spine = Spine(tmp_path, environment=environment)
    text = text_of(await spine.call("shell", command="env; echo $OPENAI_API_KEY"))
    assert "sneaked" not in text
    assert "hush" not in text


async def test_a_background_process_that_lets_go_does_not_hold_the_call(tmp_path: Path):
    command = "sh -c 'echo $$ > pid; exec sleep 60' >/dev/null 2>&1 & echo ready"
    lines = await lines_of(tmp_path, command)
    pid = int(await written(tmp_path / "pid"))
    os.kill(pid, 9)
    assert lines[3:] == ["ready", ""]


async def test_the_person_sees_the_command_first_and_what_the_model_says_after_it(tmp_path: Path):
    spine = Spine(tmp_path, mode="ask")
    await spine.call("shell", command="make x", description="Show\nthe date\x1b[2K")
    question = spine.asker.questions[0]
    assert question.input == "make x"
    assert question.action == r"Run make x (described as 'Show ⏎ the date\x1b[2K')"
    assert spine.journal.of(ToolStarted)[0].title == question.action


async def test_the_title_of_a_long_command_is_one_line_and_says_what_it_leaves_out(tmp_path: Path):
    spine = Spine(tmp_path, mode="ask")
    command = "echo  a\nrm b\n" + "x" * 1000
    await spine.call("shell", command=command)
    question = spine.asker.questions[0]
    assert question.input == command
    assert question.action.startswith("Run echo a ⏎ rm b ⏎ xxx")
    assert question.action.endswith("x… [616 more characters]")


async def test_a_command_that_no_shell_takes_is_refused_with_a_way_out(tmp_path: Path):
    text = text_of(await Spine(tmp_path).call("shell", command="echo " + "x" * 200_000))
    assert text == (
        "the command has 200005 bytes, the limit is 128000; put it in a file with write and run that"
    )
    result = await Spine(tmp_path).call("shell", command="echo " + "x" * 127_000 + " | wc -c")
    assert text_of(result).endswith("127001\n")
