"""The wire formats by name; each is imported when it is first asked for."""

from ouroboros.core.errors import ConfigBroken
from ouroboros.llm.protocols.protocol import Protocol

NAMES = (
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "bedrock-converse",
    "bedrock-invoke-stream",
    "gemini",
    "ollama-chat",
)


def by_name(name: str) -> Protocol:
    """The wire format called ``name``, or ``ConfigBroken``."""
    match name:
        case "openai-chat":
            from ouroboros.llm.protocols.openai_chat import OpenAIChat

            return OpenAIChat()
        case "openai-responses":
            from ouroboros.llm.protocols.openai_responses import OpenAIResponses

            return OpenAIResponses()
        case "anthropic-messages":
            from ouroboros.llm.protocols.anthropic_messages import AnthropicMessages

            return AnthropicMessages()
        case "bedrock-converse":
            from ouroboros.llm.protocols.bedrock_converse import BedrockConverse

            return BedrockConverse()
        case "bedrock-invoke-stream":
            from ouroboros.llm.protocols.bedrock_invoke import BedrockInvoke

            return BedrockInvoke()
        case "gemini":
            from ouroboros.llm.protocols.gemini import Gemini

            return Gemini()
        case "ollama-chat":
            from ouroboros.llm.protocols.ollama_chat import OllamaChat

            return OllamaChat()
        case _:
            raise ConfigBroken(
                f"There is no wire protocol {name!r}.", hint=f"Use one of: {', '.join(NAMES)}."
            )
