"""Runs of the mind that writes code, over real HTTP and in a real isolate."""

from pathlib import Path

import anyio
import msgspec
import pytest

from ouroboros.core.commands import Interrupt, Steer
from ouroboros.core.events import (
    AgentMessage,
    ErrorRaised,
    ModelDelta,
    TaskCompleted,
    ToolResulted,
    UserMessage,
)
from ouroboros.core.events.code import (
    CodeGenerated,
    CodeResulted,
    EnvironmentUpdated,
    IterationStarted,
    Logged,
)
from ouroboros.llm.turns import Fault, ScriptedCall, Turn
from tests.story.rlm_stage import block, contexts, rlm_stage

END = block("setFinal('done')")


@pytest.mark.proves("B01")
async def test_every_block_of_a_reply_runs_in_order(tmp_path: Path) -> None:
    turns = [block("const a = 20;\na", "const b = a + 1;\nb"), block("setFinal(a + b)")]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run("Add them.")
        assert (outcome.reason, outcome.final, outcome.exit_code) == ("completed", "41", 0)
        assert [(e.iteration, e.block, e.code) for e in s.events(CodeGenerated)] == [
            (1, 0, "const a = 20;\na"),
            (1, 1, "const b = a + 1;\nb"),
            (2, 0, "setFinal(a + b)"),
        ]
        first, second, _ = s.events(CodeResulted)
        assert msgspec.json.decode(first.metadata)["preview"] == "20"
        assert msgspec.json.decode(second.metadata)["preview"] == "21"


@pytest.mark.proves("B02")
async def test_the_value_is_delivered_whole_however_long(tmp_path: Path) -> None:
    turns = [block("const line = '0123456789';\nsetFinal(line.repeat(500_000))")]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run("Write five million characters.")
        assert outcome.final == "0123456789" * 500_000
        (result,) = s.events(ToolResulted)
        assert len(result.parts) == 1
        assert sum(len(str(part)) for part in result.parts) < 1_000


@pytest.mark.proves("B02")
@pytest.mark.parametrize(
    ("value", "final"),
    [("'text'", "text"), ("{a: [1, null]}", '{"a":[1,null]}'), ("undefined", "null"), ("0", "0")],
    ids=["text", "object", "undefined", "number"],
)
async def test_any_value_may_be_final(tmp_path: Path, value: str, final: str) -> None:
    async with rlm_stage(tmp_path, [block(f"setFinal({value})")]) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", final)


@pytest.mark.proves("B02")
async def test_blocks_after_the_final_value_are_not_run(tmp_path: Path) -> None:
    turns = [block("setFinal(1)", "await write('late.txt', 'x')")]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run()
        assert (outcome.final, outcome.turns) == ("1", 1)
        assert not (s.cwd / "late.txt").exists()
        assert "an earlier block of this reply has called setFinal" in str(
            s.events(ToolResulted)[-1].parts
        )


@pytest.mark.proves("B02")
async def test_no_other_words_end_the_run(tmp_path: Path) -> None:
    turns = [Turn(text="The answer is 42. FINAL(42) I am done."), END]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final, outcome.turns) == ("completed", "done", 2)
        assert "held no code" in contexts(s)[1]


@pytest.mark.proves("B03")
async def test_three_replies_without_code_end_the_run_with_what_there_is(tmp_path: Path) -> None:
    turns = [block("const found = 7;\nfound"), *[Turn(text=f"Prose {n}.") for n in range(3)]]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.exit_code, outcome.turns) == ("failed", 1, 4)
        assert "found: number" in outcome.final
        assert "Prose 2." in outcome.final
        assert [error.kind for error in s.events(ErrorRaised)] == ["no_code"]


@pytest.mark.proves("B03")
async def test_code_between_them_starts_the_count_anew(tmp_path: Path) -> None:
    prose = Turn(text="Hm.")
    turns = [prose, prose, block("1"), prose, prose, END]
    async with rlm_stage(tmp_path, turns) as s:
        assert (await s.run()).reason == "completed"


@pytest.mark.proves("B04", "divergences-calls-at-the-cap-of")
async def test_an_endless_run_answers_after_its_last_iteration(tmp_path: Path) -> None:
    turns = [*[block(f"const n{n} = {n};") for n in range(25)], Turn(text="Best guess: 24.")]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_iterations"
        assert (outcome.final, outcome.exit_code, outcome.turns) == ("Best guess: 24.", 3, 26)
        said = contexts(s)
        assert "Iteration 25 of 25." in said[24]
        assert "last iteration" not in said[24]
        assert "last iteration" in said[25]


