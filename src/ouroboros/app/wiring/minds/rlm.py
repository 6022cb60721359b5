"""Joins the mind that writes code with its REPL, its children and a browser.

Imported only by sessions that are driven by it.
"""

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Literal

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.app import secrecy
from ouroboros.app.browsing import browser as browsing
from ouroboros.app.kit import Joined, Kit, Later
from ouroboros.app.wiring import goals, living, toolbox
from ouroboros.app.wiring.minds.view import View
from ouroboros.app.wiring.repls import Repls, StandingRepl, base
from ouroboros.app.wiring.repls import Wish as ReplWish
from ouroboros.code.pool import Isolates
from ouroboros.core.errors import Misuse, OuroborosError, unwrapped
from ouroboros.core.events.code import Logged
from ouroboros.core.parts import Message
from ouroboros.repl.following import follow
from ouroboros.repl.metadata import Entry
from ouroboros.repl.seeds import Seeds
from ouroboros.rlm import prompts, router
from ouroboros.rlm.children.family import ERROR, Family
from ouroboros.rlm.children.ground import (
    Allowance,
    Birth,
    Bounds,
    Ground,
    Room,
    no_news,
    places,
)
from ouroboros.rlm.children.queries import queries
from ouroboros.rlm.context import Bounds as Iterations
from ouroboros.rlm.context import Setting
from ouroboros.rlm.hands import ReplTool
from ouroboros.rlm.mind import Reading, RlmMind
from ouroboros.safety.guard import Guard
from ouroboros.tools.builtin.asking import RequestUserInputTool
from ouroboros.tools.orchestrator import Orchestrator
from ouroboros.tools.registry import AnyTool, Registry, canonical

_ASKING: tuple[str, ...] = ("llm_query", "llm_batch", "llm_map")


class Wish(Struct, frozen=True, kw_only=True):
    """What a person wants of the mind."""

    browser: bool = False
    seeds: Seeds = Seeds()
    way: Literal["auto", "plain", "repl"] = "auto"
    logins: tuple[str, ...] = ()


class Lazy:
    """The session's REPL, opened when its first block runs and closed with the session."""

    def __init__(self, guard: Guard, standing: StandingRepl) -> None:
        """Starts nothing."""
        self._guard, self._standing = guard, standing

    async def run_block(self, code: str, *, call_id: str) -> Entry:
        """Runs a block."""
        await self._guard.on_duty()
        repl = await self._standing.get()
        return await repl.run_block(code, call_id=call_id)


class Helpers:
    """The models that children ask: a cheaper one where the settings name it."""

    def __init__(self, kit: Kit) -> None:
        """Connects nothing."""
        self._kit = kit
        self._lock = anyio.Lock()
        self._speaker: Speaker | None = None

    async def lineup(self) -> Lineup:
        """A lineup of their own, so that one child's failures are not another's."""
        kit = self._kit
        lineup = Lineup(
            await self._first(),
            clock=kit.clock,
            others=kit.speakers.others,
            connect=kit.speakers.another,
        )
        lineup.tune(effort=kit.state.effort, service_tier=kit.state.service_tier)
        return lineup

    async def _first(self) -> Speaker:
        name = self._kit.settings.rlm.child_model
        if not name:
            return self._kit.lineup.speaker
        async with self._lock:
            if self._speaker is None:
                self._speaker = await self._kit.speakers.another(name)
        return self._speaker


