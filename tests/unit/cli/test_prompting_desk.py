"""Answers to questions, by keys and by lines."""

import pytest

from ouroboros.core.commands import Approve, Deny, Scope
from ouroboros.core.events import PermissionAnswered, PermissionRequested
from ouroboros.faces.cli.prompting.desk import Desk
from ouroboros.faces.cli.prompting.intents import Answered, Intent, Left, Said
from ouroboros.faces.cli.prompting.keys import Keys
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.rows import ansi
from tests.unit.cli.render_events import enveloped
from tests.unit.cli.render_stage import StillClock


class Shown:
    """Remembers which cards were shown."""

    def __init__(self) -> None:
        self.cards: list[tuple[str, bool]] = []

    def ask(self, event: PermissionRequested, *, whole: bool = False) -> None:
        self.cards.append((event.request_id, whole))


class Table:
    """A desk with what it needs, driven by bytes."""

    def __init__(self) -> None:
        self.shown = Shown()
        self.clock = StillClock()
        self.desk = Desk(self.shown, self.clock, [], lambda: "ask> ")

    def asks(
        self, *names: str, scopes: tuple[Scope, ...] = ("once", "session")
    ) -> list[Intent | None]:
        events = [
            PermissionRequested(
                request_id=name,
                call_id=name,
                tool="shell",
                action="Run x",
                input="x",
                grant="x *",
                scopes=scopes,
            )
            for name in names
        ]
        return [self.desk.take(envelope) for envelope in enveloped([*events])]

    def types(self, content: bytes) -> list[Intent]:
        return [intent for key in Keys().feed(content) for intent in self.desk.press(key)]

    def foot(self) -> str:
        rows = self.desk.foot(Size(columns=80, lines=24)).rows
        return "\n".join(ansi(line, colour=False) for line in rows)


def yes(name: str) -> Intent:
    return Answered(command=Approve(request_id=name))


def no(name: str, why: str = "") -> Intent:
    return Answered(command=Deny(request_id=name, message=why))


@pytest.mark.proves("E18")
@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        (b"y", yes("r1")),
        (b"Y", yes("r1")),
        (b"a", Answered(command=Approve(request_id="r1", scope="session"))),
        (b"n\r", no("r1")),
        (b"nuse make\r", no("r1", "use make")),
        (b"n\x04", no("r1")),
        (b"\x04", no("r1")),
        (b"?xq\ry", yes("r1")),
    ],
)
def test_a_key_answers(typed: bytes, answer: Intent) -> None:
    table = Table()
    table.asks("r1")
    assert table.types(typed) == [answer]
    assert table.desk.question is None


@pytest.mark.proves("E18")
@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", yes("r1")),
        (" YES ", yes("r1")),
        ("always", Answered(command=Approve(request_id="r1", scope="session"))),
        ("n", no("r1")),
        ("no  use make ", no("r1", "use make")),
    ],
)
def test_a_line_answers(line: str, answer: Intent) -> None:
    table = Table()
    table.asks("r1")
    assert table.desk.enter(line) == answer


def test_a_line_that_is_no_answer_is_asked_again() -> None:
    table = Table()
    table.asks("r1")
    assert table.desk.enter("yellow") is None
    assert table.desk.enter("") is None
    assert table.shown.cards == [("r1", False)] * 3


@pytest.mark.proves("E13")
def test_the_whole_input_is_shown_on_demand_and_the_question_stays() -> None:
    table = Table()
    table.asks("r1")
    assert table.types(b"i") == []
    assert table.desk.enter("input") is None
    assert table.shown.cards == [("r1", False), ("r1", True), ("r1", True)]
    assert table.types(b"y") == [yes("r1")]


def test_questions_are_answered_in_the_order_they_were_asked() -> None:
    table = Table()
    table.asks("r1", "r2")
    assert table.shown.cards == [("r1", False)]
    assert table.types(b"yn\r") == [yes("r1"), no("r2")]
    assert table.shown.cards == [("r1", False), ("r2", False)]


@pytest.mark.proves("E28")
def test_an_answer_from_elsewhere_takes_the_question_away() -> None:
    table = Table()
    table.asks("r1", "r2")
    answered = PermissionAnswered(request_id="r1", call_id="r1", allowed=True, decider="person")
    table.desk.take(enveloped([answered])[0])
    assert table.types(b"y") == [yes("r2")]


def test_somebody_in_the_middle_of_a_word_does_not_answer_by_accident() -> None:
    table = Table()
    table.types(b"tr")
    table.asks("r1")
    assert table.types(b"y this") == []
    table.clock.time += 1.0
    assert table.types(b"n\r") == [no("r1")]
    assert table.types(b"\r") == [Said(text="try this")]


@pytest.mark.proves("E13")
def test_what_always_would_cover_is_said() -> None:
    table = Table()
    table.asks("r1")
    assert "always in this session (x *)" in table.foot()


def test_a_yes_for_the_session_is_taken_only_where_it_is_offered() -> None:
    table = Table()
    table.asks("r1", scopes=("once",))
    assert "always" not in table.foot()
    assert table.types(b"a") == []
    assert table.desk.enter("always") is None
    assert table.types(b"y") == [yes("r1")]


def test_end_of_input_is_no_to_everything_and_then_the_end() -> None:
    table = Table()
    table.asks("r1")
    assert table.desk.end() == no("r1")
    assert table.desk.end() == Left()
    assert table.asks("r2") == [no("r2")]


def test_without_a_question_a_line_is_a_message_and_an_empty_one_is_nothing() -> None:
    table = Table()
    assert table.types(b"  \rfix it\r") == [Said(text="fix it")]
    assert table.desk.enter("  ") is None
    assert table.foot() == "ask> "


def test_a_question_that_goes_to_the_guardian_is_asked_of_nobody() -> None:
    table = Table()
    asked = PermissionRequested(
        request_id="r1", call_id="c1", tool="shell", action="Run x", input="x", reviewer="guardian"
    )
    assert table.desk.take(*enveloped([asked])) is None
    assert table.shown.cards == []
    assert table.desk.question is None
