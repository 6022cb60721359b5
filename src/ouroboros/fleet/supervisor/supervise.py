"""One child from its first message to its result, whatever becomes of it."""

from typing import Protocol

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.ipc.codec import Reader, Writer, WrongVersion
from ouroboros.core.ipc.messages import (
    Complaint,
    Initialize,
    Initialized,
    Log,
    Message,
    Payload,
    PermissionRequest,
    PermissionResponse,
    PermissionWithdrawn,
    Result,
    Terminate,
)
from ouroboros.safety.companion import Companion, CompanionGone

AT_ONCE = 32
"""Questions that may be open together; each further one is answered no."""

UNHEARD = 1_000
"""Answers that a child may leave unread; one that asks on then is ended."""

LOG_CHARACTERS = 10_000
_COMPLAINTS = 100
_SENDING_SECONDS = 20.0
_TOLD_CHARACTERS = 500


class Limits(Struct, frozen=True, kw_only=True):
    """How long a child is waited for, in seconds.

    Attributes:
        start: Until it says that it has begun.
        silence: Without any message; one that is at work says so from time to time.
        grace: For ending by itself, once it was told to or has given its result.
    """

    start: float = 60.0
    silence: float = 120.0
    grace: float = 10.0


class Stop:
    """Somebody wants the work to end: soon, so that there is a result, or at once."""

    def __init__(self) -> None:
        """Nobody does yet."""
        self.soon, self.now = anyio.Event(), anyio.Event()

    def at_once(self) -> None:
        """Nothing is waited for any more."""
        self.soon.set()
        self.now.set()


class Seat(Protocol):
    """Who is asked and told."""

    async def ask(self, request: PermissionRequest) -> PermissionResponse:
        """The answer to a question; cancelled when it needs none any more. Its id is put in by the caller."""
        ...

    def tell(self, log: Log) -> None:
        """Hears a line; must not block."""
        ...


class Supervisor:
    """Talks with one child that was just started."""

    def __init__(
        self, child: Companion, writer: Writer, seat: Seat, limits: Limits | None = None
    ) -> None:
        """Says nothing yet; ``session`` is that of the child, once it has begun."""
        self.session = ""
        self._child, self._writer, self._seat = child, writer, seat
        self._limits = limits or Limits()
        self._reader = Reader()
        self._asked: dict[str, anyio.CancelScope] = {}
        self._complained = self._unheard = 0
        self._has_begun = self._is_stopped = False
        self._over = anyio.Event()

    async def run(self, task: Initialize, stop: Stop) -> Result:
        """Has it done; once ``stop`` says so the child is told to end, and killed if it does not.

        Never raises for what the child does or fails to do: that is a result, too.
        """
        ends: list[Result] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch)
            tasks.start_soon(self._stopped, stop)
            ends.append(await self._talk(task, tasks))
            tasks.cancel_scope.cancel()
        await self._child.close()
        return ends[0]

    async def _watch(self) -> None:
        await self._child.watch()
        self._over.set()

    async def _talk(self, task: Initialize, tasks: TaskGroup) -> Result:
        if not await self._say(task):
            return await self._ended()
        began = anyio.current_time()
        while True:
            if self._has_begun:
                until = anyio.current_time() + self._limits.silence
            else:
                until = began + self._limits.start
            piece: bytes | None = None
            with anyio.CancelScope(deadline=until):
                piece = await self._child.receive()
            await anyio.lowlevel.checkpoint()  # one that always speaks keeps nobody else waiting
            if piece is None:
                return await self._hung()
            if not piece:
                return await self._ended()
            try:
                heard = self._reader.feed(piece)
            except WrongVersion as other:
                await self._say(Complaint(code="version", message=other.message))
                await self._child.kill()
                return Result(status="failure", summary=other.message)
            for each in heard:
                if (result := self._take(each, tasks)) is not None:
                    return result
            if self._unheard > UNHEARD:
                await self._child.kill()
                return self._failed("the agent asked on without hearing the answers and was ended")

    def _take(self, heard: Message | Complaint, tasks: TaskGroup) -> Result | None:
        if isinstance(heard, Complaint):
            self._complain(heard, tasks)
            return None
        match heard.payload:
            case Result() as result:
                return result
            case Initialized(session=session):
                self._has_begun, self.session = True, session
            case PermissionRequest() as request:
                self._open(heard.id, request, tasks)
            case PermissionWithdrawn(request_id=id):
                if (scope := self._asked.get(id)) is not None:
                    scope.cancel()
            case Log() as log:
                self._seat.tell(replace(log, message=log.message[:LOG_CHARACTERS]))
            case Complaint(message=said):
                self._warn(f"the agent did not take a message: {said}")
            case _:
                pass
        return None

    def _open(self, id: str, request: PermissionRequest, tasks: TaskGroup) -> None:
        if id in self._asked or len(self._asked) >= AT_ONCE:
            no = PermissionResponse(
                request_id=id, behavior="deny", message="too many questions are open"
            )
            tasks.start_soon(self._refuse, no)
            self._unheard += 1
            return
        self._asked[id] = anyio.CancelScope()
        tasks.start_soon(self._answer, id, request)

    async def _refuse(self, no: PermissionResponse) -> None:
        await self._say(no)
        self._unheard -= 1

    async def _answer(self, id: str, request: PermissionRequest) -> None:
        try:
            with self._asked[id]:
                answer = await self._seat.ask(request)
                await self._say(replace(answer, request_id=id))
        finally:
            self._asked.pop(id, None)

    def _complain(self, complaint: Complaint, tasks: TaskGroup) -> None:
        """Some of it is sent back; a child that floods is not answered for ever."""
        self._complained += 1
        if self._complained <= _COMPLAINTS:
            tasks.start_soon(self._say, complaint)
            self._warn(f"a line of the agent was not understood: {complaint.message}")

    def _warn(self, words: str) -> None:
        self._seat.tell(Log(level="warning", message=words[:_TOLD_CHARACTERS]))

    async def _say(self, payload: Payload) -> bool:
        """Whether the child still listens; one that does not read is not waited for long."""
        with anyio.move_on_after(_SENDING_SECONDS):
            try:
                await self._child.send(self._writer.write(payload)[1])
            except CompanionGone:
                return False
        return True

    async def _stopped(self, stop: Stop) -> None:
        await stop.soon.wait()
        self._is_stopped = True
        with anyio.move_on_after(self._limits.grace):
            await self._say(Terminate(reason="stopped"))
            await stop.now.wait()
        await self._child.kill()

    async def _hung(self) -> Result:
        await self._child.kill()
        if self._has_begun:
            said = f"the agent said nothing for {self._limits.silence:g} seconds and was ended"
        else:
            said = f"the agent did not begin within {self._limits.start:g} seconds and was ended"
        return self._failed(said)

    async def _ended(self) -> Result:
        """Its output is over without a result."""
        with anyio.move_on_after(self._limits.grace):
            await self._over.wait()
        if self._is_stopped:
            return self._failed("the agent was stopped")
        if not self._over.is_set():
            await self._child.kill()
            return self._failed("the agent closed its line without a result and was ended")
        code = self._child.exit_code or 0
        how = f"was killed by signal {code - 128}" if code > 128 else f"ended with exit code {code}"
        return self._failed(f"the agent {how} before it had a result")

    def _failed(self, words: str) -> Result:
        last = self._child.complaints.strip()[-_TOLD_CHARACTERS:]
        return Result(status="failure", summary=f"{words}: {last}" if last else words)
