"""The approval card by its keys: which command the session is given, and what came of it."""

from pathlib import Path

import anyio
import msgspec
import pytest
from textual.widgets import Input

from ouroboros.core.commands import Approve, Deny, Interrupt, Scope, Submit
from ouroboros.faces.tui.cards.approval import ApprovalCard
from ouroboros.faces.tui.parts.typing import Lines
from ouroboros.faces.tui.screens.edit import EditScreen
from ouroboros.faces.tui.screens.whole import WholeScreen
from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.tui.small_app import Small, small

DONE = Turn(text="done")


def runs(*commands: str) -> Turn:
    return Turn(tool_calls=tuple(call("shell", command=command) for command in commands))


async def begin(s: Small) -> str:
    """Sets a run off that asks; gives the request."""
    await s.room.send(Submit(text="go"))
    await s.asked()
    return next(iter(s.room.state.approvals))


ANSWERS: list[tuple[list[str], dict[str, object]]] = [
    (["y"], {}),
    (["enter"], {}),
    (["1"], {}),
    (["down", "up", "enter"], {}),
    (["a"], {"scope": "session"}),
    (["2"], {"scope": "session"}),
    (["n", "enter"], {"message": ""}),
    (["4", *"not yet", "enter"], {"message": "not yet"}),
    (["n", "x", "escape", "y"], {}),
    (["e", "2", "enter"], {"input": "touch file82"}),
    (["r", "l"], {"scope": "local"}),
    (["r", "escape", "y"], {}),
    (["r", "e", "ctrl+j", *"shell(id)", "enter", "u"], {"scope": "user", "rules": 2}),
    (["r", "L"], {"scope": "local", "rules": 1}),
]


@pytest.mark.deep
@pytest.mark.proves("E13", "V06", "E15")
async def test_every_answer_by_its_keys(tmp_path: Path) -> None:
    turns = [runs(f"touch file{at}") for at in range(len(ANSWERS))]
    async with small(tmp_path, [*turns, DONE], size=(100, 30)) as s:
        await s.room.send(Submit(text="go"))
        for at, (keys, wanted) in enumerate(ANSWERS):
            await s.until(lambda at=at: len(s.commands) == at)
            await s.asked()
            request = next(iter(s.room.state.approvals))
            await s.press(*keys)
            await s.until(lambda at=at: len(s.commands) == at + 1)
            said = s.commands[at]
            assert said == _command(request, at, wanted), keys
        await s.rested()

        made = {path.name for path in (tmp_path / "work").glob("file*")}
        refused = {"file6", "file7", "file9"}
        assert made == {f"file{at}" for at in range(len(ANSWERS))} - refused | {"file92"}
    written = (tmp_path / "work" / ".ouroboros" / "config.local.toml").read_text()
    assert "shell(touch file10)" in written
    assert "shell(touch file13:*)" in written
    assert "shell(id)" in (tmp_path / "home" / "config.toml").read_text()


def _command(request: str, at: int, wanted: dict[str, object]) -> Approve | Deny:
    if "message" in wanted:
        return Deny(request_id=request, message=str(wanted["message"]))
    rules = {0: (), 1: (f"shell(touch file{at}:*)",), 2: (f"shell(touch file{at})", "shell(id)")}
    return Approve(
        request_id=request,
        scope=msgspec.convert(wanted.get("scope", "once"), Scope),
        rules=rules[int(str(wanted.get("rules", 0)))],
        input=f"touch file{at}2" if "input" in wanted else "",
    )


