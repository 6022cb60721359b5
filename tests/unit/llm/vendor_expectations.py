"""What each vendor must be sent, written by hand from the vendors' own pages."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

ABSENT = "(absent)"
TOOLS = "required"


class Expected(Struct, frozen=True, kw_only=True):
    """What is sent to one vendor.

    Attributes:
        model: Its own name of a model.
        environment: The variables that a person of this vendor sets.
        url: Where the request goes when nothing else was said.
        header: The header that proves who asks.
        body: Members of the body; ``ABSENT`` for one that must not be there.
        roles: Of the messages, in order; empty where the format has none.
        extra: Members of the assistant's message, as ``body``.
    """

    model: str
    environment: Mapping[str, str]
    url: str
    header: tuple[str, str] = ("authorization", "Bearer sk-1")
    body: Mapping[str, Any] = {}
    roles: tuple[str, ...] = ()
    extra: Mapping[str, Any] = {}


CHAT_ROLES = ("system", "user", "assistant", "tool", "user")
USAGE = {"include_usage": True}


def chat(key: str, url: str, model: str, **body: Any) -> Expected:
    """A vendor of chat completions with ``max_tokens``, unless ``body`` says otherwise."""
    roles = body.pop("roles", CHAT_ROLES)
    extra = body.pop("extra", {"reasoning_content": ABSENT, "reasoning_details": ABSENT})
    usual: dict[str, Any] = {
        "model": model,
        "stream": True,
        "stream_options": USAGE,
        "max_tokens": 100,
        "max_completion_tokens": ABSENT,
        "tool_choice": "required",
        "reasoning_effort": "high",
        "temperature": 0.5,
        "prompt_cache_key": ABSENT,
    }
    return Expected(
        model=model,
        environment={key: "sk-1"} if key else {},
        url=f"{url}/chat/completions",
        header=("authorization", "Bearer sk-1" if key else ABSENT),
        body={**usual, **body},
        roles=roles,
        extra=extra,
    )


NEW_LIMIT = {"max_completion_tokens": 100, "max_tokens": ABSENT}
THOUGHT = {"reasoning_content": "Look first."}
THINKING = {"reasoning_effort": ABSENT, "thinking": {"type": "enabled"}}
GRADED = {"reasoning_effort": "high", "thinking": {"type": "enabled"}}
TEMPLATE = {"reasoning_effort": ABSENT, "chat_template_kwargs": {"enable_thinking": True}}
NO_EFFORT = {"reasoning_effort": ABSENT}

VENDORS: dict[str, Expected] = {
    "openai": Expected(
        model="gpt-6.1-sol",
        environment={"OPENAI_API_KEY": "sk-1"},
        url="https://api.openai.com/v1/responses",
        body={
            "max_output_tokens": 100,
            "max_tokens": ABSENT,
            "tool_choice": "required",
            "store": False,
            "prompt_cache_key": "session",
            "temperature": ABSENT,
        },
    ),
    "openai-chat": chat(
        "OPENAI_API_KEY",
        "https://api.openai.com/v1",
        "gpt-5.4",
        prompt_cache_key="session",
        temperature=ABSENT,
        roles=("developer", *CHAT_ROLES[1:]),
        **NEW_LIMIT,
    ),
    "azure": Expected(
        model="my-deployment",
        environment={"AZURE_OPENAI_API_KEY": "sk-1", "AZURE_OPENAI_RESOURCE": "res"},
        url="https://res.openai.azure.com/openai/v1/responses",
        header=("api-key", "sk-1"),
        body={"max_output_tokens": 100, "tool_choice": "required", "model": "my-deployment"},
    ),
    "azure-chat": Expected(
        model="my-deployment",
        environment={"AZURE_OPENAI_API_KEY": "sk-1", "AZURE_RESOURCE_NAME": "res"},
        url="https://res.openai.azure.com/openai/v1/chat/completions",
        header=("api-key", "sk-1"),
        body={**NEW_LIMIT, "stream_options": USAGE, "tool_choice": "required"},
        roles=CHAT_ROLES,
    ),
    "anthropic": Expected(
        model="claude-sonnet-5-5",
        environment={"ANTHROPIC_API_KEY": "sk-1"},
        url="https://api.anthropic.com/v1/messages",
        header=("x-api-key", "sk-1"),
        body={
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": "high"},
            "temperature": ABSENT,
        },
        roles=("user", "assistant", "user", "user"),
    ),
    "google": Expected(
        model="gemini-3.8-flash",
        environment={"GEMINI_API_KEY": "sk-1"},
        url="https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash"
        ":streamGenerateContent?alt=sse",
        header=("x-goog-api-key", "sk-1"),
        body={"model": ABSENT, "stream": ABSENT},
    ),
    "vertex": Expected(
        model="gemini-3.8-flash",
        environment={"GOOGLE_OAUTH_ACCESS_TOKEN": "sk-1", "GOOGLE_CLOUD_PROJECT": "p-1"},
        url="https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/google"
        "/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
        body={"model": ABSENT, "stream": ABSENT},
    ),
    "bedrock": Expected(
        model="us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        environment={"AWS_BEARER_TOKEN_BEDROCK": "sk-1", "AWS_REGION": "eu-west-1"},
        url="https://bedrock-runtime.eu-west-1.amazonaws.com/model/"
        "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
        body={"model": ABSENT, "stream": ABSENT, "temperature": ABSENT},
        roles=("user", "assistant", "user"),
    ),
    "bedrock-invoke": Expected(
        model="us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        environment={"AWS_BEARER_TOKEN_BEDROCK": "sk-1", "AWS_DEFAULT_REGION": "eu-west-1"},
        url="https://bedrock-runtime.eu-west-1.amazonaws.com/model/"
        "us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
        body={"model": ABSENT, "stream": ABSENT, "anthropic_version": "bedrock-2023-05-31"},
        roles=("user", "assistant", "user", "user"),
    ),
    "openrouter": chat(
        "OPENROUTER_API_KEY",
        "https://openrouter.ai/api/v1",
        "anthropic/claude-sonnet-5.5",
        reasoning={"effort": "high"},
        extra={"reasoning_details": [{"type": "reasoning.text", "text": "Look first."}]},
        **NO_EFFORT,
    ),
    "deepseek": chat(
        "DEEPSEEK_API_KEY",
        "https://api.deepseek.com/v1",
        "deepseek-v4-pro",
        tool_choice="auto",
        extra=THOUGHT,
        **GRADED,
    ),
    "groq": chat(
        "GROQ_API_KEY", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", **NEW_LIMIT
    ),
    "together": chat("TOGETHER_API_KEY", "https://api.together.ai/v1", "moonshotai/Kimi-K2.6"),
    "fireworks": chat(
        "FIREWORKS_API_KEY",
        "https://api.fireworks.ai/inference/v1",
        "accounts/fireworks/models/deepseek-v3p2",
    ),
    "mistral": chat(
        "MISTRAL_API_KEY",
        "https://api.mistral.ai/v1",
        "mistral-large-latest",
        stream_options=ABSENT,
        prompt_cache_key="session",
        tool_choice="any",
        roles=("system", "user", "assistant", "tool", "assistant", "user"),
        extra={
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Look first."}]},
                {"type": "text", "text": "Reading."},
            ]
        },
        **NO_EFFORT,
    ),
    "xai": chat("XAI_API_KEY", "https://api.x.ai/v1", "grok-4.7", **NEW_LIMIT),
    "perplexity": chat(
        "PERPLEXITY_API_KEY",
        "https://api.perplexity.ai",
        "sonar-pro",
        stream_options=ABSENT,
        tools=ABSENT,
        tool_choice=ABSENT,
        roles=("system", "user", "assistant", "user"),
        extra={"tool_calls": ABSENT},
    ),
    "cerebras": chat(
        "CEREBRAS_API_KEY",
        "https://api.cerebras.ai/v1",
        "gpt-oss-120b",
        prompt_cache_key="session",
        **NEW_LIMIT,
    ),
    "moonshot": chat(
        "MOONSHOT_API_KEY",
        "https://api.moonshot.ai/v1",
        "kimi-k2.6",
        tool_choice="auto",
        temperature=ABSENT,
        extra=THOUGHT,
        **THINKING,
        **NEW_LIMIT,
    ),
    "zai": chat(
        "ZAI_API_KEY",
        "https://api.z.ai/api/paas/v4",
        "glm-5.3",
        tool_choice="auto",
        extra=THOUGHT,
        **GRADED,
    ),
    "qwen": chat(
        "DASHSCOPE_API_KEY",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "qwen3-max",
        tool_choice="auto",
        enable_thinking=True,
        **NO_EFFORT,
    ),
    "minimax": chat(
        "MINIMAX_API_KEY",
        "https://api.minimax.io/v1",
        "MiniMax-M3",
        tool_choice="auto",
        reasoning_split=True,
        extra={"reasoning_details": [{"type": "reasoning.text", "text": "Look first."}]},
        **NO_EFFORT,
        **NEW_LIMIT,
    ),
    "huggingface": chat("HF_TOKEN", "https://router.huggingface.co/v1", "zai-org/GLM-5"),
    "nvidia": chat(
        "NVIDIA_API_KEY", "https://integrate.api.nvidia.com/v1", "z-ai/glm5", **TEMPLATE
    ),
    "sambanova": chat("SAMBANOVA_API_KEY", "https://api.sambanova.ai/v1", "gpt-oss-120b"),
    "github": chat(
        "GITHUB_TOKEN", "https://models.github.ai/inference", "openai/gpt-5", **NEW_LIMIT
    ),
    "nebius": chat(
        "NEBIUS_API_KEY", "https://api.tokenfactory.nebius.com/v1", "deepseek-ai/DeepSeek-V3"
    ),
    "baseten": chat("BASETEN_API_KEY", "https://inference.baseten.co/v1", "zai-org/GLM-5"),
    "ollama": Expected(
        model="qwen3:8b",
        environment={},
        url="http://localhost:11434/api/chat",
        header=("authorization", ABSENT),
        body={"stream": True, "tool_choice": ABSENT, "max_tokens": ABSENT},
        roles=CHAT_ROLES,
    ),
    "lmstudio": chat("", "http://localhost:1234/v1", "qwen3-8b"),
    "vllm": chat("", "http://localhost:8000/v1", "Qwen/Qwen3-8B", **TEMPLATE),
    "llamacpp": chat("", "http://localhost:8080/v1", "qwen3-8b", **TEMPLATE),
}
