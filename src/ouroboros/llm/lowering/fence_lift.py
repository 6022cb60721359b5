"""Replies of models without tool calls: their run blocks become calls like any other."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from ouroboros.core.parts import Part, Text, ToolCall
from ouroboros.llm.fields import parse, text_of
from ouroboros.llm.lifecycle import Block, Reply
from ouroboros.llm.lowering.fence_reader import FenceReader, Piece
from ouroboros.llm.lowering.fence_slips import SHELL_TAGS, slip
from ouroboros.llm.lowering.fenced import SECONDS, SHELL, SHELL_WORDS
from ouroboros.llm.lowering.json_strings import Strings
from ouroboros.llm.stream import (
    BlockEnded,
    BlockGrew,
    BlockStarted,
    Failed,
    Finished,
    StreamEvent,
)

_OBJECT = re.compile(r'\s*\{\s*(?:"\w+"\s*:|\}\s*\Z)')

type Style = Literal["open", "text", "json"]


class FenceLifting:
    """Turns run blocks in the words of one reply into calls; each starts when its block closes.

    A block that never closed is no call of a reply that was cut off, and otherwise one with broken
    arguments, for the model to be told.
    """

    def __init__(
        self, fields: Mapping[str, str], *, is_first: bool = False, told: str = ""
    ) -> None:
        """``fields`` names, by tool, the one text that a block may hold instead of JSON.

        A reply that means to act in vain becomes a call that cannot run, unless the model was ``told`` that line.
        """
        self._fields = fields
        self._is_first, self._told = is_first, told
        self._reply = Reply()
        self._texts: dict[int, _Words] = {}
        self._thoughts: dict[int, Block] = {}
        self._ended: list[_Words] = []

    def lift(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        """The same reply with its calls apart from its words."""
        found: list[StreamEvent] = []
        for event in events:
            if isinstance(event, Finished):
                found += self._finished(event)
            elif isinstance(event, Failed):
                self._reply.fail(event.failure)
                *told, _ = self._reply.take()
                found += [*told, replace(event, parts=self._parts(event.parts))]
            else:
                self._take(event)
                found += self._reply.take()
        return found

    def _take(self, event: StreamEvent) -> None:
        for words in self._ended:
            words.end()
        self._ended.clear()
        match event:
            case BlockStarted(kind="text", part=part):
                number = sum(words.calls for words in self._texts.values())
                self._texts[part] = _Words(self._reply, self._fields, number)
            case BlockStarted(kind="reasoning", part=part):
                self._thoughts[part] = self._reply.open("reasoning")
            case BlockGrew(kind="text", part=part, text=text):
                self._texts[part].feed(text)
            case BlockGrew(kind="reasoning", part=part, text=text):
                self._reply.grow(self._thoughts[part], text)
            case BlockEnded(kind="text", part=part):
                # A failure ends blocks too, and what comes next says whether it is one.
                self._ended.append(self._texts[part])
            case BlockEnded(kind="reasoning", part=part):
                self._reply.close(self._thoughts[part])
            case _:
                # A call that the vendor knows as such comes with the ending.
                pass

    def _finished(self, event: Finished) -> list[StreamEvent]:
        for words in self._texts.values():
            words.end()
        if event.stop_reason in {"end", "tool_calls"}:
            self._tell_slip()
        self._reply.end(event.stop_reason)
        *told, ending = self._reply.take()
        stop = event.stop_reason
        if isinstance(ending, Finished) and not any(
            isinstance(part, ToolCall) for part in event.parts
        ):
            stop = ending.stop_reason
        return [*told, replace(event, parts=self._parts(event.parts), stop_reason=stop)]

    def _tell_slip(self) -> None:
        texts = [text for words in self._texts.values() for text in words.texts]
        has_calls = any(words.calls for words in self._texts.values())
        line = slip(texts, self._fields, is_first=self._is_first, has_calls=has_calls)
        if line and line != self._told:
            list(self._texts.values())[-1].add_slip(line)

    def _parts(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """The vendor's parts, each stretch of words in the pieces it was shown in."""
        shown = [words for words in self._texts.values() if words.has_said]
        found: list[Part] = []
        for part in parts:
            if isinstance(part, Text) and part.text.strip() and shown:
                found += shown.pop(0).parts(part)
            elif not isinstance(part, Text) or part.text.strip() or part.meta:
                found.append(part)
        for words in shown:
            found += words.parts(Text(text=""))
        return tuple(found)


