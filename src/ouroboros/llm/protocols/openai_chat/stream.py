"""Chat completion chunks to events, with the habits of many vendors."""

from collections.abc import Sequence

from ouroboros.core.errors import Failure
from ouroboros.core.parts import Reasoning, Usage
from ouroboros.llm import usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields, child, children, integer, is_object, parse, string, text_of
from ouroboros.llm.framing import Frame
from ouroboros.llm.lifecycle import Block, Reply
from ouroboros.llm.stream import BlockKind, StopReason, StreamEvent
from ouroboros.llm.think_tags import ThinkTags

_STOPS: dict[str, StopReason] = {
    "stop": "end",
    "eos": "end",
    "eos_token": "end",
    "stop_sequence": "end",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "model_context_window_exceeded": "overflow",
    "model_length": "overflow",
}

_BROKEN_OFF = frozenset({"error", "abort", "network_error", "insufficient_system_resource"})
"""Stop reasons of replies that the vendor could not finish."""

_CALL_FIELDS = frozenset({"index", "id", "type", "function"})


class ChatDecoder:
    """One chat reply; usage may follow the stop reason, so the end waits for ``[DONE]``."""

    def __init__(self, dialect: Dialect) -> None:
        """``dialect`` tells whether thoughts are counted apart, or come within the words."""
        self.reply = Reply()
        self._dialect = dialect
        self._speech: Block | None = None
        self._calls: list[Block] = []
        self._by_index: dict[int, Block] = {}
        self._latest: Block | None = None
        self._details: list[Fields] = []
        self._has_refused = False
        self._has_stopped = False
        self._tags = ThinkTags() if dialect.think_tags else None

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if self.reply.is_over:
            return ()
        data = frame.data
        if data[:1] != "{":
            if data.strip() == "[DONE]":
                self._end()
            return self.reply.take()
        chunk = parse(data)
        if chunk is None:
            self.reply.note_damage()
        else:
            self._read(chunk)
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended; without a stop reason or a count the reply was cut off."""
        if self._has_stopped or self.reply.is_counted:
            self._end()
        else:
            self.reply.fail_cut()
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole completion."""
        completion = parse(body)
        if completion is None or not completion.keys() & {"choices", "error", "object"}:
            self.reply.fail_foreign()
        else:
            self._read(completion)
            self._end()
        return self.reply.take()

    def _read(self, chunk: Fields) -> None:
        if counts := self._counts(chunk):
            self.reply.count(counts, self._usage_of)
        if not self.reply.response_id:
            self.reply.response_id = string(chunk, "id")
            self.reply.model = string(chunk, "model")
        for choice in children(chunk, "choices"):
            if choice.get("index") not in (0, None):
                continue
            self._read_delta(child(choice, "delta") or child(choice, "message"))
            if reason := string(choice, "finish_reason"):
                self._stop(reason)
        if (error := chunk.get("error")) or chunk.get("object") == "error":
            self._fail(chunk, error or chunk)
        elif "base_resp" in chunk and child(chunk, "base_resp").get("status_code"):
            self._fail(chunk, chunk["base_resp"])

    def _usage_of(self, counts: Fields) -> Usage:
        exclusive = self._dialect.usage_reasoning_exclusive
        return usage.from_openai_chat(counts, reasoning_exclusive=exclusive)

    def _counts(self, chunk: Fields) -> Fields | None:
        if chunk.get("usage"):
            return child(chunk, "usage")
        return child(child(chunk, "x_groq"), "usage") if "x_groq" in chunk else None

    def _read_delta(self, delta: Fields) -> None:
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thought, str):
            self._say("reasoning", thought)
        if "reasoning_details" in delta:
            for detail in children(delta, "reasoning_details"):
                self._add_detail(detail)
        content = delta.get("content")
        if content:
            if isinstance(content, str):
                self._speak(content)
            else:
                self._read_content(children(delta, "content"))
        if delta.get("refusal"):
            self._refuse(string(delta, "refusal"))
        if "tool_calls" in delta:
            for call in children(delta, "tool_calls"):
                self._read_call(call)

    def _speak(self, text: str) -> None:
        if self._tags is None:
            self._say("text", text)
            return
        for kind, piece in self._tags.feed(text):
            self._say(kind, piece)

    def _release_held(self) -> None:
        if self._tags is not None:
            for kind, piece in self._tags.end():
                self._say(kind, piece)

    def _say(self, kind: BlockKind, text: str) -> None:
        if not text:
            return
        block = self._speech
        if block is None or block.kind != kind or not block.is_open:
            if block is not None:
                self.reply.close(block)
            block = self._speech = self.reply.open(kind)
        self.reply.grow(block, text)

    def _read_content(self, parts: list[Fields]) -> None:
        for part in parts:
            if part.get("type") == "thinking":
                self._say("reasoning", "".join(string(one, "text") for one in _thoughts(part)))
            elif part.get("type") in ("text", None):
                self._speak(string(part, "text"))

    def _refuse(self, text: str) -> None:
        if not self._has_refused and self._speech is not None:
            self.reply.close(self._speech)
        self._has_refused = True
        self._say("text", text)
        if self._speech is not None:
            self._speech.meta["refusal"] = True

    def _add_detail(self, detail: Fields) -> None:
        # Pieces of one detail share type, index and id; encrypted ones always come whole.
        last = self._details[-1] if self._details else None
        is_piece = (
            last is not None
            and last.get("type") == detail.get("type") != "reasoning.encrypted"
            and last.get("index") == detail.get("index")
            and detail.get("id") in (None, last.get("id"))
        )
        if last is None or not is_piece:
            self._details.append(dict(detail))
            return
        for key, value in detail.items():
            if key in {"text", "summary"} and isinstance(value, str):
                last[key] = string(last, key) + value
            elif value not in (None, "") or key not in last:
                last[key] = value

    def _read_call(self, delta: Fields) -> None:
        function = child(delta, "function")
        call_id, name = string(delta, "id"), string(function, "name")
        index = integer(delta, "index")
        block = self._block_of(index, call_id, name) or self._open_call(index, call_id, name)
        block.name = block.name or name
        block.id = block.id or call_id
        for key, value in delta.items():
            if key not in _CALL_FIELDS:
                block.meta[key] = value
        arguments = function.get("arguments")
        if isinstance(arguments, dict):
            arguments = text_of(child(function, "arguments"))
        if isinstance(arguments, str):
            self.reply.grow(block, arguments)

    def _block_of(self, index: int | None, call_id: str, name: str) -> Block | None:
        if index is None and call_id:
            return next((block for block in self._calls if block.id == call_id), None)
        block = self._latest if index is None else self._by_index.get(index)
        if block is None or not name:
            return block
        # Some servers number every parallel call 0 or not at all.
        is_other = call_id != block.id if call_id and block.id else is_object(block.text)
        return None if is_other else block

    def _open_call(self, index: int | None, call_id: str, name: str) -> Block:
        self._release_held()
        if self._speech is not None:
            self.reply.close(self._speech)
        # A whole JSON object cannot grow, so its call may start though others follow.
        if self._latest is not None and is_object(self._latest.text):
            self._close_call(self._latest)
        block = self.reply.open("call", name=name, call_id=call_id)
        if index is not None:
            self._by_index[index] = block
        self._calls.append(block)
        self._latest = block
        return block

    def _close_call(self, block: Block) -> None:
        # A call without an id still needs one, the same each time the reply is read.
        block.id = block.id or f"call_{self.reply.response_id}_{block.part}"
        self.reply.close(block)

    def _stop(self, reason: str) -> None:
        self.reply.trace.stop_reason = reason
        self._has_stopped = True
        if reason not in _BROKEN_OFF:
            self._close_blocks()

    def _close_blocks(self) -> None:
        self._release_held()
        if self._speech is not None:
            self.reply.close(self._speech)
        for block in self._calls:
            self._close_call(block)

    def _fail(self, chunk: Fields, error: object) -> None:
        from ouroboros.llm.failures import classify

        self.reply.trace.error = error
        self._release_held()
        self._keep_details()
        self.reply.fail(classify(200, {}, chunk, now=0.0))

    def _keep_details(self) -> None:
        if not self._details:
            return
        details, self._details = self._details, []
        if thoughts := self.reply.blocks("reasoning"):
            thoughts[0].meta["details"] = details
            return
        self.reply.place_first(Reasoning(meta={"details": details}))

    def _end(self) -> None:
        if self.reply.is_over:
            return
        self._close_blocks()
        self._keep_details()
        reason = self.reply.trace.stop_reason
        if reason in _BROKEN_OFF:
            self.reply.fail(
                Failure(kind="server", message="The provider broke its reply off.", retryable=True)
            )
            return
        stop = _STOPS.get(reason or "", "unknown")
        if self._has_refused and stop in {"end", "unknown"}:
            stop = "refusal"
        self.reply.end(stop)


def _thoughts(part: Fields) -> list[Fields]:
    return children(part, "thinking") or [{"text": string(part, "thinking")}]
