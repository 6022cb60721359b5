"""The place over the prompt where one open question at a time is shown."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from ouroboros.core.commands import Command
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import Envelope, PermissionAnswered
from ouroboros.core.events.asides import PlanAnswered
from ouroboros.core.events.question import Question, UserAnswered, UserAsked
from ouroboros.core.state import State
from ouroboros.faces.tui.cards.approval import ApprovalCard
from ouroboros.faces.tui.cards.card import Card
from ouroboros.faces.tui.cards.plan import PLAN, PlanCard
from ouroboros.faces.tui.cards.question import QuestionCard
from ouroboros.faces.tui.parts.around import host_of, room_of
from ouroboros.faces.wording.asked import action_of, verdict
from ouroboros.faces.wording.face import Notice

if TYPE_CHECKING:
    from ouroboros.app.hub import Room

GUARD_SECONDS = 0.6
_TELLING = frozenset({
    *("permission.requested", "permission.answered", "user.asked", "user.answered"),
    *("plan.proposed", "plan.answered", "task.completed", "task.cancelled"),
})


class CardSlot(Widget):
    """Shows what waits for the person, the oldest first, and sends the answers to the session.

    A card that appears while the prompt has words in it, or was just typed into, does not take the
    keys: ``answer`` does, bound to a key, and so does a pause with an empty prompt. A card that
    follows an answer takes them and is deaf for a moment.
    """

    DEFAULT_CSS = """
    CardSlot { height: auto; max-height: 75%; display: none; }
    CardSlot.-open { display: block; }
    """

    def __init__(self, *, id: str = "cards", guard_seconds: float = GUARD_SECONDS) -> None:
        """``guard_seconds`` is how long a new card leaves the keys to the prompt."""
        super().__init__(id=id)
        self._guard = guard_seconds
        self._session = ""
        self._surveys: dict[str, UserAsked] = {}
        self._ours: set[str] = set()
        self._waiting: list[Widget] = []
        self._card: Card | None = None
        self._prompt: Widget | None = None
        self._watch: Timer | None = None
        self._is_put_off = False
        self._was_quiet = self._follows = self._is_ready = False
        self._count = 0

    @property
    def card(self) -> Card | None:
        """What is asked now."""
        return self._card

    def take(self, envelope: Envelope) -> None:
        """Follows which questions are open; another face may answer them too."""
        match envelope.data:
            case UserAsked() as asked:
                self._surveys[asked.request_id] = asked
            case PermissionAnswered() as answered:
                self._ended(answered.request_id, _elsewhere(self._card, answered))
            case UserAnswered(request_id=asked_of):
                self._surveys.pop(asked_of, None)
                self._ended(asked_of, "The question was answered elsewhere")
            case PlanAnswered():
                self._ended(PLAN, "The plan was answered elsewhere")
            case _:
                pass
        if envelope.type in _TELLING and (room := host_of(self).room) is not None:
            self.sync(room.state)

    def sync(self, state: State) -> None:
        """Shows what is open now, also after another session came on the screen."""
        if state.session != self._session:
            self._session = state.session
            self._ours.clear()
        cards = self._open(state)
        self._count = len(cards)
        names = [name for name, _ in cards]
        if self._card is not None and self._card.asked in names and not self._is_stale(state):
            self._entitle()
            return
        follows = self._card is not None and self._card.has_keys
        self._remove()
        if cards:
            self._show(cards[0][1](), follows=follows)
        elif follows:
            self._give_back()

    def answer(self) -> None:
        """Brings the keys to the card; a second time back to the prompt."""
        if self._card is None or not self._is_ready:
            return
        if self._card.has_keys:
            self._put_off()
        else:
            self._focus(self._card)

    def on_descendant_focus(self) -> None:
        """Says how to leave it."""
        self._entitle()

    def on_descendant_blur(self) -> None:
        """Says how to come back."""
        self.call_after_refresh(self._entitle)

    def on_card_said(self, event: Card.Said) -> None:
        """Sends the answer."""
        event.stop()
        self._ours.add(event.card.asked)
        room = room_of(self)
        self.run_worker(partial(self._send, room, event.card, event.command), exit_on_error=False)
        self.sync(room.state)

    def on_card_later(self, event: Card.Later) -> None:
        """Back to the prompt; the question stays."""
        event.stop()
        self._put_off()

    async def _send(self, room: "Room", card: Card, command: Command) -> None:
        try:
            await room.send(command)
        except OuroborosError as problem:
            self._ours.discard(card.asked)
            card.refused()
            host_of(self).tell(Notice(text=problem.message, level="warning", hint=problem.hint))
            self.sync(room.state)

    def _open(self, state: State) -> list[tuple[str, Callable[[], Card]]]:
        """Each question that waits, and how its card is made."""
        cards: list[tuple[str, Callable[[], Card]]] = [
            (asked.request_id, partial(ApprovalCard, asked, cwd=state.cwd))
            for asked in state.approvals.values()
            if asked.reviewer == "person"
        ]
        for asked_of, call in state.asked.items():
            survey = self._surveys.get(asked_of) or _written(state, asked_of, call)
            if survey is not None:
                cards.append((asked_of, partial(QuestionCard, survey)))
        if state.proposed and state.status in {"idle", "failed"}:
            cards.append((PLAN, partial(PlanCard, state.proposed, state.acting)))
        return [(name, make) for name, make in cards if name not in self._ours]

    def _is_stale(self, state: State) -> bool:
        return isinstance(self._card, PlanCard) and self._card.plan != state.proposed

    def _show(self, card: Card, *, follows: bool) -> None:
        self._card = card
        self.add_class("-open")
        self._follows = follows
        self.mount(card)

    def on_card_ready(self, event: Card.Ready) -> None:
        """It is on the screen: it may take the keys, now or later."""
        event.stop()
        card = event.card
        if card is not self._card:
            return
        self._is_ready = True
        self._entitle()
        card.answers.deaf, card.answers.numb = False, bool(self._guard)
        if self._guard:
            self.set_timer(self._guard, lambda: _feel(card))
        if self._follows:
            self._focus(card)
            if self._guard:
                card.answers.deaf = True
                self.set_timer(self._guard, lambda: _hear(card))
            return
        self._is_put_off = self._was_quiet = False
        if not self._guard:
            self._look()
        if self._watch is None:
            self._watch = self.set_interval(max(self._guard, 0.05), self._look)

    def _look(self) -> None:
        """Takes the keys once the prompt was empty for the whole of a moment."""
        card = self._card
        if card is None or self._is_put_off or card.has_keys:
            return
        is_quiet = not _text(self.screen.focused)
        if is_quiet and (self._was_quiet or not self._guard):
            self._focus(card)
        self._was_quiet = is_quiet

    def _focus(self, card: Card) -> None:
        focused = self.screen.focused
        if focused is not None and card not in focused.ancestors_with_self:
            self._prompt = focused
        self._is_put_off = False
        _feel(card)
        card.door.focus()
        self._entitle()

    def _put_off(self) -> None:
        self._is_put_off = True
        self._give_back()
        self._entitle()

    def _give_back(self) -> None:
        if self._prompt is not None and self._prompt.is_attached:
            self._prompt.focus()

    def _remove(self) -> None:
        if self._card is not None:
            self._card.remove()
        self._card, self._is_ready = None, False
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        self.remove_class("-open")

    def _entitle(self) -> None:
        card = self._card
        if card is None or not self._is_ready:
            return
        title = f"{card.kind} 1 of {self._count}" if self._count > 1 else card.kind
        key = host_of(self).keys.shown("answer")
        how = f"{key} to answer" if key and not card.has_keys else "Esc: later"
        card.border_title, card.border_subtitle = Content(title), Content(how)
        card.hint("" if card.has_keys else f"{title}: {how}")

    def _ended(self, name: str, said: str) -> None:
        """An answer is on record: ours, or one that the person is told of."""
        if name in self._ours:
            self._ours.discard(name)
        elif said and self._card is not None and self._card.asked == name:
            host_of(self).tell(Notice(text=said))


@runtime_checkable
class _Typed(Protocol):
    """Something that is typed into."""

    @property
    def text(self) -> str: ...


class _Arguments(msgspec.Struct, frozen=True):
    """Of the tool that asks, or of the one that calls another."""

    questions: tuple[Question, ...] = ()
    arguments: "_Arguments | None" = None


def _text(focused: object) -> str:
    """What is typed already where the keys go."""
    match focused:
        case Input(value=value):
            return value
        case _Typed():
            return focused.text
        case _:
            return ""


def _feel(card: Card) -> None:
    if card.is_attached:
        card.answers.numb = False


def _hear(card: Card) -> None:
    card.answers.deaf = False


def _elsewhere(card: Card | None, answered: PermissionAnswered) -> str:
    if not isinstance(card, ApprovalCard) or answered.decider == "cancelled":
        return ""
    return f"Answered elsewhere: {verdict(answered)} ({action_of(card.event)})"


def _written(state: State, asked_of: str, call: str) -> UserAsked | None:
    """What was asked before this face looked, as the model wrote it."""
    made = state.calls.get(call)
    if made is None:
        return None
    try:
        asked = msgspec.json.decode(made.arguments, type=_Arguments)
    except msgspec.DecodeError:
        return None
    found = asked.arguments.questions if asked.arguments else asked.questions
    return UserAsked(request_id=asked_of, call_id=call, questions=found) if found else None
