"""Answers that are more than yes and no: remembered in a file, or to something else than was asked."""

import msgspec
import pytest

from ouroboros.core.commands import Approve
from ouroboros.core.events import PermissionRequested
from ouroboros.faces.cli.prompting.intents import Answered
from ouroboros.faces.cli.render.approvals import (
    choice_rows,
    question_rows,
    remember_rows,
)
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.asked import choices
from ouroboros.faces.wording.rows import ansi
from ouroboros.workspace.diff import unified
from tests.cases import every
from tests.unit.cli.render_events import enveloped
from tests.unit.cli.test_prompting_desk import Table

ASKED = PermissionRequested(
    request_id="r1",
    call_id="c1",
    tool="shell",
    action="Run npm test",
    input="npm test",
    grant="shell(npm test)",
    rules=("shell(npm test)",),
    wider=("shell(npm test:*)",),
    scopes=("once", "session", "local", "project", "user", "policy"),
    amendment=("npm", "test"),
)


def table() -> Table:
    made = Table()
    for envelope in enveloped([ASKED]):
        made.desk.take(envelope)
    return made


@pytest.mark.proves("E13", "divergences-remembered-yes")
@pytest.mark.parametrize(
    ("typed", "scope", "rules"),
    [
        (b"rl", "local", ()),
        (b"rp", "project", ()),
        (b"ru", "user", ()),
        (b"rU", "user", ("shell(npm test:*)",)),
        (b"rL", "local", ("shell(npm test:*)",)),
        (b"rxzrl", "local", ()),
    ],
)
def test_a_yes_is_remembered_where_the_letter_says(typed: bytes, scope: str, rules: tuple[str]):
    (intent,) = table().types(typed)
    assert isinstance(intent, Answered)
    assert isinstance(intent.command, Approve)
    assert (intent.command.scope, intent.command.rules) == (scope, rules)


def test_the_policy_file_is_a_place_too():
    (intent,) = table().types(b"rc")
    assert intent == Answered(command=Approve(request_id="r1", scope="policy"))


def test_going_back_from_the_places_leaves_the_question():
    made = table()
    assert made.types(b"r") == []
    assert "l in this project, for you alone: shell(npm test)" in made.foot()
    assert made.types(b"\x04") == []
    assert made.desk.question == ASKED
    assert made.types(b"y") == [Answered(command=Approve(request_id="r1"))]


@pytest.mark.proves("E15")
def test_what_was_asked_can_be_rewritten():
    made = table()
    (intent,) = made.types(b"e -- --watch=false\r")
    assert intent == Answered(command=Approve(request_id="r1", input="npm test -- --watch=false"))


def test_an_edit_that_changes_nothing_is_a_yes_and_an_empty_one_none():
    assert table().types(b"e\r") == [Answered(command=Approve(request_id="r1"))]
    made = table()
    assert made.types(b"e\x15\r") == []
    assert made.types(b"e\x04".replace(b"\x04", b"\x15\x04")) == []
    assert made.desk.question == ASKED


@pytest.mark.proves("E15")
def test_a_paste_goes_into_the_edit_and_never_answers():
    made = table()
    assert made.types(b"\x1b[200~y\x1b[201~") == []
    (intent,) = made.types(b"e\x15\x1b[200~make\x1b[201~\r")
    assert intent == Answered(command=Approve(request_id="r1", input="make"))


@pytest.mark.proves("E15")
def test_what_is_fixed_can_be_answered_and_not_rewritten():
    fixed = msgspec.structs.replace(ASKED, fixed=True)
    made = Table()
    for envelope in enveloped([fixed]):
        made.desk.take(envelope)
    assert "e edit" not in made.foot()
    assert made.desk.enter("edit make all") is None
    assert made.types(b"e") == []
    assert made.desk.question == fixed
    assert made.types(b"y") == [Answered(command=Approve(request_id="r1"))]


@pytest.mark.proves("E18")
def test_lines_remember_and_rewrite_as_well():
    assert table().desk.enter("remember l") == Answered(
        command=Approve(request_id="r1", scope="local")
    )
    assert table().desk.enter("edit make all") == Answered(
        command=Approve(request_id="r1", input="make all")
    )
    assert table().desk.enter("r") is None


