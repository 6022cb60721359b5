"""What the person types: tasks, words for a running task, and answers to questions.

One desk takes in keys of a terminal or whole lines and gives intents; it never sends anything.
"""

from collections.abc import Callable
from typing import Protocol

from ouroboros.core.clock import Clock
from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import Envelope, PermissionAnswered, PermissionRequested
from ouroboros.core.events.question import UserAnswered, UserAsked
from ouroboros.faces.cli.prompting.intents import Answered, Intent, Left, Said, Switched
from ouroboros.faces.cli.prompting.keys import Key
from ouroboros.faces.cli.prompting.line import Line
from ouroboros.faces.cli.prompting.survey import Survey
from ouroboros.faces.cli.render.approvals import choice_rows, remember_rows
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.cli.render.terminal import Foot
from ouroboros.faces.wording.asked import Choice, choices

_TYPING_SECONDS = 0.5
_FOOT_ROWS = 6


class Asker(Protocol):
    """Where a question's card is shown."""

    def ask(self, event: PermissionRequested, *, whole: bool = False) -> None:
        """Shows the card."""
        ...


class Desk:
    """Holds the line being typed and the questions that wait; the first one is answered first."""

    def __init__(
        self, asker: Asker, clock: Clock, history: list[str], prompt: Callable[[], str]
    ) -> None:
        """``prompt`` stands before the line; ``history`` is what up and down recall."""
        self.prompt = prompt
        self.line = Line(history)
        self._asker = asker
        self._clock = clock
        self._questions: dict[str, PermissionRequested] = {}
        self._hasty_until = 0.0
        self._reason: Line | None = None
        self._edit: Line | None = None
        self._choices: tuple[Choice, ...] = ()
        self._over = False
        self._survey: Survey | None = None

    @property
    def question(self) -> PermissionRequested | None:
        """The question that is asked now."""
        return next(iter(self._questions.values()), None)

    def take(self, envelope: Envelope) -> Intent | None:
        """Follows which questions are open; a face elsewhere may answer them too.

        Once input has ended there is nobody to ask: the answer is no.
        """
        match envelope.data:
            case PermissionRequested(reviewer="guardian"):
                pass  # nobody is asked unless the guardian has no say any more
            case PermissionRequested() as asked if self._over:
                return Answered(command=Deny(request_id=asked.request_id))
            case PermissionRequested() as asked:
                self._questions[asked.request_id] = asked
                if len(self._questions) == 1:
                    self._show()
            case PermissionAnswered(request_id=request_id):
                self._drop(request_id)
            case UserAsked() as asked:
                self._survey = Survey(asked)
                return self._give_up() if self._over else None
            case UserAnswered():
                self._survey = None
            case _:
                pass
        return None

    def press(self, key: Key) -> list[Intent]:
        """Takes in a key; of text that came at once, each letter may answer another question."""
        if key.name == "mode":
            return [Switched()]
        letters = self.question is not None and key.name == "text"
        keys = [Key("text", letter) for letter in key.text] if letters else [key]
        return [intent for intent in map(self._press, keys) if intent is not None]

    def _press(self, key: Key) -> Intent | None:
        question = self.question
        if question is None:
            return self._press_line(key)
        if self._reason is not None:
            return self._press_reason(self._reason, key, question)
        if self._edit is not None:
            return self._press_edit(self._edit, key, question)
        if self._clock.monotonic() < self._hasty_until:
            self.line.press(key)
            return None
        if self._choices and key.name in {"escape", "eof"}:
            self._choices = ()
            return None
        if key.name == "eof":
            return self._no(question)
        if key.name != "text":
            return None
        if self._choices:
            return self._press_choice(key.text[:1], question)
        return self._choose(key.text[:1].lower(), question)

    def enter(self, text: str) -> Intent | None:
        """Takes in a whole line, where single keys cannot be read."""
        question = self.question
        if question is None:
            return self._said(text)
        word, _, rest = text.strip().partition(" ")
        if word.lower() in {"n", "no"}:
            return self._no(question, rest.strip())
        if word.lower() in {"e", "edit"} and rest.strip() and not question.fixed:
            text = rest.strip()
            return self._yes(question, Approve(request_id=question.request_id, input=text))
        if word.lower() in {"r", "remember"}:
            return self._remember_line(rest.strip(), question)
        known = {"y": "y", "yes": "y", "a": "a", "always": "a", "i": "i", "input": "i"}
        intent = self._choose(known.get(word.lower(), ""), question)
        if intent is None and self.question is question and word.lower() not in {"i", "input"}:
            self._asker.ask(question)
        return intent

    def end(self) -> Intent:
        """Input ended: no to what is asked, otherwise the person leaves."""
        question = self.question
        if question is None and self._survey is not None:
            return self._give_up()
        self._over = question is None
        return self._no(question) if question else Left()

    def foot(self, size: Size) -> Foot:
        """The lowest rows: a question's answers, or the line."""
        limit = max(min(_FOOT_ROWS, size.lines // 3), 1)
        question = self.question
        if question is None:
            prompt = self._survey.prompt if self._survey is not None else self.prompt()
            return self.line.foot(prompt, size.columns, limit)
        if self._reason is not None:
            return self._reason.foot("Why not (Enter: no reason): ", size.columns, limit)
        if self._edit is not None:
            return self._edit.foot("Run instead: ", size.columns, limit)
        if self._choices:
            return Foot(rows=tuple(remember_rows(self._choices, size)))
        return Foot(rows=tuple(choice_rows(question, size)))

    def _press_line(self, key: Key) -> Intent | None:
        match self.line.press(key):
            case "eof":
                return Left() if self._survey is None else self._give_up()
            case "enter":
                return self._said(self.line.take())
            case _:
                return None

    def _said(self, text: str) -> Intent | None:
        """A line that answers what the model asked, or else a message."""
        if self._survey is None:
            return Said(text=text) if text.strip() else None
        command = self._survey.take(text)
        if command is None:
            return None
        self._survey = None
        return Answered(command=command)

    def _give_up(self) -> Intent:
        assert self._survey is not None
        survey, self._survey = self._survey, None
        return Answered(command=survey.give_up())

    def _press_reason(self, reason: Line, key: Key, question: PermissionRequested) -> Intent | None:
        typed = "eof" if key.name == "escape" else reason.press(key)
        if not typed:
            return None
        return self._no(question, reason.take().strip() if typed == "enter" else "")

    def _choose(self, letter: str, question: PermissionRequested) -> Intent | None:
        match letter:
            case "y":
                return self._yes(question, Approve(request_id=question.request_id))
            case "a" if "session" in question.scopes:
                return self._yes(question, Approve(request_id=question.request_id, scope="session"))
            case "n":
                self._reason = Line([])
            case "i":
                self._asker.ask(question, whole=True)
            case "e" if not question.fixed:
                self._edit = Line([])
                self._edit.set(question.input)
            case "r":
                self._choices = choices(question)
            case _:
                pass
        return None

    def _press_edit(self, edit: Line, key: Key, question: PermissionRequested) -> Intent | None:
        typed = "eof" if key.name == "escape" else edit.press(key)
        if not typed:
            return None
        text = edit.take()
        self._edit = None
        if typed == "eof" or not text.strip():
            return None
        changed = "" if text == question.input else text
        return self._yes(question, Approve(request_id=question.request_id, input=changed))

    def _press_choice(self, letter: str, question: PermissionRequested) -> Intent | None:
        found = next((one for one in self._choices if one.letter == letter), None)
        if found is None:
            return None
        return self._yes(
            question,
            Approve(request_id=question.request_id, scope=found.scope, rules=found.rules),
        )

    def _remember_line(self, word: str, question: PermissionRequested) -> Intent | None:
        """``r`` alone tells what can be remembered; with a letter of that it is remembered."""
        self._choices = choices(question)
        intent = self._press_choice(word[:1], question) if word else None
        if intent is None:
            self._asker.ask(question)
        return intent

    def _yes(self, question: PermissionRequested, command: Approve) -> Intent:
        self._drop(question.request_id)
        return Answered(command=command)

    def _no(self, question: PermissionRequested, message: str = "") -> Intent:
        self._drop(question.request_id)
        return Answered(command=Deny(request_id=question.request_id, message=message))

    def _drop(self, request_id: str) -> None:
        was = self.question
        self._questions.pop(request_id, None)
        if was is not None and was.request_id == request_id:
            self._reason = self._edit = None
            self._choices = ()
            if self.question:
                self._show()

    def _show(self) -> None:
        question = self.question
        if question is not None:
            # Somebody in the middle of a word must not answer by accident.
            hasty = _TYPING_SECONDS if self.line.text else 0.0
            self._hasty_until = self._clock.monotonic() + hasty
            self._asker.ask(question)
