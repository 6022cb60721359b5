"""JSON-RPC frames: lines of bytes to values and back; pure."""

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from ouroboros.core.ipc.lines import decoded

type Json = dict[str, object]
type Id = int | str | None

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
CANCELLED, AUTH_REQUIRED, NOT_FOUND = -32800, -32000, -32002

_NOTHING = Raw(b"null")


class Request(Struct, frozen=True, kw_only=True):
    """The other end wants an answer; ``params`` is JSON text that nobody has looked at."""

    id: Id
    method: str
    params: Raw = _NOTHING


class Notification(Struct, frozen=True, kw_only=True):
    """The other end tells something."""

    method: str
    params: Raw = _NOTHING


class Problem(Struct, frozen=True, kw_only=True):
    """Why something was not done, as the protocol says it."""

    code: int
    message: str
    data: object = UNSET


class Reply(Struct, frozen=True, kw_only=True):
    """The other end's answer; ``problem`` where it could not or would not."""

    id: Id
    result: Raw = _NOTHING
    problem: Problem | None = None


class Nonsense(Struct, frozen=True, kw_only=True):
    """A line that is no frame, and what to answer."""

    id: Id = None
    problem: Problem


type Frame = Request | Notification | Reply | Nonsense


class _Shape(Struct, frozen=True):
    jsonrpc: object = UNSET
    id: object = UNSET
    method: object = UNSET
    params: Raw = _NOTHING
    result: Raw | UnsetType = UNSET
    error: object = UNSET


class _Error(Struct, frozen=True):
    code: int
    message: str = ""


TOO_LONG = Nonsense(problem=Problem(code=INVALID_REQUEST, message="a frame is too long"))
"""What a line comes to that nobody wants to keep."""

_decoder = msgspec.json.Decoder(_Shape)
_encoder = msgspec.json.Encoder(enc_hook=str)


def step(line: bytes) -> Frame:
    """What one line says; never raises."""
    try:
        shape = decoded(_decoder, line)
    except msgspec.ValidationError:
        return _nonsense(INVALID_REQUEST, "a frame is one JSON object")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as broken:
        return _nonsense(PARSE_ERROR, f"this line is no JSON: {broken}")
    id, method = shape.id, shape.method
    if isinstance(id, bool) or not isinstance(id, int | str | UnsetType | None):
        return _nonsense(INVALID_REQUEST, "an id is a number, a text or null")
    known = None if isinstance(id, UnsetType) else id
    if shape.jsonrpc != "2.0":
        return _nonsense(INVALID_REQUEST, 'a frame has "jsonrpc": "2.0"', known)
    if isinstance(method, str):
        if isinstance(id, UnsetType):
            return Notification(method=method, params=shape.params)
        return Request(id=id, method=method, params=shape.params)
    if method is not UNSET:
        return _nonsense(INVALID_REQUEST, "a method is a text", known)
    return _reply(known, shape)


def _reply(id: Id, shape: _Shape) -> Frame:
    if shape.error is not UNSET and shape.error is not None:
        try:
            said = msgspec.convert(shape.error, _Error)
        except msgspec.ValidationError:
            said = _Error(INTERNAL_ERROR, "an error without words")
        return Reply(id=id, problem=Problem(code=said.code, message=said.message))
    if isinstance(shape.result, UnsetType):
        return _nonsense(INVALID_REQUEST, "a frame has a method, a result or an error", id)
    return Reply(id=id, result=shape.result)


def _nonsense(code: int, message: str, id: Id = None) -> Nonsense:
    return Nonsense(id=id, problem=Problem(code=code, message=message))


def asked(id: int, method: str, params: object) -> bytes:
    """A request of ours, as a line."""
    return _line({"id": id, "method": method, "params": params})


def told(method: str, params: object) -> bytes:
    """A notification of ours, as a line."""
    return _line({"method": method, "params": params})


def answered(id: Id, result: object) -> bytes:
    """The result of a request of theirs, as a line."""
    return _line({"id": id, "result": result})


def refused(id: Id, problem: Problem) -> bytes:
    """Why a request of theirs has none, as a line."""
    return _line({"id": id, "error": problem})


def _line(frame: Json) -> bytes:
    version: dict[Literal["jsonrpc"], str] = {"jsonrpc": "2.0"}
    return _encoder.encode({**version, **frame}) + b"\n"
