"""Models to choose from, and how much the chosen one is to reason."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from anyio import to_thread
from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ouroboros.core.commands import Effort, SetModel
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.parts.around import host_of, room_of
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.parts.typing import Words
from ouroboros.faces.tui.screens.frame import BACK, MOVES, Framed
from ouroboros.faces.wording.words import one_line

if TYPE_CHECKING:
    from ouroboros.app.providers.model_list import Model
    from ouroboros.faces.tui.host import Host

_SHOWN = 300
_EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


class Offer(Struct, frozen=True, kw_only=True):
    """A model; ``ready`` tells whether its vendor can be asked now."""

    name: str
    facts: str
    efforts: tuple[str, ...]
    ready: bool


class ModelPicker(Framed[SetModel]):
    """Gives what was set, which the session has been told; None when it is left.

    What is typed filters; the name of a model that nobody knows can be typed whole.
    """

    DEFAULT_CSS = """
    ModelPicker #words { border: none; height: 1; padding: 0; }
    ModelPicker #models { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        BACK,
        *MOVES,
        Binding("enter", "take", show=False, priority=True),
        Binding("ctrl+a", "everything", show=False, priority=True),
    ]
    TITLE = "Model"
    KEYS = "Enter take it   Ctrl-A also those without a key   Esc leave"

    def __init__(self) -> None:
        """Knows no model yet."""
        super().__init__()
        self._offers: list[Offer] = []
        self._everything = False
        self._model = ""

    def body(self) -> ComposeResult:
        """Words, and the models that have them."""
        yield Words(asking="a part of its name", id="words")
        yield Select(id="models", numbered=False)

    def begin(self) -> None:
        """Reads what is known."""
        self.query_one(Input).focus()
        self.told("reading what is known of models...")
        self.run_worker(self._read, group="read", exclusive=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filters."""
        event.stop()
        if not self._model:
            self._show()

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """A click, or a digit."""
        event.stop()
        self._take(event.name)

    def action_everything(self) -> None:
        """Also those that cannot be asked yet, or those only that can."""
        self._everything = not self._everything
        self._show()

    def action_take(self) -> None:
        """Takes the one that is marked, or the name as it was typed."""
        pick = self.query_one(Select).chosen
        typed = self.query_one(Input).value.strip()
        if pick is not None:
            self._take(pick.name)
        elif typed and not self._model:
            self._take(typed)

    async def _read(self) -> None:
        try:
            self._offers = await to_thread.run_sync(offers, host_of(self))
        except OuroborosError as problem:
            self.told(problem.message)
            return
        self._everything = not any(offer.ready for offer in self._offers)
        self._show()

    def _show(self) -> None:
        words = self.query_one(Input).value.lower().split()
        now = host_of(self).room
        found = [
            offer
            for offer in self._offers
            if (offer.ready or self._everything)
            and all(word in offer.name.lower() for word in words)
        ]
        here = now.state.model if now is not None else ""
        picks = [
            Pick(
                offer.name,
                f"{offer.name}  {offer.facts}",
                mark="now" if offer.name == here else "" if offer.ready else "no key",
            )
            for offer in found[:_SHOWN]
        ]
        self.query_one(Select).show(picks, name=here)
        more = len(found) - _SHOWN
        said = f"{more:,} more; type a part of the name" if more > 0 else ""
        nothing = "No model that is known is called so; Enter takes the name as you typed it."
        self.told(said if found else nothing if words else "No model can be asked yet.")

    def _take(self, name: str) -> None:
        if self._model:
            effort: Effort | None = next((each for each in _EFFORTS if each == name), None)
            self.run_worker(
                partial(self._set, SetModel(model=self._model, effort=effort)), group="set"
            )
            return
        offer = next((offer for offer in self._offers if offer.name == name), None)
        if offer is None or not offer.efforts:
            self.run_worker(partial(self._set, SetModel(model=name)), group="set")
            return
        self._model = name
        self.query_one(Input).display = False
        self.entitle(f"How much should {one_line(name, 40)} reason?")
        self.told("")
        own = Pick("", "As it does by itself, or as it was")
        picks = [Pick(each, each) for each in _EFFORTS if each in offer.efforts]
        select = self.query_one(Select)
        select.show([own, *picks])
        select.focus()

    async def _set(self, wish: SetModel) -> None:
        try:
            await room_of(self).send(wish)
        except OuroborosError as problem:
            self.told(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
            return
        self.dismiss(wish)


def offers(host: "Host") -> list[Offer]:
    """Every model that is known without asking anybody, those first that can be asked; blocking."""
    from ouroboros.app.providers import listing, model_list

    ready = {each.name for each in listing.listed(host.loaded, host.environment) if each.is_ready}
    found = [
        Offer(
            name=model.name,
            facts=_facts(model),
            efforts=tuple(model.known.efforts or ()),
            ready=model.name.partition("/")[0] in ready,
        )
        for model in model_list.searched(host.loaded, host.environment, ())
    ]
    return sorted(found, key=lambda offer: not offer.ready)


def _facts(model: "Model") -> str:
    known = model.known
    window = f"{known.window // 1000:,}k" if known.window else ""
    price = f"${known.price.input:g}/${known.price.output:g}" if known.price else ""
    ends = f"until {known.retires}" if known.retires else ""
    return "  ".join(filter(None, [window, price, ends]))
