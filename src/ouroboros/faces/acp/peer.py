"""The editor at the other end: what it is told and asked, and its answers."""

from collections.abc import Callable

import anyio
import msgspec

from ouroboros.core.errors import OuroborosError
from ouroboros.faces.acp import frames
from ouroboros.faces.acp.frames import Id, Problem, Reply
from ouroboros.faces.acp.schema import Capabilities

_GONE = Problem(code=frames.INTERNAL_ERROR, message="the editor is gone")


class PeerRefused(OuroborosError):
    """The editor answered with an error, or not as the protocol says."""


class PeerGone(PeerRefused):
    """There is no editor any more; what it still did nobody knows."""


class _Waiting:
    def __init__(self) -> None:
        self.answered = anyio.Event()
        self.reply: Reply | None = None


class Peer:
    """Speaks to one editor."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        """``send`` takes a line and must not block."""
        self._send = send
        self._number = 0
        self._waiting: dict[Id, _Waiting] = {}
        self.can = Capabilities()

    def tell(self, method: str, params: object) -> None:
        """Tells it something."""
        self._send(frames.told(method, params))

    def answer(self, id: Id, result: object) -> None:
        """Answers it."""
        self._send(frames.answered(id, result))

    def refuse(self, id: Id, problem: Problem) -> None:
        """Tells it why it gets no answer."""
        self._send(frames.refused(id, problem))

    async def ask[T](self, method: str, params: object, kind: type[T]) -> T:
        """Asks it, and waits for the answer; whoever asks sets the deadline.

        One who does not wait any longer takes the question back.

        Raises:
            PeerGone: It is not there any more.
            PeerRefused: It answered with an error, or with nonsense.
        """
        self._number += 1
        id, waiting = self._number, _Waiting()
        self._waiting[id] = waiting
        self._send(frames.asked(id, method, params))
        try:
            await waiting.answered.wait()
        finally:
            if self._waiting.pop(id, None) is not None and waiting.reply is None:
                self.tell("$/cancel_request", {"requestId": id})
        reply = waiting.reply or Reply(id=id, problem=_GONE)
        if reply.problem is _GONE:
            raise PeerGone(_GONE.message)
        if reply.problem is not None:
            raise PeerRefused(f"the editor refused {method}: {reply.problem.message}")
        try:
            return msgspec.json.decode(reply.result, type=kind)
        except msgspec.DecodeError as broken:
            raise PeerRefused(f"the editor answered {method} with nonsense: {broken}") from broken

    def take(self, reply: Reply) -> None:
        """Takes an answer of its; one that nobody waits for is dropped."""
        waiting = self._waiting.get(reply.id)
        if waiting is not None:
            waiting.reply = reply
            waiting.answered.set()

    def leave(self) -> None:
        """It is gone: nobody waits for it any more."""
        for waiting in self._waiting.values():
            waiting.reply = Reply(id=None, problem=_GONE)
            waiting.answered.set()
