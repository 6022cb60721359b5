"""An agent's own program: one task from a supervisor at the other end of two pipes, then its result.

Everything that leaves is a message; whoever else prints, prints to standard error.
"""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import IO, Protocol

import anyio
import msgspec
from anyio.abc import TaskGroup
from msgspec.structs import replace

from ouroboros.app.ouroboros import Outcome, Session
from ouroboros.core.commands import Approve, Deny, Interrupt
from ouroboros.core.errors import OuroborosError
from ouroboros.core.events import (
    Envelope,
    PermissionAnswered,
    PermissionRequested,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.turn import AgentMessage
from ouroboros.core.ipc.codec import Reader, Writer, WrongVersion
from ouroboros.core.ipc.messages import (
    Alive,
    Complaint,
    Ended,
    Initialize,
    Initialized,
    Level,
    Log,
    Message,
    Payload,
    PermissionRequest,
    PermissionResponse,
    PermissionResult,
    PermissionWithdrawn,
    Result,
    Terminate,
)
from ouroboros.core.parts import Text
from ouroboros.faces.ipc.outbox import Outbox
from ouroboros.faces.wording.notices import notice
from ouroboros.faces.wording.words import call_title, one_line

PULSE_SECONDS = 10.0
FIRST_SECONDS = 60.0
"""How long the first message is waited for."""

_PIECE = 65_536
_LOG_BYTES = 1_048_576
"""With so much on its way, no more lines for people are said."""

_LAST_SECONDS = 10.0
_RESULT_CHARACTERS = 2_000
_STOPPED = "the agent was stopped"


class Work(Protocol):
    """A task that was begun."""

    @property
    def session(self) -> Session:
        """What does it."""
        ...

    @property
    def words(self) -> str:
        """What it is told to do."""
        ...

    async def hand_over(self) -> str:
        """Writes the bundle of what was changed and gives its path; empty where nothing was."""
        ...

    def departures(self) -> tuple[str, ...]:
        """Where its commands left the plan; empty without one."""
        ...


type Opening = Callable[[Initialize], AbstractAsyncContextManager[Work]]


@asynccontextmanager
async def alone_with_stdout() -> AsyncGenerator[tuple[IO[bytes], IO[bytes]]]:
    """Standard input and output as two pipes of our own; others who print reach standard error."""
    ears = os.fdopen(os.dup(0), "rb", buffering=0)
    mouth = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    os.set_blocking(ears.fileno(), False)
    os.set_blocking(mouth.fileno(), False)
    try:
        yield ears, mouth
    finally:
        ears.close()
        mouth.close()


class Child:
    """Serves one supervisor."""

    def __init__(self, ears: IO[bytes], mouth: IO[bytes], writer: Writer, opening: Opening) -> None:
        """Says nothing yet."""
        self._ears, self._mouth, self._writer, self._opening = ears, mouth, writer, opening
        self._reader = Reader()
        self._out = Outbox(self._carry, (OSError,))
        self._questions: dict[str, str] = {}
        self._has_task = self._is_stopped = self._is_attended = False
        self._runs = anyio.Event()
        self._session: Session | None = None

    async def serve(self) -> int:
        """Does the task; 0 once a result was said, 1 where nobody was there to hear it."""
        codes: list[int] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._out.drain)
            codes.append(await self._serve(tasks))
            await self._out.flushed(_LAST_SECONDS)
            tasks.cancel_scope.cancel()
        return 1 if self._out.is_gone else codes[0]

    async def _serve(self, tasks: TaskGroup) -> int:
        try:
            with anyio.fail_after(FIRST_SECONDS):
                task = await self._first()
        except (TimeoutError, WrongVersion) as odd:
            words = odd.message if isinstance(odd, WrongVersion) else "no task came"
            code = "version" if isinstance(odd, WrongVersion) else "unexpected"
            self._say(Complaint(code=code, message=words))
            return 1
        if task is None:
            return 1
        self._has_task = True
        tasks.start_soon(self._pulse)
        self._say(await self._result(task))
        return 0

    async def _result(self, task: Initialize) -> Result:
        """Said once the session is closed: whoever hears it may end us."""
        self._is_attended = task.attended
        try:
            async with self._opening(task) as work:
                return await self._worked(work)
        except OuroborosError as problem:
            hint = f" ({problem.hint})" if problem.hint else ""
            return Result(status="failure", summary=f"{problem.message}{hint}")

    async def _worked(self, work: Work) -> Result:
        session = self._session = work.session
        session.listen(self._hear)
        self._say(Initialized(pid=os.getpid(), session=session.id))
        if self._is_stopped:
            return Result(status="failure", summary=_STOPPED)
        outcomes: list[Outcome] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen)
            outcomes.append(await session.run(work.words))
            tasks.cancel_scope.cancel()
        path = await work.hand_over()
        outcome = outcomes[0]
        run = Ended(
            reason=outcome.reason,
            tokens=outcome.spent.tokens,
            cost=outcome.spent.cost,
            departures=work.departures(),
        )
        return replace(_result(outcome, path, is_stopped=self._is_stopped), run=run)

    async def stop(self, reason: str) -> bool:
        """Has the task end soon, with a result; false without a task, or where it was told before."""
        is_first = self._has_task and not self._is_stopped
        with anyio.move_on_after(_LAST_SECONDS):
            await self._stop(reason)
        return is_first

    async def _first(self) -> Initialize | None:
        while (messages := await self._heard()) is not None:
            for at, each in enumerate(messages):
                if isinstance(each.payload, Initialize):
                    rest = (other.payload for other in messages[at + 1 :])
                    self._is_stopped = any(isinstance(other, Terminate) for other in rest)
                    return each.payload
                if isinstance(each.payload, Terminate):
                    return None
                self._say(
                    Complaint(code="unexpected", message="a task comes first", message_id=each.id)
                )
        return None

    async def _listen(self) -> None:
        """Does what the supervisor says until it is gone; then the run ends, too."""
        try:
            while (messages := await self._heard()) is not None:
                for each in messages:
                    await self._take(each)
            why = "the supervisor is gone"
        except WrongVersion as odd:
            why = odd.message
            self._say(Complaint(code="version", message=odd.message))
        await self._stop(why)

    async def _take(self, message: Message) -> None:
        match message.payload:
            case PermissionResponse() as answer:
                await self._answered(answer, message.id)
            case Terminate(reason=reason):
                await self._stop(reason or "stopped")
            case Initialize():
                said = "a task is at work already"
                self._say(Complaint(code="unexpected", message=said, message_id=message.id))
            case Complaint(message=said):
                self._log(f"a message was not taken: {said}", level="warning")
            case _:
                pass

    async def _answered(self, answer: PermissionResponse, message_id: str) -> None:
        request = self._questions.pop(answer.request_id, "")
        if not request or self._session is None:
            said = "no question of this id is open"
            self._say(Complaint(code="unexpected", message=said, message_id=message_id))
            return
        try:
            await self._session.send(_command(request, answer))
        except OuroborosError as problem:
            self._say(Complaint(code="invalid", message=problem.message, message_id=message_id))

    async def _stop(self, reason: str) -> None:
        self._is_stopped = True
        if self._session is not None:
            await self._runs.wait()  # one that has not begun takes no notice
            await self._session.send(Interrupt(reason=reason))

    def _hear(self, envelope: Envelope) -> None:
        event = envelope.data
        if self._session is not None and self._session.running:
            self._runs.set()
        match event:
            case PermissionRequested(reviewer="person") if self._is_attended:
                self._ask(event)
            case PermissionAnswered(request_id=answered):
                for id, request in tuple(self._questions.items()):
                    if request == answered:
                        del self._questions[id]
                        self._say(PermissionWithdrawn(request_id=id))
            case ToolStarted(within=""):
                self._log(call_title(event), kind="tool_call")
            case ToolResulted(within="", status=status, parts=parts):
                said = "".join(part.text for part in parts if isinstance(part, Text))
                words = f"{status}: {said[:_RESULT_CHARACTERS]}"
                self._log(words, level="debug", kind="tool_result")
            case AgentMessage(partial=False) if event.message.text.strip():
                self._log(one_line(event.message.text, 2_000), kind="agent_thought")
            case _:
                if (told := notice(event)) is not None:
                    self._log(told.text, level=told.level)

    def _ask(self, event: PermissionRequested) -> None:
        words = event.action if not event.reason else f"{event.action} ({event.reason})"
        id, line = self._writer.write(
            PermissionRequest(
                tool_name=event.tool,
                input=msgspec.Raw(_as_json(event.input)),
                permission_result=PermissionResult(message=words),
                rules=event.rules or ((event.grant,) if event.grant else ()),
                warning=event.warning,
            )
        )
        self._questions[id] = event.request_id
        self._out.send(line)

    def _log(self, text: str, *, level: Level = "info", kind: str = "") -> None:
        """A line that may be left out while the supervisor reads slowly."""
        if self._out.bytes < _LOG_BYTES:
            self._say(Log(message=text, level=level, kind=kind))

    def _say(self, payload: Payload) -> None:
        self._out.send(self._writer.write(payload)[1])

    async def _pulse(self) -> None:
        while True:
            await anyio.sleep(PULSE_SECONDS)
            self._say(Alive())

    async def _heard(self) -> list[Message] | None:
        """The next messages; None once nobody speaks any more."""
        while True:
            await anyio.wait_readable(self._ears)
            try:
                piece = os.read(self._ears.fileno(), _PIECE)
            except BlockingIOError:
                continue
            except OSError:
                return None
            if not piece:
                return None
            found: list[Message] = []
            for each in self._reader.feed(piece):
                if isinstance(each, Complaint):
                    self._say(each)
                else:
                    found.append(each)
            if found:
                return found

    async def _carry(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._mouth.fileno(), rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._mouth)


def _command(request: str, answer: PermissionResponse) -> Approve | Deny:
    if answer.behavior == "deny":
        return Deny(request_id=request, message=answer.message)
    return Approve(
        request_id=request,
        scope="session" if answer.new_rules else "once",
        rules=answer.new_rules,
        input=_as_text(answer.updated_input),
    )


def _as_text(value: msgspec.Raw) -> str:
    """What to do instead, as a question spells it: a command bare, arguments as JSON; empty for null."""
    try:
        found = msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        return ""
    if found is None:
        return ""
    return found if isinstance(found, str) else bytes(value).decode()


def _as_json(text: str) -> bytes:
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return msgspec.json.encode(text)
    return text.encode()


def _result(outcome: Outcome, path: str, *, is_stopped: bool) -> Result:
    if outcome.reason == "completed":
        return Result(status="success", output_artifact_path=path, summary=outcome.final)
    words = _STOPPED if is_stopped else f"the run ended: {outcome.reason}"
    said = f"{words}: {outcome.final}" if outcome.final else words
    return Result(status="failure", output_artifact_path=path, summary=said)
