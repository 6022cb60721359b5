"""What hooks want a model to know or to go on with, as a message of a conversation says it."""

_BEGIN, _END = "<hook_context>", "</hook_context>"


def as_context(text: str) -> str:
    """Words of a hook as the text of a message."""
    return f"{_BEGIN}\n{text}\n{_END}"


def is_context(text: str) -> bool:
    """Whether a message has words of a hook."""
    return text.startswith(_BEGIN)


def as_prompt(reason: str, run: str) -> str:
    """Why a hook sends a model back to work; ``run`` names which hook, and which time it is."""
    return f'<hook_prompt hook_run_id="{run}">{reason}</hook_prompt>'
