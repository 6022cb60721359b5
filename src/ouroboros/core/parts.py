"""Messages and their parts: what people, models and tools say, independent of any vendor.

A part is a closed union told apart by its ``type`` tag. Vendor leftovers that must travel back
unchanged (signatures, encrypted reasoning, item ids) live in ``meta`` and are never interpreted
outside the protocol that wrote them.
"""

from typing import Literal

from msgspec import Struct

type Meta = dict[str, object]

type Role = Literal["user", "assistant"]
type MessageKind = Literal["plain", "context", "summary", "nudge"]


class Text(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="text"):
    """Words."""

    text: str
    meta: Meta = {}


class Media(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="media"):
    """An image, document or sound: base64 ``data``, or a ``url`` the vendor can fetch."""

    media_type: str
    data: str = ""
    url: str = ""
    name: str = ""
    meta: Meta = {}


class Reasoning(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reasoning"):
    """What a model thought; ``meta`` holds the opaque fields it wants back byte for byte."""

    text: str = ""
    meta: Meta = {}


class ToolCall(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_call"):
    """A call as the model wrote it; ``arguments`` is its JSON text, never re-serialised."""

    id: str
    name: str
    arguments: str = "{}"
    meta: Meta = {}


class ToolResult(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool_result"):
    """The answer to one call; ``ok`` is False when the model should read it as a failure."""

    call_id: str
    name: str
    parts: tuple[Text | Media, ...] = ()
    ok: bool = True

    @property
    def text(self) -> str:
        """All text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


class Foreign(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="foreign"):
    """A vendor block we carry but do not read: ``content`` is its JSON text as it came."""

    kind: str
    content: str
    meta: Meta = {}


type Part = Text | Media | Reasoning | ToolCall | ToolResult | Foreign


class Origin(Struct, frozen=True, kw_only=True):
    """Who wrote an assistant message: opaque parts are replayed only to the same origin."""

    provider: str
    protocol: str
    model: str


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of the history.

    A ``user`` message may hold ``ToolResult`` parts; ``kind`` tells a person's words from context
    that the engine added, a compaction summary, or a nudge.
    """

    id: str
    role: Role
    parts: tuple[Part, ...] = ()
    kind: MessageKind = "plain"
    origin: Origin | None = None

    @property
    def text(self) -> str:
        """All text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls in the order the model made them."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Token counts that never overlap; ``None`` is unknown, which is not 0.

    Their sum is what is billed. ``raw`` is the vendor's own object.
    """

    input_uncached: int = 0
    cache_read: int | None = None
    cache_write: int | None = None
    output_text: int = 0
    reasoning: int | None = None
    raw: Meta = {}

    @property
    def input_total(self) -> int:
        """Every input token, cached or not."""
        return self.input_uncached + (self.cache_read or 0) + (self.cache_write or 0)

    @property
    def output_total(self) -> int:
        """Every output token, thought or said."""
        return self.output_text + (self.reasoning or 0)

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input_total + self.output_total


class Freeform(Struct, frozen=True, kw_only=True):
    """The text that a tool takes instead of JSON, by a grammar; no ``syntax`` means any text."""

    syntax: Literal["", "lark", "regex"] = ""
    definition: str = ""


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as a model is told of it; ``schema`` is JSON Schema as text.

    A tool with ``freeform`` may be given as text where a vendor can; its schema then describes the
    same tool with that text in its one string field.
    """

    name: str
    description: str
    schema: str
    freeform: Freeform | None = None


_LOOKED_UP = ("web_search_call", "web_search_tool_result", "web_fetch_tool_result", "toolResponse")


def looked_up(message: Message) -> tuple[str, ...]:
    """Where a reply has text from that its vendor found outside, by itself."""
    found = (part.kind in _LOOKED_UP for part in message.parts if isinstance(part, Foreign))
    return ("web search",) if any(found) else ()
