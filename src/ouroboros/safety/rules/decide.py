"""The verdict over all rules, and over the mode where they are silent."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ouroboros.core.commands import Mode
from ouroboros.safety.commands.reading import Reading, read_shell
from ouroboros.safety.origins import origin_of
from ouroboros.safety.paths import Places
from ouroboros.safety.policy.presets import Retry, retry
from ouroboros.safety.rules.by_policy import Policies
from ouroboros.safety.rules.prepared import Prepared
from ouroboros.safety.rules.values import ANY, WEB, Decision, Intent, Layer, Rule
from ouroboros.safety.rules.written import split_rule

_RANK: dict[Layer, int] = {
    "user": 0,
    "project": 1,
    "local": 2,
    "cli": 3,
    "session": 4,
    "managed": 5,
}


class Rules:
    """A set of rules for the places of one session."""

    def __init__(
        self,
        rules: Iterable[Rule],
        places: Places,
        canonical: Callable[[str], str] = str.lower,
        *,
        policies: Policies | None = None,
    ) -> None:
        """``canonical`` maps a tool name in any spelling to its own; ``places`` are resolved."""
        self._places = places
        self._policies = policies
        self._canonical = canonical
        self._rules = [self._prepared(rule) for rule in rules]

    def decide(self, intent: Intent, *, mode: Mode, granted: Sequence[str] = ()) -> Decision:
        """Allow, ask or deny; pure."""
        decision = self._decide(intent, mode=mode, granted=granted)
        if self._policies is None:
            return decision
        may_write = intent.kind == "write" and not self._write_objection(intent, "auto-edit")
        return self._policies.join(
            intent, decision, places=self._places, granted=granted, may_write=may_write
        )

    def _decide(self, intent: Intent, *, mode: Mode, granted: Sequence[str]) -> Decision:
        reading = read_shell(intent.command) if intent.kind == "execute" else None
        grants = [
            self._prepared(Rule(outcome="allow", tool=tool, content=content, layer="session"))
            for tool, content in map(split_rule, granted)
        ]
        matching = [
            prepared.rule
            for prepared in (*self._rules, *grants)
            if prepared.matches(intent, reading, self._places)
        ]
        denied = sorted(str(rule) for rule in matching if rule.outcome == "deny")
        if denied:
            return Decision(
                outcome="deny", rule=denied[0], reason=f"the rule {denied[0]} denies this"
            )
        decided = max(
            matching,
            key=lambda rule: (_RANK[rule.layer], rule.outcome == "ask", str(rule)),
            default=None,
        )
        if mode == "plan" and intent.kind not in {"read", "none", "look"}:
            return Decision(
                outcome="deny",
                rule="mode plan",
                reason="nothing may be changed or run in plan mode",
            )
        doubt = self._doubt(reading)
        if decided is not None and decided.outcome == "allow":
            if doubt and decided.layer != "session" and decided.content in ANY:
                return self._asking(intent, rule=str(decided), reason=doubt)
            return Decision(outcome="allow", rule=str(decided))
        if decided is not None:
            reason = f"the rule {decided} wants to be asked"
            return self._asking(intent, rule=str(decided), reason=reason)
        if doubt and mode == "full-auto":
            return self._asking(intent, rule=f"mode {mode}", reason=doubt)
        return self._by_mode(intent, mode)

    def _doubt(self, reading: Reading | None) -> str:
        """Why a command may be one that a rule is about, although it does not say so."""
        wary = [p for p in self._rules if p.family == "execute" and p.rule.outcome != "allow"]
        if reading is None or not wary:
            return ""
        if reading.opaque:
            return "the command hides what it runs, and there are rules about that"
        near = sorted(str(prepared.rule) for prepared in wary if prepared.may_match(reading))
        return f"the shell fills in words, and then {near[0]} may be about it" if near else ""

    def after_cage(self, *, mode: Mode, approved: bool) -> Retry:
        """What follows when a cage stopped a command: leave it so, run it outside, or ask first.

        Args:
            mode: How much is asked, where no approval policy says it.
            approved: A person said yes to this very command.
        """
        if self._policies is not None and self._policies.approval is not None:
            return retry(self._policies.approval, approved=approved)
        return "ask" if mode in {"ask", "auto-edit"} else "give up"

    def hides(self, path: Path, *, within: Sequence[Path] = ()) -> bool:
        """Whether a search ``within`` allowed places leaves this resolved path out.

        A deny rule for reading names it, or it may hold keys and the allowed places did not say so.
        """
        if self._places.is_secret(path) and not any(map(self._places.is_secret, within)):
            return True
        intent = Intent(tool="read", kind="read", paths=(path,))
        return any(
            prepared.rule.outcome == "deny" and prepared.matches(intent, None, self._places)
            for prepared in self._rules
        )

    def _by_mode(self, intent: Intent, mode: Mode) -> Decision:
        rule = f"mode {mode}"
        reason = self._objection(intent, mode)
        if reason:
            return self._asking(intent, rule=rule, reason=reason)
        return Decision(outcome="allow", rule=rule)

    def _objection(self, intent: Intent, mode: Mode) -> str:
        """Why the mode wants to ask, empty when it does not."""
        match intent.kind:
            case "none" | "look" | "act":
                return ""
            case "read":
                return self._read_objection(intent, mode)
            case "write":
                return self._write_objection(intent, mode)
            case "execute" if mode == "full-auto":
                return ""
            case "execute":
                return "a command may change anything"
            case "origin":
                return "page data was read, and this place is new: data could be carried there"
            case "risk" if mode != "full-auto":
                return f"it is risky ({intent.risk or intent.tool})"
            case _:
                return "" if mode == "full-auto" else f"{intent.tool} acts outside the session"

    def _read_objection(self, intent: Intent, mode: Mode) -> str:
        for path in intent.paths:
            if self._places.is_secret(path):
                return f"{path} may hold keys"
            if mode != "full-auto" and not self._places.is_readable(path):
                return f"{path} is outside the workspace"
        return ""

    def _write_objection(self, intent: Intent, mode: Mode) -> str:
        for path in intent.paths:
            protected = self._places.protected_by(path)
            if protected:
                return f"{path} is protected ({protected} holds control data)"
            if not self._places.is_inside(path):
                return f"{path} is outside the workspace"
        if not intent.paths:
            return "it does not say which files it writes"
        return "" if mode in {"auto-edit", "full-auto"} else "it changes files"

    def _asking(self, intent: Intent, *, rule: str, reason: str) -> Decision:
        return Decision(outcome="ask", rule=rule, reason=reason, grant=grant_for(intent))

    def _prepared(self, rule: Rule) -> "Prepared":
        tool = "*" if rule.tool == "*" else self._canonical(rule.tool)
        return Prepared(rule, tool, self._places)


def grant_for(intent: Intent) -> str:
    """The narrowest rule that a remembered yes adds: this very command, or these very paths."""
    if intent.kind == "execute":
        return f"{intent.tool}({intent.command})" if intent.command else ""
    if intent.kind in {"read", "write"} and len(intent.paths) == 1:
        text = str(intent.paths[0])
        return "" if re.search(r"[*?]", text) else f"{intent.tool}(/{text})"
    if intent.kind in WEB:
        origin = origin_of(intent.url)
        name = "browser" if intent.kind == "origin" else intent.risk or intent.tool
        return f"{name}({origin}/*)" if origin else ""
    return "" if intent.paths else f"{intent.tool}"
