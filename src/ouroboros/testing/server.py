"""A model server on loopback that plays a script, in every wire format, with every kind of fault.

In a test: ``async with serving(turns) as server: ... server.url``. As a process of its own:
``python -m ouroboros.testing.server --script FILE``; it prints its address and plays until stopped.
"""

import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import SocketAttribute, SocketStream
from msgspec import Struct

from ouroboros.core.clock import Clock, SystemClock
from ouroboros.core.errors import ModelFailed, OuroborosError
from ouroboros.llm.turns import Fault, Played, Player, ScriptedUsage, Turn, load
from ouroboros.testing.replies.chat import ChatFormat
from ouroboros.testing.replies.converse import ConverseFormat
from ouroboros.testing.replies.gemini import GeminiFormat
from ouroboros.testing.replies.invoke import InvokeFormat
from ouroboros.testing.replies.messages import MessagesFormat
from ouroboros.testing.replies.ollama import OllamaFormat
from ouroboros.testing.replies.piece import REFUSALS, Asked, Format, Piece, Reply
from ouroboros.testing.replies.responses import ResponsesFormat
from ouroboros.testing.replies.target import target_of
from ouroboros.testing.wire import Closed, Exchange, Wire

type Order = Literal["sequence", "history"]

_MODELS = {"data": [{"id": "scripted"}]}


def format_of(address: str) -> Format | None:
    """The format that is spoken at this address."""
    target = target_of(address)
    match target.verb:
        case "streamGenerateContent" | "generateContent":
            return GeminiFormat(target)
        case "converse-stream" | "converse":
            return ConverseFormat(target)
        case "invoke-with-response-stream" | "invoke":
            return InvokeFormat(target)
        case "completions":
            return ChatFormat()
        case "responses":
            return ResponsesFormat()
        case "messages":
            return MessagesFormat()
        case "chat":
            return OllamaFormat()
        case _:
            return None


