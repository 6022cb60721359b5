"""What an editor may ask for, by the name of the method."""

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec
from anyio import CancelScope, lowlevel, to_thread
from anyio.abc import TaskGroup
from msgspec import Struct

from ouroboros import __version__
from ouroboros.app.hub import Hub, Room
from ouroboros.app.past import sessions
from ouroboros.core import commands
from ouroboros.core.errors import KeyMissing, Misuse, OuroborosError, SessionUnknown
from ouroboros.faces.acp import choosing, frames, schema
from ouroboros.faces.acp.buffers import Buffers
from ouroboros.faces.acp.conversation import Conversation
from ouroboros.faces.acp.endings import failure, stop_of
from ouroboros.faces.acp.frames import (
    Frame,
    Id,
    Json,
    Nonsense,
    Notification,
    Problem,
    Reply,
    Request,
)
from ouroboros.faces.acp.peer import Peer
from ouroboros.faces.acp.telling import words

PAGE = 50
"""Sessions of one answer to ``session/list``."""

_KEY = "provider-key"

_logger = logging.getLogger(__name__)


class Agent:
    """Serves one editor, with any number of sessions."""

    def __init__(self, hub: Hub, peer: Peer, tasks: TaskGroup, *, patience: float) -> None:
        """``tasks`` carry what goes on beside the requests; ``patience`` is for files that are read."""
        self._hub, self._peer, self._tasks = hub, peer, tasks
        self._patience = patience
        self._open: dict[str, Conversation] = {}
        self._answering: dict[Id, CancelScope] = {}
        self._is_begun = False

    async def take(self, frame: Frame) -> None:
        """Takes one frame in; returns when what it asks for has begun."""
        match frame:
            case Request():
                self._tasks.start_soon(self._answer, frame)
                await lowlevel.checkpoint()  # a cancel that comes next finds it begun
            case Notification():
                self._hear(frame)
            case Reply():
                self._peer.take(frame)
            case Nonsense(id=id, problem=problem):
                self._peer.refuse(id, problem)

    async def _answer(self, request: Request) -> None:
        scope = self._answering[request.id] = CancelScope()
        try:
            with scope:
                self._peer.answer(request.id, await self._answer_to(request))
                return
            self._peer.refuse(request.id, Problem(code=frames.CANCELLED, message="cancelled"))
        except OuroborosError as problem:
            self._peer.refuse(request.id, problem_of(problem))
        except Exception as bug:
            _logger.exception("%s broke", request.method)
            message = f"something broke inside: {type(bug).__name__}: {bug}"
            self._peer.refuse(request.id, Problem(code=frames.INTERNAL_ERROR, message=message))
        finally:
            self._answering.pop(request.id, None)

    async def _answer_to(self, request: Request) -> object:
        known = self._METHODS.get(request.method)
        if known is None:
            raise Unanswerable(frames.METHOD_NOT_FOUND, f"there is no method {request.method!r}")
        if not self._is_begun and request.method != "initialize":
            raise Unanswerable(frames.INVALID_REQUEST, "the first request is initialize")
        kind, handler = known
        try:
            given: object = msgspec.json.decode(request.params, type=kind)
        except (msgspec.DecodeError, RecursionError) as broken:
            raise Unanswerable(frames.INVALID_PARAMS, f"{request.method}: {broken}") from broken
        return await handler(self, given)

    def _hear(self, told: Notification) -> None:
        try:
            match told.method:
                case "session/cancel":
                    id = msgspec.json.decode(told.params, type=schema.OfSession).session_id
                    if (found := self._open.get(id)) is not None:
                        found.cancel()
                case "$/cancel_request":
                    wish = msgspec.json.decode(told.params, type=schema.CancelRequest)
                    if (scope := self._answering.get(wish.request_id)) is not None:
                        scope.cancel()
                case _:
                    _logger.debug("nobody knows %s", told.method)
        except msgspec.DecodeError as broken:
            _logger.warning("%s was not understood: %s", told.method, broken)

    async def _initialize(self, given: schema.Initialize) -> Json:
        self._peer.can = given.client_capabilities or schema.Capabilities()
        self._is_begun = True
        about = "Run `ouro providers login` in a terminal, or set the key in the environment."
        return {
            "protocolVersion": schema.VERSION,
            "agentInfo": {"name": "ouroboros", "title": "Ouroboros", "version": __version__},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
                "mcpCapabilities": {"http": False, "sse": False},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
            },
            "authMethods": [{"id": _KEY, "name": "Key of a provider", "description": about}],
        }

    async def _authenticate(self, given: schema.Authenticate) -> Json:
        if given.method_id != _KEY:
            raise Misuse(f"there is no way to log in called {given.method_id!r}")
        outfit = self._hub.outfit
        loaded = await to_thread.run_sync(outfit.loaded, outfit.cwd)
        check = partial(choosing.is_equipped, loaded, outfit.environment)
        if not await to_thread.run_sync(check):
            raise KeyMissing("no provider has a key yet", hint="run `ouro providers login`")
        return {}

    async def _new(self, given: schema.NewSession) -> Json:
        cwd = _folder(given.cwd)
        buffers = Buffers(self._peer, cwd, patience=self._patience)
        room = await self._hub.open(cwd=cwd, editor=buffers)
        conversation = self._opened(room, buffers)
        standing = await self._standing(conversation)
        self._tasks.start_soon(self._greet, conversation, given)
        return {"sessionId": room.id, **standing}

    async def _load(self, given: schema.OldSession) -> Json:
        conversation = await self._resumed(given)
        await conversation.replay()
        return await self._gone_on(conversation, given)

    async def _resume(self, given: schema.OldSession) -> Json:
        return await self._gone_on(await self._resumed(given), given)

    async def _gone_on(self, conversation: Conversation, given: schema.OldSession) -> Json:
        standing = await self._standing(conversation)
        self._tasks.start_soon(self._greet, conversation, given)
        return standing

    async def _list(self, given: schema.ListSessions) -> Json:
        start = _place(given.cursor)
        cwd = None if given.cwd is None else str(_folder(given.cwd).resolve())
        look = partial(
            sessions.list_sessions, self._hub.outfit.home, cwd=cwd, limit=start + PAGE + 1
        )
        found = (await to_thread.run_sync(look))[start:]
        listed: Json = {"sessions": [_row(each) for each in found[:PAGE]]}
        return {**listed, "nextCursor": str(start + PAGE)} if len(found) > PAGE else listed

    async def _prompt(self, given: schema.Prompt) -> Json:
        conversation = self._conversation(given.session_id)
        stopped, ended = await conversation.prompt(given.prompt)
        stop = stop_of(ended.reason, stopped)
        if stop is None:
            raise OuroborosError(failure(ended.error))
        if stop == "max_turn_requests" and not ended.reason.endswith(":max_turns"):
            limit = ended.reason.partition(":")[2]
            conversation.tell(words(f"\n\nStopped at the limit {limit}."))
        return {"stopReason": stop}

    async def _set_mode(self, given: schema.SetMode) -> Json:
        mode = choosing.mode_named(given.mode_id)
        await self._conversation(given.session_id).room.send(commands.SetMode(mode=mode))
        return {}

    async def _set_option(self, given: schema.SetOption) -> Json:
        conversation = self._conversation(given.session_id)
        if given.config_id != choosing.MODEL:
            raise Misuse(f"there is no option {given.config_id!r}", hint="there is model")
        await conversation.room.send(commands.SetModel(model=given.value))
        return {"configOptions": (await self._standing(conversation))["configOptions"]}

    async def _close(self, given: schema.OfSession) -> Json:
        conversation = self._open.pop(given.session_id, None)
        if conversation is not None:
            conversation.cancel()
            conversation.close()
        await self._hub.close(given.session_id)
        return {}

    async def _delete(self, given: schema.OfSession) -> Json:
        await self._close(given)
        home, id = self._hub.outfit.home, given.session_id
        await to_thread.run_sync(lambda: sessions.delete(home, sessions.find(home, id).id))
        return {}

    async def _resumed(self, given: schema.OldSession) -> Conversation:
        found = self._open.get(given.session_id)
        if found is None or found.room.is_closing:
            look = partial(sessions.find, self._hub.outfit.home, given.session_id)
            if (await to_thread.run_sync(look)).id != given.session_id:
                raise SessionUnknown(f"there is no session {given.session_id!r}")
            cwd = _folder(given.cwd)
            buffers = Buffers(self._peer, cwd, patience=self._patience)
            room = await self._hub.open(cwd=cwd, resume=given.session_id, editor=buffers)
            found = self._opened(room, buffers)
        return found

    async def _greet(self, conversation: Conversation, given: schema.NewSession) -> None:
        conversation.greet()
        if given.mcp_servers:
            conversation.tell(words("MCP servers of the editor are not used yet.\n\n"))
        for warning in conversation.room.session.warnings:
            conversation.tell(words(f"{warning}\n\n"))
        conversation.ask_again()

    async def _standing(self, conversation: Conversation) -> Json:
        state, outfit = conversation.room.state, self._hub.outfit

        def known() -> tuple[str, ...]:
            return choosing.usable(outfit.loaded(conversation.cwd), outfit.environment)

        models = await to_thread.run_sync(known)
        return {
            "modes": choosing.modes(state.mode),
            "configOptions": choosing.models(state.model, models),
        }

    def _opened(self, room: Room, buffers: Buffers) -> Conversation:
        found = self._open.get(room.id)
        if found is None or found.room is not room:
            if found is not None:
                found.close()
            found = Conversation(room, self._hub, self._peer, self._tasks, buffers)
            self._open[room.id] = found
        return found

    def _conversation(self, id: str) -> Conversation:
        found = self._open.get(id)
        if found is None:
            raise SessionUnknown(
                f"session {id!r} is not open here", hint="session/load opens one of the past"
            )
        return found

    _METHODS: ClassVar[dict[str, tuple[type[Struct], Callable[..., Awaitable[object]]]]] = {
        "initialize": (schema.Initialize, _initialize),
        "authenticate": (schema.Authenticate, _authenticate),
        "session/new": (schema.NewSession, _new),
        "session/load": (schema.OldSession, _load),
        "session/resume": (schema.OldSession, _resume),
        "session/list": (schema.ListSessions, _list),
        "session/prompt": (schema.Prompt, _prompt),
        "session/set_mode": (schema.SetMode, _set_mode),
        "session/set_config_option": (schema.SetOption, _set_option),
        "session/close": (schema.OfSession, _close),
        "session/delete": (schema.OfSession, _delete),
    }


