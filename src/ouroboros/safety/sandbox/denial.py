"""Whether a cage, and not the program, made a command fail, as far as its words tell."""

import re

_NOT_OURS = frozenset({2, 126, 127})
_BAD_SYSTEM_CALL = 128 + 31
_SHOWN = 200
_WORDS = re.compile(
    "operation not permitted|permission denied|read-only file system|seccomp|sandbox|landlock"
    "|failed to write file",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    "could not resolve|couldn't connect|failed to connect|name resolution|name or service not known"
    "|network is unreachable|getaddrinfo|nodename nor servname|enotfound|eai_again"
    "|temporary failure in|connection refused|no address associated",
    re.IGNORECASE,
)


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
    found = _WORDS.search(output)
    if found is not None:
        return _line_at(output, found.start())
    if exit_code in _NOT_OURS:
        return ""
    return ""


def network_denial(exit_code: int, output: str) -> str:
    """What it said of a network that is switched off; empty when it said nothing of the kind."""
    found = _NETWORK.search(output) if exit_code else None
    return "" if found is None else _line_at(output, found.start())


def _line_at(text: str, place: int) -> str:
    begin = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = " ".join(text[begin : len(text) if end < 0 else end].split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
