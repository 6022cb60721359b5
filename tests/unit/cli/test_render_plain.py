"""What pipes and simple terminals get."""

import pytest
from inline_snapshot import snapshot

from ouroboros.core.events import (
    AgentMessage,
    Event,
    PermissionAnswered,
    PermissionRequested,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.parts import Text, ToolCall
from tests.unit.cli.render_events import (
    ANSWER,
    a_failure,
    a_run,
    between_calls,
    enveloped,
    message,
    spoken,
)
from tests.unit.cli.render_stage import in_pipes


async def test_a_pipe_gets_the_answer_and_nothing_else() -> None:
    out, err = await in_pipes(enveloped(a_run()))
    assert out == ANSWER
    assert err == snapshot("""\
Trying again in 0.2 s (1 of 4): the server is overloaded
I run the tests.
Allowed by you
* Run pytest -q  done 1.2 s
  test 1 passed
  test 2 passed
  test 3 passed
  test 4 passed
  … 6 more lines
  test 11 passed
  test 12 passed
  test 13 passed
  test 14 passed
  the model saw part of 12,000 bytes
* Edit src/app.py  done 0.0 s +1 -1
  --- a/src/app.py
  +++ b/src/app.py
  @@ -1,3 +1,3 @@
   import os
  -print("hello")
  +print("hello, world")
   # the end of the file
Plan
  [x] Run the tests
  [>] Change the greeting
  [ ] 日本語の説明を書く、とても長い一行になるまで続ける
Context summarised: 41 messages, 90,000 to 8,000 tokens
hint: a summary can leave things out; a new session suits a new task
Done after 2 turns, 0.0 s; 3,300 tokens (17% cached), $0.0300.
Continue with: ouro run --resume ses_1
""")


async def test_a_simple_terminal_gets_the_words_as_they_come() -> None:
    out, _ = await in_pipes(enveloped(a_run()), streaming=True)
    assert out == f"I run the tests.\n{ANSWER}"


async def test_no_escape_is_written_where_the_cursor_cannot_move() -> None:
    for streaming in (True, False):
        out, err = await in_pipes(enveloped(a_run()), streaming=streaming)
        assert "\x1b" not in out + err


async def test_words_before_a_call_stand_before_it() -> None:
    call = ToolCall(id="c", name="read")
    events: list[Event] = [
        *spoken("First I look."),
        ToolStarted(call_id="c", name="read", arguments="{}", title="Read a.txt"),
        ToolResulted(call_id="c", name="read", status="done", parts=(Text(text="a"),)),
        AgentMessage(message=message("First I look.", call), stop_reason="tool_calls"),
        *spoken("It is a."),
        AgentMessage(message=message("It is a."), stop_reason="end"),
        TaskCompleted(reason="completed", final="It is a."),
    ]
    out, err = await in_pipes(enveloped(events))
    assert out == "It is a.\n"
    assert err.startswith("First I look.\n* Read a.txt  done 0.0 s\n  a\nDone")


@pytest.mark.parametrize(
    ("ended", "shown"),
    [
        ("Process exited with code 0\n", ""),
        ("Process exited with code 7\n", "  Process exited with code 7\n"),
        ("Process running with session ID 42\n", "  Process running with session ID 42\n"),
    ],
)
async def test_a_person_is_spared_the_bookkeeping_of_a_command(ended: str, shown: str) -> None:
    head = f"Chunk ID: 0db43a\nWall time: 0.2054 seconds\n{ended}Original token count: 2\nOutput:\n"
    events: list[Event] = []
    for name in ("exec_command", "read"):
        parts = (Text(text=head), Text(text="hello\n"))
        events.append(ToolStarted(call_id=name, name=name, arguments="{}", title=name))
        events.append(ToolResulted(call_id=name, name=name, status="done", parts=parts))
    _, err = await in_pipes(enveloped(events))
    first, second = err.split("* read")
    assert first == f"* exec_command  done 0.0 s\n{shown}  hello\n"
    assert "Chunk ID: 0db43a" in second


async def test_a_final_that_no_message_said_is_written_too() -> None:
    events: list[Event] = [
        ToolStarted(call_id="c", name="done", arguments="{}"),
        ToolResulted(
            call_id="c", name="done", status="done", parts=(Text(text="All is well."),), final=True
        ),
        TaskCompleted(reason="completed", final="All is well."),
    ]
    for streaming in (True, False):
        out, _ = await in_pipes(enveloped(events), streaming=streaming)
        assert out == "All is well.\n"


async def test_a_failure_leaves_standard_output_empty() -> None:
    out, err = await in_pipes(enveloped(a_failure()))
    assert out == ""
    assert err.startswith(
        "error: openai refused the key (401).\nhint: Check OPENAI_API_KEY.\nFailed after"
    )


async def test_words_between_calls_are_written_once() -> None:
    _, err = await in_pipes(enveloped(between_calls()))
    assert err.split("\nDone")[0].splitlines()[:6] == [
        "One. ",
        "* Read a.txt  done 0.0 s",
        "  a",
        "Two.",
        "* Read b.txt  done 0.0 s",
        "  b",
    ]
    out, _ = await in_pipes(enveloped(between_calls()), streaming=True)
    assert out == "One. \nTwo.\n"


@pytest.mark.parametrize(
    ("rule", "hint"),
    [("mode ask", ", or choose another --mode"), ("text from outside", "")],
)
async def test_where_nobody_is_it_is_said_why_it_would_have_been_asked(
    rule: str, hint: str
) -> None:
    asked = PermissionRequested(
        request_id="r",
        call_id="c",
        tool="shell",
        action="Run make",
        input="make",
        reason="it is new",
    )
    answer = PermissionAnswered(
        request_id="r", call_id="c", allowed=False, decider="nobody", rule=rule
    )
    _, err = await in_pipes(enveloped([asked, answer]))
    assert "Denied: nobody is here to answer (it is new)\n" in err
    assert (
        f"hint: run it on a terminal, or allow exactly this by a rule of [permissions]{hint}\n"
        in err
    )
