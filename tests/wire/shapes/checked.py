"""Whether a body is as its vendor documents it: every member, its place and its values.

The shapes are written by hand; a member that none of them names is refused.
"""

import json

import msgspec

from tests.wire.shapes.chat import CHAT_EXTRAS, EVERYONE, Chat
from tests.wire.shapes.contents import Contents
from tests.wire.shapes.converse import converse_faults
from tests.wire.shapes.messages import Messages
from tests.wire.shapes.ollama import Ollama
from tests.wire.shapes.responses import Responses

SHAPES: dict[str, type] = {
    "openai-chat": Chat,
    "openai-responses": Responses,
    "anthropic-messages": Messages,
    "gemini": Contents,
    "ollama-chat": Ollama,
}


def check(protocol: str, vendor: str, body: bytes) -> None:
    """Fails for a body with a member, a value or a place that the vendor does not document."""
    if protocol == "bedrock-converse":
        assert list(converse_faults(json.loads(body))) == []
        return
    msgspec.json.decode(body, type=SHAPES[protocol])
    if protocol == "openai-chat":
        assert set(json.loads(body)) <= EVERYONE | CHAT_EXTRAS.get(vendor, set())
