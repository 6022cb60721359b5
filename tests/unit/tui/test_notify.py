"""Calling somebody who looks elsewhere: when, how, and with nothing in it that a terminal obeys."""

import pytest

from ouroboros.core.events import (
    Envelope,
    Event,
    PermissionAnswered,
    PermissionRequested,
    TaskCompleted,
    UserMessage,
)
from ouroboros.core.events.asides import PlanProposed
from ouroboros.core.events.question import Question, UserAsked
from ouroboros.core.parts import Message, Text
from ouroboros.faces.tui.notify import Notifier, Way, call, way_of
from ouroboros.testing.clock import ManualClock

ASKED = PermissionRequested(request_id="r", call_id="c", tool="shell", action="Run ls", input="ls")
SAID = UserMessage(message=Message(id="m", role="user", parts=(Text(text="go"),)))
ENDED = TaskCompleted(reason="completed", final="All tests pass.")


class Terminal:
    """What was written to it, and the notifier that writes."""

    def __init__(self, way: Way = "bell", *, tmux: bool = False) -> None:
        self.written: list[str] = []
        self.clock = ManualClock()
        self.notifier = Notifier(self.written.append, way, self.clock, tmux=tmux)
        self.seq = 0

    def take(self, *events: Event) -> list[str]:
        for event in events:
            self.seq += 1
            self.notifier.take(
                Envelope(
                    id=f"e{self.seq}",
                    session="s",
                    turn=1,
                    seq=self.seq,
                    ts=0.0,
                    type=event.type,
                    source=event.source,
                    data=event,
                )
            )
        return self.written


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"TERM": "xterm-256color"}, "bell"),
        ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, "osc9"),
        ({"TERM": "tmux-256color", "ITERM_SESSION_ID": "w0"}, "osc9"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777"),
        ({}, "bell"),
    ],
)
def test_the_terminal_decides_how_it_is_called(environment: dict[str, str], way: str) -> None:
    assert way_of("auto", environment) == way


@pytest.mark.parametrize("chosen", ["osc9", "osc777", "bell", "off"])
def test_the_person_decides_before_the_terminal(chosen: Way) -> None:
    assert way_of(chosen, {"KITTY_WINDOW_ID": "1"}) == chosen


@pytest.mark.proves("interfaces-notifications")
@pytest.mark.parametrize("way", ["osc9", "osc777"])
def test_nothing_of_a_text_ends_the_sequence(way: Way) -> None:
    written = call(way, "4;2;100\x1b]0;title\x07\x1b\\ \x9b31m\nnext\x00")

    assert written.count("\x1b") == 1
    assert written.count("\a") == 1
    assert written.endswith("\a")
    assert not any(sign in written for sign in ("\x9b", "\n", "\x00"))
    assert written.count(";") == (1 if way == "osc9" else 3)
    assert not written.startswith("\x1b]9;4")


@pytest.mark.proves("interfaces-notifications")
def test_tmux_passes_it_through_and_hears_a_bell() -> None:
    assert call("osc9", "done", tmux=True) == "\x1bPtmux;\x1b\x1b]9;ouro: done\a\x1b\\\a"
    assert call("bell", "done", tmux=True) == "\a"


@pytest.mark.proves("interfaces-notifications")
def test_who_looks_is_not_called() -> None:
    terminal = Terminal()
    terminal.notifier.focus(here=True)
    terminal.clock.advance(1000)

    assert terminal.take(SAID, ASKED, ENDED) == []


@pytest.mark.proves("interfaces-notifications")
def test_who_looks_elsewhere_is_called_once_for_each_kind() -> None:
    terminal = Terminal("osc9")
    terminal.notifier.focus(here=False)

    written = terminal.take(SAID, ASKED, ASKED, ENDED)

    assert written == ["\x1b]9;ouro: may I: Run ls\a", "\x1b]9;ouro: Done. All tests pass.\a"]


def test_what_was_answered_elsewhere_may_be_asked_again() -> None:
    terminal = Terminal()
    terminal.notifier.focus(here=False)
    answer = PermissionAnswered(request_id="r", call_id="c", allowed=True, decider="person")

    assert terminal.take(ASKED, answer, ASKED) == ["\a", "\a"]


def test_a_new_run_calls_at_its_end_again() -> None:
    terminal = Terminal()
    terminal.notifier.focus(here=False)

    assert terminal.take(SAID, ENDED, SAID, ENDED) == ["\a", "\a"]


def test_a_plan_and_the_end_of_its_run_are_one_call() -> None:
    terminal = Terminal("osc777")
    terminal.notifier.focus(here=False)

    assert terminal.take(SAID, PlanProposed(text="1. x"), ENDED) == [
        "\x1b]777;notify;ouro;a plan waits for your yes\a"
    ]


def test_questions_of_the_model_call_too() -> None:
    terminal = Terminal("osc9")
    terminal.notifier.focus(here=False)
    question = Question(id="q", header="DB", question="Which?", options=())

    terminal.take(UserAsked(request_id="a", call_id="c", questions=(question,)))

    assert terminal.written == ["\x1b]9;ouro: asks: Which?\a"]


def test_the_guardian_s_questions_are_nobody_s_business() -> None:
    terminal = Terminal()
    terminal.notifier.focus(here=False)
    asked = PermissionRequested(
        request_id="r", call_id="c", tool="shell", action="Run ls", input="ls", reviewer="guardian"
    )

    assert terminal.take(asked) == []


def test_a_terminal_that_tells_nothing_is_called_when_no_key_came_for_long() -> None:
    terminal = Terminal()
    assert terminal.take(ASKED) == []

    terminal.clock.advance(61)
    assert terminal.take(ENDED) == ["\a"]

    terminal.notifier.touch()
    assert terminal.take(SAID, ENDED) == ["\a"]


def test_what_happened_before_the_session_was_opened_calls_nobody() -> None:
    terminal = Terminal()
    terminal.notifier.focus(here=False)
    terminal.notifier.begin(2)

    assert terminal.take(SAID, ENDED) == []
    assert terminal.take(SAID, ENDED) == ["\a"]


@pytest.mark.proves("interfaces-notifications")
def test_switched_off_nothing_is_written() -> None:
    terminal = Terminal("off")
    terminal.notifier.focus(here=False)

    assert terminal.take(ASKED, ENDED) == []
