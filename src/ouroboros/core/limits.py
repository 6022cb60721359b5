"""The numbers that bound a run, in one place, with the defaults the designs settled on."""

from msgspec import Struct

TOOL_OUTPUT_BYTES = 10_000
"""Largest text one tool result may show the model."""

BLOB_BYTES = 65_536
"""Payloads above this go to a blob, named by hash."""

CHARS_PER_TOKEN = 4
"""Estimate used only until the provider reports real usage."""

IMAGE_TOKENS = 2_000
"""Estimate for one image until the provider reports real usage."""

IMAGES_TOKENS = 40_000
"""What the images of a request may take together before the oldest are left out."""

INSTRUCTION_BYTES = 32_768
"""All instruction files of a project together."""

KEEP_USER_TOKENS = 20_000
"""User words that survive a compaction verbatim."""

CONTEXT_WINDOW = 128_000
"""Assumed when neither the catalogue nor the person knows the model's window."""

SHELL_TIMEOUT_SECONDS = 10.0
"""Default life of a shell command; the model may ask for more, up to the cap."""

SHELL_TIMEOUT_CAP_SECONDS = 600.0
"""The longest life a model may ask for."""

STREAM_BYTES = 1_048_576
"""Kept of each of a command's output streams."""

WRITE_BYTES = 10 * 1_048_576
"""Largest file the write tool makes."""

GOAL_CHARACTERS = 4_000
"""The longest objective of a goal."""

GOAL_PARTS = 100
"""Parts of one goal, and parts of those, together."""

IDLE_GOAL_TURNS = 3
"""Turns that a goal began and that did nothing, one after the other, until it counts as blocked."""

RLM_ITERATIONS = 25
"""Iterations of a run of the REPL mind before it must answer with what it has."""

CHILD_ITERATIONS = 10
"""The same for a run that ``llm_query`` started."""

SUB_CALLS = 50
"""Calls of ``llm_query`` in one run, its children's counted with them."""

NO_CODE_REPLIES = 3
"""Replies without code, one after the other, that end a run of the REPL mind."""

BLOCK_SECONDS = 30.0
"""Running time of one block of model-written code; host calls have deadlines of their own."""

EXEC_IN_TAB_SECONDS = 10.0
"""Life of code that runs in a page."""

EXEC_CHARS = 100_000
"""Characters of JSON that code in a page may give back."""

SLEEP_SECONDS = 10.0
"""The longest ``sleep``."""

LOG_CHARS = 5_000
"""Characters of one line of ``log``."""

PREVIEW_CHARS = 400
"""Characters of a value that a model may see."""

VARIABLE_PREVIEW_CHARS = 200
"""The same for a variable."""

ISOLATE_BYTES = 128 * 1_048_576
"""Heap of one isolate."""

RLM_HISTORY_TOKENS = 8_000
"""Code and metadata of earlier iterations in one request of the REPL mind."""

RLM_FULL_ITERATIONS = 3
"""The newest iterations are told in full."""

LEAF_TOKENS = 8_000
"""Largest data that ``llm_query`` hands to one plain model call; more starts a child run."""


class Caps(Struct, frozen=True, kw_only=True):
    """Optional limits of one run; None means unbounded."""

    max_turns: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None
