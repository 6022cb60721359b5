"""What is asked of a model, independent of any vendor."""

from typing import Literal

from msgspec import Struct

from ouroboros.core.commands import Effort
from ouroboros.core.parts import Message, ToolSpec

type WebSearch = Literal["off", "cached", "live"]
"""``cached`` keeps it to what the vendor has stored, so that no server hears of it."""
type ToolChoice = Literal["auto", "none", "required"]


class Request(Struct, frozen=True, kw_only=True):
    """One request, whole: building its body needs nothing else but the dialect.

    Attributes:
        model: The vendor's name of the model, without the provider.
        system: Pieces of the system prompt, in order; they never change within a session.
        messages: The history; every tool call is followed by its result.
        max_output_tokens: None leaves it to the vendor, or to the dialect where it is required.
        cache_key: Groups requests that share a prefix, such as the session's id.
        service_tier: The vendor's word for how urgent it is, such as ``flex`` or ``priority``.
        web_search: Whether the vendor may look things up on the web, where it can.
        window: Tokens the model may see, for vendors that must be told; None if unknown.
    """

    model: str
    system: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = "auto"
    max_output_tokens: int | None = None
    temperature: float | None = None
    effort: Effort | None = None
    cache_key: str = ""
    stream: bool = True
    service_tier: str | None = None
    web_search: WebSearch = "off"
    window: int | None = None
