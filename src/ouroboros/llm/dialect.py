"""How one vendor departs from the wire format it speaks."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

type EffortStyle = Literal[
    "field",
    "object",
    "thinking",
    "graded",
    "high",
    "switch",
    "template",
    "adaptive",
    "budget",
    "level",
    "none",
]
type SendBack = Literal["never", "field", "details", "content"]
type Tools = Literal["native", "fenced"]
type ToolNames = Literal["own", "capitalised"]


class Dialect(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A vendor's toggles; the defaults are those of the vendor that made the format.

    Attributes:
        max_tokens_field: Chat's name of the output limit.
        system_role: Chat's role of the system prompt.
        reasoning_send_back: How chat returns thoughts of the same origin: not at all, as text in
            ``reasoning_field`` (which is then there with every tool call, empty if need be), as
            ``reasoning_details``, or within the content.
        reasoning_field: The chat field of ``reasoning_send_back="field"``.
        usage_in_stream: Whether chat must ask for token counts in a stream.
        tool_choice_required_word: The word for "call some tool"; empty where there is none.
        supports_strict: Whether a tool says ``strict: false`` because its schema is not strict.
        tool_id_rule: What a call's id may look like; other ids are mapped, the same way each time.
        cache_marker: Whether chat marks cache breakpoints the way Anthropic does, and whether
            Converse sets cache points for the models that take them.
        prompt_cache_key: Whether requests name the group that shares a prefix.
        usage_reasoning_exclusive: Chat's completion count leaves out thoughts; it is also noticed
            from the counts themselves.
        effort_style: How reasoning effort is asked for: ``field`` (``reasoning_effort``),
            ``object`` (``reasoning.effort``), ``thinking`` (on or off), ``graded`` (the same with
            one of three levels), ``high`` (``reasoning_effort``, that or none), ``switch``
            (``enable_thinking``, on or off), ``template`` (the same in ``chat_template_kwargs``);
            for Anthropic, Converse and Gemini ``budget`` (tokens); for Anthropic and Converse
            ``adaptive``; for Gemini ``level``.
        effort_none: How Claude is asked not to reason where saying nothing does not do it; ``low``
            for models of any vendor that always reason.
        stateless: Responses are not kept by the vendor, so encrypted reasoning travels with us.
        default_max_output_tokens: Used where the format demands a limit and nobody named one.
        streams: Whether the vendor can stream; one that cannot is asked for whole replies.
        tools: Models without tool calls are told to write them as ``fenced`` blocks.
        tool_names: Whether tools go by our names or by ones such as ``Read``; back they are ours.
        freeform_tools: Whether a tool may take plain text instead of JSON.
        schema_style: Gemini's ``openapi`` subset, or real JSON schema.
        think_tags: Whether thoughts come within the content, between ``<think>`` tags.
        assistant_after_tool: Whether words of a person may not follow a tool's result directly.
        tool_result_name: Whether a tool's result also names the tool.
        alternates: Whether roles must alternate strictly, so that neighbours are joined.
        result_media: Whether a tool's result may hold images; else they follow it.
        max_images: Images that one request may hold; 0 where that is not known.
        cuts_silently: Whether a history that is too long is cut without an error.
        service_tier: Whether a service tier may be asked for.
        hosted_search: Whether the vendor looks things up on the web itself, and whether that can be
            kept to what it has stored (``both``).
        unsupported: Members of the body that the vendor refuses, ``outer.inner`` for one within
            another; they are left out.
        body: Members that every body of the vendor has besides.
    """

    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    system_role: Literal["system", "developer"] = "system"
    reasoning_send_back: SendBack = "never"
    reasoning_field: Literal["reasoning_content", "reasoning"] = "reasoning_content"
    usage_in_stream: Literal["option", "always"] = "option"
    tool_choice_required_word: str = "required"
    supports_strict: bool = True
    tool_id_rule: Literal["any", "nine", "safe"] = "any"
    cache_marker: Literal["none", "cache_control"] = "none"
    prompt_cache_key: bool = False
    usage_reasoning_exclusive: bool = False
    effort_style: EffortStyle = "field"
    effort_none: Literal["", "disabled", "between_tools", "low"] = ""
    stateless: bool = True
    default_max_output_tokens: int = 16_384
    streams: bool = True
    tools: Tools = "native"
    tool_names: ToolNames = "own"
    freeform_tools: bool = False
    schema_style: Literal["json", "openapi"] = "json"
    think_tags: bool = False
    assistant_after_tool: bool = False
    tool_result_name: bool = False
    alternates: bool = False
    result_media: bool = True
    max_images: int = 0
    cuts_silently: bool = False
    service_tier: bool = False
    hosted_search: Literal["none", "live", "both"] = "none"
    unsupported: tuple[str, ...] = ()
    body: Mapping[str, object] = {}