class _Words:
    """One stretch of words, told as words and calls."""

    def __init__(self, reply: Reply, fields: Mapping[str, str], number: int) -> None:
        self.slots: list[Block | _Call] = []
        self.calls = 0
        self._reply, self._fields, self._number = reply, fields, number
        self._reader = FenceReader()
        self._text: Block | None = None
        self._call: _Call | None = None
        self._blank = ""
        self._is_over = False

    @property
    def has_said(self) -> bool:
        """Whether there is anything but empty lines."""
        return bool(self.slots or self._reader.held)

    @property
    def texts(self) -> list[str]:
        """The words between blocks."""
        return [slot.text for slot in self.slots if isinstance(slot, Block)]

    def add_slip(self, line: str) -> None:
        """A call that stands for a line which began to act in vain."""
        word = line.strip("`~ ").split(" ")[0]
        name = word if word in self._fields and word not in SHELL_TAGS else SHELL
        self.calls += 1
        block = self._reply.open("call", name=name, call_id=f"run_{self._number + self.calls}")
        self._reply.grow(block, line)
        self.slots.append(_Call(self._reply, block, word, ""))

    def feed(self, text: str) -> None:
        """More words."""
        for piece in self._reader.feed(text):
            self._take(piece)

    def end(self) -> None:
        """No more words; doing it again changes nothing."""
        if self._is_over:
            return
        self._is_over = True
        for piece in self._reader.end():
            self._take(piece)
        if self._call is not None:
            self._call.cut()
        self._close_text()

    def parts(self, whole: Text) -> list[Part]:
        """What the words are in the history; the first of them keep the meta of ``whole``."""
        found: list[Part] = []
        for slot in self.slots:
            if isinstance(slot, _Call):
                is_made = slot.block.is_ready
                found.append(slot.block.call if is_made else Text(text=slot.written))
            else:
                found.append(Text(text=slot.text))
        if held := self._reader.held:
            found.append(Text(text=held))
        if found and isinstance(first := found[0], Text) and whole.meta:
            found[0] = replace(first, meta=whole.meta)
        return found

    def _take(self, piece: Piece) -> None:
        match piece.kind:
            case "text":
                self._say(piece.text)
            case "open":
                self._close_text()
                self._open(piece.text)
            case "body" if self._call is not None:
                self._call.add(piece.text)
            case "close" if self._call is not None:
                self._call.close()
                self._call = None
            case _:
                pass

    def _say(self, text: str) -> None:
        if self._text is None:
            # Empty lines between blocks are nothing that is said.
            self._blank += text
            if not self._blank.strip():
                return
            text, self._blank = self._blank, ""
            self._text = self._reply.open("text")
            self.slots.append(self._text)
        self._reply.grow(self._text, text)

    def _close_text(self) -> None:
        self._blank = ""
        if self._text is not None:
            self._reply.close(self._text)
            self._text = None

    def _open(self, word: str) -> None:
        self.calls += 1
        name = SHELL if word in SHELL_WORDS else word
        id = f"run_{self._number + self.calls}"
        block = self._reply.open("call", name=name, call_id=id)
        self._call = _Call(self._reply, block, word, self._fields.get(name, ""))
        self.slots.append(self._call)


class _Call:
    """A run block that is being read, and how its body becomes arguments."""

    def __init__(self, reply: Reply, block: Block, word: str, field: str) -> None:
        self.block = block
        self.written = f"```run {word}\n"
        self._reply = reply
        self._field = field
        self._is_shell = block.name == SHELL
        self._waiting = ""
        self._strings = Strings()
        self._style: Style = "open"
        if word in SHELL_WORDS:
            self._field = "command"

    def add(self, text: str) -> None:
        """More of the body."""
        self.written += text
        if self._style == "open":
            self._waiting += text
            first = self._waiting.lstrip()[:1]
            if not first:
                return
            text, self._waiting = self._waiting, ""
            self._begin("text" if self._field and first != "{" else "json")
        if self._style == "text":
            self._reply.grow(self.block, text_of(text)[1:-1])
        elif self._is_shell:
            self._waiting += text
        else:
            self._reply.grow(self.block, self._strings.mended(text))

    def close(self) -> None:
        """The block is whole."""
        if self._style == "open" and self._field:
            self._begin("text")
        self._settle()
        if self._style == "text":
            limit = f',"timeout":{SECONDS}' if self._is_shell else ""
            self._reply.grow(self.block, f'"{limit}}}')
        if not self.block.text.strip():
            self._reply.grow(self.block, "{}")
        self._reply.close(self.block)

    def cut(self) -> None:
        """The words ended before the block did: only a whole JSON object still makes a call."""
        if self._style == "open" and self._is_shell:
            self._begin("text")
        self._settle()
        if not self.block.pieces:
            self._reply.grow(self.block, "{")

    def _settle(self) -> None:
        # In bash too, a group of commands begins with a brace.
        waiting, self._waiting = self._waiting, ""
        if self._style == "json" and _OBJECT.match(waiting):
            self._reply.grow(self.block, _within_time(self._strings.mended(waiting)))
            return
        if self._style == "json" and waiting:
            self._begin("text")
        if self._style == "text":
            self._reply.grow(self.block, text_of(waiting)[1:-1])

    def _begin(self, style: Style) -> None:
        self._style = style
        if style == "text":
            self._reply.grow(self.block, f'{{"{self._field}":"')


def _within_time(arguments: str) -> str:
    """The arguments of a shell call; no block may ask for more time than it can have."""
    fields = parse(arguments) or {}
    timeout = fields.get("timeout")
    if isinstance(timeout, int | float) and timeout > SECONDS:
        return text_of({**fields, "timeout": SECONDS})
    return arguments
