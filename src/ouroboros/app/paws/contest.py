"""Best of N: the same task in as many work sessions, each judged by a command, ranked."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from anyio import to_thread
from msgspec import Struct, structs

from ouroboros.app.ouroboros import Ouroboros, Outcome
from ouroboros.app.paws.dogs.verifying import verified
from ouroboros.app.paws.sessions import Kept, LogEntry, Said, Sessions, manifest_of
from ouroboros.core.clock import Clock
from ouroboros.core.errors import OuroborosError, StoreFailed, unwrapped
from ouroboros.core.events import AgentMessage, Envelope, ToolResulted, ToolStarted, UserMessage
from ouroboros.core.parts import Text
from ouroboros.fleet.contest.ranking import Entry, Size, Tests
from ouroboros.fleet.contest.running import MOST, held
from ouroboros.store.layout import put_whole

__all__ = ["MOST", "Entry", "Size", "Wish", "contest"]

ANSWER = "answer"
"""The checkpoint that holds what an agent did."""

_SHOWN = 2_000


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be done, and how it is judged.

    Attributes:
        verify: Shell text that is run in each work tree; empty for no judge.
        verify_seconds: How long it may take.
        base: What the sessions start from; empty for what is checked out.
    """

    goal: str
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
    sessions: Sessions,
    engine: Ouroboros,
    wish: Wish,
    *,
    clock: Clock,
    environment: Mapping[str, str],
    tell: Callable[[Told], None],
) -> list[Entry]:
    """Does a task several times, each in a work session of its own, and gives the best first.

    Every session stays, with what its agent did in the checkpoint ``answer``.

    Raises:
        Misuse: The base is no commit, or no session can be opened.
        StoreFailed: Nothing can be kept.
    """
    place = _Place(sessions, engine, wish, clock, environment, tell)
    return await held(
        place.contestant,
        count=wish.count,
        at_once=wish.at_once,
        tell=lambda entry: tell(Told(number=entry.number, session=entry.session, entry=entry)),
    )


class _Place:
    """Where the contestants work."""

    def __init__(
        self,
        sessions: Sessions,
        engine: Ouroboros,
        wish: Wish,
        *others: *tuple[Clock, Mapping[str, str], Callable[[Told], None]],
    ) -> None:
        self._sessions, self._engine, self._wish = sessions, engine, wish
        self._clock, self._environment, self._tell = others

    async def contestant(self, number: int) -> Entry:
        """Starts a session, has the task done in it, keeps and judges the answer."""
        name = f"{' '.join(self._wish.goal.split())[:60]} ({number})"
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
        log = _Log()
        began = self._clock.monotonic()
        try:
            async with self._engine.open(cwd=session.tree) as opened:
                opened.listen(log.note)
                outcome = await opened.run(self._wish.goal)
        finally:
            await self._sessions.log(session.id, log.said)
        path = session.folder / "turn-1.jsonl"
        recorded = manifest_of(await self._sessions.find(session.id)).agent_log
        await to_thread.run_sync(_written, path, recorded)
        await self._sessions.checkpoint(session.id, ANSWER, log=path)
        return _with(entry, outcome, round(self._clock.monotonic() - began, 3))

    async def _judged(self, session: Kept, entry: Entry) -> Entry:
        size = await self._sessions.size(session.id)
        entry = structs.replace(entry, size=size_of(size))
        if not self._wish.verify:
            return entry
        judged = await verified(
            self._wish.verify,
            cwd=session.tree,
            environment=self._environment,
            timeout_seconds=self._wish.verify_seconds,
            clock=self._clock,
        )
        await self._sessions.tidy(session.id)
        tests: Tests = "passed" if judged.exit_code == 0 else "failed"
        return structs.replace(entry, tests="timed out" if judged.timed_out else tests)


class _Log:
    """What is said and done in a run, in the words of a session's record."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[Said, str, float]] = {}

    @property
    def said(self) -> list[tuple[Said, str, float]]:
        """Each with its moment, the oldest first."""
        return list(self._said.values())

    def note(self, envelope: Envelope) -> None:
        match envelope.data:
            case UserMessage(message=message) if message.kind == "plain":
                self._add(message.id, "human_prompt", message.text, envelope.ts)
            case AgentMessage(message=message) if message.text.strip():
                # It is shown again when more of it is known.
                self._add(message.id, "agent_thought", message.text, envelope.ts)
            case ToolStarted(call_id=call_id, name=name, arguments=arguments):
                self._add(f"call {call_id}", "tool_call", f"{name} {arguments}", envelope.ts)
            case ToolResulted(call_id=call_id, status=status, parts=parts):
                text = "".join(part.text for part in parts if isinstance(part, Text))
                self._add(f"result {call_id}", "tool_result", f"{status}: {text}", envelope.ts)
            case _:
                pass

    def _add(self, name: str, kind: Said, text: str, ts: float) -> None:
        first = self._said.get(name)
        self._said[name] = (kind, text[:_SHOWN], first[2] if first else ts)


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


def _with(entry: Entry, outcome: Outcome, seconds: float) -> Entry:
    return structs.replace(
        entry,
        reason=outcome.reason,
        cost=outcome.spent.cost,
        tokens=outcome.spent.tokens,
        seconds=seconds,
        final=outcome.final,
    )


def _written(path: Path, entries: tuple[LogEntry, ...]) -> None:
    lines = b"".join(msgspec.json.encode(each) + b"\n" for each in entries)
    put_whole(path, lines, path.with_suffix(".tmp"))
