"""Bedrock InvokeModel, from the server's side: a vendor's own events in binary messages."""

import base64

import msgspec

from ouroboros.llm.turns import Fault, ScriptedUsage
from ouroboros.testing.replies import converse, event_stream
from ouroboros.testing.replies.chat import ChatFormat
from ouroboros.testing.replies.converse import ConverseFormat
from ouroboros.testing.replies.messages import MessagesFormat
from ouroboros.testing.replies.piece import Asked, Piece, Refusal, Refused, Reply
from ouroboros.testing.replies.target import Target

type _Inner = tuple[dict[str, object], int]


class InvokeFormat:
    """Speaks InvokeModelWithResponseStream and InvokeModel.

    Inside are the events of Anthropic, of Nova, or for any other model those of a chat completion.
    """

    manner = converse.MANNER

    def __init__(self, target: Target) -> None:
        """The model in the address says whose events are inside."""
        self._model = target.model
        self._streams = target.verb == "invoke-with-response-stream"
        self._inner = _inner(target)

    def read(self, body: dict[str, object]) -> Asked:
        """Reads the vendor's body."""
        asked = self._inner.read(body)
        return msgspec.structs.replace(asked, model=self._model, stream=self._streams)

    def frames(self, reply: Reply, asked: Asked) -> list[Piece]:
        """A message for each of the vendor's events; the last one also counts."""
        inner = self._events(reply, asked)
        last, characters = inner[-1]
        counts = {"amazon-bedrock-invocationMetrics": _metrics(reply.usage)}
        return [_chunk(one) for one in [*inner[:-1], (last | counts, characters)]]

    def whole(self, reply: Reply) -> dict[str, object]:
        """The vendor's answer."""
        return self._inner.whole(reply)

    def refused(self, fault: Fault, refusal: Refusal) -> Refused:
        """As Converse does."""
        return converse.refused(fault, refusal)

    def _events(self, reply: Reply, asked: Asked) -> list[_Inner]:
        if isinstance(self._inner, ConverseFormat):
            return [({kind: body}, characters) for kind, body, characters in converse.events(reply)]
        return [
            (_json_of(frame), characters)
            for frame, characters in self._inner.frames(reply, asked)
            if b"event: ping" not in frame and b"[DONE]" not in frame
        ]


def _inner(target: Target) -> ConverseFormat | MessagesFormat | ChatFormat:
    if "nova" in target.model:
        return ConverseFormat(target)
    return MessagesFormat() if "claude" in target.model else ChatFormat()


def _json_of(frame: bytes) -> dict[str, object]:
    return msgspec.json.decode(frame.partition(b"data: ")[2], type=dict[str, object])


def _chunk(inner: _Inner) -> Piece:
    content = base64.b64encode(msgspec.json.encode(inner[0])).decode()
    return Piece(event_stream.event("chunk", converse.padded({"bytes": content})), inner[1])


def _metrics(usage: ScriptedUsage) -> dict[str, object]:
    counts: dict[str, object] = {
        "inputTokenCount": usage.input_uncached,
        "outputTokenCount": usage.output_text + usage.reasoning,
        "invocationLatency": 100,
        "firstByteLatency": 10,
    }
    return counts | ({"cacheReadInputTokenCount": usage.cache_read} if usage.cache_read else {})
