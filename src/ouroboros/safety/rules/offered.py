"""What a yes may be remembered as: this very thing, and wider rules that a person may choose."""

import re
import shlex

from ouroboros.safety.commands.reading import reaches, read_shell
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.origins import address, origin_of
from ouroboros.safety.policy.amendments import BANNED
from ouroboros.safety.rules.values import GRANT, WEB, Intent

CONTACT = "network"
"""What a connection of a command counts as, in rules and questions."""

_MOST = 4
_WORD = re.compile(r"[a-z][\w-]*")


def grant_for(intent: Intent) -> str:
    """The narrowest rule that a remembered yes adds: this very command, or these very paths."""
    if intent.kind == "execute":
        # The same words in another folder are another command.
        is_here = intent.command and intent.folder is None
        return f"{intent.tool}({intent.command})" if is_here else ""
    if intent.kind in {"read", "write"} and len(intent.paths) == 1:
        text = str(intent.paths[0])
        return "" if re.search(r"[*?]", text) else f"{intent.tool}(/{text})"
    if intent.kind == GRANT:
        return ""
    if intent.kind in WEB:
        origin = origin_of(intent.url)
        name = "browser" if intent.kind == "origin" else intent.risk or intent.tool
        return f"{name}({origin}/*)" if origin else ""
    return "" if intent.paths else f"{intent.tool}"


def remembered(intent: Intent, verdict: Verdict | None) -> tuple[str, ...]:
    """Rules for a settings file that allow this very thing; none where lines could not say it safely."""
    match intent.kind:
        case "execute":
            return tuple(f"{intent.tool}({shlex.join(words)})" for words in _parts(verdict))
        case "origin":
            return ()
        case _:
            return tuple(filter(None, (grant_for(intent),)))


def wider(intent: Intent, verdict: Verdict | None) -> tuple[str, ...]:
    """Rules that allow more: what begins alike, a whole folder, a host by any address."""
    match intent.kind:
        case "execute":
            parts = [words for words in _parts(verdict) if not reaches(words[0], words[1:])]
            return tuple(dict.fromkeys(filter(None, (_beginning(intent, each) for each in parts))))
        case "read" | "write" if len(intent.paths) == 1:
            folder = intent.paths[0].parent
            is_plain = not re.search(r"[*?]", str(folder)) and folder.parent != folder
            return (f"{intent.tool}(/{folder}/**)",) if is_plain else ()
        case "fetch":
            read = address(intent.url)
            return (f"{intent.tool}(domain:{read.host})",) if read and read.host else ()
        case _:
            return ()


def host_amendment(intent: Intent) -> tuple[str, ...]:
    """The host of a command's first contact, which a yes for good writes into the policy file."""
    if intent.kind != "fetch" or intent.tool != CONTACT:
        return ()
    read = address(intent.url)
    return (f"{read.scheme}://{read.host}",) if read and read.host else ()


def _parts(verdict: Verdict | None) -> tuple[tuple[str, ...], ...]:
    """The parts of a command that lines can speak of, all or none."""
    if verdict is None or verdict.parts is None or verdict.kind == "dangerous":
        return ()
    parts = tuple(words for words in verdict.parts if words[0] != "cd")
    return parts if len(parts) <= _MOST and all(map(_is_sayable, parts)) else ()


def _is_sayable(words: tuple[str, ...]) -> bool:
    text = shlex.join(words)
    is_pattern = text.endswith((":*", " *")) or ":" in text.partition(" ")[0]
    return not is_pattern and read_shell(text).simple is not None


def _beginning(intent: Intent, words: tuple[str, ...]) -> str:
    """A program with its sub-command, and whatever follows."""
    head = words[:2]
    if len(words) < 2 or not _WORD.fullmatch(words[1]) or head in BANNED:
        return ""
    return f"{intent.tool}({shlex.join(head)}:*)"
