"""Replies as vendors send them, made long: thoughts, words and the arguments of one call.

Only the standard library, so that the server runs under any Python.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

WORDS = ("The ", "quick ", "brown ", "fox ", "jumps ", "over ", "the ", "lazy ", "dog", ". ")
_PIECES = ("alpha ", "beta ", "gamma ", "delta ")


@dataclass(frozen=True)
class Stream:
    """One reply.

    Attributes:
        frames: What goes over the wire, one vendor event each; ``tail`` is none.
        characters: Thoughts, words and arguments in it, which every reader must have received.
    """

    wire: str
    frames: list[bytes]
    characters: int
    content_type: str = "text/event-stream"
    tail: bytes = b""

    @property
    def events(self) -> int:
        """Events of the vendor."""
        return len(self.frames)


def make(wire: str, thoughts: int, words: int, arguments: int) -> Stream:
    """A reply with as many deltas of each kind."""
    spoken = (
        [WORDS[place % 10] for place in range(thoughts)],
        [WORDS[place % 10] for place in range(words)],
        ['{"text": "', *(_PIECES[place % 4] for place in range(arguments - 2)), '"}']
        if arguments
        else [],
    )
    characters = sum(len(one) for kind in spoken for one in kind)
    match wire:
        case "chat":
            return Stream(wire, list(_chat(*spoken)), characters, tail=b"data: [DONE]\n\n")
        case "responses":
            return Stream(wire, list(_responses(*spoken)), characters)
        case "messages":
            return Stream(wire, list(_messages(*spoken)), characters)
        case _:
            raise ValueError(wire)


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _event(fields: dict[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (fields["type"].encode(), _json(fields))


def _chat(thoughts: list[str], words: list[str], arguments: list[str]) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], reason: str | None = None, **more: object) -> bytes:
        return b"data: %b\n\n" % _json({
            "id": "chatcmpl-B7yRzwMxUAcDe4fGhIjKlMnOpQrSt",
            "object": "chat.completion.chunk",
            "created": 1_741_570_283,
            "model": "bench",
            "service_tier": "default",
            "system_fingerprint": "fp_06737a9306",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
            **more,
        })

    yield chunk({"role": "assistant", "content": ""})
    for piece in thoughts:
        yield chunk({"reasoning_content": piece})
    for piece in words:
        yield chunk({"content": piece})
    if arguments:
        call = {"id": "call_1", "type": "function", "function": {"name": "note", "arguments": ""}}
        yield chunk({"tool_calls": [{"index": 0, **call}]})
    for piece in arguments:
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if arguments else "stop")
    yield b"data: %b\n\n" % _json({
        "id": "chatcmpl-B7yRzwMxUAcDe4fGhIjKlMnOpQrSt",
        "object": "chat.completion.chunk",
        "created": 1_741_570_283,
        "model": "bench",
        "service_tier": "default",
        "system_fingerprint": "fp_06737a9306",
        "choices": [],
        "usage": {"prompt_tokens": 30, "completion_tokens": 2000, "total_tokens": 2030},
    })


def _messages(thoughts: list[str], words: list[str], arguments: list[str]) -> Iterator[bytes]:
    yield _event({
        "type": "message_start",
        "message": {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": "bench",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 30, "output_tokens": 1},
        },
    })
    blocks: list[tuple[dict[str, Any], str, str, list[str]]] = [
        ({"type": "thinking", "thinking": "", "signature": ""}, "thinking", "thinking", thoughts),
        ({"type": "text", "text": ""}, "text", "text", words),
        (
            {"type": "tool_use", "id": "toolu_01", "name": "note", "input": {}},
            *("input_json", "partial_json", arguments),
        ),
    ]
    index = count()
    for block, kind, field, pieces in blocks:
        if not pieces:
            continue
        here = next(index)
        yield _event({"type": "content_block_start", "index": here, "content_block": block})
        for piece in pieces:
            delta = {"type": f"{kind}_delta", field: piece}
            yield _event({"type": "content_block_delta", "index": here, "delta": delta})
        if kind == "thinking":
            delta = {"type": "signature_delta", "signature": "EqQBCkYIBxgC"}
            yield _event({"type": "content_block_delta", "index": here, "delta": delta})
        yield _event({"type": "content_block_stop", "index": here})
    reason = "tool_use" if arguments else "end_turn"
    yield _event({
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 2000},
    })
    yield _event({"type": "message_stop"})


def _responses(thoughts: list[str], words: list[str], arguments: list[str]) -> Iterator[bytes]:
    number = count()

    def event(kind: str, **fields: object) -> bytes:
        return _event({"type": kind, "sequence_number": next(number), **fields})

    output: list[dict[str, Any]] = []
    yield event("response.created", response=_response([], "in_progress"))
    yield event("response.in_progress", response=_response([], "in_progress"))
    for item, kind, pieces in (
        (_thought(""), "reasoning", thoughts),
        (_message("", "in_progress"), "message", words),
        (_call("", "in_progress"), "function_call", arguments),
    ):
        if not pieces:
            continue
        place = {"item_id": item["id"], "output_index": len(output)}
        whole = "".join(pieces)
        yield event("response.output_item.added", output_index=len(output), item=item)
        done = _done(kind, whole)
        inner, starts, ends = _inner(kind, place, whole)
        for name, fields in starts:
            yield event(name, **fields)
        for piece in pieces:
            more = {"obfuscation": "vPq3ZkT8aB1c"} if kind != "reasoning" else {}
            yield event(f"{inner}.delta", **_within(kind, place), delta=piece, **more)
        for name, fields in ends:
            yield event(name, **fields)
        yield event("response.output_item.done", output_index=len(output), item=done)
        output.append(done)
    yield event("response.completed", response=_response(output, "completed"))


def _within(kind: str, place: dict[str, Any]) -> dict[str, Any]:
    match kind:
        case "reasoning":
            return {**place, "summary_index": 0}
        case "message":
            return {**place, "content_index": 0, "logprobs": []}
        case _:
            return place


type _Events = list[tuple[str, dict[str, Any]]]


def _inner(kind: str, place: dict[str, Any], whole: str) -> tuple[str, _Events, _Events]:
    within = _within(kind, place)
    match kind:
        case "reasoning":
            part = {"type": "summary_text", "text": ""}
            starts: _Events = [("response.reasoning_summary_part.added", {**within, "part": part})]
            ends: _Events = [
                ("response.reasoning_summary_text.done", {**within, "text": whole}),
                (
                    "response.reasoning_summary_part.done",
                    {**within, "part": {**part, "text": whole}},
                ),
            ]
            return "response.reasoning_summary_text", starts, ends
        case "message":
            part: dict[str, Any] = {
                "type": "output_text",
                "annotations": [],
                "logprobs": [],
                "text": "",
            }
            spot = {**place, "content_index": 0}
            starts = [("response.content_part.added", {**spot, "part": part})]
            ends = [
                ("response.output_text.done", {**within, "text": whole}),
                ("response.content_part.done", {**spot, "part": {**part, "text": whole}}),
            ]
            return "response.output_text", starts, ends
        case _:
            name = "response.function_call_arguments"
            return name, [], [(f"{name}.done", {**place, "name": "note", "arguments": whole})]


def _thought(text: str) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": text}] if text else []
    return {"id": "rs_01", "type": "reasoning", "summary": summary, "encrypted_content": "gAAAA"}


def _message(text: str, status: str) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "annotations": [], "logprobs": [], "text": text}
    return {
        "id": "msg_01",
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": [part] if text else [],
    }


def _call(arguments: str, status: str) -> dict[str, Any]:
    return {
        "id": "fc_01",
        "type": "function_call",
        "status": status,
        "call_id": "call_01",
        "name": "note",
        "arguments": arguments,
    }


def _done(kind: str, whole: str) -> dict[str, Any]:
    match kind:
        case "reasoning":
            return _thought(whole)
        case "message":
            return _message(whole, "completed")
        case _:
            return _call(whole, "completed")


def _response(output: list[dict[str, Any]], status: str) -> dict[str, Any]:
    usage = {
        "input_tokens": 30,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 2000,
        "output_tokens_details": {"reasoning_tokens": 500},
        "total_tokens": 2030,
    }
    return {
        "id": "resp_01",
        "object": "response",
        "created_at": 1_741_570_283,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "bench",
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage if status == "completed" else None,
    }
