"""May this happen: allow, ask or deny, decided from values alone.

A deny wins over everything, in whatever order and scope it stands. Between ask and allow the higher
scope wins, and within one scope ask. Then comes the mode. What cannot be understood is asked.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ouroboros.core.commands import Mode
from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.canonical import Reading, denies, may_deny, reaches, read_shell
from ouroboros.safety.paths import Glob, Places

type Outcome = Literal["allow", "ask", "deny"]
type Layer = Literal["user", "project", "local", "cli", "session", "managed"]

_RANK: dict[Layer, int] = {
    "user": 0,
    "project": 1,
    "local": 2,
    "cli": 3,
    "session": 4,
    "managed": 5,
}
_OUTCOMES: dict[str, Outcome] = {
    "allow": "allow",
    "ask": "ask",
    "deny": "deny",
    "auto": "allow",
    "approve": "ask",
    "denied": "deny",
}
_FAMILIES = {
    "apply_patch": "write",
    "edit": "write",
    "find": "read",
    "grep": "read",
    "ls": "read",
    "multi_edit": "write",
    "read": "read",
    "shell": "execute",
    "write": "write",
}
_ANY = frozenset({"", "*", ":*"})
_SEARCHES = frozenset({"find", "grep"})
_RULE = re.compile(r"\s*([\w*.:/-]+?)\s*(?:\((.*)\))?\s*", re.DOTALL)


class Rule(Struct, frozen=True, kw_only=True):
    """One line of a permission list; an empty ``content`` means any input of the tool."""

    outcome: Outcome
    tool: str
    content: str = ""
    layer: Layer = "user"

    def __str__(self) -> str:
        """As it is written in configuration."""
        return f"{self.tool}({self.content})" if self.content else self.tool


class Intent(Struct, frozen=True, kw_only=True):
    """What a call would do, in values.

    Attributes:
        tool: Its canonical name.
        kind: ``none``, ``read``, ``write``, ``execute``, or a kind that only ``full-auto`` allows.
        paths: Where it really goes, links resolved.
        spelled: The same paths as the call spelled them; a deny looks at both.
        command: The exact shell text.
    """

    tool: str
    kind: str
    paths: tuple[Path, ...] = ()
    spelled: tuple[Path, ...] = ()
    command: str = ""


class Decision(Struct, frozen=True, kw_only=True):
    """What the rules say.

    Attributes:
        rule: The rule, or the mode, that decided.
        reason: One sentence for the person and the model.
        grant: The rule that a yes for the session would add; empty when it cannot be remembered.
    """

    outcome: Outcome
    rule: str = ""
    reason: str = ""
    grant: str = ""


class Rules:
    """A set of rules for the places of one session."""

    def __init__(
        self, rules: Iterable[Rule], places: Places, canonical: Callable[[str], str] = str.lower
    ) -> None:
        """``canonical`` maps a tool name in any spelling to its own; ``places`` are resolved."""
        self._places = places
        self._canonical = canonical
        self._rules = [self._prepared(rule) for rule in rules]

    def decide(self, intent: Intent, *, mode: Mode, granted: Sequence[str] = ()) -> Decision:
        """Allow, ask or deny; pure."""
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
        if mode == "plan" and intent.kind not in {"read", "none"}:
            return Decision(
                outcome="deny",
                rule="mode plan",
                reason="nothing may be changed or run in plan mode",
            )
        doubt = self._doubt(reading)
        if decided is not None and decided.outcome == "allow":
            if doubt and decided.layer != "session" and decided.content in _ANY:
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
            case "none":
                return ""
            case "read":
                return self._read_objection(intent, mode)
            case "write":
                return self._write_objection(intent, mode)
            case "execute" if mode == "full-auto":
                return ""
            case "execute":
                return "a command may change anything"
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

    def _prepared(self, rule: Rule) -> "_Prepared":
        tool = "*" if rule.tool == "*" else self._canonical(rule.tool)
        return _Prepared(rule, tool, self._places)


class _Prepared:
    """A rule with its patterns compiled."""

    def __init__(self, rule: Rule, tool: str, places: Places) -> None:
        self.rule = rule
        self.family = "*" if tool == "*" else _FAMILIES.get(tool, "")
        self._tool = tool
        # A remembered yes is never a pattern: the command * is a command.
        self._any = not rule.content if rule.layer == "session" else rule.content in _ANY
        self._glob: Glob | None = None
        self._words: tuple[str, ...] = ()
        self._is_prefix = False
        if not self._any and self.family in {"read", "write"}:
            self._glob = Glob(rule.content, places, narrow=rule.outcome == "allow")
        elif not self._any:
            is_allow = rule.outcome == "allow"
            self._words, self._is_prefix = _command_words(rule.content, as_written=is_allow)

    def matches(self, intent: Intent, reading: Reading | None, places: Places) -> bool:
        is_meant = self._tool in {"*", intent.tool} or (
            self.family != "" and self.family == _FAMILIES.get(intent.tool, intent.kind)
        )
        if not is_meant:
            return False
        if reading is not None:
            return self._matches_command(intent.command, reading)
        if self.rule.outcome == "allow":
            return self._covers(intent, places)
        if self._glob is None:
            return True
        spelled = (Path(posixpath.normpath(path)) for path in intent.spelled)
        return any(self._glob.matches(path) for path in (*intent.paths, *spelled))

    def _covers(self, intent: Intent, places: Places) -> bool:
        if self._glob is not None and self.rule.layer == "session":
            return self._was_granted(intent, places)
        if intent.kind == "write":
            return self._covers_writes(intent, places)
        if any(
            places.is_secret(path) and not self._spells_out(path, places) for path in intent.paths
        ):
            return False
        if self._glob is None:
            return self._any
        return bool(intent.paths) and all(self._glob.matches(path) for path in intent.paths)

    def _spells_out(self, secret: Path, places: Places) -> bool:
        """Keys need an allow that names where they are."""
        home = places.home.name.lower() if places.home else ""
        return self._glob is not None and (
            self._glob.names(secret.name.lower()) or self._glob.names(home)
        )

    def _was_granted(self, intent: Intent, places: Places) -> bool:
        """A yes to one path covers that path; only a search was about everything below."""
        place = Path(self.rule.content[1:])
        if self._tool in _SEARCHES and intent.kind == "read":
            below = all(path.is_relative_to(place) for path in intent.paths)
            kept = places.is_secret(place) or not any(map(places.is_secret, intent.paths))
            return bool(intent.paths) and below and kept
        is_listing = "ls" in {self._tool, intent.tool}
        return intent.paths == (place,) and (not is_listing or self._tool == intent.tool)

    def may_match(self, reading: Reading) -> bool:
        """Whether it could speak of a command whose words are not all known."""
        return any(may_deny(self._words, command) for command in reading.commands)

    def _covers_writes(self, intent: Intent, places: Places) -> bool:
        """Protected paths and paths outside need an allow that speaks of them."""
        for path in intent.paths:
            protected = places.protected_by(path)
            if protected and not (self._glob and self._glob.names(protected)):
                return False
            if self._glob is not None and not self._glob.matches(path):
                return False
            if self._glob is None and not places.is_inside(path):
                return False
        return bool(intent.paths) and (self._any or self._glob is not None)

    def _matches_command(self, text: str, reading: Reading) -> bool:
        if self._any:
            return True
        if self.rule.outcome != "allow":
            return any(denies(self._words, command) for command in reading.commands)
        if self.rule.layer == "session":
            return self.rule.content == text
        simple = reading.simple
        if simple is None:
            return False
        if not self._is_prefix:
            return simple == self._words
        count = len(self._words)
        return simple[:count] == self._words and not reaches(simple[0], simple[count:])


def parse_rule(outcome: str, written: object, layer: Layer = "user") -> Rule:
    """Reads a rule in either spelling: ``Tool(content)`` or ``{toolName, ruleContent}``.

    Raises:
        ConfigBroken: It is neither, or the outcome is unknown.
    """
    known = _OUTCOMES.get(outcome)
    if known is None:
        raise ConfigBroken(f"unknown permission outcome {outcome!r}", hint="use allow, ask or deny")
    if isinstance(written, str):
        tool, content = split_rule(written)
    else:
        tool, content = _from_mapping(written)
    if not tool:
        raise ConfigBroken(
            f"not a permission rule: {written!r}",
            hint="write it as Tool(content), such as Bash(git log:*) or Read(/src/**)",
        )
    return Rule(outcome=known, tool=tool, content=content, layer=layer)


def split_rule(written: str) -> tuple[str, str]:
    """Tool and content of ``Tool(content)``; two empty texts when it is not a rule."""
    found = _RULE.fullmatch(written)
    return (found.group(1), found.group(2) or "") if found else ("", "")


def grant_for(intent: Intent) -> str:
    """The narrowest rule that a remembered yes adds: this very command, or these very paths."""
    if intent.kind == "execute":
        return f"{intent.tool}({intent.command})" if intent.command else ""
    if intent.kind in {"read", "write"} and len(intent.paths) == 1:
        text = str(intent.paths[0])
        return "" if re.search(r"[*?]", text) else f"{intent.tool}(/{text})"
    return "" if intent.paths else f"{intent.tool}"


def _from_mapping(written: object) -> tuple[str, str]:
    match written:
        case {"toolName": str(tool), "ruleContent": str(content)}:
            return tool, content
        case {"toolName": str(tool)}:
            return tool, ""
        case _:
            return "", ""


def _command_words(content: str, *, as_written: bool) -> tuple[tuple[str, ...], bool]:
    """The words a command rule asks for, and whether more may follow.

    An allow is taken ``as_written``: it never loses an assignment or a wrapper.
    """
    content = content.strip()
    is_prefix = content.endswith((":*", " *"))
    text = content[:-2] if is_prefix else content
    first, colon, rest = text.partition(":")
    if colon and rest and " " not in first and not rest.startswith("//"):
        text, is_prefix = f"{first} {rest}", True
    reading = read_shell(text)
    words = reading.simple
    if words is None and not as_written and len(reading.commands) == 1:
        words = reading.commands[0].words
    return (tuple(text.split()) if words is None else words), is_prefix
