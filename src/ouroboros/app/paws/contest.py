"""Best of N: one agent has the same task in as many work sessions, each judged by a command, ranked."""

from collections.abc import Callable
from pathlib import Path

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.app.paws.agents.agents import Agents, Children, Done, Instance, Stop, run_of
from ouroboros.app.paws.agents.agents import Wish as Task
from ouroboros.app.paws.dogs.outcome import Verified
from ouroboros.app.paws.dogs.verifying import verified
from ouroboros.app.paws.planning.document import Followed
from ouroboros.app.paws.planning.files import plan_in
from ouroboros.app.paws.planning.following import departures
from ouroboros.app.paws.sessions import Kept, LogEntry, manifest_of
from ouroboros.core.errors import OuroborosError, StoreFailed, unwrapped
from ouroboros.core.ipc.messages import Log, PermissionRequest, PermissionResponse
from ouroboros.fleet.contest.ranking import Entry, Size, Tests
from ouroboros.fleet.contest.running import MOST, held
from ouroboros.store.layout import put_whole

__all__ = ["MOST", "Entry", "Size", "Task", "Told", "Wish", "contest"]

ANSWER = "answer"
"""The checkpoint that holds what an agent did."""

_NOBODY = "nobody is there to answer; go on without"


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be done, and how it is judged.

    Attributes:
        verify: Shell text that is run in each work tree; empty for no judge.
        verify_seconds: How long it may take.
        base: What the sessions start from; empty for what is checked out.
    """

    task: Task
    count: int
    at_once: int = 3
    verify: str = ""
    verify_seconds: float = 300.0
    base: str = ""


class Told(Struct, frozen=True, kw_only=True):
    """What the person hears on the way: a session that was started, or an entry that is complete."""

    number: int
    session: str
    entry: Entry | None = None


async def contest(
    agents: Agents, instance: Instance, wish: Wish, stop: Stop, tell: Callable[[Told], None]
) -> list[Entry]:
    """Has a task done several times, each time by a program in a session of its own; the best first.

    Every session stays, with what its agent did in the checkpoint ``answer`` and as a bundle. Nobody
    is asked anything. Once ``stop`` says so those at work are ended, their commands too, and no other begins.

    Raises:
        Misuse: The base is no commit, or a file of the task cannot be used.
        Refused: The plan is none.
        WorkBusy: The agent is at work already.
        StoreFailed: Nothing can be kept.
    """
    await to_thread.run_sync(wish.task.check, agents.sessions.root)
    plan = wish.task.plan
    followed = await to_thread.run_sync(plan_in, str(plan)) if plan is not None else None
    run = run_of("", wish.task, agents.equipment.clock)

    async def job(children: Children) -> list[Entry]:
        place = _Place(agents, instance, wish, stop, followed, children, tell)
        return await held(
            place.contestant,
            count=wish.count,
            at_once=wish.at_once,
            tell=lambda entry: tell(Told(number=entry.number, session=entry.session, entry=entry)),
        )

    return await agents.holding(instance, run, stop, job)


class _Nobody:
    """The seat of each: one who was asked several things at once by several would mix them up."""

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        del request
        return PermissionResponse(request_id="", behavior="deny", message=_NOBODY)

    def tell(self, log: Log) -> None:
        """What is said of the work is in the session's record."""


