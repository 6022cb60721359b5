"""One session: takes commands, runs the loop, and leaves a history that is valid whatever happens."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from anyio import CancelScope, Lock, get_cancelled_exc_class, lowlevel

from ouroboros.agent.answered import is_answered
from ouroboros.agent.asking.approvals import Desk
from ouroboros.agent.context.briefing import Surroundings
from ouroboros.agent.context.teller import Teller, no_mentions
from ouroboros.agent.goals.pursuit import Pursuit
from ouroboros.agent.journal import Journal
from ouroboros.agent.loop import Run
from ouroboros.agent.prompts import Prompts
from ouroboros.agent.roles import Partner, Past, Reviewer
from ouroboros.agent.running.asides import Asides
from ouroboros.agent.running.branching import Branches, no_fork
from ouroboros.agent.running.caps import Rest, Span, nobody
from ouroboros.agent.running.changing import Changes
from ouroboros.agent.running.ending import crashed, end
from ouroboros.agent.running.hearing import Hearing, said
from ouroboros.agent.running.hooked import Hooks, NoHooks
from ouroboros.agent.running.overlap import Hands
from ouroboros.agent.running.parting import Parting
from ouroboros.agent.running.recovery import close, leave, repeatable, waiting
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.core.clock import Clock
from ouroboros.core.commands import (
    Answer,
    Approve,
    Branch,
    Command,
    Compact,
    Deny,
    Fork,
    Interrupt,
    Redo,
    Resize,
    Restore,
    Rewind,
    Rollback,
    SetGoal,
    SetMode,
    SetModel,
    Steer,
    Submit,
    TakeBack,
    Undo,
)
from ouroboros.core.errors import Misuse, unwrapped
from ouroboros.core.events import TaskCancelled, TaskCompleted, UserMessage
from ouroboros.core.ids import Ids
from ouroboros.core.limits import Caps
from ouroboros.core.parts import Media, Message, Part, Text
from ouroboros.core.state import OpenCall, State
from ouroboros.tools.builtin.session import Children, NoChildren

if TYPE_CHECKING:
    from ouroboros.core.context import Meter

CONTINUE = "Your last reply was cut off before it was complete. Go on from where it stopped."


class Session:
    """The engine's side of a conversation."""

    def __init__(
        self,
        *,
        state: State,
        journal: Journal,
        desk: Desk,
        mind: Partner,
        hands: Hands,
        surroundings: Callable[[], Awaitable[Surroundings]],
        speakers: Callable[[str], Awaitable[Speaker]],
        prompts: Prompts,
        caps: Caps,
        off: tuple[str, ...],
        ids: Ids,
        clock: Clock,
        stop_child: Callable[[str], bool] = lambda _: False,
        resize: Callable[[int, int], None] = lambda _columns, _rows: None,
        closing: Callable[[], Awaitable[None]] = lowlevel.checkpoint,
        fork: Callable[[str], Awaitable[str]] = no_fork,
        past: Past | None = None,
        handed: Callable[[], dict[str, str]] = dict,
        mentions: Callable[[Message], Awaitable[Message | None]] = no_mentions,
        hooks: Hooks | None = None,
        reviewer: Reviewer | None = None,
        outer: Callable[[State], Awaitable[str | None]] = nobody,
        children: Children | None = None,
        rest: Rest | None = None,
    ) -> None:
        """Everything it needs of the world.

        ``surroundings`` reads the facts about folder and machine; ``speakers`` finds a model by
        name or raises ``Misuse``; ``off`` names blocks the model is not told; ``stop_child`` is
        false where none of that name is at work; ``resize`` changes the terminals of commands, to so
        many columns and rows; ``closing`` is awaited before a run ends; ``fork`` makes another
        session of what is on disk up to a message, and gives its id; ``past`` brings files and turns back;
        ``handed`` tells what goes on that no event says; ``mentions`` reads what words name;
        ``hooks`` hear of what happens and may refuse words; ``outer`` names a limit beyond this session;
        ``children`` are those that no run ends over the heads of; ``rest`` is time that no cap counts.
        """
        self.state, self.journal, self.desk = state, journal, desk
        self._mind, self._hands = mind, hands
        self._teller = Teller(
            surroundings=surroundings, handed=handed, prompts=prompts, off=off, ids=ids
        )
        self._hooks, self._children = hooks or NoHooks(), children or NoChildren()
        self._hearing = Hearing(
            state, journal, teller=self._teller, hooks=self._hooks, mentions=mentions
        )
        self._stop_child, self._closing, self._resize = stop_child, closing, resize
        self._changes = Changes(state, journal, mind, speakers)
        self._branches = Branches(state, journal, fork)
        self._past = past
        self._asides = Asides(self, state, journal, ids, reviewer)
        self._pursuit = Pursuit(state, journal, ids)
        self._caps, self._ids, self._clock, self._outer = caps, ids, clock, outer
        self._scope: CancelScope | None = None
        self._rest = rest or Rest()
        self._going_back = Lock(fast_acquire=True)
        self._stop_reason = ""
        self._is_stopped = False

    @property
    def running(self) -> bool:
        """Something is under way that words have to wait for."""
        return self._scope is not None

    async def handle(self, command: Command) -> None:
        """Carries out one command; ``Submit`` and ``Compact`` return when they are done.

        Raises:
            Misuse: The command does not fit the moment.
        """
        match command:
            case Submit(text=text, media=media):
                await self.submit(text, media)
            case Steer(text=text):
                await self._hearing.hear(self._words(text))
            case Interrupt():
                self._interrupt(command)
            case Approve() | Deny() | Answer():
                self._answer(command)
            case SetMode() | SetModel() | Compact() | SetGoal():
                await self._change(command)
            case Resize(columns=columns, rows=rows):
                self._resize(columns, rows)
            case Branch() | Rewind() | Rollback() | Fork():
                await self._branches.handle(command, running=self.running)
            case Restore() | TakeBack() | Undo() | Redo():
                if self._past is None:
                    raise Misuse("this session keeps no checkpoints of files")
                async with self._going_back:  # each finds what the one before it left
                    await self._past.handle(command, running=self.running)
            case _:
                await self._asides.handle(command)

    def _answer(self, command: Approve | Deny | Answer) -> None:
        if isinstance(command, Answer):
            is_first = self.desk.questions.answer(command)
        else:
            is_first = self.desk.answer(command)
        if not is_first:
            raise Misuse(
                "this question is not open any more: the first answer counted",
                hint="see what became of the call",
            )

    async def _change(self, command: SetMode | SetModel | Compact | SetGoal) -> None:
        if isinstance(command, SetGoal):
            self._pursuit.handle(command)
            return await self.journal.settle()
        job = self._changes.job(command, running=self.running)
        if job is not None:
            await self.between_turns(job)

    def _interrupt(self, command: Interrupt) -> None:
        if command.child:
            if not self._stop_child(command.child):
                raise Misuse(f"no child {command.child!r} is at work")
        else:
            self._is_stopped = True
            if self._scope:
                self._stop_reason = command.reason
                self._scope.cancel()

    async def submit(
        self, text: str, media: tuple[Media, ...] = (), *, typed: int | None = None
    ) -> None:
        """Says something and runs until the model is done, a limit is reached, or it is stopped.

        During a run the words are heard at its next turn, and this returns at once. Names by ``@``
        count in the first ``typed`` characters: what follows was handed in, and may be anybody's.
        """
        message = self._words(text, media)
        if typed is not None:
            self._hearing.limit_names(message, typed)
        await self._once_back()
        if self.running:
            await self._hearing.hear(message)
        else:
            await self._pursue(lambda: self._say(message))

    async def _once_back(self) -> None:
        """No turn begins while files change under it."""
        if self._going_back.locked():
            async with self._going_back:
                pass

    async def resume(self) -> None:
        """Goes on with a run that was cut off, or with the goal.

        Raises:
            Misuse: A run is under way, or nothing was cut off and no goal is to be gone on with.
        """
        await self._once_back()
        if self.running:
            raise Misuse("a turn is running already", hint="wait for its end, or stop it first")
        is_silent = all(message.kind == "context" for message in self.state.history)
        if not is_silent and self.state.ended != "completed":
            return await self._pursue(self._go_on)
        if not self._pursuit.is_due():
            raise Misuse("nothing was cut off in this session", hint="say what to do next")
        await self._pursue(self._go_on_for_goal)

    def recover(self) -> list[OpenCall]:
        """Closes what a crash left open; the calls that may have taken effect are given back.

        A call that only waited for a yes still waits: its question is asked again when work goes on;
        so does a block of code that had done nothing but ask children.
        """
        self._asides.recover()
        return close(self.state, self.journal)

    def meter(self) -> "Meter":
        """What fills the model's context now."""
        return self._mind.meter(self.state)

    def facts(self, state: State) -> tuple[Message, dict[str, str]] | None:
        """What a model that goes on right after a compaction must be told anew."""
        return self._teller.anew(state)

    async def _ask_again(self) -> None:
        """Puts the questions once more that were open when the program ended, and does what they allow."""
        for call in waiting(self.state):
            await self._hands.do(call)

    async def _say(self, message: Message) -> None:
        leave(self.state, self.journal)
        await self._ask_again()
        await self._hearing.begin(message)

    async def _go_on(self) -> None:
        last = self.state.history[-1]
        if is_answered(self.state):
            return
        await self._ask_again()
        for call in repeatable(self.state):
            await self._hands.do(call)
        if is_answered(self.state):
            return
        await self._hearing.tell()
        if last.role == "assistant" and not last.calls:
            nudge = Message(
                id=self._ids.new("msg"), role="user", kind="nudge", parts=(Text(text=CONTINUE),)
            )
            self.journal.record(UserMessage(message=nudge))

    async def _before_turn(self) -> None:
        await self._hearing.before_turn()
        self._pursuit.before_turn()

    async def _go_on_for_goal(self) -> None:
        if self._pursuit.is_stuck():
            await self._changes.ease()
        await self._hearing.tell(but=("goal",))  # what begins the turn tells it
        self._pursuit.go_on()

    async def _pursue(self, begin: Callable[[], Awaitable[None]]) -> None:
        """Runs, answers what was said too late for that, and goes on while a goal is not reached.

        The caps hold for all of it.
        """
        span = Span(self._caps, self.state, self._clock, self._outer, self._rest)
        self._is_stopped = False
        await self._run(begin, span)
        while not (self.running or self._is_stopped) and self._pursuit.has_rested():
            if self.state.queued:
                await self._run(self._hearing.tell, span)
            elif (later := self._asides.next()) is not None:
                await self._run(partial(self._say, later), span)
            elif self._pursuit.is_due():
                await self._run(self._go_on_for_goal, span)
            else:
                return

    async def _run(self, begin: Callable[[], Awaitable[None]], span: Span) -> None:
        # A cap on time also cuts the waits inside a turn; between turns ``limit`` is asked.
        deadline = span.begin()
        parting = Parting(
            self.state, self.journal, self._ids, children=self._children, hooks=self._hooks
        )
        closing = partial(parting.close, self._closing)
        run = Run(
            state=self.state,
            mind=self._mind,
            models=self._mind.lineup,
            hands=self._hands,
            journal=self.journal,
            limit=span.limit,
            opening=self._before_turn,
            stopping=parting.stopping,
            turned=self._pursuit.turned,
            closing=partial(self._asides.close, closing),
        )
        try:
            with CancelScope() as self._scope, deadline:
                await begin()
                if self._hearing.was_refused():
                    await run.end("failed")
                elif not (is_answered(self.state) and await run.judge()):
                    await run.run()
        except get_cancelled_exc_class():
            end(self.state, self.journal, TaskCancelled(reason="shutdown"))
            raise
        except Exception as bug:
            inner = unwrapped(bug)
            crashed(self.state, self.journal, inner)
            if inner is bug:
                raise
            raise inner from bug
        finally:
            stopped = self._scope is not None and self._scope.cancel_called
            self._scope = None
        if stopped or deadline.cancelled_caught:
            with CancelScope(shield=True):
                await closing()
        if stopped:
            end(self.state, self.journal, TaskCancelled(reason=self._stop_reason))
        elif deadline.cancelled_caught:
            end(
                self.state,
                self.journal,
                TaskCompleted(reason="limit_reached:max_time", final=self.state.final),
            )
        with CancelScope(shield=True):
            self._pursuit.ended()
            await self.journal.settle()

    def _words(self, text: str, media: tuple[Media, ...] = ()) -> Message:
        parts: tuple[Part, ...] = media
        if text.strip() or not media:
            parts = (*media, Text(text=said(text)))
        return Message(id=self._ids.new("msg"), role="user", parts=parts)

    async def between_turns(self, job: Callable[[], Awaitable[None]]) -> None:
        """Does what no turn may run beside; words that were said meanwhile are answered after it."""
        await self._once_back()
        waiting = len(self.state.queued)
        try:
            with CancelScope() as scope:
                self._scope = scope
                await job()
        finally:
            self._scope = None
        await self.journal.settle()
        if len(self.state.queued) > waiting and not scope.cancel_called:
            await self._pursue(self._hearing.tell)
