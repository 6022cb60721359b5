"""What hooks want a model to know, as a message of a conversation says it."""

_BEGIN, _END = "<hook_context>", "</hook_context>"


def as_context(text: str) -> str:
    """Words of a hook as the text of a message."""
    return f"{_BEGIN}\n{text}\n{_END}"


def is_context(text: str) -> bool:
    """Whether a message has words of a hook."""
    return text.startswith(_BEGIN)
