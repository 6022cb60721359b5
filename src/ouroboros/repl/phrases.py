"""Words in data that try to be instructions: found to be pointed out, never to decide by.

What protects is that data is not obeyed; a reader that is told of such words is only less surprised.
"""

import re

_PHRASES = (
    r"(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,3}?(?:instructions?|prompts?|rules|directions)",
    r"(?:new|updated|real|actual)\s+(?:system\s+)?(?:instructions?|task)\s*:",
    r"you\s+are\s+now\s+(?:an?|in|the)\b",
    r"(?:system|developer)\s+(?:prompt|message)\s*:",
    r"(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this\s+)?to|ask)\s+the\s+(?:user|human|person)",
    r"(?:reveal|print|repeat|send|exfiltrate)\s+(?:\w+\s+){0,3}?(?:system\s+prompt|api\s+keys?|passwords?|cookies|credentials)",
    r"<\|(?:im_start|im_end|system|endoftext)\|>",
    r"</?(?:system|assistant|instructions?)>",
    r"\[/?INST\]",
    r"(?:ai|llm|language\s+model)\s+(?:agents?|assistants?)\s*[:,]\s*(?:please\s+)?(?:do|click|send|open|run|go)",
)
_SUSPICIOUS = re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.IGNORECASE)


def instruction_in(text: str) -> str:
    """The first words that read like an instruction to a model, at most 80 characters; or empty."""
    found = _SUSPICIOUS.search(text)
    return " ".join(found.group().split())[:80] if found else ""
