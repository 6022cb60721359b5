"""Pictures of results put beside them, for vendors whose results are words alone."""

from msgspec.structs import replace

from ouroboros.core.parts import Media, Message, Part, Text, ToolResult


def with_media_beside(message: Message) -> Message:
    """The message with the media of its results after them; the same one without such."""
    media = [
        part
        for result in message.parts
        if isinstance(result, ToolResult)
        for part in result.parts
        if isinstance(part, Media)
    ]
    if not media:
        return message
    results = [_in_words(part) for part in message.parts if isinstance(part, ToolResult)]
    others = [part for part in message.parts if not isinstance(part, ToolResult)]
    parts: tuple[Part, ...] = (*results, *media, *others)
    return replace(message, parts=parts)


def _in_words(result: ToolResult) -> ToolResult:
    """The result with a note in the place of each of its media."""
    parts = tuple(
        Text(text=f"[{part.media_type} attached below]\n") if isinstance(part, Media) else part
        for part in result.parts
    )
    return replace(result, parts=parts)
