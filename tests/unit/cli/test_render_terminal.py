"""What a run looks like on a terminal."""

import re

import pytest
from inline_snapshot import snapshot

from ouroboros.core.events import (
    AgentMessage,
    Event,
    ModelDelta,
    TaskCancelled,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.parts import Text
from ouroboros.faces.wording.rows import width
from tests.unit.cli.render_events import (
    a_failure,
    a_run,
    between_calls,
    enveloped,
    message,
    spoken,
)
from tests.unit.cli.render_stage import on_terminal


@pytest.mark.proves("V23")
async def test_a_run_reads_well_at_80_columns() -> None:
    picture, _ = await on_terminal(enveloped(a_run()), columns=80, colour=True)
    assert picture.text == snapshot("""\
Trying again in 0.2 s (1 of 4): the server is overloaded

Thought: The test first, then the edit.

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

# Result

The greeting is longer now, see src/app.py:

 • one change
 • no test was broken

 print("hello, world")

Done after 2 turns, 0.0 s; 3,300 tokens (17% cached), $0.0300.
Continue with: ouro run --resume ses_1
""")


@pytest.mark.proves("V23")
async def test_a_run_reads_well_at_40_columns() -> None:
    picture, _ = await on_terminal(enveloped(a_run()), columns=40, lines=10, colour=True)
    assert picture.text == snapshot("""\
Trying again in 0.2 s (1 of 4): the
server is overloaded

Thought: The test first, then the edit.

I run the tests.

Allowed by you

* Run pytest -q  done 1.2 s
  test 1 passed
  … 12 more lines
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
  [ ] 日本語の説明を書く、とても長い一行
      になるまで続ける

Context summarised: 41 messages, 90,000
to 8,000 tokens
hint: a summary can leave things out; a
new session suits a new task

# Result

The greeting is longer now, see
src/app.py:

 • one change
 • no test was broken

 print("hello, world")

Done after 2 turns, 0.0 s; 3,300 tokens
(17% cached), $0.0300.
Continue with: ouro run --resume ses_1
""")


async def test_a_wide_terminal_keeps_lines_short_enough_to_read() -> None:
    picture, _ = await on_terminal(enveloped(a_run()), columns=120, colour=True)
    assert picture.text == snapshot("""\
Trying again in 0.2 s (1 of 4): the server is overloaded

Thought: The test first, then the edit.

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

# Result

The greeting is longer now, see src/app.py:

 • one change
 • no test was broken

 print("hello, world")

Done after 2 turns, 0.0 s; 3,300 tokens (17% cached), $0.0300.
Continue with: ouro run --resume ses_1
""")


async def test_colour_marks_status_and_changed_lines() -> None:
    _, text = await on_terminal(enveloped(a_run()), columns=80, colour=True)
    assert '\x1b[32m+print("hello, world")\x1b[0m' in text
    assert '\x1b[31m-print("hello")\x1b[0m' in text
    assert "\x1b[32mdone 1.2 s\x1b[0m" in text


@pytest.mark.proves("V20")
async def test_without_colour_the_same_words_are_there_and_no_style() -> None:
    events = enveloped(a_run())
    coloured, _ = await on_terminal(events, columns=80, colour=True)
    bare, text = await on_terminal(events, columns=80, colour=False)
    assert bare.text == coloured.text
    assert bare.styles == set()
    assert not re.search(r"\x1b\[[0-9;]*m", text)


@pytest.mark.proves("V23")
@pytest.mark.parametrize("columns", [20, 40, 80, 120])
async def test_no_row_is_wider_than_the_terminal(columns: int) -> None:
    picture, _ = await on_terminal(enveloped(a_run()), columns=columns, lines=10, colour=False)
    assert max(width(line) for line in picture.text.split("\n")) <= columns


async def test_drawing_after_each_event_or_once_ends_in_the_same_picture() -> None:
    events = enveloped(a_run())
    often, _ = await on_terminal(events, columns=80, colour=True)
    once, _ = await on_terminal(events, columns=80, colour=True, each=False)
    assert often.text == once.text


async def test_words_of_a_reply_are_shown_once_whether_streamed_or_not() -> None:
    streamed: list[Event] = [
        *spoken("Only once."),
        AgentMessage(message=message("Only once."), stop_reason="end"),
    ]
    whole: list[Event] = [AgentMessage(message=message("Only once."), stop_reason="end")]
    for events in (streamed, whole):
        picture, _ = await on_terminal(enveloped(events), columns=80, colour=False)
        assert picture.text.count("Only once.") == 1


async def test_words_between_calls_are_shown_once_and_are_not_cut_off() -> None:
    picture, _ = await on_terminal(enveloped(between_calls()), columns=80, colour=False)
    words = ("One.", "Two.", "cut off")
    assert [picture.text.count(word) for word in words] == [1, 1, 0]


async def test_a_reply_that_was_cut_off_says_so() -> None:
    events: list[Event] = [
        ModelDelta(phase="start", part=0),
        ModelDelta(part=0, text="Half of a sen"),
        ModelDelta(phase="end", part=0),
        AgentMessage(message=message("Half of a sen"), stop_reason="cancelled", partial=True),
        TaskCancelled(),
    ]
    picture, _ = await on_terminal(enveloped(events), columns=80, colour=False)
    assert picture.text == snapshot("""\
Half of a sen

(cut off here)

Interrupted after 2 turns, 0.0 s; 0 tokens, $0.0000.
Continue with: ouro run --resume ses_1
""")


async def test_a_failure_names_the_cause_and_what_to_do() -> None:
    picture, _ = await on_terminal(enveloped(a_failure()), columns=80, colour=False)
    assert picture.text == snapshot("""\
error: openai refused the key (401).
hint: Check OPENAI_API_KEY.

Failed after 2 turns, 0.0 s; 0 tokens, $0.0000.
Continue with: ouro run --resume ses_1
""")


async def test_a_call_without_a_title_is_named_by_its_first_argument() -> None:
    events: list[Event] = [
        ToolStarted(call_id="c", name="read", arguments='{"path": "a b.txt", "offset": 3}'),
        ToolResulted(call_id="c", name="read", status="failed", parts=(Text(text="no such file"),)),
    ]
    picture, _ = await on_terminal(enveloped(events), columns=80, colour=False)
    assert picture.text.startswith("* read a b.txt  failed 0.0 s\n  no such file\n")


async def test_output_grows_linearly_with_a_long_reply() -> None:
    sizes: list[int] = []
    for paragraphs in (50, 100):
        text = "\n\n".join(f"Paragraph {n} of the reply." for n in range(paragraphs))
        events = [*spoken(text, size=20), AgentMessage(message=message(text), stop_reason="end")]
        _, written = await on_terminal(enveloped(events), columns=80, colour=False)
        sizes.append(len(written))
    assert sizes[1] < sizes[0] * 2.2
