"""A child run: the same loop and mind, with a REPL, a state and a few iterations of its own."""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from ouroboros.agent.loop import Run
from ouroboros.core.errors import Failure, ModelFailed
from ouroboros.core.events import TaskCompleted, UserMessage
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State
from ouroboros.repl.seeds import Seed, Seeds
from ouroboros.rlm.children.ground import Birth, Ground, Kin
from ouroboros.rlm.children.journal import ChildLog
from ouroboros.rlm.context import Bounds, Setting
from ouroboros.rlm.mind import RlmMind

MODEL_FAILURES = 3
HURRY_AT = 2


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What a child is asked: the quotable prompt, what its REPL begins with, what hooks tell it."""

    child: str
    prompt: str
    setting: Setting
    seeds: Seeds
    told: tuple[Message, ...] = ()


async def live(ground: Ground, wish: Wish, below: Callable[[State], Kin]) -> str:
    """The child's final value as text.

    Raises:
        ModelFailed: It came to no value; the message says why.
    """
    root = ground.state
    state = State(session=root.session, cwd=root.cwd, mode=root.mode, model=root.model)
    state.told = {
        name: text for name, text in root.told.items() if name == "environment.current_date"
    }
    log = ChildLog(wish.child, record=ground.record, settle=ground.settle)
    journal = log.journal(state, ids=ground.ids, clock=ground.clock, redact=ground.redact)
    birth = Birth(
        child=wish.child,
        state=state,
        journal=journal,
        seeds=wish.seeds,
        below=below(state),
    )
    lineup = await ground.lineup()
    async with ground.nursery.open(birth) as room:
        mind = RlmMind(
            lineup=lineup,
            system=room.system,
            bounds=Bounds(
                iterations=ground.bounds.iterations,
                history_tokens=ground.bounds.history_tokens,
                hurry_at=HURRY_AT,
            ),
            record=journal.record,
            ids=ground.ids,
            window=room.window,
            prepare=room.prepare,
            setting=replace(wish.setting, attended=ground.attended),
        )
        words = Message(id=ground.ids.new("msg"), role="user", parts=(Text(text=wish.prompt),))
        journal.record(UserMessage(message=words))
        for more in wish.told:
            journal.record(UserMessage(message=more))
        times = 0

        async def news() -> None:
            for more in await room.news():
                journal.record(UserMessage(message=more))

        async def stopping(verdict: TaskCompleted) -> TaskCompleted | Message:
            nonlocal times
            if verdict.reason != "completed":
                return verdict
            again = await ground.hooks.stops(wish.child, verdict.final, times)
            if not again:
                return verdict
            times += 1
            parts = (Text(text=again),)
            return Message(id=ground.ids.new("msg"), role="user", kind="nudge", parts=parts)

        run = Run(
            state=state,
            mind=mind,
            models=lineup,
            hands=room.hands,
            journal=journal,
            limit=ground.allowance.limit,
            opening=news,
            stopping=stopping,
        )
        await _to_the_end(run, log)
    return _value(state, log)


async def _to_the_end(run: Run, log: ChildLog) -> None:
    """Runs; a model that failed is asked again, three times in a row at the most."""
    failures, reached = 0, -1
    while failures < MODEL_FAILURES:
        log.failed = None
        await run.run()
        if not _by_model(run.state, log):
            return
        failures = failures + 1 if run.state.iteration <= reached + 1 else 1
        reached = run.state.iteration


def _by_model(state: State, log: ChildLog) -> bool:
    return state.ended == "failed" and log.failed is not None and log.failed.fault != "runtime"


def _value(state: State, log: ChildLog) -> str:
    match state.ended.partition(":")[0], state.ended:
        case "completed", _:
            return state.final
        case "limit_reached", "limit_reached:max_iterations":
            return state.final
        case "failed", _ if log.failed is not None and log.failed.kind == "no_code":
            return next((m.text for m in reversed(state.history) if m.role == "assistant"), "")
        case _:
            why = log.failed.message if log.failed is not None else state.ended
            raise ModelFailed(Failure(kind="unknown", message=why))


def seed(name: str, text: str, source: str) -> Seed:
    """A text as a variable that a child's REPL begins with."""
    encoded = msgspec.json.encode(text.encode("utf-8", "replace").decode())
    return Seed(name=name, value=encoded, source=source, characters=len(text))
