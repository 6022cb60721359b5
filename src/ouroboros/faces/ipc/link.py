"""A session at the other end of a line: messages in, messages out, in the order things happen."""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from anyio import create_task_group, lowlevel
from anyio.abc import TaskGroup

from ouroboros.app.ouroboros import Session
from ouroboros.core.commands import Interrupt, Submit
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.faces.wording import worker

type Send = Callable[[worker.Told], None]
type Open = Callable[[str], AbstractAsyncContextManager[Session]]
type Load = Callable[[str, str], Awaitable[str]]


async def no_repositories(_owner: str, _repo: str) -> str:
    """Where nobody can load one."""
    raise Misuse("this program loads no repositories")


class Link:
    """Serves one connection; its first message opens the session."""

    def __init__(self, opening: Open, send: Send, *, load: Load = no_repositories) -> None:
        """``send`` takes a message and must not block; ``load`` brings a repository here and says where."""
        self._opening, self._send, self._load = opening, send, load
        self._running = False

    async def serve(self, lines: AsyncIterable[bytes]) -> None:
        """Does what each line asks for until there are no more; a run that goes on then is stopped."""
        arriving = aiter(lines)
        async for line in arriving:
            try:
                name = _session_of(worker.read(line))
                async with self._opening(name) as session:
                    await self._talk(session, arriving)
                    return
            except OuroborosError as problem:
                self._send(worker.refused(problem))

    async def _talk(self, session: Session, lines: AsyncIterator[bytes]) -> None:
        state = session.state
        self._send(worker.ready(state.session, cwd=state.cwd, model=state.model, mode=state.mode))
        session.listen(self._hear)
        async with create_task_group() as tasks:
            async for line in lines:
                try:
                    await self._take(session, worker.read(line), tasks)
                except OuroborosError as problem:
                    self._send(worker.refused(problem))
            if self._running:
                await session.send(Interrupt(reason="connection closed"))

    async def _take(self, session: Session, asked: worker.Asked, tasks: TaskGroup) -> None:
        match asked:
            case worker.Init():
                raise Misuse("a session is open already", hint="one connection serves one session")
            case worker.GetHistory():
                self._send(worker.history(session.history()))
            case worker.GetTree():
                self._send(worker.tree(session.tree()))
            case worker.LoadRepo(owner=owner, repo=repo):
                self._send(worker.loaded(owner, repo, await self._load(owner, repo)))
            case _:
                command = worker.command_of(asked, running=self._running)
                if isinstance(command, Submit):
                    self._running = True
                    tasks.start_soon(self._run, session, command.text)
                    await lowlevel.checkpoint()  # the next message finds the run begun
                elif command is not None:
                    await session.send(command)

    async def _run(self, session: Session, text: str) -> None:
        try:
            await session.run(text)
        except OuroborosError as problem:
            self._send(worker.refused(problem))
        finally:
            self._running = False

    def _hear(self, envelope: Envelope) -> None:
        message = worker.told(envelope)
        if message is not None:
            self._send(message)


def _session_of(asked: worker.Asked) -> str:
    if isinstance(asked, worker.Init):
        return asked.session
    raise Misuse("no session is open yet", hint='begin with {"type": "init"}')
