"""What is arranged beside the turns: plans that are accepted, words for later, a manner, reviews."""

import re
from collections.abc import Awaitable, Callable
from typing import Protocol

from ouroboros.agent.roles import Journal, Reviewer
from ouroboros.agent.running.hearing import said
from ouroboros.core.commands import (
    AcceptPlan,
    Dequeue,
    Queue,
    RefusePlan,
    Requeue,
    Review,
    SetPersonality,
    SetTitle,
)
from ouroboros.core.errors import Misuse
from ouroboros.core.events import SettingsChanged
from ouroboros.core.events.asides import PlanAnswered, PlanProposed, WordsDropped, WordsQueued
from ouroboros.core.ids import Ids
from ouroboros.core.parts import Message, Text
from ouroboros.core.state import State

type Aside = (
    Queue | Requeue | Dequeue | AcceptPlan | RefusePlan | SetPersonality | SetTitle | Review
)
type Job = Callable[[], Awaitable[None]]

GO_AHEAD = "Implement the plan."
CHANGED = "Implement this plan; I changed it:\n{}\n<proposed_plan>\n{}\n</proposed_plan>"
_COMPARED_LINES = 1_000
_PLAN = re.compile(
    r"^[ \t]*<proposed_plan>[ \t]*\n(.*?)^[ \t]*</proposed_plan>", re.DOTALL | re.MULTILINE
)


class Talker(Protocol):
    """The session, as far as what is beside the turns needs it.

    ``between_turns`` does what no turn may run beside.
    """

    @property
    def running(self) -> bool: ...
    async def submit(self, text: str) -> None: ...
    async def between_turns(self, job: Job) -> None: ...


class Asides:
    """Carries these wishes out for one session."""

    def __init__(
        self, talker: Talker, state: State, journal: Journal, ids: Ids, reviewer: Reviewer | None
    ) -> None:
        """``reviewer`` is None where nothing can be reviewed."""
        self._talker, self._state, self._journal = talker, state, journal
        self._ids, self._reviewer = ids, reviewer

    async def handle(self, wish: Aside) -> None:
        """Carries one out.

        Raises:
            Misuse: It does not fit the moment.
        """
        match wish:
            case Queue(text=text):
                await self._queue(text)
            case Requeue() | Dequeue():
                await self._rearrange(wish)
            case SetPersonality() | SetTitle():
                await self._set(wish)
            case AcceptPlan() | RefusePlan():
                await self._answer(wish)
            case Review():
                await self._review(wish)

    async def _rearrange(self, wish: Requeue | Dequeue) -> None:
        if isinstance(wish, Requeue):
            self._known(wish.id)
            self._journal.record(WordsQueued(id=wish.id, text=said(wish.text)))
        else:
            for one in [self._known(wish.id)] if wish.id else tuple(self._state.later):
                self._journal.record(WordsDropped(id=one))
        await self._journal.settle()

    async def _set(self, wish: SetPersonality | SetTitle) -> None:
        if isinstance(wish, SetPersonality):
            if wish.personality == self._state.personality:
                return
            self._journal.record(SettingsChanged(personality=wish.personality))
        else:
            title = " ".join(wish.title.split())
            if not title:
                raise Misuse("the title is empty", hint="say what the session is to be called")
            self._journal.record(SettingsChanged(title=title))
        await self._journal.settle()

    def next(self) -> Message | None:
        """What is to be said now that the run has ended."""
        for id, text in self._state.later.items():
            return Message(id=id, role="user", parts=(Text(text=text),))
        return None

    async def close(self, closing: Job) -> None:
        """Before a run ends: a plan that the model was to make is put before the person."""
        last = self._state.history[-1] if self._state.history else None
        if self._state.mode == "plan" and last is not None and last.role == "assistant":
            plan = plan_in(last.text)
            if plan:
                self._journal.record(PlanProposed(text=plan))
        await closing()

    def recover(self) -> None:
        """Ends a review that a crash cut off."""
        if self._state.reviewing:
            from ouroboros.agent.running.reviewing import interrupted  # most sessions make none

            self._journal.record(interrupted(self._state, self._ids))

    async def _queue(self, text: str) -> None:
        words = said(text)
        if not self._talker.running and not self._state.later:
            return await self._talker.submit(words)
        self._journal.record(WordsQueued(id=self._ids.new("msg"), text=words))
        await self._journal.settle()

    def _known(self, id: str) -> str:
        if id not in self._state.later:
            raise Misuse("these words do not wait any more", hint="/queue lists those that do")
        return id

    async def _answer(self, wish: AcceptPlan | RefusePlan) -> None:
        plan = self._state.proposed
        if not plan:
            raise Misuse("no plan waits for an answer", hint="in mode plan the model makes one")
        if self._talker.running:
            raise Misuse("a turn is running", hint="wait for its end, or stop it first")
        if isinstance(wish, RefusePlan):
            self._journal.record(PlanAnswered(accepted=False, text=wish.text))
            await self._journal.settle()
            if wish.text.strip():
                await self._talker.submit(wish.text)
            return
        if wish.mode == "plan":
            raise Misuse("in mode plan nothing is carried out", hint="choose another mode for it")
        mode = wish.mode or self._state.acting
        changed = wish.text.strip() if wish.text.strip() != plan else ""
        self._journal.record(PlanAnswered(accepted=True, mode=mode, text=changed))
        self._journal.record(SettingsChanged(mode=mode))
        lines = lines_changed(plan, changed) if changed else ""
        await self._talker.submit(CHANGED.format(lines, changed) if changed else GO_AHEAD)

    async def _review(self, wish: Review) -> None:
        if self._talker.running:
            raise Misuse("a review cannot be made while a turn runs", hint="stop it first")
        if self._reviewer is None:
            raise Misuse("this session makes no reviews")
        from ouroboros.agent.running.reviewing import carried_out

        reviewer = self._reviewer

        async def job() -> None:
            assignment = await reviewer.prepare(wish)
            await carried_out(wish, assignment, self._state, self._journal, self._ids)

        await self._talker.between_turns(job)


def plan_in(text: str) -> str:
    """The last plan that a reply marks as proposed; empty where there is none."""
    found = _PLAN.findall(text)
    return str(found[-1]).strip() if found else ""


def lines_changed(plan: str, changed: str) -> str:
    """The lines that only one of two plans has, - and + before them; empty where most differ."""
    from difflib import unified_diff  # few plans are changed

    old, new = plan.splitlines(), changed.splitlines()
    if changed.endswith(plan) or max(len(old), len(new)) > _COMPARED_LINES:
        return ""  # what stands before the whole plan says it in the person's own words
    lines = [line for line in unified_diff(old, new, n=0, lineterm="") if line[:2] != "@@"][2:]
    return "\n".join(["", *lines, ""]) if len(lines) <= len(new) else ""
