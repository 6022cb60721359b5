"""The numbers that bound an isolate, as its worker gets them."""

from typing import Any

from ouroboros.code import wire
from ouroboros.core.limits import ISOLATE_BYTES, LOG_CHARS, PREVIEW_CHARS, SLEEP_SECONDS
from ouroboros.core.limits import VARIABLE_PREVIEW_CHARS as VARIABLE_CHARS

CALLS = 64
"""Host calls that may be open at once."""

CHECKPOINT_BYTES = 32 * 1_048_576
"""Variables together, as text, that a checkpoint keeps."""

LOGS = 1_000
"""Lines that a block may log."""

LOGGED_CHARS = 1_000_000
"""Characters that a block may log."""

NOTES = 20
"""Remarks on a block's code."""

VARIABLES = 500
"""Names that an outcome lists."""

SCHEMA_CHARS = 300
"""Of a value's schema."""

OWN_NAMES = (
    "env",
    "log",
    "setFinal",
    "console",
    "setTimeout",
    "clearTimeout",
    "queueMicrotask",
)
"""What every isolate has besides the host's functions."""


def options_for(globals: tuple[str, ...], functions: tuple[str, ...]) -> dict[str, Any]:
    """What a worker needs to set an isolate up."""
    return {
        "functions": functions,
        "globals": globals,
        "reserved": [*functions, *globals, *OWN_NAMES],
        "heap": ISOLATE_BYTES,
        "limits": {
            "frame": wire.FRAME_BYTES,
            "open": CALLS,
            "timers": 1_000,
            "sleep": SLEEP_SECONDS * 1000,
            "log": LOG_CHARS,
            "logs": LOGS,
            "said": LOGGED_CHARS,
            "notes": NOTES,
            "preview": PREVIEW_CHARS,
            "variablePreview": VARIABLE_CHARS,
            "variables": VARIABLES,
            "schema": SCHEMA_CHARS,
            "nodes": 50_000,
            "depth": 6,
            "keys": 12,
        },
    }
