"""All rules over all parts of a command; the strictest wins."""

import posixpath
import shlex
from collections.abc import Iterable, Sequence
from typing import Literal

from ouroboros.safety.policy.values import (
    STRICTNESS,
    Decision,
    Evaluation,
    HostExecutable,
    Match,
    NetworkRule,
    PrefixRule,
    Words,
)

type ByName = Literal["no", "vouched", "any"]

SYSTEM_FOLDERS = frozenset({
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
})
"""Programs that lie here are taken to be what they are called."""


class Policy:
    """The rules of all policy files of a session; never changes."""

    def __init__(
        self,
        rules: Iterable[PrefixRule] = (),
        *,
        network: Iterable[NetworkRule] = (),
        executables: Iterable[HostExecutable] = (),
        broken: str = "",
    ) -> None:
        """``broken`` says which file could not be understood; then everything is asked."""
        self.rules, self.network = tuple(rules), tuple(network)
        self.executables = {one.name: one.paths for one in executables}
        self.broken = broken
        self._by_program: dict[str, list[PrefixRule]] = {}
        for rule in self.rules:
            for program in dict.fromkeys(rule.pattern[0]):
                self._by_program.setdefault(program, []).append(rule)

    def __bool__(self) -> bool:
        """Whether it has anything to say of any command."""
        return bool(self.rules or self.broken)

    def joined(self, other: "Policy") -> "Policy":
        """Both together; where they list paths of one program, ``other`` counts."""
        executables = {**self.executables, **other.executables}
        return Policy(
            (*self.rules, *other.rules),
            network=(*self.network, *other.network),
            executables=[HostExecutable(name=n, paths=p) for n, p in executables.items()],
            broken=self.broken or other.broken,
        )

    def evaluate(
        self, parts: Sequence[Words], *, also: Iterable[Words] = (), by_name: ByName = "vouched"
    ) -> Evaluation:
        """What the rules say of a command.

        Args:
            parts: Its simple commands, each as words; all of them run, or may.
            also: Commands hidden in those, such as what a wrapper runs; only what is stricter than
                allow counts for them.
            by_name: Whether a program given by its path is meant by rules of its name; ``vouched``
                takes an allow only for a path that is listed, or in a folder of the system.
        """
        if self.broken:
            return Evaluation(decision="prompt", reason=self.broken)
        judged = tuple((words, self._matches(words, by_name=by_name)) for words in parts)
        hidden = (
            match
            for words in also
            for match in self._matches(words, by_name=by_name)
            if match.decision != "allow"
        )
        matched = (*(match for _, found in judged for match in found), *hidden)
        if not matched:
            return Evaluation(parts=judged)
        decision = strictest(matched)
        whole = " && ".join(shlex.join(words) for words in parts) or "the command"
        return Evaluation(
            decision=decision,
            matched=tuple(dict.fromkeys(matched)),
            parts=judged,
            covers=decision == "allow" and all(matches for _, matches in judged),
            reason=_reason(decision, matched, whole),
        )

    def host(self, host: str, protocol: str) -> NetworkRule | None:
        """The strictest rule of a host, the latest of several; None if there is none."""
        if self.broken:
            return NetworkRule(
                host=host, protocol="https", decision="prompt", justification=self.broken
            )
        name = host.rstrip(".").lower()
        found = [rule for rule in self.network if rule.host == name and rule.protocol == protocol]
        return max(reversed(found), key=lambda rule: STRICTNESS[rule.decision], default=None)

    def _matches(self, words: Words, *, by_name: ByName) -> tuple[Match, ...]:
        if not words:
            return ()
        exact = self._matching(words)
        if exact or by_name == "no" or not words[0].startswith("/"):
            return tuple(_match(rule, words) for rule in exact)
        program = words[0]
        name = posixpath.basename(program)
        listed = self.executables.get(name)
        if not name or (listed is not None and program not in listed):
            return ()
        named = (name, *words[1:])
        # As it is spelled: through a link, what looks like a folder of the system need not be one.
        folder = posixpath.dirname(program)
        is_vouched = by_name == "any" or listed is not None or folder in SYSTEM_FOLDERS
        return tuple(
            _match(rule, named, program=program)
            for rule in self._matching(named)
            if is_vouched or rule.decision != "allow"
        )

    def _matching(self, words: Words) -> list[PrefixRule]:
        return [rule for rule in self._by_program.get(words[0], ()) if rule.matches(words)]


def strictest(matched: Iterable[Match]) -> Decision:
    """The strictest decision of these; there is at least one."""
    return max((match.decision for match in matched), key=STRICTNESS.__getitem__)


def _match(rule: PrefixRule, words: Words, *, program: str = "") -> Match:
    return Match(
        prefix=words[: len(rule.pattern)],
        decision=rule.decision,
        justification=rule.justification,
        program=program,
        place=rule.place,
    )


def _reason(decision: Decision, matched: Sequence[Match], whole: str) -> str:
    """Said with the words of the most specific rule that decided."""
    if decision == "allow":
        return ""
    deciding = (match for match in matched if match.decision == decision)
    rule = max(deciding, key=lambda match: len(match.prefix))
    verb = "requires approval" if decision == "prompt" else "rejected"
    if rule.justification:
        return f"`{whole}` {verb}: {rule.justification}"
    if decision == "prompt":
        return f"`{whole}` requires approval by policy"
    named = shlex.join(rule.prefix)
    return f"`{whole}` rejected: policy forbids commands starting with `{named}`"