class ScriptedServer:
    """Answers on one port; remembers every request.

    Attributes:
        pages: What else it answers, as JSON by path.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        order: Order = "sequence",
        repeat: bool = False,
        record: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        """With ``order="history"`` a request's assistant messages say which turn is next."""
        self._player = Player(turns, name="of the test server", repeat=repeat)
        self._order = order
        self._record = record
        self._clock = clock or SystemClock()
        self._played = 0
        self._open: set[int] = set()
        self._idle = anyio.Event()
        self.pages: Mapping[str, object] = {}
        self.connections = 0
        self.exchanges: list[Exchange] = []
        self.url = ""

    @property
    def open_connections(self) -> int:
        """Connections that neither side has closed."""
        return len(self._open)

    async def all_closed(self) -> None:
        """Waits until the connections made so far are closed."""
        if self._open:
            await self._idle.wait()

    @property
    def gaps(self) -> list[float]:
        """Seconds from the end of each answer to the first byte of the next request."""
        return [
            later.arrived_at - earlier.ended_at
            for earlier, later in zip(self.exchanges, self.exchanges[1:], strict=False)
            if earlier.ended_at is not None
        ]

    def timings(self) -> list[dict[str, float | int | None]]:
        """When each exchange arrived and ended."""
        return [
            {
                "number": one.number,
                "connection": one.connection,
                "status": one.status,
                "arrived_at": one.arrived_at,
                "complete_at": one.complete_at,
                "ended_at": one.ended_at,
            }
            for one in self.exchanges
        ]

    async def handle(self, stream: SocketStream) -> None:
        """Serves one connection until either side ends it."""
        self.connections += 1
        number = self.connections
        self._open.add(number)
        self._idle = anyio.Event()
        try:
            async with stream:
                wire = Wire(stream, self._clock)
                while True:
                    await self._exchange(wire, number)
        except (Closed, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        finally:
            self._open.discard(number)
            if not self._open:
                self._idle.set()

    async def _exchange(self, wire: Wire, connection: int) -> None:
        exchange = await wire.read(len(self.exchanges) + 1, connection)
        self.exchanges.append(exchange)
        if self._record is not None:
            target = anyio.Path(self._record) / f"{exchange.number:04}.json"
            await target.write_bytes(msgspec.json.encode(exchange))
        await self._answer(wire, exchange)
        exchange.ended_at = self._clock.monotonic()

    async def _answer(self, wire: Wire, exchange: Exchange) -> None:
        path = exchange.path.split("?", 1)[0]
        known = {"/-/timings": self.timings(), "/v1/models": _MODELS, **self.pages}
        if exchange.method == "GET" or path in self.pages:
            found = known.get(path)
            await self._send(wire, exchange, 200 if found is not None else 404, found or {})
            return
        speaks = format_of(exchange.path)
        if speaks is not None:
            await self._speak(wire, exchange, speaks)
            return
        await self._send(wire, exchange, 404, {"error": {"message": f"No such path: {path}."}})

    async def _speak(self, wire: Wire, exchange: Exchange, speaks: Format) -> None:
        try:
            asked = speaks.read(exchange.json)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            fault = Fault(kind="invalid_request", message=f"The body is not understood: {error}.")
            await self._refuse(wire, exchange, fault, speaks)
            return
        answered = asked.answered if self._order == "history" else self._played
        try:
            played = self._player.play(answered, asked.latest)
        except ModelFailed as error:
            fault = Fault(kind="invalid_request", message=error.message)
            await self._refuse(wire, exchange, fault, speaks)
            return
        turn = played.turn
        if turn.delay_seconds:
            await anyio.sleep(turn.delay_seconds)
        if turn.fault is None:
            self._played += not turn.when
            await self._reply(wire, exchange, _Speech(speaks, asked, played))
        else:
            await self._go_wrong(wire, exchange, _Speech(speaks, asked, played), turn.fault)

    async def _reply(self, wire: Wire, exchange: Exchange, speech: "_Speech") -> None:
        reply = speech.reply(len(exchange.body))
        if not speech.asked.stream:
            await self._send(wire, exchange, 200, speech.speaks.whole(reply))
            return
        exchange.status = 200
        frames = speech.speaks.frames(reply, speech.asked)
        wire.kind = speech.speaks.manner.kind
        await wire.stream(frames, speech.played.turn, last=True)

    async def _go_wrong(
        self, wire: Wire, exchange: Exchange, speech: "_Speech", fault: Fault
    ) -> None:
        if fault.kind == "reset":
            raise Closed
        if fault.kind == "silent":
            await anyio.sleep(fault.seconds)
            raise Closed
        if fault.kind in REFUSALS and not fault.in_stream and not fault.after:
            await self._refuse(wire, exchange, fault, speech.speaks)
            return
        exchange.status = 200
        frames = speech.speaks.frames(speech.reply(len(exchange.body)), speech.asked)
        begun, rest = _before(frames, fault.after)
        wire.kind = speech.speaks.manner.kind
        await wire.stream(begun, speech.played.turn)
        await self._break(wire, speech, fault, rest)

    async def _break(self, wire: Wire, speech: "_Speech", fault: Fault, rest: list[Piece]) -> None:
        match fault.kind:
            case "end":
                await wire.stream([], Turn(), last=True)
            case "garbage":
                body = fault.body.encode() if fault.body else speech.speaks.manner.garbage
                await wire.stream([Piece(body)], Turn(), last=True)
            case "stall":
                await anyio.sleep(fault.seconds)
                raise Closed
            case "cut":
                frame = rest[0].frame if rest else b""
                await wire.stream([Piece(frame[: len(frame) // 2])], Turn())
                raise Closed
            case _:
                refused = speech.speaks.refused(fault, REFUSALS[fault.kind])
                await wire.stream([Piece(refused.frame)], Turn(), last=True)

    async def _refuse(self, wire: Wire, exchange: Exchange, fault: Fault, speaks: Format) -> None:
        refused = speaks.refused(fault, REFUSALS[fault.kind])
        headers = {"content-type": "application/json", **refused.headers, **fault.headers}
        if fault.retry_after_seconds is not None:
            headers["retry-after"] = f"{fault.retry_after_seconds:g}"
        exchange.status = fault.status or refused.status
        body = msgspec.json.encode(refused.body) if fault.body is None else fault.body.encode()
        await wire.whole(exchange.status, body, headers)

    async def _send(self, wire: Wire, exchange: Exchange, status: int, body: object) -> None:
        exchange.status = status
        headers = {"content-type": "application/json"}
        await wire.whole(status, msgspec.json.encode(body), headers)


class _Speech(Struct, frozen=True):
    """A turn picked for a request, and the format to say it in."""

    speaks: Format
    asked: Asked
    played: Played

    def reply(self, asked_bytes: int) -> Reply:
        """The reply with its usage: the script's, or four characters a token."""
        turn = self.played.turn
        said = len(turn.text) + sum(len(call.json) for call in turn.tool_calls)
        usage = turn.usage or ScriptedUsage(
            input_uncached=asked_bytes // 4,
            output_text=said // 4,
            reasoning=len(turn.reasoning) // 4,
        )
        return Reply(played=self.played, model=self.asked.model, usage=usage)


def _before(frames: list[Piece], characters: int) -> tuple[list[Piece], list[Piece]]:
    """The frames with the first characters of the turn, and the rest."""
    sent = 0
    for index, frame in enumerate(frames):
        if frame.characters and sent >= characters:
            return frames[:index], frames[index:]
        sent += frame.characters
    return frames[:-1], frames[-1:]


@asynccontextmanager
async def serving(
    turns: Sequence[Turn],
    *,
    order: Order = "sequence",
    repeat: bool = False,
    record: Path | None = None,
    port: int = 0,
) -> AsyncGenerator[ScriptedServer]:
    """A running server on 127.0.0.1; port 0 takes a free one."""
    server = ScriptedServer(turns, order=order, repeat=repeat, record=record)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port)
    server.url = f"http://127.0.0.1:{listener.extra_attributes[SocketAttribute.local_port]()}"
    try:
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, server.handle)
            try:
                yield server
            finally:
                tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        raise next(iter(group.exceptions)) from None


async def run(arguments: Namespace, write: Callable[[str], object]) -> None:
    """Serves until the process is told to stop, then leaves the timings with the record."""
    turns = await to_thread.run_sync(load, arguments.script)
    record: Path | None = arguments.record
    if record is not None:
        await anyio.Path(record).mkdir(parents=True, exist_ok=True)
    options = {"order": arguments.order, "repeat": arguments.repeat, "port": arguments.port}
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with serving(turns, record=record, **options) as server:
            write(f"{server.url}\n")
            async for _ in signals:
                break
            if record is not None:
                target = anyio.Path(record) / "timings.json"
                await target.write_bytes(msgspec.json.encode(server.timings()))


def main(words: Sequence[str]) -> int:
    """Reads the command line, serves, and gives the exit code."""
    parser = ArgumentParser(prog="python -m ouroboros.testing.server", description=__doc__)
    parser.add_argument("--script", type=Path, required=True, help="JSON lines of turns")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--record", type=Path, help="folder for one file per request")
    parser.add_argument("--repeat", action="store_true", help="start over after the last turn")
    parser.add_argument(
        "--order",
        choices=("sequence", "history"),
        default="sequence",
        help="play in order of arrival, or by the replies a request already holds",
    )
    arguments = parser.parse_args(words)

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    try:
        anyio.run(run, arguments, write)
    except OuroborosError as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
