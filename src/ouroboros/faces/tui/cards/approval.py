"""A call that waits for a yes."""

from functools import partial

from ouroboros.app.text import plain, spelled
from ouroboros.core.commands import Approve, Deny, Scope
from ouroboros.core.events import PermissionRequested
from ouroboros.faces.tui.cards.card import Card
from ouroboros.faces.tui.parts.around import window_of
from ouroboros.faces.tui.parts.ink import inked
from ouroboros.faces.tui.parts.select import Pick
from ouroboros.faces.tui.screens.diff import diff_rows
from ouroboros.faces.tui.screens.edit import EditScreen
from ouroboros.faces.tui.screens.whole import WholeScreen
from ouroboros.faces.wording.asked import FOR, Choice, action_of, choices, grant_of, reasons
from ouroboros.faces.wording.rows import BOLD, DIM, RED, Row, crop, row, wrap
from ouroboros.faces.wording.text.diff import is_diff
from ouroboros.faces.wording.words import one_line

_CHANGED = 6
"""Rows of a change that go before why it is asked."""
_SCOPES: tuple[Scope, ...] = ("session", "local", "project", "user")


class ApprovalCard(Card):
    """What is asked, exactly; yes, no with a reason, always, something else, or a look at all of it."""

    kind = "Permission"

    def __init__(self, event: PermissionRequested, *, cwd: str) -> None:
        """``cwd`` is where it would run."""
        super().__init__(event.request_id)
        self.event = event
        self._cwd = cwd
        self._choices = choices(event)
        self._rules: tuple[str, ...] = ()

    def draw(self) -> None:
        """The action, its danger, why it is asked, and the beginning of the exact input."""
        event = self.event
        width = self.room
        action, danger = f"Allow: {action_of(event)}", f"Warning: {one_line(event.warning, 400)}"
        short = [crop(row(action, BOLD), width)]
        short += [crop(row(danger, RED), width)] if event.warning else []
        why = [line for reason in reasons(event) for line in wrap(reason, width, DIM)]
        rows = wrap(action, width, BOLD)
        rows += wrap(danger, width, RED) if event.warning else []
        rows += [*why, *([] if event.about else [row(f"in {one_line(self._cwd, width - 4)}", DIM)])]
        brief = partial(exact_rows, event, is_brief=True)
        most = self.height_left - min(len(brief(width - 3)), _CHANGED)
        if self.is_low:
            rows = short
        elif len(rows) > most:
            rows = [*short, *why][: max(most, len(short))]
        self.show(inked(rows), partial(exact_rows, event), brief)

    def begin(self) -> None:
        """All answers."""
        self.ask(answers(self.event, self.room))

    def take(self, step: str, name: str) -> None:
        """Follows a choice."""
        match step:
            case "remember" if name == "rules":
                rules = "\n".join(self.event.rules or self.event.wider)
                self.ask_words("Rules, one a line (Ctrl-J: another line)", rules, step="rules")
            case "remember":
                choice = self._choices[int(name)]
                self.say(self._yes(choice.scope, choice.rules))
            case "scope":
                scope: Scope = next(each for each in _SCOPES if each == name)
                self.say(self._yes(scope, self._rules))
            case _:
                self._take_first(name)

    def _take_first(self, name: str) -> None:
        match name:
            case "yes":
                self.say(self._yes("once"))
            case "session":
                self.say(self._yes("session"))
            case "remember":
                picks = [_pick(at, choice) for at, choice in enumerate(self._choices)]
                own = Pick("rules", "Write the rules yourself", "e", short="edit")
                self.ask([*picks, own], step="remember")
            case "no":
                self.ask_words("No. What to do instead? (Enter alone: just no)", "", step="no")
            case "edit":
                self._edit()
            case _:
                self._look()

    def take_words(self, step: str, text: str) -> None:
        """Follows words."""
        match step:
            case "no":
                self.say(Deny(request_id=self.asked, message=text.strip()))
            case "edit":
                self._edited(text)
            case _:
                self._rules = tuple(line.strip() for line in text.splitlines() if line.strip())
                scopes: list[Scope] = [scope for scope in _SCOPES if scope in self.event.scopes]
                if not self._rules:
                    self.begin()
                else:
                    words = [Pick(scope, f"Yes, {FOR[scope]}", scope[0]) for scope in scopes]
                    self.ask(words, step="scope")
                self.answers.focus()

    def _yes(self, scope: Scope, rules: tuple[str, ...] = ()) -> Approve:
        return Approve(request_id=self.asked, scope=scope, rules=rules)

    def _edit(self) -> None:
        text = self.event.input
        if "\n" in text or len(text) > 400:
            window_of(self).push_screen(EditScreen("Do this instead", text), self._edited)
        else:
            self.ask_words("Do this instead (Esc: back)", text, step="edit")

    def _edited(self, text: str | None) -> None:
        if text is None or not text.strip():
            self.begin()
            self.answers.focus()
            return
        changed = "" if text == self.event.input else text
        self.say(Approve(request_id=self.asked, input=changed))

    def _look(self) -> None:
        screen = WholeScreen(
            action_of(self.event),
            partial(whole_rows, self.event, self._cwd),
            answers={"y": "yes", "n": "no"},
        )
        window_of(self).push_screen(screen, self._looked)

    def _looked(self, answer: str | None) -> None:
        match answer:
            case "y":
                self.say(self._yes("once"))
            case "n":
                self._take_first("no")
            case _:
                self.answers.focus()


def _pick(at: int, choice: Choice) -> Pick:
    label = f"{FOR[choice.scope]}: {one_line(choice.words, 120)}"
    return Pick(str(at), label, choice.letter, short=FOR[choice.scope][:8])


def answers(event: PermissionRequested, width: int) -> list[Pick]:
    """What a person may answer, as far as the question offers it."""
    picks = [Pick("yes", "Yes", "y", short="yes")]
    if "session" in event.scopes:
        covers = grant_of(event, max(width - 44, 20))
        grant = f": {covers}" if covers else ""
        picks.append(Pick("session", f"Yes, and again in this session{grant}", "a", short="always"))
    if choices(event):
        picks.append(Pick("remember", "Yes, and write down a rule", "r", short="remember"))
    picks.append(Pick("no", "No, and say what to do instead", "n", short="no"))
    if not event.fixed:
        picks.append(Pick("edit", "Change it first", "e", short="edit"))
    return [*picks, Pick("whole", "See all of it", "i", short="all")]


def exact_rows(event: PermissionRequested, width: int, *, is_brief: bool = False) -> list[Row]:
    """The diff, what a person sees of it, or the exact input, with an escape for whatever nobody sees.

    A brief one begins with the first line that changes.
    """
    if event.detail:
        detail = plain(event.detail)
        if is_diff(detail):
            return diff_rows(detail, width, is_brief=is_brief)
        return wrap(detail, width)
    if event.about:
        return [line for each in event.about for line in wrap(plain(spelled(each)), width)]
    return wrap(plain(spelled(event.input)), width)


def whole_rows(event: PermissionRequested, cwd: str, width: int) -> list[Row]:
    """Everything there is to know of a question."""
    rows = wrap(action_of(event), width, BOLD)
    rows += wrap(f"Warning: {plain(event.warning)}", width, RED) if event.warning else []
    rows += [line for reason in reasons(event) for line in wrap(reason, width, DIM)]
    rows += [row(f"in {one_line(cwd)}", DIM), row("")]
    if event.detail or event.about:
        rows += [*exact_rows(event, width), row(""), row("The exact input:", DIM)]
    return [*rows, *wrap(plain(spelled(event.input)), width)]
