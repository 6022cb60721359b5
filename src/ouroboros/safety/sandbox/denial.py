"""Whether a cage, and not the program, made a command fail: as it was observed, or else as its words tell."""

import contextlib
import os
import re
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import msgspec

from ouroboros.safety.locking.seccomp import BLIND
from ouroboros.safety.sandbox.cage import NAME, NO_NETWORK, Confined, Refusal
from ouroboros.safety.sandbox.policy import Policy
from ouroboros.safety.sanitize import sanitized

_BAD_SYSTEM_CALL = 128 + 31
_SHOWN, _MOST_REFUSALS = 200, 3
_READ_BYTES = 1 << 17
_WORDS = (
    "operation not permitted|permission denied|read-only file system|seccomp|sandbox|landlock"
    "|failed to write file"
)
_NETWORK = (
    "could not resolve|couldn't connect|failed to connect|name resolution|name or service not known"
    "|network is unreachable|getaddrinfo|nodename nor servname|enotfound|eai_again"
    "|temporary failure in|connection refused|no address associated"
)

_QUIET = {"curl": (6, 7), "wget": (4,)}
"""Exit codes of programs that found no way to a host."""


_QUIET_NAMES = frozenset({
    *("__pycache__", ".cache", "Caches", "_logs", "_cacache", ".pytest_cache", ".mypy_cache"),
    *(".ruff_cache", ".gitconfig.lock", ".local"),
})
"""What lies in such folders is tried in passing, and programs do without it."""


class ObservedRefusals:
    """Our end of what the launcher observes of one command."""

    def __init__(
        self, policy: Policy, hint: Callable[[], str] = str, *, sees_all: bool = True
    ) -> None:
        """Opens nothing yet.

        ``hint`` says where this cage refuses beyond what it means to; not ``sees_all``, and it refuses
        some of what nobody is notified of.
        """
        self._policy, self._hint, self._sees_all = policy, hint, sees_all
        self._reading = -1
        self._rest = b""
        self._found: list[Refusal] = []
        self._given = 0
        self._is_blind = False

    @contextlib.contextmanager
    def writing(self) -> Generator[int]:
        """The launcher's end of it, which is closed here once that has its own."""
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        try:
            yield writing
        finally:
            os.close(writing)

    def is_blind(self) -> bool:
        """Whether the words of a program are all there is, as nobody was notified of what was refused."""
        self._take()
        return self._is_blind or (not self._sees_all and not self._found)

    def all(self) -> Sequence[Refusal]:
        """All so far that is worth telling."""
        self._take()
        return self._found

    def fresh(self) -> Sequence[Refusal]:
        """Those that this was not asked for yet."""
        given, self._given = self._given, len(self.all())
        return self._found[given:]

    def told(self, refusal: Refusal) -> str:
        """One in words."""
        place = refusal.place
        match refusal.right:
            case "write" if self._policy.reach == "read-only":
                return f"writing {place}: commands may only read now"
            case "write" if any(Path(place).is_relative_to(p) for p in self._policy.protected):
                return f"writing {place}: commands leave it as it is"
            case "write" if any(Path(place).is_relative_to(p) for p in self._policy.writable):
                hint = self._hint()
                return f"writing {place}: {hint}" if hint else f"writing {place}"
            case "write":
                return f"writing {place}: outside of the folders that commands may write"
            case "reach":
                return f"{place}: hidden from commands"
            case "socket":
                return f"speaking to the local socket {place}"
            case "network" if self._policy.network == "proxy":
                return (
                    f"the network{f' ({place})' if place else ''}, but by the proxy of HTTPS_PROXY"
                )
            case "network":
                return f"the network{f' ({place})' if place else ''}: it is off for commands"
            case "call":
                return place

    def is_hidden(self, line: str) -> bool:
        """Whether a line names something that may not even be read, which nothing observes."""
        return any(place.name in line for place in self._policy.hidden if os.path.lexists(place))

    def end(self) -> None:
        """The command has ended, and nothing more will come."""
        self._take()
        if self._reading >= 0:
            os.close(self._reading)
            self._reading = -1

    def _take(self) -> None:
        if self._reading < 0:
            return
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._reading, _READ_BYTES):
                self._rest += piece
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            right, place = msgspec.json.decode(line, type=tuple[str, str])
            if right == BLIND:
                self._is_blind = True
                continue
            refusal = msgspec.convert({"right": right, "place": _shown(place)}, Refusal)
            if _QUIET_NAMES.isdisjoint(Path(place).parts):
                self._found.append(refusal)


