"""Responses events to ours; items are told apart by output index, for their ids may change."""

from collections.abc import Sequence

from msgspec import Struct, field

from ouroboros.core.parts import Foreign
from ouroboros.llm import usage
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import (
    Fields,
    child,
    children,
    integer,
    parse,
    raw_member,
    raw_members,
    string,
    text_of,
)
from ouroboros.llm.framing import Frame
from ouroboros.llm.lifecycle import Block, Place, Reply
from ouroboros.llm.stream import BlockKind, StopReason, StreamEvent

_INCOMPLETE: dict[str, StopReason] = {
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}

_CALL_FIELDS = frozenset({"type", "id", "call_id", "name", "arguments", "input", "status"})


class _Item(Struct, kw_only=True, eq=False):
    """An output item and the blocks it shows as, by content index."""

    blocks: dict[int, Block] = field(default_factory=dict[int, Block])
    place: Place | None = None
    is_done: bool = False


class ResponsesDecoder:
    """One response; it ends with its terminal event."""

    def __init__(self, dialect: Dialect) -> None:
        """The format has no dialects on the way back."""
        self.reply = Reply()
        self._items: dict[int, _Item] = {}
        self._indexes: dict[str, int] = {}
        self._latest = 0

    def step(self, frame: Frame) -> Sequence[StreamEvent]:
        """The events of one frame."""
        if frame.data[:1] != "{":
            return ()
        event = parse(frame.data)
        if event is None:
            self.reply.note_damage()
            return ()
        if self.reply.is_over:
            self._read_late(event)
            return ()
        kind = event.get("type")
        if kind == "response.output_text.delta":
            self._grow(event, "text", "content_index")
        elif kind == "response.function_call_arguments.delta":
            self._grow(event, "call", "")
        elif isinstance(kind, str):
            self._read(kind, event, frame.data)
        return self.reply.take()

    def finish(self) -> Sequence[StreamEvent]:
        """The bytes have ended; without a terminal event the reply was cut off."""
        self.reply.fail_cut()
        return self.reply.take()

    def read(self, body: bytes) -> Sequence[StreamEvent]:
        """The events of a whole response."""
        response = parse(body)
        if response is None or not response.keys() & {"output", "error"}:
            self.reply.fail_foreign()
        elif response.get("error"):
            self.reply.trace.stop_reason = string(response, "status") or None
            self._fail(response)
        else:
            self._begin(response)
            self._end(response, raw_members(body, "output"))
        return self.reply.take()

    def _read(self, kind: str, event: Fields, data: str) -> None:
        match kind:
            case "response.output_item.added":
                self._add(event)
            case "response.output_item.done":
                item = child(event, "item")
                self._complete(self._index(event, item), item, raw_member(data, "item", item))
            case "response.reasoning_text.delta":
                self._grow(event, "reasoning", "")
            case "response.reasoning_summary_text.delta":
                self._grow_summary(event)
            case "response.custom_tool_call_input.delta":
                self._grow_input(event)
            case "response.refusal.delta":
                self._grow(event, "text", "content_index").meta["refusal"] = True
            case "response.created" | "response.in_progress" | "response.queued":
                self._begin(child(event, "response"))
            case (
                "response.completed"
                | "response.incomplete"
                | "response.failed"
                | "response.cancelled"
            ):
                response = child(event, "response")
                text = raw_member(data, "response", response)
                self._end(response, raw_members(text, "output"))
            case "error":
                self._fail(event)
            case _:
                pass

    def _read_late(self, event: Fields) -> None:
        # A vendor tells of an error twice; the second telling is the whole response's.
        if event.get("type") == "response.failed":
            response = child(event, "response")
            self.reply.trace.stop_reason = string(response, "status") or None
            self.reply.trace.error = response.get("error") or self.reply.trace.error

    def _begin(self, response: Fields) -> None:
        self.reply.response_id = string(response, "id")
        self.reply.model = string(response, "model")

    def _index(self, event: Fields, item: Fields) -> int:
        index = integer(event, "output_index")
        item_id = string(event, "item_id") or string(item, "id")
        if index is None:
            index = self._indexes.get(item_id, self._latest)
        if item_id:
            self._indexes[item_id] = index
        self._latest = index
        return index

    def _item(self, index: int) -> _Item:
        item = self._items.get(index)
        if item is None:
            item = self._items[index] = _Item()
        return item

    def _block(self, index: int, kind: BlockKind, place: int) -> Block:
        blocks = self._item(index).blocks
        block = blocks.get(place)
        if block is None:
            block = blocks[place] = self.reply.open(kind)
        return block

    def _grow(self, event: Fields, kind: BlockKind, place_key: str) -> Block:
        place = (integer(event, place_key) or 0) if place_key else 0
        block = self._block(self._index(event, {}), kind, place)
        if block.kind == kind:
            self.reply.grow(block, string(event, "delta"))
        return block

    def _grow_summary(self, event: Fields) -> None:
        index = self._index(event, {})
        block = self._block(index, "reasoning", 0)
        part = integer(event, "summary_index") or 0
        if part and block.pieces and block.meta.get("part") != part:
            self.reply.grow(block, "\n\n")
        block.meta["part"] = part
        self.reply.grow(block, string(event, "delta"))

    def _grow_input(self, event: Fields) -> None:
        block = self._block(self._index(event, {}), "call", 0)
        opening = "" if block.pieces else '{"input":"'
        self.reply.grow(block, opening + text_of(string(event, "delta"))[1:-1])

    def _add(self, event: Fields) -> None:
        item = child(event, "item")
        index = self._index(event, item)
        if item.get("type") in ("function_call", "custom_tool_call"):
            self._call_block(index, item)
        elif item.get("type") not in ("message", "reasoning"):
            self._item(index).place = self.reply.place()

    def _call_block(self, index: int, item: Fields) -> Block:
        blocks = self._item(index).blocks
        if 0 not in blocks:
            name, call_id = string(item, "name"), string(item, "call_id")
            blocks[0] = self.reply.open("call", name=name, call_id=call_id)
        return blocks[0]

    def _complete(self, index: int, item: Fields, text: str) -> None:
        state = self._item(index)
        if state.is_done:
            return
        state.is_done = True
        match item.get("type"):
            case "message":
                self._complete_message(index, item)
            case "reasoning":
                self._complete_reasoning(index, item, text)
            case "function_call":
                self._complete_call(index, item, string(item, "arguments"))
            case "custom_tool_call":
                arguments = text_of({"input": string(item, "input")})
                self._complete_call(index, item, arguments).meta["custom"] = True
            case kind:
                place = state.place or self.reply.place()
                place.part = Foreign(kind=str(kind), content=text)
        for block in state.blocks.values():
            self.reply.close(block)

    def _complete_message(self, index: int, item: Fields) -> None:
        for place, part in enumerate(children(item, "content")):
            is_refusal = part.get("type") == "refusal"
            block = self._block(index, "text", place)
            self._settle(block, string(part, "refusal" if is_refusal else "text"))
            if is_refusal:
                block.meta["refusal"] = True
            if annotations := part.get("annotations"):
                block.meta["annotations"] = annotations
        for block in self._item(index).blocks.values():
            for key in ("id", "phase"):
                if value := item.get(key):
                    block.meta[key] = value

    def _complete_reasoning(self, index: int, item: Fields, text: str) -> None:
        block = self._block(index, "reasoning", 0)
        block.meta.pop("part", None)
        if not block.pieces:
            thoughts = [string(part, "text") for part in children(item, "content")]
            summary = [string(part, "text") for part in children(item, "summary")]
            self.reply.grow(block, "".join(thoughts) or "\n\n".join(summary))
        block.meta["item"] = text

    def _complete_call(self, index: int, item: Fields, arguments: str) -> Block:
        block = self._call_block(index, item)
        block.name = string(item, "name") or block.name
        block.id = string(item, "call_id") or block.id or string(item, "id")
        self._settle(block, arguments)
        if item_id := string(item, "id"):
            block.meta["id"] = item_id
        block.meta.update({key: item[key] for key in item if key not in _CALL_FIELDS})
        self.reply.close(block)
        return block

    def _settle(self, block: Block, final: str) -> None:
        # The final text wins over the deltas; usually it repeats them.
        known = block.text
        if final.startswith(known):
            self.reply.grow(block, final[len(known) :])
        elif final:
            block.pieces = [final]

    def _end(self, response: Fields, texts: list[str]) -> None:
        if counts := child(response, "usage"):
            self.reply.count(counts, usage.from_openai_responses)
        status = string(response, "status")
        self.reply.trace.stop_reason = status or None
        if status == "failed" or response.get("error"):
            self._fail({"error": response.get("error") or {"message": "The response failed."}})
            return
        for place, item in enumerate(children(response, "output")):
            index = self._indexes.get(string(item, "id"), place)
            self._complete(index, item, texts[place] if place < len(texts) else text_of(item))
        self.reply.close_all()
        self.reply.end(self._stop_reason(status, response))

    def _stop_reason(self, status: str, response: Fields) -> StopReason:
        if status == "completed":
            return "refusal" if self._is_refused() else "end"
        reason = string(child(response, "incomplete_details"), "reason")
        self.reply.trace.stop_reason = reason or self.reply.trace.stop_reason
        return _INCOMPLETE.get(reason, "unknown")

    def _is_refused(self) -> bool:
        return any(block.meta.get("refusal") for block in self.reply.blocks("text"))

    def _fail(self, event: Fields) -> None:
        from ouroboros.llm.failures import classify, error_of

        self.reply.trace.error = error_of(event)
        self.reply.fail(classify(200, {}, event, now=0.0))