class _Place:
    """Where the contestants work."""

    def __init__(
        self,
        agents: Agents,
        instance: Instance,
        wish: Wish,
        stop: Stop,
        *others: *tuple[Followed | None, Children, Callable[[Told], None]],
    ) -> None:
        self._agents, self._sessions = agents, agents.sessions
        self._instance, self._wish, self._stop = instance, wish, stop
        self._plan, self._children, self._tell = others

    async def contestant(self, number: int) -> Entry:
        """Starts a session, has the task done in it, keeps and judges the answer."""
        if self._stop.soon.is_set():
            return Entry(number=number, problem="it was stopped before it began")
        name = f"{' '.join(self._wish.task.words.split())[:60]} ({number})"
        printable = "".join(each for each in name if each.isprintable())
        session = await self._sessions.start(base=self._wish.base, name=printable)
        self._tell(Told(number=number, session=session.id))
        entry = Entry(number=number, session=session.id)
        try:
            async with self._sessions.working(session):
                entry = await self._answer(session, entry)
                return await self._judged(session, entry)
        except (OuroborosError, ExceptionGroup) as error:
            problem = unwrapped(error)
            if not isinstance(problem, OuroborosError) or isinstance(problem, StoreFailed):
                raise
            return structs.replace(entry, problem=problem.message)

    async def _answer(self, session: Kept, entry: Entry) -> Entry:
        task = structs.replace(self._wish.task, keep=True, attended=False)
        clock = self._agents.equipment.clock
        began, post = clock.monotonic(), (self._stop, self._children)
        done = await self._agents.work(self._instance, session, task, _Nobody(), post)
        path = session.folder / "turn-1.jsonl"
        recorded = manifest_of(await self._sessions.find(session.id)).agent_log
        await to_thread.run_sync(_written, path, recorded)
        bundle = done.result.output_artifact_path
        await self._sessions.checkpoint(
            session.id,
            ANSWER,
            cats=task.context,
            dogs=Path(bundle) if bundle else None,
            log=path,
        )
        entry = _with(entry, done, round(clock.monotonic() - began, 3))
        if self._plan is None:
            return entry
        left = await to_thread.run_sync(_departures, self._plan, done)
        return structs.replace(entry, departures=left)

    async def _judged(self, session: Kept, entry: Entry) -> Entry:
        size = await self._sessions.size(session.id)
        entry = structs.replace(entry, size=size_of(size))
        if not self._wish.verify:
            return entry
        if self._stop.soon.is_set():
            # One that came to its end would else be as good as judged.
            is_whole = entry.reason == "completed"
            return structs.replace(entry, tests="stopped") if is_whole else entry
        judged = await self._verified(session)
        await self._sessions.tidy(session.id)
        if judged is None:
            return structs.replace(entry, tests="stopped")
        tests: Tests = "passed" if judged.exit_code == 0 else "failed"
        return structs.replace(entry, tests="timed out" if judged.timed_out else tests)

    async def _verified(self, session: Kept) -> Verified | None:
        """What the command said; None where a stop ended it."""
        judged: list[Verified] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._stopping, tasks.cancel_scope)
            judged.append(
                await verified(
                    self._wish.verify,
                    cwd=session.tree,
                    environment=self._agents.equipment.environment,
                    timeout_seconds=self._wish.verify_seconds,
                    clock=self._agents.equipment.clock,
                )
            )
            tasks.cancel_scope.cancel()
        return judged[0] if judged else None

    async def _stopping(self, scope: anyio.CancelScope) -> None:
        await self._stop.soon.wait()
        scope.cancel()


def size_of(numbers: str) -> Size:
    """How much a change is, by what ``git diff --numstat -z`` says of it."""
    files = added = removed = 0
    for line in numbers.split("\0"):
        more, _, rest = line.partition("\t")
        less, tab, _ = rest.partition("\t")
        if not tab:
            continue
        files += 1
        is_text = more.isdigit() and less.isdigit()
        added += int(more) if is_text else 1
        removed += int(less) if is_text else 0
    return Size(files=files, added=added, removed=removed)


def _with(entry: Entry, done: Done, seconds: float) -> Entry:
    result = done.result
    entry = structs.replace(
        entry, seconds=seconds, final=result.summary, bundle=result.output_artifact_path
    )
    if run := result.run:
        return structs.replace(entry, reason=run.reason, cost=run.cost, tokens=run.tokens)
    return structs.replace(entry, problem=result.summary)  # its program came to no end of its own


def _departures(plan: Followed, done: Done) -> tuple[str, ...]:
    path, run = done.result.output_artifact_path, done.result.run
    changes = Path(path).read_bytes() if path else b""
    return tuple(departures(plan, changes, run.departures if run else ()))


def _written(path: Path, entries: tuple[LogEntry, ...]) -> None:
    lines = b"".join(msgspec.json.encode(each) + b"\n" for each in entries)
    put_whole(path, lines, path.with_suffix(".tmp"))
