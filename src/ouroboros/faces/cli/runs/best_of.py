"""One task done several times at once, for a person who takes the best answer."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click
from msgspec import Struct, to_builtins

from ouroboros.faces.cli.invocation import note, say, say_json
from ouroboros.faces.wording.words import one_line

if TYPE_CHECKING:
    from ouroboros.app.paws.agents.agents import Agents
    from ouroboros.app.paws.contest import Entry, Task, Told

_SHORT = 8
_PROBLEM = 200

_OPTIONS = (
    click.option(
        "--best-of",
        "count",
        type=click.IntRange(2, 16),
        metavar="N",
        help="Do it N times, each in a session of its own, and rank the answers.",
    ),
    click.option(
        "--verify", metavar="COMMAND", default="", help="Judge each answer by this, with --best-of."
    ),
    click.option(
        "--verify-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="How long that may take; 300 by default.",
    ),
    click.option(
        "--at-once",
        type=click.IntRange(1, 16),
        metavar="N",
        help="How many work at the same time; 3 by default.",
    ),
    click.option("--branch", "base", metavar="BASE", default="", help="Start from this, not HEAD."),
)


def contested(function: Callable[..., int]) -> Callable[..., int]:
    """Adds the options of a contest."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


class Order(Struct, frozen=True, kw_only=True):
    """What was typed; None and empty mean not given."""

    count: int | None = None
    verify: str = ""
    verify_timeout: float | None = None
    at_once: int | None = None
    base: str = ""

    def refuse_alone(self) -> None:
        """Sees to it that nothing of a contest is asked for without one; raises ``UsageError``."""
        given = {
            "--verify": self.verify,
            "--verify-timeout": self.verify_timeout,
            "--at-once": self.at_once,
            "--branch": self.base,
        }
        for option, value in given.items():
            if value and self.count is None:
                raise click.UsageError(f"{option} goes with --best-of N")


async def carry_out(
    agents: "Agents", name: str, task: "Task", order: Order, *, as_json: bool
) -> int:
    """Holds the contest; 0 when the best answer is good, 1 when none is, 130 when it was stopped."""
    import anyio
    from anyio import to_thread

    from ouroboros.app.paws.agents.agents import Stop
    from ouroboros.app.paws.contest import Wish, contest
    from ouroboros.faces.cli.interrupts import INTERRUPTED, watch
    from ouroboros.faces.cli.runs.agent_run import stopping

    instance = await to_thread.run_sync(agents.find, name)
    wish = Wish(
        task=task,
        count=order.count or 2,
        at_once=order.at_once or 3,
        verify=order.verify,
        verify_seconds=order.verify_timeout or 300.0,
        base=order.base,
    )
    stop = Stop()
    ranked: list[Entry] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch, stopping(name, stop), stop.at_once)
        ranked.extend(await contest(agents, instance, wish, stop, _tell))
        tasks.cancel_scope.cancel()
    _show(ranked, as_json=as_json)
    if stop.soon.is_set():
        return INTERRUPTED
    return 0 if ranked[0].is_good else 1


def _tell(told: "Told") -> None:
    if told.entry is None:
        note(f"{told.number}: begun in session {told.session[:_SHORT]}")
    elif told.entry.problem:
        note(f"{told.number}: failed: {one_line(told.entry.problem, _PROBLEM)}")
    else:
        tests = f", tests {told.entry.tests}" if told.entry.tests != "not run" else ""
        note(f"{told.number}: {told.entry.reason}{tests}, {told.entry.seconds:.1f} s")


def _show(ranked: "list[Entry]", *, as_json: bool) -> None:
    from ouroboros.faces.wording import table

    if as_json:
        say_json([{**to_builtins(each), "is_good": each.is_good} for each in ranked])
        return
    for line in table.block(
        [_cells(at, each) for at, each in enumerate(ranked, 1)], table.columns()
    ):
        say(line)
    for line in ranked[0].departures:
        note(f"the best: {line}")
    best = ranked[0].session[:_SHORT]
    if ranked[0].is_good:
        note(f"the best: `paws session diff {best}`, then `paws session merge {best}`")
    else:
        note("none of them is good")


def _cells(rank: int, entry: "Entry") -> tuple[str, ...]:
    size = entry.size
    cost = "cost unknown" if entry.cost is None else f"${entry.cost:.4f}"
    return (
        f"{rank}.",
        entry.session[:_SHORT] or "no session",
        f"tests {entry.tests}",
        f"+{size.added} -{size.removed} in {size.files} file{'' if size.files == 1 else 's'}",
        cost,
        f"{entry.tokens:,} tokens",
        one_line(entry.problem, _PROBLEM) or entry.reason,
    )
