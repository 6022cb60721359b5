"""Programs that run another one whose words follow: which, and what may come before them."""

import re
from collections.abc import Sequence

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.verdict import Doubt

_WRAPPERS = {
    "command": "",
    "env": "",
    "ionice": r"-c|-n|-t|\d|idle|best-effort|-c\d|-n\d|-t",
    "nice": r"-n|-?\d+|-n-?\d+|--adjustment=-?\d+",
    "stdbuf": r"-[ioe]|[0L]|\d+[KMG]?|-[ioe]([0L]|\d+[KMG]?)|--(input|output|error)=([0L]|\d+[KMG]?)",
    "time": r"-p",
    "timeout": r"-k|-s|--preserve-status|--foreground|--kill-after=\d+[smh]?|--signal=\w+|-v|--verbose",
}
_VALUES = {
    "nice": {"-n"},
    "timeout": {"-k", "-s"},
    "stdbuf": {"-i", "-o", "-e"},
    "ionice": {"-c", "-n"},
}
_HARMLESS = re.compile(
    r"(LANG|LANGUAGE|LC_[A-Z]+)=[A-Za-z0-9_.@-]*|(NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR|CI)=\w*"
    r"|TERM=(dumb|xterm|xterm-256color|linux|ansi|vt100)?|(COLUMNS|LINES)=\d+|TZ=[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z_+-]+){0,2}"
    r"|(PAGER|GIT_PAGER|MANPAGER|GH_PAGER|SYSTEMD_PAGER)=(cat)?|IFS=[,:]?|GIT_OPTIONAL_LOCKS=0|GIT_TERMINAL_PROMPT=0",
    re.ASCII,
)


def is_wrapper(name: str) -> bool:
    """Whether the words after this one are a command."""
    return name in _WRAPPERS


def check_assignment(text: str) -> None:
    """Holds ``NAME=value`` to be one that changes no more than how something looks.

    Raises:
        Doubt: It may change what runs.
    """
    if not _HARMLESS.fullmatch(text):
        raise Doubt(
            "ask.environment", f"the variable {text.partition('=')[0]} may change what runs"
        )


def unwrapped(words: Sequence[Word]) -> Sequence[Word]:
    """The command inside of a wrapper's words.

    Raises:
        Doubt: The wrapper has an option that is not known, or nothing to run.
    """
    name, at = words[0].text.rpartition("/")[2], 1
    allowed = re.compile(_WRAPPERS[name], re.ASCII)
    while at < len(words):
        text = words[at].text
        if name == "env" and "=" in text and not text.startswith("-"):
            check_assignment(text)
            at += 1
        elif text.startswith("-") and allowed.fullmatch(text):
            at += 2 if text in _VALUES.get(name, ()) else 1
        else:
            break
    if name == "timeout" and at < len(words):
        if not re.fullmatch(r"\d+(\.\d+)?[smhd]?", words[at].text, re.ASCII):
            raise Doubt("ask.wrapper", "timeout without a time")
        at += 1
    skipped = words[1:at]
    if any(word.is_pattern or word.is_home for word in skipped):
        raise Doubt("ask.wrapper", f"the shell may change the words of {name}")
    if at >= len(words) or words[at].text.startswith("-"):
        shown = words[at].text if at < len(words) else "nothing to run"
        raise Doubt("ask.wrapper", f"{name} with {shown} is not known to be harmless")
    return words[at:]
