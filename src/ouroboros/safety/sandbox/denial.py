"""Whether a cage, and not the program, made a command fail, as far as its words tell."""

import re

from ouroboros.safety.sandbox.cage import NAME, NO_NETWORK, Confined

_BAD_SYSTEM_CALL = 128 + 31
_SHOWN = 200
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


def stopped(confined: Confined, exit_code: int, output: str) -> str:
    """What the cage of this command likely stopped: a file, a system call, or the network."""
    if NAME not in confined.environment:
        return ""
    is_silent = NO_NETWORK in confined.environment
    by_words = denial(exit_code, output)
    if by_words and confined.hint:
        return f"{by_words}; {confined.hint}"
    if by_words or not is_silent:
        return by_words
    return network_denial(exit_code, output) or _unsaid(confined, exit_code, output)


def noted(confined: Confined) -> str:
    """What the cage did about a command that has ended, a line each."""
    return "".join(f"[sandbox: {note}]\n" for note in confined.notes)


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


def _line_at(text: str, place: int) -> str:
    begin = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1  # a meter ends in \r
    end = text.find("\n", place)
    line = " ".join(text[begin : len(text) if end < 0 else end].split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
