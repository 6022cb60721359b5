"""``llm_query`` and its kin, as code sees them: always a string or a list, never an exception."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import cast

import anyio
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from ouroboros.agent.context.standing import child_line
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.errors import Misuse, ModelFailed, OuroborosError, StoreFailed
from ouroboros.core.events.fleet import SubagentCompleted, SubagentReplied, SubagentStarted
from ouroboros.core.limits import CHARS_PER_TOKEN
from ouroboros.core.parts import Message, Usage
from ouroboros.core.state import State
from ouroboros.llm.stream import Finished
from ouroboros.repl.seeds import Seed, Seeds
from ouroboros.rlm import context, history, progress
from ouroboros.rlm.children import asking, words
from ouroboros.rlm.children.birth import Wish, live, seed
from ouroboros.rlm.children.ground import Ground, Kin, Spent
from ouroboros.tools.registry import AnyTool

ERROR = "[SUB-CALL ERROR]"
CANCELLED = "[SUB-CALL CANCELLED]"
NOTHING = Raw(b"null")
PACK_ITEMS = 25
PACK_SHARE = 0.75
_TASK_CHARACTERS = 200
_PROGRESS = 3


class Settled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer of a batch, as ``Promise.allSettled`` has them."""

    status: str
    value: str | None = None
    error: str | None = None


class Item(Struct, frozen=True, kw_only=True):
    """One question of a batch."""

    prompt: str
    data: Raw = field(default_factory=lambda: NOTHING)


class _Refused(Exception):
    """The call is not made; the words say why."""


