"""What is known of one model, and how several sources are joined."""

from msgspec import Struct

from ouroboros.llm.price import Price
from ouroboros.llm.request import Effort


class Known(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a model; None and empty mean unknown.

    Attributes:
        window: Tokens that a request may hold.
        max_output: Tokens that a reply may hold.
        inputs: What it takes besides text: ``image``, ``pdf``, ``audio``, ``video``.
        images: Whether it takes images, where somebody says so or says no.
        tools: Whether it can call tools.
        reasoning: Whether it thinks before it answers.
        efforts: The levels of reasoning that may be asked for.
        retires: The day on which the vendor will no longer serve it, as YYYY-MM-DD.
    """

    window: int | None = None
    max_output: int | None = None
    inputs: tuple[str, ...] = ()
    images: bool | None = None
    tools: bool | None = None
    reasoning: bool | None = None
    efforts: tuple[Effort, ...] = ()
    price: Price | None = None
    retires: str = ""

    def over(self, below: "Known") -> "Known":
        """This, and what only ``below`` knows."""
        return Known(
            window=below.window if self.window is None else self.window,
            max_output=below.max_output if self.max_output is None else self.max_output,
            inputs=self.inputs or below.inputs,
            images=below.images if self.images is None and not self.inputs else self.images,
            tools=below.tools if self.tools is None else self.tools,
            reasoning=below.reasoning if self.reasoning is None else self.reasoning,
            efforts=self.efforts or below.efforts,
            price=self.price or below.price,
            retires=self.retires or below.retires,
        )
