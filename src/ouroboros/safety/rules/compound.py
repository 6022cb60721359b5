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
from ouroboros.safety.rules.values import Intent, Layer, Rule

RANK: dict[Layer, int] = {
    "user": 0,
    "project": 1,
    "local": 2,
    "cli": 3,
    "session": 4,
    "managed": 5,
}


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
