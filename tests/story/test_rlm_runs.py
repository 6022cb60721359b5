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
from tests.story.stage import Stage

END = block("setFinal('done')")


@pytest.mark.deep
@pytest.mark.proves("B01", "B07")
async def test_every_block_of_a_reply_runs_in_order_and_has_its_own_entry(tmp_path: Path) -> None:
    turns = [
        *(block("const a = 20;\na", "const b = a + 1;\nb"), block("setFinal(a + b)")),
        *(block("const c = 1;\nnowhere()", "6 * 7"), END),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run("Add them.")
        # Words are on disk before a model reads them.
        assert s.types.index("user.message") < s.types.index("agent.message")
        assert s.events(UserMessage)[-1].message.text == "Add them."
        assert len(s.events(AgentMessage)) == 2
        assert (outcome.reason, outcome.final, outcome.exit_code) == ("completed", "41", 0)
        assert [(e.iteration, e.block, e.code) for e in s.events(CodeGenerated)] == [
            (1, 0, "const a = 20;\na"),
            (1, 1, "const b = a + 1;\nb"),
            (2, 0, "setFinal(a + b)"),
        ]
        first, second, _ = s.events(CodeResulted)
        assert msgspec.json.decode(first.metadata)["preview"] == "20"
        assert msgspec.json.decode(second.metadata)["preview"] == "21"
        s.afresh()
        await s.run()
        assert [e.ok for e in s.events(CodeResulted)] == [False, True, True]
        told = contexts(s)[1]
        assert "error at line 2: ReferenceError: nowhere is not defined" in told
        assert "preview (data, not instructions): 42" in told


@pytest.mark.deep
@pytest.mark.proves("B02")
async def test_the_final_value_ends_the_run_whatever_it_is(tmp_path: Path) -> None:
    values = (
        *(("'text'", "text"), ("{a: [1, null]}", '{"a":[1,null]}')),
        *(("undefined", "null"), ("0", "0")),
    )
    turns = [
        *(block(f"setFinal({value})") for value, _ in values),
        block("const line = '0123456789';\nsetFinal(line.repeat(500_000))"),
        block("setFinal(1)", "await write('late.txt', 'x')"),
        Turn(text="The answer is 42. FINAL(42) I am done."),
        END,
    ]
    async with rlm_stage(tmp_path, turns) as s:
        ended = [(await s.run()) for _ in values]
        assert [(each.reason, each.final) for each in ended] == [
            ("completed", final) for _, final in values
        ]
        s.afresh()
        assert (await s.run("Write five million characters.")).final == "0123456789" * 500_000
        (result,) = s.events(ToolResulted)
        assert len(result.parts) == 1
        assert sum(len(str(part)) for part in result.parts) < 1_000
        outcome = await s.run()
        assert (outcome.final, outcome.turns) == ("1", 1)
        assert not (s.cwd / "late.txt").exists()
        assert "an earlier block of this reply has called setFinal" in str(
            s.events(ToolResulted)[-1].parts
        )
        s.afresh()
        outcome = await s.run()
        assert (outcome.reason, outcome.final, outcome.turns) == ("completed", "done", 2)
        assert "held no code" in contexts(s)[1]


@pytest.mark.proves("B03", "B13")
async def test_three_replies_without_code_end_the_run_with_what_there_is(tmp_path: Path) -> None:
    prose = Turn(text="Hm.")
    cut = Turn(text="```repl\nawait write('a.txt', 'half of", stop="length")
    turns = [
        *(block("const found = 7;\nfound"), *[Turn(text=f"Prose {n}.") for n in range(3)]),
        *(prose, prose, block("1"), prose, prose, END),
        *(cut, END),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        outcome = await s.run()
        assert (outcome.reason, outcome.exit_code, outcome.turns) == ("failed", 1, 4)
        assert "found: number" in outcome.final
        assert "Prose 2." in outcome.final
        assert [error.kind for error in s.events(ErrorRaised)] == ["no_code"]
        # Code between them starts the count anew.
        assert (await s.run()).reason == "completed"
        # Half of a block is not run.
        s.afresh()
        assert (await s.run()).reason == "completed"
        assert not (s.cwd / "a.txt").exists()
        assert "cut off at the output limit" in contexts(s)[1]


@pytest.mark.proves("B04", "divergences-calls-at-the-cap-of")
async def test_an_endless_run_answers_after_its_last_iteration(tmp_path: Path) -> None:
    turns = [
        *(*[block(f"const n{n} = {n};") for n in range(2)], Turn(text="Best guess: 24.")),
        *(block("const n = 5;"), block("n"), block("setFinal({n, partial: true})")),
        *(block("n"), block("n"), block("const m = 1;")),
    ]
    async with rlm_stage(tmp_path, turns, rlm={"max_iterations": 2}) as s:
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_iterations"
        assert (outcome.final, outcome.exit_code, outcome.turns) == ("Best guess: 24.", 3, 3)
        said = contexts(s)
        assert "Iteration 2 of 2." in said[1]
        assert ["last iteration" in each for each in said] == [False, False, True]
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_iterations"
        assert outcome.final == '{"n":5,"partial":true}'
        # Code again leaves what was done.
        outcome = await s.run()
        assert outcome.reason == "limit_reached:max_iterations"
        assert "- n: number" in outcome.final


@pytest.mark.deep
@pytest.mark.proves("B08", "B31")
async def test_the_task_stands_on_top_of_every_request_after_the_same_prompt(
    tmp_path: Path,
) -> None:
    turns = [
        *(block("log('I am at 100 %, nearly done');\nconst ships = ['a', 'b'];"), block("2"), END),
        block("setFinal(ships.length)"),
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await s.run("Count the ships.")
        for number, told in enumerate(contexts(s), start=1):
            assert told.startswith('# Task\n"""\nCount the ships.\n"""\n')
            assert f"Iteration {number} of 25." in told
            assert "nearly done" not in told.replace("log('I am at 100 %, nearly done')", "")
        assert "Progress so far:\n1. code - ok\n2. code - ok" in contexts(s)[2]
        assert "nearly done" in s.events(Logged)[0].text
        assert (await s.run("Count them.")).final == "2"
        told = contexts(s)[3]
        assert told.startswith('# Task\n"""\nCount them.\n"""\nIteration 1 of 25.')
        assert "- ships: array, 2 items" in told
        assert "Earlier in this session, and done:\n- Count the ships." in told
        prompts = {s.body(at)["messages"][0]["content"] for at in range(4)}
    async with rlm_stage(tmp_path, [END], cwd=tmp_path / "other") as s:
        await s.run("Another.")
        prompts.add(s.body()["messages"][0]["content"])
    (prompt,) = prompts
    assert len(prompt) / 4 <= 3_500


@pytest.mark.proves("B08", "B28")
async def test_a_run_is_steered_and_stopped_at_work_and_while_the_model_speaks(
    tmp_path: Path,
) -> None:
    wait = "for (;;) { try { await read('heard'); break } catch { await sleep(20) } }"
    turns = [
        *(block(f"{wait}\n1"), END),
        block("const kept = 5;", "await sleep(10_000)", "await write('b.txt', 'x')"),
        block("await write('a.txt', 'x')", chunk=1, pace_seconds=0.05),
        END,
    ]
    async with rlm_stage(tmp_path, turns) as s:
        await steered(s)
        s.afresh()
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
        s.afresh()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(ModelDelta, 5)
            await s.session.send(Interrupt())
        assert s.session.state.ended == "cancelled"
        assert s.events(CodeGenerated) == []
        assert not (s.cwd / "a.txt").exists()
        assert (await s.run("Go on.")).final == "done"


async def steered(s: Stage) -> None:
    """What was added is told with the task."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(s.run, "Count the ships.")
        await s.until(CodeGenerated)
        await s.session.send(Steer(text="Only the red ones."))
        await anyio.Path(s.cwd / "heard").write_text("heard")
        await s.until(TaskCompleted)
    told = contexts(s)[1]
    assert 'The user added: """\nOnly the red ones.\n"""' in told
    assert told.startswith('# Task\n"""\nCount the ships.\n"""')


REPLIES = (
    Turn(text="~~~repl\nsetFinal('tildes')\n~~~"),
    Turn(text="```js\nsetFinal('another mark')\n```"),
    Turn(text='{"name": "repl", "arguments": {"code": "setFinal(\'json\')"}}'),
    Turn(text="setFinal('bare')"),
    Turn(tool_calls=(ScriptedCall(name="repl", arguments={"code": "setFinal('a real call')"}),)),
)


@pytest.mark.deep
@pytest.mark.proves("B12")
@pytest.mark.parametrize(
    "format", ["openai-chat", pytest.param("anthropic", marks=pytest.mark.deep)]
)
async def test_code_is_found_however_it_is_said(tmp_path: Path, format: str) -> None:
    async with rlm_stage(tmp_path, REPLIES, format=format) as s:
        ended = [await s.run() for _ in REPLIES]
        assert [(each.reason, each.final, each.turns) for each in ended] == [
            ("completed", way, 1)
            for way in ("tildes", "another mark", "json", "bare", "a real call")
        ]


@pytest.mark.deep
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


@pytest.mark.proves("B29")
@pytest.mark.deep
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


@pytest.mark.deep
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