class Unanswerable(OuroborosError):
    """A request that does not fit the protocol; ``code`` is what the protocol calls it."""

    def __init__(self, code: int, message: str) -> None:
        """``message`` says what was wrong."""
        super().__init__(message)
        self.code = code


def problem_of(error: OuroborosError) -> Problem:
    """An error in the words of the protocol."""
    match error:
        case Unanswerable(code=code):
            pass
        case KeyMissing():
            code = frames.AUTH_REQUIRED
        case SessionUnknown():
            code = frames.NOT_FOUND
        case Misuse():
            code = frames.INVALID_PARAMS
        case _:
            code = frames.INTERNAL_ERROR
    if error.hint:
        return Problem(
            code=code, message=f"{error.message}; {error.hint}", data={"hint": error.hint}
        )
    return Problem(code=code, message=error.message)


def _folder(cwd: str) -> Path:
    path = Path(cwd)
    if not path.is_absolute() or "\0" in cwd:
        raise Misuse(f"the folder {cwd!r} is no absolute path", hint="give one that begins with /")
    return path


def _place(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal() or len(cursor) > 9:
        raise Misuse(f"{cursor!r} is no cursor of ours", hint="leave it out to begin anew")
    return int(cursor)


def _row(session: sessions.Session) -> Json:
    when = datetime.fromtimestamp(session.updated, UTC).isoformat()
    row: Json = {"sessionId": session.id, "cwd": session.cwd, "updatedAt": when}
    return {**row, "title": session.title} if session.title else row
