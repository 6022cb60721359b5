"""A model as a session asks it: connected, tuned and priced."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

from msgspec import Struct

from ouroboros.agent.context import compaction, images
from ouroboros.core.limits import CONTEXT_WINDOW, IMAGES_TOKENS, KEEP_USER_TOKENS
from ouroboros.core.parts import Message, Origin, ToolSpec, Usage
from ouroboros.llm.request import Effort, Request, WebSearch
from ouroboros.llm.stream import StreamEvent


class Model(Protocol):
    """One model of one provider, ready to be asked."""

    @property
    def origin(self) -> Origin:
        """Who writes the replies."""
        ...

    def stream(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Asks; the iterator ends with ``Finished`` or raises ``ModelFailed``."""
        ...


class Tuning(Struct, frozen=True, kw_only=True):
    """What a person may set about requests and compaction.

    Attributes:
        known_window: None where ``window`` is only assumed.
        takes_images: None where nobody says.
        most_images: Sent at a time; older ones are left out. 0 for a model that sees none.
        scope: What counts against the limit: all, or what came after the first request.
        takes_tier: The vendor knows service tiers; to another one they are not sent.
        cuts_silently: The vendor cuts a history that is too long and does not say so.
    """

    window: int = CONTEXT_WINDOW
    known_window: int | None = None
    threshold: float = 0.8
    fixed_limit: int | None = None
    scope: Literal["total", "body_after_prefix"] = "total"
    keep: compaction.Keep = compaction.Keep(user_tokens=KEEP_USER_TOKENS)
    effort: Effort | None = None
    efforts: tuple[Effort, ...] | None = None
    service_tier: str | None = None
    takes_tier: bool = True
    temperature: float | None = None
    max_output_tokens: int | None = None
    takes_images: bool | None = None
    most_images: int = images.most(IMAGES_TOKENS, CONTEXT_WINDOW)
    cuts_silently: bool = False
    web_search: WebSearch = "off"


class Speaker(Struct, frozen=True, kw_only=True):
    """A model, how it is asked, and what it costs.

    ``cost`` prices a usage in US dollars; None when a price is unknown.
    """

    name: str
    model: Model
    tuning: Tuning
    cost: Callable[[Usage], float | None]

    def request(
        self,
        system: tuple[str, ...],
        messages: tuple[Message, ...],
        tools: tuple[ToolSpec, ...],
        *,
        choice: Literal["auto", "none"],
        cache_key: str,
    ) -> Request:
        """A request to this model, as it is tuned."""
        tuning = self.tuning
        return Request(
            model=self.model.origin.model,
            system=system,
            messages=messages,
            tools=tools,
            tool_choice=choice,
            max_output_tokens=tuning.max_output_tokens,
            temperature=tuning.temperature,
            effort=tuning.effort,
            service_tier=tuning.service_tier,
            window=tuning.known_window,
            cache_key=cache_key,
            web_search=tuning.web_search if choice == "auto" else "off",
        )
