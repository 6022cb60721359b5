"""When two texts are the same command, so that a yes to one answers for the other."""

import posixpath

from ouroboros.safety.commands.verdict import Doubt
from ouroboros.safety.policy.values import Words

_SCRIPT = "\0script"
_SHELLS = frozenset({"bash", "zsh", "sh"})
_DEEPEST = 3


def approval_key(text: str, *, depth: int = 0) -> Words:
    """The words of one plain command, also where a shell is started for it; else the exact text.

    ``/bin/bash -lc 'ls -la'`` and ``bash -lc "ls -la"`` have one key. A shell counts by its own name
    and in folders of the system, and a word that the shell would change keeps a text as it is.
    """
    from ouroboros.safety.commands.grammar import parse

    try:
        commands = parse(text)
    except Doubt:
        return (_SCRIPT, text)
    if len(commands) != 1 or commands[0].assignments or commands[0].redirects:
        return (_SCRIPT, text)
    words = commands[0].words
    if any(word.is_pattern or word.is_home or word.is_filled for word in words):
        return (_SCRIPT, text)
    found = tuple(word.text for word in words)
    if depth < _DEEPEST and len(found) == 3 and _is_shell(found[0]) and found[1] in {"-c", "-lc"}:
        inner = approval_key(found[2], depth=depth + 1)
        return inner if inner[0] != _SCRIPT else (_SCRIPT, found[1], found[2])
    return found


def _is_shell(program: str) -> bool:
    folder, name = posixpath.split(program)
    return name in _SHELLS and folder in {"", "/bin", "/usr/bin"}