class Nursery:
    """Opens REPLs for children, on the ground of the session's own."""

    def __init__(self, kit: Kit, repls: Repls, words: prompts.Words, hands: Orchestrator) -> None:
        """Opens none yet; ``hands`` carry out what code of the session calls."""
        self._kit, self._repls, self._words, self._hands = kit, repls, words, hands

    def has_browser(self) -> bool:
        """A child would have a browser."""
        return self._repls.base.browser is not None

    @asynccontextmanager
    async def open(self, birth: Birth) -> AsyncGenerator[Room]:
        """A child's REPL; the tabs that it opened are closed with it."""
        nested = f"{ERROR} sub-calls cannot be nested deeper than {self._kit.settings.rlm.depth}"
        withheld = {} if birth.can_ask else dict.fromkeys(_ASKING, nested)
        kit = replace(self._kit, state=birth.state, journal=birth.journal)
        hands, news = self._hands, no_news
        if kit.hooks is not None:
            calls, asker = kit.hooks.within(birth.child)
            kit = replace(kit, calls=calls, asker=asker)
            hands, news = hands.within(calls, asker), calls.news
        wish = ReplWish(
            seeds=birth.seeds,
            tools=birth.below.tools,
            withheld=withheld,
            is_child=True,
            performer=hands,
        )
        async with self._repls.open(wish) as opened:
            runner = opened.repl
            tool = ReplTool(lambda: runner, birth.state, birth.below.left)
            browser = self._repls.base.browser
            view = View(browser.known) if browser is not None else None

            async def prepare() -> str:
                told = await tool.prepare(birth.journal.record)
                await self._repls.taint.read(*(await view.told() if view is not None else ()))
                return told

            yield Room(
                hands=living.careful(kit, toolbox.session_hands(kit, Registry([tool]))),
                system=self._words.system(opened.api, can_ask=birth.can_ask, is_child=True),
                prepare=prepare,
                window=view,
                news=news,
            )


@asynccontextmanager
async def joined(kit: Kit, wish: Wish) -> AsyncGenerator[Joined]:
    """The mind with its hands, until the end of the session; an error comes out as it is."""
    try:
        async with _open(kit, wish) as mind:
            yield mind
    except ExceptionGroup as group:
        inner = unwrapped(group)
        if inner is group:
            raise
        raise inner from group


@asynccontextmanager
async def _open(kit: Kit, wish: Wish) -> AsyncGenerator[Joined]:
    costly = _costly(kit, wish)
    words = await to_thread.run_sync(prompts.load)
    async with AsyncExitStack() as stack:
        browser: browsing.Browser | None = None
        if wish.browser:
            ground = browsing.ground(kit, wish.logins)
            browser = await stack.enter_async_context(browsing.opened(ground))
        guard = browser.guard if browser is not None else Guard()
        isolates = await stack.enter_async_context(
            Isolates(environment=kit.environment, guard=guard, clock=kit.clock)
        )
        tool = ReplTool(lambda: runner, kit.state, lambda: family.left())
        hands = toolbox.session_hands(kit, Registry([tool]))
        repls = Repls(base(kit, isolates, hands, browser))
        follow(hands, repls.taint, repls.own.ledger)
        allowance = Allowance(kit.caps, kit.state, kit.clock)
        family = Family(
            _ground(kit, Nursery(kit, repls, words, hands), words, allowance),
            state=kit.state,
            tools=queries,
        )
        root = ReplWish(name="main", seeds=wish.seeds, tools=(*queries(family), *_own(kit)))
        standing = StandingRepl(kit.state, partial(repls.open, root))
        runner = Lazy(guard, await stack.enter_async_context(standing))
        bounds = kit.settings.rlm
        view = View(browser.known, browser.drivers.news) if browser is not None else None
        mind = RlmMind(
            lineup=kit.lineup,
            system=words.system(repls.api(root), can_ask=True),
            bounds=Iterations(
                iterations=bounds.max_iterations, history_tokens=bounds.history_tokens
            ),
            record=kit.journal.record,
            ids=kit.ids,
            window=view,
            setting=Setting(attended=_is_attended(kit)),
            reading=_reading(kit, wish, words),
            begin=allowance.begin,
            prepare=_prepared(kit, repls, tool, view),
        )
        yield Joined(
            name="rlm",
            mind=mind,
            hands=living.careful(kit, hands),
            versions=words.versions,
            off=(*kit.settings.context.off, "instructions", "permissions", "plan"),
            warnings=costly,
            facts=Later(),
            closing=living.changes(kit, hands, has_diff=False),
            stop_child=family.cancel,
            mentions=partial(_named, kit),
            live=browser.live if browser is not None else None,
        )


async def _named(kit: Kit, message: Message) -> None:
    """Says that names by ``@`` are only words here: what code reads, a model is not told of."""
    if "@" not in message.text:
        return
    from ouroboros.agent.context.mentions import mentions

    files = (each for each in mentions(message.text) if each.kind == "path" and each.is_sure)
    named = ", ".join(each.written for each in files)
    if named:
        text = f"{named}: not attached here; --data makes variables of files"
        kit.journal.record(Logged(level="warning", text=text))


