"""Requests in the format of whoever made the model."""

import re

from msgspec.structs import replace

from ouroboros.core.parts import Origin
from ouroboros.llm.dialect import Dialect
from ouroboros.llm.fields import Fields, child
from ouroboros.llm.protocols.anthropic_messages import body as messages
from ouroboros.llm.protocols.bedrock_converse import body as converse
from ouroboros.llm.protocols.bedrock_converse.family import family_of
from ouroboros.llm.protocols.bedrock_invoke import prompt
from ouroboros.llm.protocols.encoding import encode, encode_body
from ouroboros.llm.protocols.protocol import BodyCache
from ouroboros.llm.request import Request

_VERSION = "bedrock-2023-05-31"
_ADDRESSED = ("model", "stream")
_COMPLETES = re.compile(r"mistral\.(mistral-7b|mixtral|mistral-(large|small)-2402)")


def build(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    """The body; the model's id says whose format it is.

    Titan, Llama and Mistral's older models take one text and know no tools; models of makers
    without a format of their own take a chat completion.
    """
    match family_of(request.model):
        case "claude":
            return _claude(request, dialect, origin, cache)
        case "nova" | "nova-2":
            found = {"schemaVersion": "messages-v1", **_nova(request, dialect, origin)}
            history = converse.history(request, dialect, origin, cache)
            return encode_body(found, "messages", history, dialect)
        case "titan":
            return _titan(request)
        case "llama":
            return _prompted(request, prompt.llama(request), "max_gen_len")
        case "mistral" if _COMPLETES.search(request.model):
            return _prompted(request, prompt.mistral(request), "max_tokens")
        case _:
            from ouroboros.llm.protocols.openai_chat import OpenAIChat

            return OpenAIChat().build_body(request, _chat(dialect, request.model), origin, cache)


def _claude(request: Request, dialect: Dialect, origin: Origin, cache: BodyCache) -> bytes:
    head = messages.head(request, dialect, origin)
    rest = {name: value for name, value in head.items() if name not in _ADDRESSED}
    found: Fields = {"anthropic_version": _VERSION, **rest}
    history = messages.history(request, dialect, origin, cache)
    return encode_body(found, "messages", history, dialect)


def _nova(request: Request, dialect: Dialect, origin: Origin) -> Fields:
    """What Converse takes, with the effort where the model itself looks for it."""
    head = converse.head(request, dialect, origin)
    if reasoning := child(head, "additionalModelRequestFields"):
        del head["additionalModelRequestFields"]
        head["inferenceConfig"] = {**child(head, "inferenceConfig"), **reasoning}
    return head


def _chat(dialect: Dialect, model: str) -> Dialect:
    """Chat as these models take it here: none says what the address says, or knows cache marks."""
    return replace(
        dialect,
        unsupported=(*dialect.unsupported, *_ADDRESSED, "stream_options"),
        cache_marker="none",
        max_tokens_field="max_completion_tokens" if "openai." in model else "max_tokens",
    )


def _titan(request: Request) -> bytes:
    settings: Fields = {}
    if request.max_output_tokens is not None:
        settings["maxTokenCount"] = request.max_output_tokens
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    return encode({"textGenerationConfig": settings, "inputText": prompt.titan(request)})


def _prompted(request: Request, text: str, limit: str) -> bytes:
    found: Fields = {}
    if request.max_output_tokens is not None:
        found[limit] = request.max_output_tokens
    if request.temperature is not None:
        found["temperature"] = request.temperature
    return encode({**found, "prompt": text})
