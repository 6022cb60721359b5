"""A conversation as one text, for models that complete a text: each maker's own template."""

import re
from collections.abc import Sequence

from ouroboros.core.parts import Media, Message, Part, Text, ToolCall, ToolResult
from ouroboros.llm.protocols.encoding import left_out
from ouroboros.llm.request import Request

_LLAMA_SIGNS = re.compile(
    r"<\|(begin_of_text|end_of_text|eot_id|start_header_id|end_header_id|eom_id|python_tag)\|>"
)
_MISTRAL_SIGNS = re.compile(r"</?s>|\[/?INST\]")


def titan(request: Request) -> str:
    """Turns of a user and a bot, in plain words."""
    names = {"user": "User", "assistant": "Bot"}
    turns = [f"{names[role]}: {text}\n" for role, text in _turns(request.messages)]
    return f"{_system(request)}{''.join(turns)}Bot:"


def llama(request: Request) -> str:
    """Turns between header signs; such signs within the words are taken out."""

    def turn(role: str, text: str) -> str:
        words = _LLAMA_SIGNS.sub("", text)
        return f"<|start_header_id|>{role}<|end_header_id|>\n\n{words}<|eot_id|>"

    system = turn("system", said) if (said := _system(request).strip()) else ""
    turns = "".join(turn(role, text) for role, text in _turns(request.messages))
    opening = "<|start_header_id|>assistant<|end_header_id|>\n\n"
    return f"<|begin_of_text|>{system}{turns}{opening}"


def mistral(request: Request) -> str:
    """Instructions between signs; the system prompt belongs to the first of them."""
    found = "<s>"
    before = _system(request)
    for role, text in _turns(request.messages):
        words = _MISTRAL_SIGNS.sub("", before + text if role == "user" else text)
        if role == "user":
            found += f"[INST] {words} [/INST]"
            before = ""
        else:
            found += f" {words}</s>"
    return found


def _system(request: Request) -> str:
    return "".join(f"{piece}\n\n" for piece in request.system if piece.strip())


def _turns(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Who speaks and what, in turns that alternate."""
    turns: list[tuple[str, str]] = []
    for message in messages:
        text = "\n".join(filter(str.strip, map(_words, message.parts)))
        if not text:
            continue
        if turns and turns[-1][0] == message.role:
            turns[-1] = (message.role, f"{turns[-1][1]}\n{text}")
        else:
            turns.append((message.role, text))
    return turns


def _words(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Media():
            return left_out(part)
        case ToolCall():
            return f"[{part.name} was called with {part.arguments}]"
        case ToolResult():
            state = "answered" if part.ok else "failed"
            return f"[{part.name} {state}: {part.text}]"
        case _:
            return ""
