"""Every vendor we know by name; a new one is a new entry."""

from collections.abc import Mapping

from msgspec import Struct

from ouroboros.llm.auth import AuthStyle
from ouroboros.llm.dialect import Dialect


class Entry(Struct, frozen=True, kw_only=True):
    """One vendor.

    Attributes:
        protocol: Wire format by name; ``script`` and ``echo`` speak none.
        base_url: What a protocol's path is appended to; empty when the person must give it.
        keys: Variables that may hold the key, the first that is set wins.
        base_url_variables: Variables that may replace ``base_url``.
        headers: Sent besides those of the wire format.
        prefixes: Beginnings of model names that mean this vendor when none is named.
        default_model: Used when the person chose none and this vendor's key is there.
        is_keyless: Works without a key.
    """

    name: str
    protocol: str
    base_url: str = ""
    auth: AuthStyle = "bearer"
    keys: tuple[str, ...] = ()
    base_url_variables: tuple[str, ...] = ()
    headers: Mapping[str, str] = {}
    dialect: Dialect = Dialect()
    prefixes: tuple[str, ...] = ()
    default_model: str = ""
    is_keyless: bool = False


ENTRIES = (
    Entry(
        name="openai",
        protocol="openai-responses",
        base_url="https://api.openai.com/v1",
        keys=("OPENAI_API_KEY",),
        base_url_variables=("OPENAI_BASE_URL",),
        dialect=Dialect(prompt_cache_key=True),
        prefixes=("gpt-", "o1", "o3", "o4", "codex-", "chatgpt-"),
        default_model="gpt-5",
    ),
    Entry(
        name="openai-chat",
        protocol="openai-chat",
        base_url="https://api.openai.com/v1",
        keys=("OPENAI_API_KEY",),
        base_url_variables=("OPENAI_BASE_URL",),
        dialect=Dialect(system_role="developer", prompt_cache_key=True),
    ),
    Entry(
        name="anthropic",
        protocol="anthropic-messages",
        base_url="https://api.anthropic.com/v1",
        auth="x-api-key",
        keys=("ANTHROPIC_API_KEY",),
        base_url_variables=("ANTHROPIC_BASE_URL",),
        dialect=Dialect(effort_style="budget"),
        prefixes=("claude-",),
        default_model="claude-sonnet-4-5",
    ),
    Entry(
        name="openrouter",
        protocol="openai-chat",
        base_url="https://openrouter.ai/api/v1",
        keys=("OPENROUTER_API_KEY",),
        dialect=Dialect(
            max_tokens_field="max_tokens",
            reasoning_send_back="details",
            effort_style="object",
            cache_marker="cache_control",
        ),
        default_model="anthropic/claude-sonnet-4.5",
    ),
    Entry(
        name="deepseek",
        protocol="openai-chat",
        base_url="https://api.deepseek.com/v1",
        keys=("DEEPSEEK_API_KEY",),
        dialect=Dialect(
            max_tokens_field="max_tokens", reasoning_send_back="field", effort_style="thinking"
        ),
        prefixes=("deepseek-",),
        default_model="deepseek-chat",
    ),
    Entry(
        name="groq",
        protocol="openai-chat",
        base_url="https://api.groq.com/openai/v1",
        keys=("GROQ_API_KEY",),
    ),
    Entry(
        name="together",
        protocol="openai-chat",
        base_url="https://api.together.xyz/v1",
        keys=("TOGETHER_API_KEY",),
        dialect=Dialect(max_tokens_field="max_tokens"),
    ),
    Entry(
        name="fireworks",
        protocol="openai-chat",
        base_url="https://api.fireworks.ai/inference/v1",
        keys=("FIREWORKS_API_KEY",),
        dialect=Dialect(max_tokens_field="max_tokens"),
    ),
    Entry(
        name="mistral",
        protocol="openai-chat",
        base_url="https://api.mistral.ai/v1",
        keys=("MISTRAL_API_KEY",),
        dialect=Dialect(
            max_tokens_field="max_tokens",
            reasoning_send_back="content",
            usage_in_stream="always",
            tool_choice_required_word="any",
            tool_id_rule="nine",
            effort_style="none",
        ),
        prefixes=("mistral-", "codestral-", "devstral-", "magistral-"),
    ),
    Entry(
        name="xai",
        protocol="openai-chat",
        base_url="https://api.x.ai/v1",
        keys=("XAI_API_KEY",),
        dialect=Dialect(usage_reasoning_exclusive=True),
        prefixes=("grok-",),
    ),
    Entry(
        name="perplexity",
        protocol="openai-chat",
        base_url="https://api.perplexity.ai",
        keys=("PERPLEXITY_API_KEY",),
        dialect=Dialect(max_tokens_field="max_tokens", usage_in_stream="always"),
        prefixes=("sonar",),
    ),
    Entry(
        name="ollama",
        protocol="openai-chat",
        base_url="http://localhost:11434/v1",
        keys=("OLLAMA_API_KEY",),
        base_url_variables=("OLLAMA_BASE_URL", "OLLAMA_HOST"),
        dialect=Dialect(max_tokens_field="max_tokens", supports_strict=False),
        is_keyless=True,
    ),
    Entry(
        name="lmstudio",
        protocol="openai-chat",
        base_url="http://localhost:1234/v1",
        keys=("LMSTUDIO_API_KEY",),
        base_url_variables=("LMSTUDIO_BASE_URL",),
        dialect=Dialect(max_tokens_field="max_tokens", supports_strict=False),
        is_keyless=True,
    ),
    Entry(
        name="compatible",
        protocol="openai-chat",
        keys=("OURO_API_KEY", "OPENAI_API_KEY"),
        base_url_variables=("OPENAI_BASE_URL",),
        dialect=Dialect(max_tokens_field="max_tokens", supports_strict=False),
        is_keyless=True,
    ),
    Entry(name="echo", protocol="echo", auth="none", is_keyless=True),
    Entry(name="script", protocol="script", auth="none", is_keyless=True),
)