@pytest.mark.proves("B04")
async def test_the_last_answer_may_be_a_final_value(tmp_path: Path) -> None:
    turns = [block("const n = 5;"), block("n"), block("setFinal({n, partial: true})")]
    async with rlm_stage(tmp_path, turns, rlm={"max_iterations": 2}) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_iterations"
        assert outcome.final == '{"n":5,"partial":true}'


@pytest.mark.proves("B04")
async def test_code_again_in_the_last_answer_leaves_what_was_done(tmp_path: Path) -> None:
    turns = [block("const n = 5;"), block("n")]
    async with rlm_stage(tmp_path, turns, rlm={"max_iterations": 1}) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_iterations"
        assert "- n: number" in outcome.final


@pytest.mark.proves("B07")
async def test_each_block_has_its_own_entry(tmp_path: Path) -> None:
    turns = [block("const a = 1;\nnowhere()", "6 * 7"), END]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run()
        assert [e.ok for e in s.events(CodeResulted)] == [False, True, True]
        told = contexts(s)[1]
        assert "error at line 2: ReferenceError: nowhere is not defined" in told
        assert "preview (data, not instructions): 42" in told


@pytest.mark.proves("B08")
async def test_the_task_stands_on_top_of_every_request(tmp_path: Path) -> None:
    turns = [block("log('I am at 100 %, nearly done');\n1"), block("2"), END]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run("Count the ships.")
        for number, told in enumerate(contexts(s), start=1):
            assert told.startswith('# Task\n"""\nCount the ships.\n"""\n')
            assert f"Iteration {number} of 25." in told
            assert "nearly done" not in told.replace("log('I am at 100 %, nearly done')", "")
        assert "Progress so far:\n1. code - ok\n2. code - ok" in contexts(s)[2]
        assert "nearly done" in s.events(Logged)[0].text


@pytest.mark.proves("B31")
async def test_the_fixed_prompt_is_the_same_to_the_byte(tmp_path: Path) -> None:
    seen: set[str] = set()
    for run in ("one", "two"):
        folder = tmp_path / run
        folder.mkdir()
        async with rlm_stage(folder, [block("1"), END]) as s:
            await s.run(f"Task {run}.")
            seen |= {s.body(at)["messages"][0]["content"] for at in range(2)}
    (prompt,) = seen
    assert len(prompt) / 4 <= 3_500


@pytest.mark.proves("B08", "B28")
async def test_steering_is_told_with_the_task(tmp_path: Path) -> None:
    wait = "for (;;) { try { await read('heard'); break } catch { await sleep(20) } }"
    turns = [block(f"{wait}\n1"), END]
    async with rlm_stage(tmp_path, turns) as s, anyio.create_task_group() as tasks:
        tasks.start_soon(s.run, "Count the ships.")
        await s.until(CodeGenerated)
        await s.session.send(Steer(text="Only the red ones."))
        await anyio.Path(s.cwd / "heard").write_text("heard")
        await s.until(TaskCompleted)
        told = contexts(s)[1]
        assert 'The user added: """\nOnly the red ones.\n"""' in told
        assert told.startswith('# Task\n"""\nCount the ships.\n"""')


async def test_a_second_task_finds_the_variables_of_the_first(tmp_path: Path) -> None:
    turns = [block("const ships = ['a', 'b'];\nsetFinal(1)"), block("setFinal(ships.length)")]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run("Find the ships.")
        assert (await s.run("Count them.")).final == "2"
        told = contexts(s)[1]
        assert told.startswith('# Task\n"""\nCount them.\n"""\nIteration 1 of 25.')
        assert "- ships: array, 2 items" in told
        assert "Earlier in this session, and done:\n- Find the ships." in told


@pytest.mark.proves("B12")
@pytest.mark.parametrize(
    "reply",
    [
        Turn(text="~~~repl\nsetFinal('done')\n~~~"),
        Turn(text="```js\nsetFinal('done')\n```"),
        Turn(text='{"name": "repl", "arguments": {"code": "setFinal(\'done\')"}}'),
        Turn(text="setFinal('done')"),
        Turn(tool_calls=(ScriptedCall(name="repl", arguments={"code": "setFinal('done')"}),)),
    ],
    ids=["tildes", "another mark", "json", "bare", "a real call"],
)
@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
async def test_code_is_found_however_it_is_said(tmp_path: Path, reply: Turn, format: str) -> None:
    async with rlm_stage(tmp_path, [reply], format=format) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final, outcome.turns) == ("completed", "done", 1)


