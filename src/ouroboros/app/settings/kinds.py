"""What the values of settings may be."""

from typing import Annotated, Literal

from msgspec import Meta

from ouroboros.llm.dialect import Dialect

type Ratio = Annotated[float, Meta(gt=0, le=1)]
type Positive = Annotated[int, Meta(gt=0)]
type Count = Annotated[int, Meta(ge=0)]
type Seconds = Annotated[float, Meta(gt=0)]
type FolderName = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?\Z",
        extra={"words": "a name of letters, digits, dot, dash and underscore, the first no sign"},
    ),
]
"""At most 64 characters that may name a folder, or nothing."""
type HostName = Annotated[
    str,
    Meta(
        pattern=r"^(https?://)?(\*\*?\.)?[A-Za-z0-9\[:\u0080-\U0010ffff][^\s*/@?#\\]*/?\Z",
        extra={"words": "a host such as example.com, *.example.com or **.example.com"},
    ),
]
type ProtocolName = Literal[
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini",
    "ollama-chat",
    "bedrock-converse",
    "bedrock-invoke-stream",
]
type ApprovalName = Literal["untrusted", "on-failure", "on-request", "never", "granular"]
type DialectChanges = Annotated[dict[str, object], Meta(extra={"table": Dialect})]
"""Some members of a ``Dialect``: which ones were given must not be lost."""
