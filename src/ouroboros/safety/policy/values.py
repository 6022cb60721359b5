"""What a policy file says, as values."""

from typing import Literal

from msgspec import Struct

type Decision = Literal["allow", "prompt", "forbidden"]
type Protocol = Literal["http", "https", "socks5_tcp", "socks5_udp"]
type Words = tuple[str, ...]
"""The words of one simple command, its program first."""

STRICTNESS: dict[Decision, int] = {"allow": 0, "prompt": 1, "forbidden": 2}


class PrefixRule(Struct, frozen=True, kw_only=True):
    """Commands that begin like this; each word of ``pattern`` is a choice of words.

    ``place`` is file, line and column, empty for a rule that stands in no file.
    """

    pattern: tuple[Words, ...]
    decision: Decision = "allow"
    justification: str = ""
    place: str = ""

    def matches(self, words: Words) -> bool:
        """Whether the command begins like this."""
        return len(words) >= len(self.pattern) and all(
            word in choice for word, choice in zip(words, self.pattern, strict=False)
        )


class NetworkRule(Struct, frozen=True, kw_only=True):
    """What holds for one host, spoken to in one way."""

    host: str
    protocol: Protocol
    decision: Decision
    justification: str = ""
    place: str = ""


class HostExecutable(Struct, frozen=True, kw_only=True):
    """The only paths at which a program of this name is the one that rules mean."""

    name: str
    paths: tuple[str, ...]


class Match(Struct, frozen=True, kw_only=True):
    """A rule that is about a command.

    Attributes:
        prefix: The beginning of the command that the rule named.
        program: The path that stood in the place of the name; empty where the name stood itself.
    """

    prefix: Words
    decision: Decision
    justification: str = ""
    program: str = ""
    place: str = ""


class Evaluation(Struct, frozen=True, kw_only=True):
    """What the rules say of all parts of a command.

    Attributes:
        decision: The strictest of all; None where no rule is about any part.
        matched: Every rule that is about a part.
        parts: The parts, each with the rules that are about it.
        covers: Each part is allowed by a rule of its own.
        reason: Why it is asked or forbidden.
    """

    decision: Decision | None = None
    matched: tuple[Match, ...] = ()
    parts: tuple[tuple[Words, tuple[Match, ...]], ...] = ()
    covers: bool = False
    reason: str = ""