@pytest.mark.proves("B13")
async def test_a_block_that_the_output_limit_cut_is_not_run(tmp_path: Path) -> None:
    cut = Turn(text="```repl\nawait write('a.txt', 'half of", stop="length")
    async with rlm_stage(tmp_path, [cut, END]) as s:
        assert (await s.run()).reason == "completed"
        assert not (s.cwd / "a.txt").exists()
        assert "cut off at the output limit" in contexts(s)[1]


@pytest.mark.proves("B26")
async def test_what_happens_is_shown_while_it_happens(tmp_path: Path) -> None:
    turns = [
        block("const a = 1;", "a + ", prose="I look.", chunk=5),
        block("const b = await llm_query('Say hi.', 'data');\nlog(b);\nsetFinal(b)"),
        Turn(text="hi"),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run()
        assert s.types.count("iteration.started") == 2
        assert [e.task for e in s.events(IterationStarted)] == ["Do it.", "Do it."]
        assert "".join(e.text for e in s.events(ModelDelta) if e.kind == "text").startswith(
            "I look."
        )
        wanted = {
            *("code.generated", "code.result", "env.updated", "log", "task.completed"),
            *("subagent.started", "subagent.replied", "subagent.completed"),
        }
        assert wanted <= set(s.types)
        assert s.events(EnvironmentUpdated)[0].names == ("a",)


@pytest.mark.proves("B28")
async def test_a_stop_in_a_block_leaves_a_session_that_goes_on(tmp_path: Path) -> None:
    turns = [block("const kept = 5;", "await sleep(10_000)", "await write('b.txt', 'x')"), END]
    async with rlm_stage(tmp_path, turns) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(CodeGenerated, 2)
            await s.session.send(Interrupt())
        assert s.session.state.ended == "cancelled"
        assert [r.status for r in s.events(ToolResulted) if r.name == "repl"] == [
            "done",
            "cancelled",
            "cancelled",
        ]
        assert not (s.cwd / "b.txt").exists()
        assert (await s.run("Go on.")).final == "done"


@pytest.mark.proves("B28")
async def test_a_stop_while_the_model_speaks_runs_nothing(tmp_path: Path) -> None:
    slow = block("await write('a.txt', 'x')", chunk=1, pace_seconds=0.05)
    async with rlm_stage(tmp_path, [slow, END]) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(ModelDelta, 5)
            await s.session.send(Interrupt())
        assert s.session.state.ended == "cancelled"
        assert s.events(CodeGenerated) == []
        assert not (s.cwd / "a.txt").exists()


@pytest.mark.proves("B29")
async def test_failures_of_every_kind_are_entries(tmp_path: Path) -> None:
    turns = [
        block("throw new Error('mine')"),
        block("const a = ;"),
        block("await read('no such file')"),
        block("while (true) {}"),
        block("const o = {}; o.o = o; setFinal(o)"),
        Turn(text="```repl\n`" * 50),
        Turn(fault=Fault(kind="overloaded", status=529)),
        block("await llm_query('Say hi.', 'x')"),
        Turn(fault=Fault(kind="auth", status=401)),
        END,
    ]
    async with rlm_stage(tmp_path, turns, rlm={"block_timeout": 1.0}) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.final) == ("completed", "done")
        told = "\n".join(contexts(s))
        for words in ("Error: mine", "SyntaxError", "no such file", "ran for too long", "SUB-CALL"):
            assert words in told


@pytest.mark.proves("B11")
async def test_too_long_a_request_is_tried_again_with_half_the_past(tmp_path: Path) -> None:
    big = "// " + "x" * 6_000
    turns = [
        *[block(f"{big}\n{n}") for n in range(3)],
        Turn(fault=Fault(kind="context_overflow", status=400)),
        END,
    ]
    async with rlm_stage(tmp_path, turns) as s:
        assert (await s.run()).reason == "completed"
        sizes = [len(told) for told in contexts(s)]
        assert sizes[4] < sizes[3] - 3_000


async def test_words_are_on_disk_before_a_model_reads_them(tmp_path: Path) -> None:
    async with rlm_stage(tmp_path, [END]) as s:
        await s.run()
        types = s.types
        assert types.index("user.message") < types.index("agent.message")
        assert s.events(UserMessage)[-1].message.text == "Do it."
        assert len(s.events(AgentMessage)) == 1
