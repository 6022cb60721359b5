"""One agent at work for a person at a terminal, from its session to the bundle of its changes."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from msgspec import Struct

from ouroboros.app.paws.agents.agents import Agents, Done, Stop, Wish
from ouroboros.faces.cli.asking import is_person_there
from ouroboros.faces.cli.interrupts import INTERRUPTED, watch
from ouroboros.faces.cli.invocation import note, say, say_json
from ouroboros.faces.cli.prompting.agent_seat import TerminalSeat
from ouroboros.faces.wording.words import one_line

if TYPE_CHECKING:
    from ouroboros.app.paws.planning.document import Followed
    from ouroboros.app.paws.sessions import Kept

_SHORT = 8
_SUMMARY = 4_000
_LEFT = 10


class Order(Struct, frozen=True, kw_only=True):
    """What was typed.

    Attributes:
        session: The beginning of a session's id; empty for the one of this folder, or a new one.
        options: For the agent's program.
    """

    name: str
    session: str = ""
    goal: str = ""
    context: Path | None = None
    plan: Path | None = None
    keep: bool = False
    options: tuple[str, ...] = ()


async def carry_out(agents: Agents, order: Order, *, as_json: bool) -> int:
    """Runs it; 0 when it has done its task, 1 when not, 130 when it was stopped.

    However it is stopped, what it did is handed over and told: a second signal only kills it sooner.
    """
    instance = await to_thread.run_sync(agents.find, order.name)
    plan = await to_thread.run_sync(_plan_of, order)
    wish = Wish(
        goal=order.goal.encode("utf-8", "replace").decode(),
        context=order.context,
        plan=order.plan,
        keep=order.keep,
        options=order.options,
        attended=is_person_there(),
    )
    await to_thread.run_sync(wish.check, agents.sessions.root)
    session = await agents.session(order.session, instance)
    note(f"{order.name} works in session {session.id[:_SHORT]}: {session.tree}")
    seat = TerminalSeat(order.name)
    stop = Stop()
    results: list[Done] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch, stopping(order.name, stop), stop.at_once)
        results.append(await agents.run(instance, session, wish, seat, stop=stop))
        tasks.cancel_scope.cancel()
    _tell(results[0], session, as_json=as_json)
    if plan is not None:
        await to_thread.run_sync(_tell_departures, plan, results[0])
    if stop.soon.is_set():
        return INTERRUPTED
    return 0 if results[0].result.status == "success" else 1


def stopping(name: str, stop: Stop) -> Callable[[str], Awaitable[bool]]:
    """What a signal does: the first tells the agent to end."""

    async def told(signal: str) -> bool:
        if stop.soon.is_set():
            return False
        note(f"{name} is told to stop ({signal}); again to end it at once")
        stop.soon.set()
        return True

    return told


def _plan_of(order: Order) -> "Followed | None":
    from ouroboros.app.paws.planning.files import plan_in

    return None if order.plan is None else plan_in(str(order.plan))


def _tell_departures(plan: "Followed", done: Done) -> None:
    """Where files that were changed and commands that were run are others than the plan has."""
    from ouroboros.app.paws.planning.following import departures

    path, run = done.result.output_artifact_path, done.result.run
    commands = run.departures if run else ()
    found = departures(plan, Path(path).read_bytes() if path else b"", commands)
    for line in found or ["the plan was followed"]:
        note(line)


def _tell(done: Done, session: "Kept", *, as_json: bool) -> None:
    result = done.result
    if as_json:
        say_json({
            "status": result.status,
            "session": session.id,
            "worktree": str(session.tree),
            "bundle": result.output_artifact_path,
            "summary": result.summary,
            "putBack": done.is_put_back,
            "left": done.stay,
        })
        return
    is_done = result.status == "success"  # then its last words were told already
    note(result.status if is_done else f"{result.status}: {one_line(result.summary, _SUMMARY)}")
    if not result.output_artifact_path:
        where = f"what it changed is in the work tree of session {session.id[:_SHORT]} alone"
        note(where if done.stay else "no file was changed")
        _tell_left(done)
        return
    say(result.output_artifact_path)
    if not done.is_put_back:
        note(
            f"its changes are in the work tree of session {session.id[:_SHORT]}, and in this bundle"
        )
        _tell_left(done)
        return
    note("its changes are in this bundle alone; to look at them and take what you want:")
    short = session.id[:_SHORT]
    note(
        f"  paws dogs {result.output_artifact_path} --session {short} --interactive --checkpoint NAME"
    )


def _tell_left(done: Done) -> None:
    for line in done.stay[:_LEFT]:
        note(f"not put back: {one_line(line)}")
    if len(done.stay) > _LEFT:
        note(f"not put back: {len(done.stay) - _LEFT:,} more")