def _own(kit: Kit) -> tuple[AnyTool, ...]:
    """How the session's own code sees to the goal, and asks the person where somebody is there."""
    off = {canonical(name) for name in kit.settings.tools.disabled}
    tools: list[AnyTool] = [make() for make in goals.makers(kit.state, kit.ids).values()]
    if kit.desk.is_interactive:
        tools += [RequestUserInputTool(kit.desk.questions), toolbox.permissions_for(kit)]
    return tuple(tool for tool in tools if tool.name not in off)


def _costly(kit: Kit, wish: Wish) -> list[str]:
    """What to tell of large data that is read plainly; ``Misuse`` where the model cannot see it all."""
    tokens = router.tokens(wish.seeds)
    if wish.way != "plain" or tokens <= kit.settings.rlm.leaf_tokens:
        return []
    speaker = kit.lineup.speaker
    window = speaker.tuning.known_window
    if window is not None and tokens > window:
        raise Misuse(
            f"the data is some {tokens:,} tokens, and {speaker.name} sees {window:,}",
            hint="leave out --plain: code then works on the data, and it is not sent whole",
        )
    return [f"--plain sends the whole data, some {tokens:,} tokens, to {speaker.name}"]


def _prepared(
    kit: Kit, repls: Repls, tool: ReplTool, view: View | None
) -> Callable[[], Awaitable[str]]:
    """What happens before each iteration: places that the person has named are known from then on.

    The person's own tabs are there from the first one. Titles and addresses that the model is about
    to be told count as read.
    """
    heard, moves, has_joined = 0, 0, False

    async def joined() -> None:
        nonlocal has_joined
        browser, has_tried, has_joined = repls.base.browser, has_joined, True
        if browser is not None and view is not None and not has_tried and await browser.join():
            view.begin()

    async def prepare() -> str:
        nonlocal heard, moves
        if kit.state.moves != moves:  # the conversation goes on from elsewhere
            heard, moves = 0, kit.state.moves
        said = kit.state.history[heard:]
        heard = len(kit.state.history)
        for message in said:
            if message.role == "user" and message.kind == "plain":
                repls.taint.hear(message.text)
        if repls.base.browser is not None and repls.base.browser.unstarted is not None:
            raise repls.base.browser.unstarted
        try:
            await joined()
        except (OuroborosError, OSError) as failed:
            return f"The browser cannot be had: {failed}"
        try:
            told = await tool.prepare(kit.journal.record)
            await repls.taint.read(*(await view.told() if view is not None else ()))
            return told
        except (OuroborosError, OSError) as failed:
            return f"The REPL could not be opened: {failed}"

    return prepare


def _reading(kit: Kit, wish: Wish, words: prompts.Words) -> Reading | None:
    tokens = kit.settings.rlm.leaf_tokens

    def text(task: str) -> str:
        is_plain = router.is_plain(
            task, wish.seeds, way=wish.way, browser=wish.browser, tokens=tokens
        )
        return kit.leaks.redacted(router.reading(task, wish.seeds, _mark())) if is_plain else ""

    return Reading(system=words.leaf, text=text)


def _ground(kit: Kit, nursery: Nursery, words: prompts.Words, allowance: Allowance) -> Ground:
    rlm = kit.settings.rlm
    bounds = Bounds(
        calls=rlm.max_sub_calls,
        iterations=rlm.child_iterations,
        depth=rlm.depth,
        at_once=rlm.concurrency,
        leaf_tokens=rlm.leaf_tokens,
        history_tokens=rlm.history_tokens,
    )
    return Ground(
        state=kit.state,
        record=kit.journal.record,
        settle=kit.journal.settle,
        lineup=Helpers(kit).lineup,
        nursery=nursery,
        bounds=bounds,
        allowance=allowance,
        places=places(bounds),
        ids=kit.ids,
        clock=kit.clock,
        marks=_mark,
        leaf=words.leaf,
        redact=secrecy.redactor(kit.leaks),
        hooks=kit.children,
        attended=_is_attended(kit),
    )


def _is_attended(kit: Kit) -> bool:
    """A person, or a guardian, can approve something."""
    return kit.desk.is_interactive or kit.settings.guardian.enabled


def _mark() -> str:
    return secrets.token_hex(8)
