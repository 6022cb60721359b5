"""One call on its way from a model, or from code, to its result."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from ouroboros.core.commands import Scope
from ouroboros.core.events import Event, ToolStarted
from ouroboros.core.parts import Text, ToolCall
from ouroboros.safety.paths import real
from ouroboros.tools.result import encoded
from ouroboros.tools.seams import Verdict
from ouroboros.tools.tool import Effect, Result

ARGUMENT_CHARS = 1_000
"""Of what code handed to a function, this much goes on record: it may be a whole page."""


class Passage:
    """What is known so far of a call."""

    def __init__(self, call: ToolCall, name: str, began: float, *, within: str = "") -> None:
        """``name`` is the canonical one, or the model's own when there is no such tool."""
        self.call, self.name, self.began, self.within = call, name, began, within
        self.waited = 0.0
        self.steps: list[str] = []
        self.progress = 0
        self.decision = ""
        self.rule = ""
        self.title = name
        self.is_announced = False
        self.is_quiet = False
        self.is_late = False
        self.outside = False
        self.layer = ""
        self.command = ""
        self.edited = ""
        self.wary = False
        self.shown: tuple[Path, ...] = ()
        self.scope: Scope = "once"
        self.source = ""
        self.preview: Callable[..., str] | None = None
        self.verdict: Verdict | None = None

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning of the arguments goes on record: code wrote them."""
        return self.within != "" and len(self.call.arguments) > ARGUMENT_CHARS

    @property
    def arguments(self) -> str:
        """What goes on record of the arguments."""
        written = self.call.arguments
        if not self.is_cut:
            return written
        return f"{written[:ARGUMENT_CHARS]}… {len(written)} characters in all"

    def spent(self, now: float) -> float:
        """The seconds that it took by itself, without those in which somebody was asked."""
        return now - self.began - self.waited

    def announce(self, record: Callable[[Event], None]) -> None:
        """Shows the call, once."""
        if not self.is_announced:
            self.is_announced = True
            record(
                ToolStarted(
                    call_id=self.call.id,
                    name=self.name,
                    arguments=self.arguments,
                    title=self.title,
                    within=self.within,
                )
            )


class Edited(Exception):
    """The person, or a hook, wants something else than what a call asked; ``arguments`` say it."""

    def __init__(self, arguments: str) -> None:
        """JSON, or what stands for it."""
        super().__init__("edited")
        self.arguments = arguments


def as_edited(result: Result, text: str) -> Result:
    """The result with a line that says what ran, for the model that had asked for something else."""
    if not text:
        return result
    note = Text(text=f"[the user changed this before allowing it; what was done: {text}]\n")
    return msgspec.structs.replace(result, parts=(note, *result.parts))


def rewritten(arguments: str, command: str, text: str) -> str:
    """The arguments of a call with what the person wrote.

    ``text`` stands for the ``command`` in them, or for all of them when there is none.
    """
    if not command:
        return text
    try:
        known = msgspec.json.decode(arguments, type=dict[str, object])
    except msgspec.DecodeError:
        return text
    changed = {name: text if value == command else value for name, value in known.items()}
    return msgspec.json.encode(changed).decode() if changed != known else text


def resolved(effect: Effect, cwd: Path) -> Effect:
    """The effect with links followed; writing through a link counts for both of its ends."""
    if not effect.paths:
        return effect
    paths = [real(path, base=cwd) for path in effect.paths]
    if effect.kind == "write":
        paths += [real(path.parent, base=cwd) / path.name for path in effect.paths]
    return msgspec.structs.replace(effect, paths=tuple(dict.fromkeys(paths)))


def storable(result: Result) -> Result:
    """The result without lone surrogates, which stand for bytes of odd file names."""
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    if all(text.isascii() for text in (*texts, result.detail)):
        return result
    parts = tuple(
        msgspec.structs.replace(part, text=encoded(part.text).decode())
        if isinstance(part, Text)
        else part
        for part in result.parts
    )
    return msgspec.structs.replace(result, parts=parts, detail=encoded(result.detail).decode())