@pytest.mark.deep
@pytest.mark.proves("interfaces-keys-meant-for-the-prompt")
async def test_keys_meant_for_the_prompt_answer_nothing(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch made"), DONE], guard_seconds=0.05) as s:
        await s.type("ye")
        await s.room.send(Submit(text="go"))
        slot = s.app.slot
        await s.until(lambda: slot.card is not None)
        await anyio.sleep(0.3)
        await s.type("s y")
        await s.press("enter")

        assert s.app.line.value == "yes y"
        assert s.commands == []
        assert "Ctrl-T to answer" in s.text()

        await s.press("ctrl+t")
        assert slot.card is not None
        assert slot.card.has_keys
        await s.press("ctrl+t")
        await s.until(lambda: s.app.line.has_focus)
        await s.press("ctrl+t", "escape")
        await s.until(lambda: s.app.line.has_focus)
        await s.press("ctrl+t", "y")
        await s.rested()

        assert len(s.commands) == 1
        await s.until(lambda: s.app.line.has_focus)
        assert s.app.line.value == "yes y"


@pytest.mark.deep
@pytest.mark.proves("interfaces-keys-meant-for-the-prompt")
async def test_a_card_takes_the_keys_once_the_prompt_is_empty(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch made"), DONE], guard_seconds=0.05) as s:
        await s.room.send(Submit(text="go"))
        await s.asked()
        await s.press("y")
        await s.rested()

        assert (tmp_path / "work" / "made").exists()


def reads(tmp_path: Path) -> list[Turn]:
    """Three questions at once."""
    (tmp_path / "work").mkdir()
    for name in "abc":
        (tmp_path / "work" / name).write_text(name)
    return [Turn(tool_calls=tuple(call("read", path=name) for name in "abc")), DONE]


@pytest.mark.proves("interfaces-keys-meant-for-the-prompt")
async def test_the_next_card_is_deaf_for_a_moment(tmp_path: Path) -> None:
    asks = {"ask": ["read"]}
    async with small(tmp_path, reads(tmp_path), guard_seconds=3600, permissions=asks) as s:
        await s.room.send(Submit(text="go"))
        await s.until(lambda: len(s.room.state.approvals) == 3)
        await s.sees("Ctrl-T to answer")
        await s.press("ctrl+t")
        await s.press("y")
        await s.until(lambda: len(s.commands) == 1)
        await s.asked()
        await s.press("y", "y", "1", "enter", "n")

        assert len(s.commands) == 1
        assert len(s.room.state.approvals) == 2
        await s.room.send(Interrupt())
        await s.rested()


@pytest.mark.deep
@pytest.mark.proves("interfaces-keys-meant-for-the-prompt")
async def test_several_questions_are_counted_and_answered_one_by_one(tmp_path: Path) -> None:
    async with small(tmp_path, reads(tmp_path), permissions={"ask": ["read"]}) as s:
        await s.room.send(Submit(text="go"))
        await s.until(lambda: len(s.room.state.approvals) == 3)
        await s.asked()
        requests = list(s.room.state.approvals)
        await s.until(lambda: "1 of 3" in s.text())
        await s.press("y")
        await s.asked()
        await s.until(lambda: "1 of 2" in s.text())
        await s.press("n", "enter")
        await s.asked()
        await s.press("y")
        await s.rested()

        said = [(type(each), getattr(each, "request_id", "")) for each in s.commands]
        assert said == [(Approve, requests[0]), (Deny, requests[1]), (Approve, requests[2])]


@pytest.mark.deep
@pytest.mark.proves("V14")
async def test_an_answer_elsewhere_closes_the_card_and_is_told(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch made"), DONE]) as s:
        request = await begin(s)
        await s.room.session.send(Deny(request_id=request, message="later"))
        await s.rested()

        assert [told.text for told in s.app.told] == [
            "Answered elsewhere: no, “later” (Run touch made)"
        ]
        await s.until(lambda: s.app.line.has_focus)


@pytest.mark.deep
@pytest.mark.proves("V14")
async def test_of_two_answers_the_first_counts(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch made"), DONE]) as s:
        request = await begin(s)
        card = s.app.slot.card
        assert isinstance(card, ApprovalCard)
        card.say(Approve(request_id=request))
        await s.room.session.send(Deny(request_id=request))
        await s.rested()

        assert not (tmp_path / "work" / "made").exists()
        await s.until(lambda: any("the first answer counted" in told.text for told in s.app.told))


@pytest.mark.deep
@pytest.mark.proves("V14")
async def test_stopping_the_run_takes_the_card_away(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch made"), DONE]) as s:
        await begin(s)
        await s.press("n", "x")
        await s.room.send(Interrupt())
        await s.rested()

        assert s.app.told == []
        await s.until(lambda: s.app.line.has_focus)


@pytest.mark.deep
@pytest.mark.proves("E13", "V06")
async def test_the_whole_input_fills_the_screen_and_can_be_answered_there(tmp_path: Path) -> None:
    command = "\n".join(f"echo {at}" for at in range(100)) + "\ntouch made"
    async with small(tmp_path, [runs(command), runs("touch two"), DONE]) as s:
        request = await begin(s)
        assert "echo 99" not in s.text()
        await s.press("i")
        await s.until(lambda: isinstance(s.app.screen, WholeScreen))
        await s.press("end")
        await s.sees("touch made")
        await s.press("q")
        await s.back()
        assert s.commands == []
        await s.press("i")
        await s.until(lambda: isinstance(s.app.screen, WholeScreen))
        await s.press("y")
        await s.until(lambda: len(s.commands) == 1)
        assert s.commands == [Approve(request_id=request)]
        await s.until(lambda: request not in s.room.state.approvals)
        await s.until(lambda: s.app.slot.card is not None and s.app.slot.card.asked != request)
        await s.back()
        await s.press("i")
        await s.until(lambda: isinstance(s.app.screen, WholeScreen))
        await s.press("n")
        await s.sees("What to do instead?")
        await s.type("no")
        await s.press("enter")
        await s.rested()

        assert isinstance(s.commands[1], Deny)
        assert s.commands[1].message == "no"


@pytest.mark.deep
@pytest.mark.proves("E15")
async def test_a_long_input_is_changed_on_the_whole_screen(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch one\ntouch two"), DONE]) as s:
        request = await begin(s)
        await s.press("e")
        await s.until(lambda: isinstance(s.app.screen, EditScreen))
        await s.press("escape")
        await s.back()
        await s.press("e")
        await s.until(lambda: isinstance(s.app.screen, EditScreen))
        await s.press("ctrl+home", "#", "ctrl+s")
        await s.rested()

        assert s.commands == [Approve(request_id=request, input="#touch one\ntouch two")]
        assert {path.name for path in (tmp_path / "work").iterdir()} == {"two"}


@pytest.mark.deep
@pytest.mark.proves("V22")
@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 10), marks=pytest.mark.deep)])
async def test_nothing_that_is_asked_can_pass_for_something_else(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    command = "echo \x1b[2J\x1b]0;title\x07 [red]ok[/red] \u202etxt\u202c \u200b"
    async with small(tmp_path, [runs(command), DONE], size=size) as s:
        await begin(s)
        shown = s.text()
        await s.press("i")
        await s.until(lambda: isinstance(s.app.screen, WholeScreen))
        whole = await s.sees("[red]ok[/red]")

        assert not any(sign in shown + whole for sign in "\x1b\x07\u202e\u200b")
        assert "\\u{1b}[2J" in whole.replace("\n", "")


@pytest.mark.deep
@pytest.mark.proves("E13", "V06")
async def test_forty_columns_and_ten_rows_are_enough(tmp_path: Path) -> None:
    async with small(tmp_path, [runs("touch made"), DONE], size=(40, 10)) as s:
        await begin(s)
        await s.sees("Allow: Run touch made", "▌ touch made")
        await s.sees("y yes", "n no", "a always", "r remember", "e edit", "i all")
        await s.press("n")
        assert "What to do instead?" in s.text()
        assert s.app.slot.query_one(Lines).region.bottom <= 10
        assert s.app.query_one("#line", Input).region.bottom == 10
        await s.press("escape", "down", "enter")
        await s.rested()

        assert [each.scope for each in s.commands if isinstance(each, Approve)] == ["session"]


@pytest.mark.deep
@pytest.mark.proves("E14", "V06")
async def test_always_names_the_beginning_of_a_command_and_the_folder_of_an_edit(
    tmp_path: Path,
) -> None:
    writes = [Turn(tool_calls=(call("write", path=f"{name}.py", content="x\n"),)) for name in "ab"]
    turns = [runs("python3 c.py one"), runs("python3 c.py two && ls"), *writes, DONE]
    async with small(tmp_path, turns, size=(100, 30), mode="ask") as s:
        await begin(s)
        await s.sees("again in this session: python3 c.py ...")
        await s.press("a")
        await s.until(lambda: len(s.commands) == 1)
        await s.asked()
        await s.sees("again in this session: edits in ")
        await s.press("a")
        await s.rested()

        assert [each.scope for each in s.commands if isinstance(each, Approve)] == ["session"] * 2
        assert (tmp_path / "work" / "b.py").exists()


LINES = "".join(f"line {number}\n" for number in range(1, 31))
LONG = "x = [" + ", ".join(map(str, range(60))) + "]"
CHANGES = [
    ("edit", {"old_text": "line 15\n", "new_text": "line fifteen\n"}, ["- line 15", "+ line fifteen"]),
    ("edit", {"old_text": "line 1\n", "new_text": ""}, ["- line 1"]),
    ("edit", {"old_text": "line 30\n", "new_text": f"{LONG}\nlast\n"}, ["- line 30", "+ x = [0, 1"]),
    ("multi_edit", {"edits": [{"old_text": "line 9\n", "new_text": "nine\n"}, {"old_text": "line 20\n", "new_text": ""}]}, ["- line 9", "+ nine"]),
    ("write", {"content": "first\nsecond\n"}, ["- line 1"]),
    ("write", {"path": "made/by/hand.py", "content": "import os\nprint(1)\n"}, ["+ import os", "+ print(1)"]),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.txt\n@@ line 24\n-line 25\n+twenty-five\n*** End Patch\n"}, ["- line 25", "+ twenty-five"]),
    ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"}, ["- line 1"]),
    ("exec_command", {"cmd": "touch one\ntouch two\n"}, ["▌ touch one"]),
    ("exec_command", {"cmd": "rm -rf /tmp/of-nobody\ntouch two\n"}, ["▌ rm -rf /tmp/of-nobody", "Warning: "]),
]  # fmt: skip
"""What is asked, and what of it a person has to see: the first lines that change, and no context."""


@pytest.mark.proves("E13", "V06")
@pytest.mark.parametrize(
    "size",
    [
        (40, 10),
        pytest.param((40, 24), marks=pytest.mark.deep),
        pytest.param((60, 12), marks=pytest.mark.deep),
        pytest.param((80, 15), marks=pytest.mark.deep),
        pytest.param((80, 16), marks=pytest.mark.deep),
        pytest.param((80, 20), marks=pytest.mark.deep),
        (80, 24),
        pytest.param((120, 40), marks=pytest.mark.deep),
    ],
)
async def test_what_changes_is_always_seen_before_yes(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text(LINES)
    wanted = [{"path": "a.txt", **more} for _, more, _ in CHANGES]
    turns: list[Turn] = []
    for (name, more, _), arguments in zip(CHANGES, wanted, strict=True):
        given = arguments if name in {"edit", "multi_edit", "write"} else more
        turns.append(Turn(tool_calls=(call(name, **given),)))
    async with small(tmp_path, [*turns, DONE], size=size, mode="ask") as s:
        await s.room.send(Submit(text="go"))
        for at, (name, _, seen) in enumerate(CHANGES):
            await s.until(lambda at=at: len(s.commands) == at)
            await s.asked()
            shown = await s.sees(*seen)
            case = f"{name} {seen} at {size}\n{shown}"
            rows = shown.split("\n")
            top = next(row for row, text in enumerate(rows) if "Allow: " in text)
            changed = next(row for row, text in enumerate(rows) if seen[0] in text and row != top)
            yes = next(row for row, text in enumerate(rows) if "> 1 Yes" in text)
            assert top < changed < yes, case
            assert "i all" in shown or "See all of it  i" in shown, case
            assert s.app.slot.card is not None
            assert s.app.slot.card.region.bottom < size[1], case
            await s.press("i")
            await s.until(lambda: isinstance(s.app.screen, WholeScreen))
            await s.press("escape")
            await s.back()
            await s.press("n", "enter")
        await s.rested()