@pytest.mark.proves("E13")
def test_nothing_is_offered_that_the_question_does_not_offer():
    plain = PermissionRequested(
        request_id="r1", call_id="c1", tool="shell", action="Run x", input="x"
    )
    assert choices(plain) == ()
    made = Table()
    for envelope in enveloped([plain]):
        made.desk.take(envelope)
    assert "r remember" not in made.foot()
    assert made.types(b"rl") == []


@pytest.mark.proves("E13")
def test_an_edit_is_shown_as_a_diff_and_a_warning_first():
    asked = PermissionRequested(
        request_id="r1",
        call_id="c1",
        tool="edit",
        action="Edit a.py",
        input='{"path": "a.py"}',
        warning="it may do lasting harm",
        detail="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old\n+new\n",
    )
    shown = [ansi(line, colour=False) for line in question_rows(asked, Size(columns=40, lines=10))]
    text = "\n".join(shown)
    assert "Warning: it may do lasting harm" in text
    assert "-old" in text
    assert "+new" in text
    assert '{"path"' not in text
    assert max(map(len, shown)) <= 40


LONG = msgspec.structs.replace(
    ASKED,
    grant=f"shell(make {'all ' * 30})",
    rules=(f"shell(make {'all ' * 30})",),
    wider=("shell(make all:*)",),
)


@pytest.mark.parametrize("size", [Size(columns=40, lines=10), Size(columns=80, lines=24)])
def test_what_may_be_remembered_fits_the_terminal_and_names_every_letter(size: Size):
    shown = [ansi(line, colour=False) for line in remember_rows(choices(LONG), size)]
    assert max(map(len, shown)) < size.columns
    assert len(shown) <= size.lines // 2
    text = "\n".join(shown).replace(",", " ")
    assert {"l", "L", "p", "P", "u", "U", "c", "Esc"} <= set(text.split())


@pytest.mark.parametrize("columns", range(30, 90))
def test_the_answers_stay_within_the_last_column(columns: int):
    size = Size(columns=columns, lines=24)
    shown = [ansi(line, colour=False) for line in choice_rows(ASKED, size)]
    assert max(map(len, shown)) < columns
    assert " ".join(" ".join(shown).split()).endswith("e edit i whole input")


def test_what_a_yes_covers_is_seen_to_be_cut():
    shown = " ".join(
        ansi(line, colour=False).strip() for line in choice_rows(LONG, Size(columns=80, lines=24))
    )
    assert "all…)" in shown or "all …)" in shown


OLD = "".join(f"line {number}\n" for number in range(1, 41))


def changed(*at: int, text: str = "new") -> str:
    return "".join(f"{text}\n" if number in at else f"line {number}\n" for number in range(1, 41))


@pytest.mark.proves("E13")
@every(
    "new, seen",
    [
        (changed(20), ["-line 20", "+new"]),
        (changed(1), ["-line 1", "+new"]),
        (changed(40), ["-line 40", "+new"]),
        (changed(5, 30), ["-line 5", "+new"]),
        (changed(*range(10, 20)), ["-line 10"]),
        (changed(7, text="x" * 300), ["-line 7", "+xxxx"]),
        ("", ["-line 1"]),
        ("first\n" + OLD, ["+first"]),
        (OLD + "last\n", ["+last"]),
        (OLD.replace("line 12\n", ""), ["-line 12"]),
        (OLD.replace("line 33\n", "line 33\n+++ b\n"), ["++++ b"]),
        (OLD.replace("line 33\n", "--- a\n"), ["-line 33", "+--- a"]),
    ],
)
def test_the_first_changed_lines_are_shown_on_a_small_terminal(new: str, seen: list[str]) -> None:
    diff = unified(OLD, new, "a.py")
    asked = PermissionRequested(
        request_id="r1", call_id="c1", tool="edit", action="Edit a.py", input="{}",
        reason="it changes files", detail=diff,
    )  # fmt: skip
    for size in (
        Size(columns=40, lines=10),
        Size(columns=80, lines=12),
        Size(columns=80, lines=24),
    ):
        rows = [ansi(line, colour=False) for line in question_rows(asked, size)]
        assert all(len(row) <= size.columns for row in rows)
        assert len(rows) <= size.lines - 2, rows
        for each in seen:
            assert any(row.strip().startswith(each) for row in rows), (size, rows)
        if len(diff.split("\n")) > size.lines:
            assert "i shows all" in rows[-1], rows
