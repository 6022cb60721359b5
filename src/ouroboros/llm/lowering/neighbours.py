"""A history in which the roles alternate, for vendors that refuse any other."""

from collections.abc import Iterable

from msgspec.structs import replace

from ouroboros.core.parts import Foreign, Message, Origin, Reasoning, Text


def joined(messages: Iterable[Message], origin: Origin) -> tuple[Message, ...]:
    """The messages, those that say nothing to ``origin`` left out and neighbours of a role joined.

    Two replies that are joined count as foreign unless both are of the origin.
    """
    found: list[Message] = []
    for message in messages:
        if not _says(message, origin):
            continue
        if found and found[-1].role == message.role:
            found[-1] = _both(found[-1], message)
        else:
            found.append(message)
    return tuple(found)


def _says(message: Message, origin: Origin) -> bool:
    for part in message.parts:
        match part:
            case Text():
                if part.text.strip():
                    return True
            case Reasoning():
                pass
            case Foreign():
                if message.origin == origin:
                    return True
            case _:
                return True
    return False


def _both(first: Message, second: Message) -> Message:
    between: tuple[Text, ...] = (Text(text="\n\n"),) if first.role == "assistant" else ()
    origin = first.origin if first.origin == second.origin else None
    return replace(first, parts=(*first.parts, *between, *second.parts), origin=origin)
