"""Every setting, its type and its default; where the values come from is ``app.config``'s matter."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ouroboros.core import limits
from ouroboros.core.commands import Mode

type Ratio = Annotated[float, Meta(gt=0, le=1)]
type Positive = Annotated[int, Meta(gt=0)]
type Count = Annotated[int, Meta(ge=0)]
type Seconds = Annotated[float, Meta(gt=0)]
type Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[limits]``: where a run ends by itself; unset means unbounded."""

    max_turns: Positive | None = None
    max_tokens: Positive | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    max_time: Seconds | None = None


class Context(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[context]``: when the history is summarised and what is kept."""

    threshold: Ratio = 0.8
    fixed_limit: Positive | None = None
    keep_user_tokens: Count = limits.KEEP_USER_TOKENS
    keep_messages: Count = 0
    window: Positive | None = None
    instruction_bytes: Count = limits.INSTRUCTION_BYTES
    off: tuple[str, ...] = ()


class Tools(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tools]``: what the tools may do and how much of it the model sees."""

    output_bytes: Annotated[int, Meta(ge=1, le=limits.TOOL_OUTPUT_BYTES)] = limits.TOOL_OUTPUT_BYTES
    shell_timeout: Seconds = limits.SHELL_TIMEOUT_SECONDS
    shell_timeout_cap: Seconds = limits.SHELL_TIMEOUT_CAP_SECONDS
    write_max: Positive = limits.WRITE_BYTES
    disabled: tuple[str, ...] = ()


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A permission rule in its long spelling; ``"Tool(content)"`` is the short one."""

    tool_name: str
    rule_content: str = "*"


class Permissions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[permissions]``: lists of rules; deny from any layer wins."""

    allow: tuple[str | Rule, ...] = ()
    ask: tuple[str | Rule, ...] = ()
    deny: tuple[str | Rule, ...] = ()


class Network(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[network]``: how patient the model connection is."""

    request_retries: Annotated[int, Meta(ge=0, le=100)] = 4
    stream_retries: Annotated[int, Meta(ge=0, le=100)] = 5
    connect_timeout: Seconds = 5.0
    idle_timeout: Seconds = 120.0


class Provider(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[providers.NAME]``: a vendor of the person's own, or another address for a known one."""

    base_url: str
    protocol: Literal["openai-chat", "openai-responses", "anthropic-messages"] = "openai-chat"
    key_env: str = ""
    auth: Literal["bearer", "none"] = "bearer"


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[models."NAME"]``: what the catalogue does not know; prices per million tokens."""

    window: Positive | None = None
    input: Annotated[float, Meta(ge=0)] | None = None
    cached: Annotated[float, Meta(ge=0)] | None = None
    output: Annotated[float, Meta(ge=0)] | None = None


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of a run, after the layers were joined."""

    model: str = ""
    mode: Mode = "ask"
    effort: Effort | None = None
    system: str = ""
    base_url: str = ""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    max_output_tokens: Positive | None = None
    limits: Limits = field(default_factory=Limits)
    context: Context = field(default_factory=Context)
    tools: Tools = field(default_factory=Tools)
    permissions: Permissions = field(default_factory=Permissions)
    network: Network = field(default_factory=Network)
    providers: dict[str, Provider] = field(default_factory=dict[str, Provider])
    models: dict[str, Price] = field(default_factory=dict[str, Price])
