"""The first start without any key: a vendor and its key, a model on this machine, or the demo."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import anyio
from anyio import to_thread
from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import Worker

from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.tui.parts.around import host_of
from ouroboros.faces.tui.parts.select import Pick, Select
from ouroboros.faces.tui.parts.typing import Words
from ouroboros.faces.tui.screens.frame import BACK, Framed
from ouroboros.faces.wording.face import Notice
from ouroboros.faces.wording.words import one_line

if TYPE_CHECKING:
    from ouroboros.app.providers.listing import Listed
    from ouroboros.app.providers.logins import Account

_LOCAL = ("ollama", "lmstudio", "llamacpp", "vllm")
_NOT_OFFERED = frozenset({"echo", "script", "litellm", "compatible", *_LOCAL})
_PATIENCE_SECONDS = 3.0
_TEST_SECONDS = 60.0
_LOGIN_SECONDS = 300.0


class Begin(Struct, frozen=True, kw_only=True):
    """What to begin with: a model, and for the demo its folder and its task."""

    model: str
    cwd: Path | None = None
    first: str = ""


class FirstStart(Framed[Begin]):
    """Gives what to begin with; None when it is left. Asks machines besides this one only when told to."""

    DEFAULT_CSS = """
    FirstStart #words { height: auto; margin-bottom: 1; }
    FirstStart.-low #words { margin-bottom: 0; }
    FirstStart #ways { height: 1fr; }
    FirstStart #key { border: none; height: 1; padding: 0; display: none; background: $boost; }
    FirstStart.-typing #key { display: block; }
    FirstStart.-typing #ways { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [BACK]
    TITLE = "Welcome to Ouroboros"
    KEYS = "Up, Down, Enter choose   Esc leave"
    WORDS = "Which model shall do the work?"

    def __init__(self, problem: str = "") -> None:
        """``problem`` is why no model could be asked."""
        super().__init__()
        self._problem = problem
        self._listed: dict[str, Listed] = {}
        self._local: dict[str, list[str]] = {}
        self._account: Account | None = None
        self._job: Worker[None] | None = None
        self._key = ""

    def body(self) -> ComposeResult:
        """What is wanted, the ways, and a line for a key."""
        yield Static(self.WORDS, id="words", markup=False)
        yield Select(id="ways", numbered=False)
        yield Words(secret=True, id="key")

    def begin(self) -> None:
        """Offers the demo at once, the rest when it is known."""
        self.told(self._problem)
        self._offer()
        self.query_one("#ways", Select).focus()
        self.run_worker(self._read, group="read", exclusive=True)
        for name in _LOCAL:
            self.run_worker(partial(self._ask_here, name), group=f"local-{name}", exclusive=True)

    def on_select_chosen(self, event: Select.Chosen) -> None:
        """A way."""
        event.stop()
        kind, _, name = event.name.partition(":")
        match kind:
            case "demo":
                self._work(self._demo)
            case "model":
                self._work(partial(self._start, name))
            case "ready":
                self._work(partial(self._test, name, {}))
            case "keep":
                self._work(self._keep)
            case "again":
                self._ask_key()
            case "back":
                self._offer()
            case _:
                self._choose(name)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A key: it is tried before it is kept."""
        event.stop()
        account, self._key = self._account, event.value.strip()
        event.input.value = ""
        if account is not None and self._key:
            self._work(partial(self._test, account.name, {account.variables[0]: self._key}))

    def action_back(self) -> None:
        """From the key to the ways; from there out."""
        if self.has_class("-typing"):
            if self._job is not None:
                self._job.cancel()
            self._offer()
        else:
            self.dismiss(None)

    async def _read(self) -> None:
        from ouroboros.app.providers import listing

        host = host_of(self)
        try:
            found = await to_thread.run_sync(listing.listed, host.loaded, host.environment)
        except OuroborosError as problem:
            self.told(problem.message)
            return
        self._listed = {each.name: each for each in found}
        self._offer()

    async def _ask_here(self, name: str) -> None:
        """Whether a server of this machine answers, and with which models."""
        from ouroboros.app.providers import model_list

        host = host_of(self)
        found: list[str] = []
        with anyio.move_on_after(_PATIENCE_SECONDS):
            try:
                clock = SystemClock()
                listed = await model_list.listed(
                    host.loaded, host.environment, clock, provider=name
                )
            except OuroborosError:
                return
            found = [] if listed.warnings else [model.name for model in listed.models]
        if found:
            self._local[name] = found
            if not self.has_class("-typing"):
                self._offer()

    def _offer(self) -> None:
        self.remove_class("-typing")
        select = self.query_one("#ways", Select)
        before = select.chosen.name if select.chosen is not None else ""
        local = [
            Pick(
                f"model:{model}", model, mark="here", note="answers on this machine, no key needed"
            )
            for models in self._local.values()
            for model in models[:3]
        ]
        offered = list(_each_once(self._listed.values()))
        ready = [_vendor(each) for each in offered if each.is_ready]
        others = [_vendor(each) for each in offered if not each.is_ready]
        demo = Pick("demo", "The demo", aside="no key, no network, only the model is played")
        picks = [*local, *ready, demo, *others]
        select.show(picks, name=before if before in {pick.name for pick in picks} else "")
        self.query_one("#words", Static).update(Content(self.WORDS))
        self.show_keys(self.KEYS)
        select.focus()

    def _choose(self, name: str) -> None:
        from ouroboros.app.providers import logins

        try:
            self._account = logins.account(host_of(self).loaded, name)
        except OuroborosError as problem:
            self.told(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
            return
        if self._account.way == "key":
            self._ask_key()
        else:
            self._work(self._log_in)

    def _ask_key(self) -> None:
        account = self._account
        if account is None:
            return
        self.add_class("-typing")
        words = f"Your key of {account.name} ({account.variables[0]}); it is tried, then kept."
        self.query_one("#words", Static).update(Content(words))
        self.show_keys("Enter try it   Esc other ways")
        self.told("")
        self.query_one("#key", Input).focus()

    def _work(self, job: Callable[[], Awaitable[None]]) -> None:
        self._job = self.run_worker(partial(self._worked, job), group="work", exclusive=True)

    async def _worked(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except OuroborosError as problem:
            self.told(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
        except TimeoutError:
            self.told("no answer came in time; try again, or take another way")

    async def _test(self, name: str, key: dict[str, str]) -> None:
        """Sends one tiny request; a key that works is kept, one that does not may be."""
        from ouroboros.app.providers import listing

        host = host_of(self)
        self.told(f"asking {name}...")
        environment = {**host.environment, **key}
        try:
            with anyio.fail_after(_TEST_SECONDS):
                answer = await listing.ask(host.loaded, environment, name, SystemClock())
        except OuroborosError as problem:
            if not key:
                raise
            self._unsure(name, problem.message)
            return
        if key:
            await self._keep()
        self.told(f"{answer.model} answered in {answer.seconds:.1f} s")
        await self._start(answer.model)

    def _unsure(self, name: str, why: str) -> None:
        """The key did not work: another one, or kept all the same."""
        self.remove_class("-typing")
        self.query_one("#words", Static).update(Content(f"{name} did not take the key."))
        self.told(one_line(why, 300))
        select = self.query_one("#ways", Select)
        again = Pick("again", "Type it again")
        keep = Pick(
            "keep", "Keep it all the same", note="it may be tried later: ouro providers test"
        )
        select.show([again, keep, Pick("back", "Another way")])
        select.focus()

    async def _keep(self) -> None:
        from ouroboros.app.providers import logins

        account = self._account
        if account is None:
            return
        loaded = host_of(self).loaded
        place = await to_thread.run_sync(logins.bring, loaded, account, self._key)
        self._key = ""
        host_of(self).tell(Notice(text=f"{account.variables[0]} is kept in {place}"))
        await self._read()
        self.told(f"{account.variables[0]} is kept in {place}")

    async def _log_in(self) -> None:
        """On the vendor's page, which the person opens where we cannot."""
        from ouroboros.app.providers import logins

        account, host = self._account, host_of(self)
        if account is None:
            return
        asking = logins.Asking(show=self._page, patience_seconds=_LOGIN_SECONDS)
        self.told(
            await logins.log_in(host.loaded, host.environment, account, asking, SystemClock())
        )
        await self._test(account.name, {})

    async def _page(self, address: str) -> None:
        from ouroboros.app.providers import logins

        opened = logins.open_page(address, host_of(self).environment)
        words = "Agree in your browser:" if opened else "Open this page in a browser:"
        self.query_one("#words", Static).update(Content(f"{words}\n{address}"))

    async def _demo(self) -> None:
        from tempfile import mkdtemp

        from ouroboros.app.demo import fix

        folder = Path(await to_thread.run_sync(partial(mkdtemp, prefix="ouro-demo-")))
        found = await fix.unpack(folder, host_of(self).environment)
        host_of(self).tell(Notice(text=fix.NOTICE))
        self.dismiss(Begin(model=found.model, cwd=found.cwd, first=found.prompt))

    async def _start(self, model: str) -> None:
        """Begins with a model, and remembers it where none is set."""
        host = host_of(self)
        if not host.loaded.settings.model:
            await to_thread.run_sync(_remember, host.loaded.home, model)
        self.dismiss(Begin(model=model))


def _each_once(listed: "Iterable[Listed]") -> "Iterator[Listed]":
    """Those that a person has a key of, without other ways to speak to the same vendor."""
    seen: set[tuple[str, ...]] = set()
    for each in listed:
        variables = tuple(each.keys)
        if each.name not in _NOT_OFFERED and variables not in seen:
            yield each
            seen.add(variables)


def _vendor(each: "Listed") -> Pick:
    if each.is_ready:
        return Pick(f"ready:{each.name}", each.title, mark="ready")
    variable = next(iter(each.keys), "")
    return Pick(f"vendor:{each.name}", each.title, aside=variable or each.proof)


def _remember(home: Path, model: str) -> None:
    from ouroboros.app.config import write

    write.set_value(home / "config.toml", ("model",), model, private=True)