def stopped(confined: Confined, exit_code: int, output: str) -> str:
    """What the cage of this command likely stopped: a file, a system call, or the network."""
    if NAME not in confined.environment:
        return ""
    if confined.refusals is not None and not confined.refusals.is_blind():
        by_words = denial(exit_code, output)
        found = confined.refusals.all() if exit_code else ()
        if found:
            return _listed([confined.refusals.told(each) for each in found])
        is_own = exit_code == _BAD_SYSTEM_CALL or confined.refusals.is_hidden(by_words)
        return by_words if is_own else ""
    is_silent = NO_NETWORK in confined.environment
    by_words = denial(exit_code, output)
    if by_words or not is_silent:
        return by_words
    return network_denial(exit_code, output) or _unsaid(confined, exit_code, output)


def noted(confined: Confined, output: str = "") -> str:
    """What the cage did about a command, and what it refused to it since this was last asked, a line each."""
    found = _observed_since(confined, output)
    notes = [*confined.notes, *([f"refused {found}"] if found else [])]
    return "".join(f"[sandbox: {note}]\n" for note in notes)


def refused_since(confined: Confined, output: str) -> str:
    """What the cage refused since this was last asked; where nobody is notified of it, by the words of ``output``."""
    found = _observed_since(confined, output)
    if found or (confined.refusals is not None and not confined.refusals.is_blind()):
        return found
    return denial(1, output) if NAME in confined.environment else ""


def _observed_since(confined: Confined, output: str) -> str:
    if confined.refusals is None:
        return ""
    found = [confined.refusals.told(each) for each in confined.refusals.fresh()]
    by_words = denial(1, output)
    if confined.refusals.is_hidden(by_words):
        found.append(f"what is hidden from commands ({by_words})")
    return _listed(found)


def _listed(told: list[str]) -> str:
    more = len(told) - _MOST_REFUSALS
    return "; ".join(told[:_MOST_REFUSALS]) + (f"; and {more} more" if more > 0 else "")


def denial(exit_code: int, output: str) -> str:
    """What the cage likely stopped, as the program said it; empty when it was not the cage.

    Args:
        exit_code: How a confined command ended; a signal counts as 128 and its number.
        output: All that it said.
    """
    if exit_code == 0:
        return ""
    if exit_code == _BAD_SYSTEM_CALL:
        return "it made a system call that nobody may make in the sandbox"
    found = re.search(_WORDS, output, re.IGNORECASE)
    return "" if found is None else _line_at(output, found.start())


def network_denial(exit_code: int, output: str) -> str:
    """What it said of a network that is switched off; empty when it said nothing of the kind."""
    found = re.search(_NETWORK, output, re.IGNORECASE) if exit_code else None
    return "" if found is None else _line_at(output, found.start())


def _unsaid(confined: Confined, exit_code: int, output: str) -> str:
    """What a program that was told to be quiet said of the network by its exit code alone."""
    if output.strip():
        return ""
    text = " ".join(confined.command)
    found = [
        name
        for name, codes in _QUIET.items()
        if exit_code in codes and re.search(rf"\b{name}\b", text)
    ]
    return f"{found[0]} ended with {exit_code}: no connection" if found else ""


def _shown(place: str) -> str:
    line = " ".join(sanitized(place).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def _line_at(text: str, place: int) -> str:
    begin = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1  # a meter ends in \r
    end = text.find("\n", place)
    return _shown(text[begin : len(text) if end < 0 else end])
