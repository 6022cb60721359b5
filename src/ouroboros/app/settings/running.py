"""What a run may spend, see and keep."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ouroboros.app.settings.kinds import Count, Positive, Ratio, Seconds
from ouroboros.core import limits


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[limits]``: where a run ends by itself; unset means unbounded.

    Attributes:
        actions_per_hour: What may be changed or run without a question; beyond it each is asked about.
        daily_cost: Dollars of all sessions together from midnight on; no turn begins beyond it. A
            request whose price nobody knows counts nothing, and that is said.
        monthly_cost: The same from the first of the month on.
    """

    max_turns: Positive | None = None
    max_tokens: Positive | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    max_time: Seconds | None = None
    actions_per_hour: Positive | None = None
    daily_cost: Annotated[float, Meta(gt=0)] | None = None
    monthly_cost: Annotated[float, Meta(gt=0)] | None = None


class Context(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[context]``: when the history is summarised and what is kept.

    Attributes:
        scope: What counts against the limit: all, or only what came after the first request.
        notes: The file that ``# text`` in a chat adds to; empty asks for it once a chat.
    """

    threshold: Ratio = 0.8
    fixed_limit: Positive | None = None
    scope: Literal["total", "body_after_prefix"] = "total"
    keep_user_tokens: Count = limits.KEEP_USER_TOKENS
    keep_messages: Count = 0
    window: Positive | None = None
    image_tokens: Count = limits.IMAGES_TOKENS
    instruction_bytes: Count = limits.INSTRUCTION_BYTES
    notes: Literal["", "project", "local", "user"] = ""
    off: tuple[str, ...] = ()


class Review(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[review]``: how changes are reviewed.

    Attributes:
        model: Who reviews; empty means the session's own model.
    """

    model: str = ""


class Tools(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tools]``: what the tools may do and how much of it the model sees.

    Attributes:
        python: The interpreter that runs a model's Python; empty means the one that runs us.
        additional_permissions: A model may ask to give one command more: the network, or folders.
        login_shell: Commands have the aliases and functions of the person's shell.
        scripts: Adds tools that run JavaScript over files and over the other tools.
        web_search: The vendor may look things up on the web, if it can; ``cached`` in what it has stored.
    """

    output_bytes: Annotated[int, Meta(ge=1, le=limits.TOOL_OUTPUT_BYTES)] = limits.TOOL_OUTPUT_BYTES
    shell_timeout: Seconds = limits.SHELL_TIMEOUT_SECONDS
    shell_timeout_cap: Seconds = limits.SHELL_TIMEOUT_CAP_SECONDS
    python: str = ""
    login_shell: bool = True
    additional_permissions: bool = False
    write_max: Positive = limits.WRITE_BYTES
    scripts: bool = False
    web_search: Literal["off", "cached", "live"] = "off"
    disabled: tuple[str, ...] = ()


class Rlm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[rlm]``: the bounds of a run that writes code against data it does not see.

    Attributes:
        max_iterations: Then it answers with what it has.
        child_iterations: The same for a run that ``llm_query`` started.
        max_sub_calls: Calls of ``llm_query`` in one run, its children's counted with them.
        depth: How deep children may have children.
        concurrency: Children at one time.
        leaf_tokens: Largest data that goes to one plain model call; more starts a child run.
        child_model: A cheaper model for children; empty means the run's own.
        block_timeout: Seconds a block may run, host calls not counted.
        history_tokens: Code and metadata of earlier iterations in one request.
        script_timeout: Seconds a script of the ``js`` tool may run.
        data_max: Largest file or stream of ``--data`` in bytes, and all of them together.
    """

    max_iterations: Annotated[int, Meta(ge=1, le=1000)] = limits.RLM_ITERATIONS
    child_iterations: Annotated[int, Meta(ge=1, le=1000)] = limits.CHILD_ITERATIONS
    max_sub_calls: Count = limits.SUB_CALLS
    depth: Annotated[int, Meta(ge=0, le=2)] = 1
    concurrency: Annotated[int, Meta(ge=1, le=32)] = 4
    leaf_tokens: Positive = limits.LEAF_TOKENS
    child_model: str = ""
    block_timeout: Seconds = limits.BLOCK_SECONDS
    history_tokens: Positive = limits.RLM_HISTORY_TOKENS
    script_timeout: Annotated[float, Meta(gt=0, le=3600)] = 300.0
    data_max: Positive = 67_108_864
