"""Commands of several parts, each judged by itself."""

import shlex
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.commands.reading import Reading, read_shell
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places, real
from ouroboros.safety.rules.prepared import Prepared
from ouroboros.safety.rules.touched import Touched
from ouroboros.safety.rules.values import Decision, Intent, Layer, Rule

RANK: dict[Layer, int] = {
    "user": 0,
    "project": 1,
    "local": 2,
    "cli": 3,
    "session": 4,
    "managed": 5,
}


_MOST_PARTS = 16
"""A chain of more commands is judged as a whole only."""


class Seen(Struct, frozen=True, kw_only=True):
    """An intent, and what its command says."""

    intent: Intent
    reading: Reading | None = None
    verdict: Verdict | None = None
    touched: Touched = Touched()


def of_parts(seen: Seen, rules: Sequence[Prepared], places: Places) -> tuple[Rule | None, str]:
    """The rule that allows the last part of a compound command whose every part is allowed.

    A yes of the person for the session is named only where it allows every part: it may hold
    outside of the cage, and what other rules allow does not. Where only some parts are allowed, the
    first of the others. ``cd`` into the workspace needs no rule, and neither does what only reads,
    as long as no ``cd`` makes it read elsewhere.
    """
    parts = seen.verdict.parts if seen.verdict is not None else None
    if not rules or parts is None or len(parts) < 2:
        return None, ""
    if seen.reading is None or seen.reading.opaque:
        return None, ""
    folder = seen.intent.folder or places.roots[0]
    found: list[Rule] = []
    blocking = ""
    moves = [words for words in parts if words[0] in {"cd", "pushd", "popd"}]
    for words, kind in zip(parts, seen.verdict.kinds if seen.verdict else (), strict=True):
        allowed = _allowed_part(seen.intent, words, rules)
        if allowed is not None:
            found.append(allowed)
        elif words in moves:
            if len(words) != 2 or not places.is_inside(real(folder / words[1])):
                blocking = blocking or shlex.join(words)
        elif moves or kind != "safe":
            blocking = blocking or shlex.join(words)
    if not found:
        return None, ""
    if blocking:
        return None, blocking
    return next((rule for rule in reversed(found) if rule.layer != "session"), found[-1]), ""


def part_intents(seen: Seen, places: Places) -> list[Intent]:
    """Each command of a chain by itself, in its folder; none where it is not known where one would run."""
    verdict, folder = seen.verdict, seen.intent.folder or places.roots[0]
    if verdict is None or verdict.parts is None or len(verdict.parts) < 2:
        return []
    if seen.intent.escalation.asks or len(verdict.parts) > _MOST_PARTS:
        return []
    found: list[Intent] = []
    for words in verdict.parts:
        found.append(replace(seen.intent, command=shlex.join(words), folder=folder))
        if words[0] in {"pushd", "popd"} or (words[0] == "cd" and len(words) != 2):
            return []
        if words[0] == "cd":
            folder = real(folder / words[1])
    return found


def divided(decision: Decision, parts: Sequence[str], outcomes: Sequence[str]) -> Decision:
    """A refusal or a question about a chain, naming the parts that it is about and what is left.

    Nothing is left where no part is milder than the whole, and nothing is named where only the whole
    is refused.
    """
    about = [
        part for part, outcome in zip(parts, outcomes, strict=True) if outcome == decision.outcome
    ]
    rest = [part for part in parts if part not in about]
    if not about or not any(not part.startswith("cd ") for part in rest):
        return decision
    named = " and ".join(f"`{part}`" for part in dict.fromkeys(about))
    is_said = decision.rule.startswith("mode ") and not decision.warning
    reason = (
        decision.reason if is_said or named in decision.reason else f"{decision.reason}: {named}"
    )
    warning = reason if decision.warning == decision.reason else decision.warning
    return replace(decision, reason=reason, warning=warning, about=tuple(about), rest=tuple(rest))


def strongest(rules: Iterable[Rule]) -> Rule | None:
    """The one that counts among those that allow or ask."""
    return max(
        rules,
        key=lambda rule: (RANK[rule.layer], rule.outcome == "ask", str(rule)),
        default=None,
    )


def _allowed_part(intent: Intent, words: tuple[str, ...], rules: Sequence[Prepared]) -> Rule | None:
    text = shlex.join(words)
    part, reading = replace(intent, command=text), read_shell(text)
    decided = strongest(prepared.rule for prepared in rules if prepared.matches(part, reading))
    return decided if decided is not None and decided.outcome == "allow" else None