class Family:
    """The children of one run, itself a child or not."""

    def __init__(
        self,
        ground: Ground,
        *,
        state: State,
        depth: int = 0,
        name: str = "",
        tools: Callable[["Family"], tuple[AnyTool, ...]] = lambda _: (),
    ) -> None:
        """``state`` is that of the run whose code asks; ``tools`` are what a child asks with."""
        self._ground, self._state, self._depth, self._name = ground, state, depth, name
        self._tools = tools
        self._left: list[str] = []

    def left(self) -> tuple[str, ...]:
        """The children that ended because the block that asked for them did; each is told once."""
        found, self._left = tuple(self._left), []
        return found

    @property
    def has_browser(self) -> bool:
        """The run and its children have one."""
        return self._ground.nursery.has_browser()

    async def query(self, prompt: str, data: Raw = NOTHING) -> str:
        """The answer, or words that begin with ``[SUB-CALL``."""
        try:
            return await self._answer(prompt, words.text_of(data))
        except _Refused as refused:
            return f"{ERROR} {refused}"
        except StoreFailed:
            raise
        except OuroborosError as failed:
            return f"{ERROR} {failed.message}"
        except (OSError, RuntimeError, ExceptionGroup) as broken:
            inner = _first(broken)
            if isinstance(inner, StoreFailed):
                raise inner from broken
            return f"{ERROR} {type(inner).__name__}: {inner}"

    async def batch(self, items: list[Item]) -> list[Settled]:
        """All answers in the order of the questions."""
        return await self._together([(item.prompt, item.data) for item in items])

    async def map(self, prompt: str, items: list[Raw], most: int = PACK_ITEMS) -> list[Settled]:
        """The answer for each item: small ones several to a call, those it missed one by one."""
        texts = [words.text_of(item) for item in items]
        packs, single = packed(texts, int(self._ground.bounds.leaf_tokens * PACK_SHARE), most)
        found: dict[int, str] = {}
        with _plainly():
            async with anyio.create_task_group() as tasks:
                for pack in packs:
                    tasks.start_soon(self._pack, prompt, pack, texts, found)
        rest = sorted({*single, *(at for pack in packs for at in pack if at not in found)})
        settled = await self._together([(prompt, items[at]) for at in rest])
        one_by_one = dict(zip(rest, settled, strict=True))
        return [
            one_by_one.get(at) or Settled(status="fulfilled", value=found[at])
            for at in range(len(items))
        ]

    def cancel(self, child: str) -> bool:
        """Stops one child of any run here; False when none of that name is at work."""
        scope = self._ground.working.get(child)
        if scope is not None:
            scope.cancel()
        return scope is not None

    async def _together(self, questions: list[tuple[str, Raw]]) -> list[Settled]:
        answers: dict[int, str] = {}

        async def ask(at: int, prompt: str, data: Raw) -> None:
            answers[at] = await self.query(prompt, data)

        with _plainly():
            async with anyio.create_task_group() as tasks:
                for at, (prompt, data) in enumerate(questions):
                    tasks.start_soon(ask, at, prompt, data)
        return [settled(answers[at]) for at in range(len(questions))]

    async def _answer(self, prompt: str, data: str) -> str:
        if not prompt.strip():
            raise _Refused("the prompt is empty; say what to find out")
        if self._is_leaf(prompt, data):
            return await self._leaf(prompt, data)
        return await self._child(prompt, data)

    def _is_leaf(self, prompt: str, data: str) -> bool:
        """A plain read: small data, or none and nothing to look at elsewhere."""
        tokens = self._ground.bounds.leaf_tokens
        if data:
            return words.fits(prompt + data, tokens)
        carries = words.foreign(prompt, self._codes()) > words.PAGE_CHARACTERS
        return words.fits(prompt, tokens) and (carries or not self.has_browser)

    async def _leaf(self, prompt: str, data: str) -> str:
        return await self._plain("leaf", prompt, partial(words.leaf, prompt, data))

    async def _pack(
        self, prompt: str, pack: list[int], texts: list[str], found: dict[int, str]
    ) -> None:
        items = [texts[at] for at in pack]
        try:
            said = await self._plain("pack", prompt, partial(words.pack, prompt, items))
        except (_Refused, ModelFailed, Misuse, OSError, RuntimeError):
            return  # each is asked by itself, and says itself why that cannot be
        for number, answer in words.answers(said, len(pack)).items():
            found[pack[number - 1]] = answer

    async def _plain(self, kind: str, prompt: str, text: Callable[[str], str]) -> str:
        """Asks what ``text`` makes of a mark, which is another one each time."""
        marks = self._ground.marks
        child = self._begin(kind, prompt, len(text("")) // 4)

        def paid(speaker: Speaker, finished: Finished) -> None:
            usage = finished.usage
            cost = speaker.cost(usage) if usage else None
            told = SubagentReplied(child=child, model=speaker.name, usage=usage, cost=cost)
            self._ground.record(told)

        async def asked(question: str) -> str:
            question = self._hidden(question)
            tokens = len(self._ground.leaf + question) // CHARS_PER_TOKEN

            def held(speaker: Speaker) -> AbstractContextManager[None]:
                cost = speaker.cost(Usage(input_uncached=tokens))
                return self._ground.allowance.held(tokens, cost or 0.0)

            try:
                finished = await asking.asked(
                    await self._ground.lineup(),
                    system=self._ground.leaf,
                    text=question,
                    paid=paid,
                    held=held,
                )
            except Spent as spent:
                raise _Refused(str(spent)) from None
            said = asking.words(finished)
            if not said:
                raise _Refused(f"the model gave no answer ({finished.stop_reason})")
            cut = finished.stop_reason in {"length", "overflow"}
            return f"{said}\n[cut off at the output limit]" if cut else said

        async def work(told: tuple[Message, ...]) -> str:
            more = "".join(f"{each.text}\n\n" for each in told)
            answer, times = await asked(f"{more}{text(marks())}"), 0
            while again := await self._ground.hooks.stops(child, answer, times):
                self._check_caps()
                mark, times = marks(), times + 1
                answer = await asked(more + words.again(text(mark), answer, again, mark))
            return answer

        return await self._watched(child, kind, work)

    def _hidden(self, text: str) -> str:
        redact = self._ground.redact
        clean = redact(text.encode("utf-8", "replace")) if redact is not None else None
        return text if clean is None else clean.decode("utf-8", "replace")

    async def _child(self, prompt: str, data: str) -> str:
        child = self._begin("run", prompt, len(data) // 4)
        shown, is_cut = words.quotable(prompt, self._codes())
        seeds: list[Seed] = [seed("__data", data, "the run above")] if data else []
        about = (
            f"Your data is the variable __data: string, {len(data):,} characters." if data else ""
        )
        if is_cut:
            seeds.append(seed("__task", prompt, "the run above"))
            about += " The whole request is the variable __task."
        past = history.iterations(self._state)[:-1]  # the last one is what asks
        setting = context.Setting(
            request=context.quoted(context.task_of(self._state), words.PAGE_CHARACTERS),
            progress=tuple(progress.line(iteration) for iteration in past[-_PROGRESS:]),
            data=about.strip(),
        )
        wish = Wish(child=child, prompt=shown, setting=setting, seeds=Seeds(seeds=tuple(seeds)))

        def below(state: State) -> Kin:
            if self._depth + 1 >= self._ground.bounds.depth:
                return Kin()
            family = Family(
                self._ground, state=state, depth=self._depth + 1, name=child, tools=self._tools
            )
            return Kin(tools=self._tools(family), left=family.left)

        async def work(told: tuple[Message, ...]) -> str:
            return await live(self._ground, replace(wish, told=told), below)

        return await self._watched(child, "run", work)

    def _begin(self, kind: str, prompt: str, tokens: int) -> str:
        """Takes one call out of the budget and says so, in one step."""
        bounds, state = self._ground.bounds, self._ground.state
        if self._depth >= bounds.depth:
            raise _Refused(f"sub-calls cannot be nested deeper than {bounds.depth}")
        if state.sub_calls >= bounds.calls:
            raise _Refused(f"the {bounds.calls} sub-calls of this run are used up")
        self._check_caps()
        child = f"sub_{state.sub_calls + 1}"
        task = " ".join(prompt.split())[:_TASK_CHARACTERS]
        match kind:
            case "leaf" | "pack" | "run":
                started = SubagentStarted(
                    child=child, task=task, kind=kind, tokens=tokens, parent=self._name
                )
            case _:
                raise ValueError(kind)
        self._ground.record(started)
        return child

    def _check_caps(self) -> None:
        reached = self._ground.allowance.reached()
        if reached:
            raise _Refused(f"the run has reached its limit {reached}")

    async def _watched(
        self, child: str, kind: str, work: Callable[[tuple[Message, ...]], Awaitable[str]]
    ) -> str:
        reason, final = "cancelled", ""
        try:
            with anyio.CancelScope() as scope:
                self._ground.working[child] = scope
                async with self._ground.places[self._depth]:
                    self._check_caps()
                    begun = await self._ground.hooks.begins(child, kind)
                    if begun.refused:
                        raise _Refused(f"a hook stopped it: {begun.refused}")
                    answer = await work(begun.told)
                reason, final = "completed", f"text, {len(answer):,} characters"
                return answer
        except (_Refused, OuroborosError) as failed:
            reason, final = "failed", str(failed)[:_TASK_CHARACTERS]
            raise
        except anyio.get_cancelled_exc_class():
            final = "ended with the block that asked for it"
            self._left.append(f"{child}: {child_line(self._ground.state.children[child])}")
            raise
        finally:
            del self._ground.working[child]
            self._ground.record(SubagentCompleted(child=child, reason=reason, final=final))
        return CANCELLED

    def _codes(self) -> list[str]:
        past = history.iterations(self._state)
        return [ran.code for iteration in past for ran in iteration.ran]


def _first(error: Exception) -> Exception:
    """What is inside groups of task groups, a store that failed before anything else."""
    while isinstance(error, ExceptionGroup):
        group = cast("ExceptionGroup[Exception]", error)
        error = (group.subgroup(StoreFailed) or group).exceptions[0]
    return error


@contextmanager
def _plainly() -> Generator[None]:
    """An error of a task comes out as it is."""
    try:
        yield
    except ExceptionGroup as group:
        raise _first(group) from group


def settled(answer: str) -> Settled:
    """An answer as one of a batch."""
    if answer.startswith((ERROR, CANCELLED)):
        return Settled(status="rejected", error=answer)
    return Settled(status="fulfilled", value=answer)


def packed(texts: list[str], tokens: int, most: int) -> tuple[list[list[int]], list[int]]:
    """Places of the texts that go together in one call, and of those that go alone."""
    packs: list[list[int]] = []
    single: list[int] = []
    room = 0
    for at, text in enumerate(texts):
        size = len(text.encode()) // 4 + 20
        if size > tokens // 2:
            single.append(at)
            continue
        if not packs or size > room or len(packs[-1]) >= max(1, most):
            packs.append([])
            room = tokens
        packs[-1].append(at)
        room -= size
    single += [pack[0] for pack in packs if len(pack) == 1]
    return [pack for pack in packs if len(pack) > 1], sorted(single)
