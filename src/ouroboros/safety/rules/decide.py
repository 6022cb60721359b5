"""The verdict over all rules, and over the mode where they are silent."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from ouroboros.core.commands import Mode
from ouroboros.safety.commands.aliases import Aliases, expand
from ouroboros.safety.commands.harm import danger
from ouroboros.safety.commands.reading import Reading, read_shell, reads_history
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places
from ouroboros.safety.policy.presets import Retry, retry
from ouroboros.safety.rules.by_policy import BY_FILE, NOT_ALLOWED, Policies
from ouroboros.safety.rules.compound import (
    RANK,
    Seen,
    divided,
    of_parts,
    part_intents,
    strongest,
)
from ouroboros.safety.rules.foreseen import foreseen
from ouroboros.safety.rules.modes import objection, of_writing, while_planning
from ouroboros.safety.rules.offered import always, grant_for, host_amendment, remembered, wider
from ouroboros.safety.rules.prepared import Prepared
from ouroboros.safety.rules.regions import Lying, Region, Regions, none
from ouroboros.safety.rules.tainted import carried, is_confined
from ouroboros.safety.rules.touched import changing_parts, text_of, touched
from ouroboros.safety.rules.values import (
    ANY,
    GRANT,
    HARMLESS,
    STILL,
    Around,
    Decision,
    Intent,
    Layer,
    Rule,
)
from ouroboros.safety.rules.written import split_rule

_WHERE: dict[Layer, str] = {
    "user": "in your settings",
    "project": "in the project's settings",
    "local": "in your settings for this project",
    "cli": "given on the command line",
    "session": "given in this session",
    "managed": "set by the administrator",
}
TAINT = "text from outside"
"""What decided, in the place of a rule, when something was read that nobody vouches for."""

_MORE = "a yes holds until this work is done, or in this session; deny rules hold all the same"


def _keeps_nothing(paths: Sequence[Path]) -> bool:
    del paths
    return False


class Rules:
    """A set of rules for the places of one session."""

    def __init__(
        self,
        rules: Iterable[Rule],
        places: Places,
        canonical: Callable[[str], str] = str.lower,
        *,
        policies: Policies | None = None,
        regions: Callable[[], Sequence[Region]] = none,
        aliases: Aliases | None = None,
        keeps: Callable[[Sequence[Path]], bool] = _keeps_nothing,
    ) -> None:
        """``canonical`` maps a tool name in any spelling to its own; ``places`` are resolved.

        ``regions`` are asked each time for the workspaces that came in besides the session's own,
        and ``keeps`` whether files can be brought back after a command has deleted them.
        """
        self._places = places
        self._regions = Regions(regions, places, self._prepared)
        self._policies = policies
        self._aliases = Aliases(places.person) if aliases is None else aliases
        self._keeps = keeps
        self._canonical = canonical
        self._rules = [self._prepared(rule) for rule in rules]
        self._kinds: dict[tuple[str, str], list[Prepared]] = {}

    def decide(
        self, intent: Intent, *, mode: Mode, granted: Sequence[str] = (), around: Around = STILL
    ) -> Decision:
        """Allow, ask or deny; looks at the disk only where a command speaks of files.

        Args:
            intent: What would be done.
            mode: What decides where no rule speaks.
            granted: What a person allowed until the session ends, exactly.
            around: How the session stands.
        """
        looked: dict[tuple[Path, ...], bool] = {}
        seen = self._seen(intent, looked)
        decision = self._judged(seen, mode=mode, granted=granted, around=around)
        if decision.outcome == "allow" or len(words := part_intents(seen, self._places)) < 2:
            return decision
        judge = partial(self._judged, mode=mode, granted=granted, around=around)
        outcomes = [judge(self._seen(part, looked)).outcome for part in words]
        return divided(decision, [part.command for part in words], outcomes)

    def _judged(
        self, seen: Seen, *, mode: Mode, granted: Sequence[str], around: Around
    ) -> Decision:
        """The decision on a command as a whole, or on anything else."""
        intent = seen.intent
        here = self._regions.about(seen)
        rules = [*here.joined(self._about(intent)), *self._with(granted, around)]
        own, mode = mode, here.mode(mode)
        decision = self._decide(seen, mode=mode, rules=rules, around=around, here=here)
        decision = here.explained(decision, own)
        if self._policies is not None:
            places = self._widened(around)
            may_write = intent.kind == "write" and not of_writing(intent, "auto-edit", places)
            decision = here.judged(
                self._policies,
                seen,
                decision,
                granted=granted,
                may_write=may_write,
            )
        decision = self._foreseen(seen, decision, mode, granted)
        held = self._held(seen, decision, around)
        if held.outcome == "ask" or held.rule in granted:
            held = replace(held, shown=_shown(rules, seen))
        is_said = held.rule in granted or intent.kind in HARMLESS
        if self._policies is not None and self._policies.is_strict and not is_said:
            return self._policies.reviewed(held)
        return held

    def _foreseen(
        self, seen: Seen, decision: Decision, mode: Mode, granted: Sequence[str]
    ) -> Decision:
        """With the cage in mind, where the person would be asked again after it stopped a command."""
        policies, asks = self._policies, mode in {"ask", "auto-edit"}
        is_open = decision.outcome == "ask" or decision.rule in granted
        if policies is None or policies.approval is not None or not (asks and is_open):
            return decision
        if seen.intent.escalation.asks or seen.intent.kind != "execute":
            return decision
        return foreseen(decision, seen.reading, policies.cage())

    def _seen(self, intent: Intent, looked: dict[tuple[Path, ...], bool]) -> Seen:
        """What can be seen of it; ``looked`` has which files are kept, as a look takes time."""
        if intent.kind != "execute":
            return Seen(intent=intent)
        from ouroboros.safety.commands.classify import classify

        folder = intent.folder or self._places.roots[0]
        expanded = expand(read_shell(intent.command), intent.command, folder, self._aliases)
        reading, places = expanded.reading, self._places
        verdict = classify(intent.command, cwd=folder, places=places, shell=intent.shell)
        if (paths := verdict.deletes) is not None:
            if paths not in looked:
                looked[paths] = self._keeps(paths)
            verdict = verdict.as_change() if looked[paths] else verdict
        for text in expanded.texts:
            verdict = _with_alias(verdict, classify(text, cwd=folder, places=places))
        found = touched(intent.command, reading, folder=folder, person=self._places.person)
        return Seen(intent=intent, reading=reading, verdict=verdict, touched=found)

    def _changing(self, seen: Seen) -> Sequence[Path]:
        """Of the paths that a command speaks of, those of parts that do more than read."""
        if seen.reading is None or seen.verdict is None:
            return seen.touched.paths
        rest = changing_parts(seen.intent.command, seen.reading, seen.verdict)
        if rest is None:
            return seen.touched.paths
        folder = seen.intent.folder or self._places.roots[0]
        return touched(text_of(rest), rest, folder=folder, person=self._places.person).paths

    def _about(self, intent: Intent) -> list[Prepared]:
        """The rules that can speak of such a thing; found once for each tool and kind."""
        key = (intent.tool, intent.kind)
        if key not in self._kinds:
            is_command = intent.kind == "execute"
            self._kinds[key] = [
                prepared
                for prepared in self._rules
                if prepared.is_about(intent) or (is_command and prepared.limits_files)
            ]
        return self._kinds[key]

    def _with(self, granted: Sequence[str], around: Around) -> list[Prepared]:
        """The rules that a person has added in this session."""
        found = [
            Rule(outcome="allow", tool=tool, content=content, layer="session", exact=True)
            for tool, content in map(split_rule, granted)
        ]
        found += [
            Rule(outcome="allow", tool=tool, content=content, layer="session")
            for tool, content in map(split_rule, around.remembered)
            if tool
        ]
        return list(map(self._prepared, found))

    def _decide(
        self,
        seen: Seen,
        *,
        mode: Mode,
        rules: Sequence[Prepared],
        around: Around,
        here: Lying,
    ) -> Decision:
        intent, verdict = seen.intent, seen.verdict
        matching = [
            prepared.rule
            for prepared in rules
            if prepared.matches(intent, seen.reading)
            or prepared.denies_paths(seen.touched.paths)
            or prepared.asks_paths(seen.touched.paths)
        ]
        denied = min(
            (rule for rule in matching if rule.outcome == "deny"),
            key=lambda rule: (str(rule), -RANK[rule.layer]),
            default=None,
        )
        if denied is not None:
            return Decision(
                outcome="deny",
                rule=str(denied),
                layer=denied.layer,
                reason=f"the rule {denied} denies this ({_WHERE[denied.layer]})",
            )
        decided = strongest(matching)
        is_safe = verdict is not None and verdict.kind == "safe"
        if mode == "plan" and (reason := while_planning(intent, is_safe=is_safe)):
            return Decision(outcome="deny", rule="mode plan", reason=reason)
        if intent.kind == GRANT:
            return self._asking(seen, rule=intent.tool, reason=_MORE)
        doubt = self._doubt(seen, here)
        hidden = self._history(seen, rules) or self._mention(seen, here)
        command = blocking = ""
        if decided is None and verdict is not None:
            decided, blocking = of_parts(seen, rules, self._places)
            command = verdict.hardened
        if decided is not None and decided.outcome == "allow":
            return self._allowed(seen, decided, hidden=hidden, doubt=doubt, command=command)
        if decided is not None:
            reason = f"the rule {decided} wants to be asked ({_WHERE[decided.layer]})"
            return self._asking(seen, rule=decided, reason=reason)
        if (doubt or hidden) and (mode == "full-auto" or is_safe):
            return self._asking(seen, rule=f"mode {mode}", reason=hidden or doubt)
        reason = self._objection(intent, mode, around, verdict, here)
        if reason:
            is_harm = verdict is not None and verdict.kind == "dangerous"
            named = NOT_ALLOWED.format(blocking) if blocking and not is_harm else reason
            return self._asking(seen, rule=f"mode {mode}", reason=named)
        command = verdict.hardened if verdict is not None else ""
        return Decision(outcome="allow", rule=f"mode {mode}", command=command)

    def _allowed(
        self, seen: Seen, decided: Rule, *, hidden: str, doubt: str, command: str
    ) -> Decision:
        """What a rule allows, unless it is about any use and there is more to it."""
        harm, is_session = _harm(seen.verdict), decided.layer == "session"
        is_any = not decided.exact and decided.content in ANY
        is_begun = is_session and not decided.exact and not is_any
        why = "" if is_session else hidden or ((doubt or harm) if is_any else "")
        if is_begun and harm and not _spells_harm(decided):
            why = harm
        if why:
            return self._asking(seen, rule=decided, reason=why)
        return Decision(
            outcome="allow",
            rule=str(decided),
            layer=decided.layer,
            is_explicit=not is_any and not is_begun,
            command=command,
        )

    def _objection(
        self, intent: Intent, mode: Mode, around: Around, verdict: Verdict | None, here: Lying
    ) -> str:
        """What the mode says against it, where the person has not let more be read and written."""
        if not around.readable and not around.writable and not around.temporary:
            return objection(intent, mode, self._places, verdict)
        paths = intent.paths
        if intent.kind == "write" and all(map(_within(around.writable), paths)):
            mode = here.mode("full-auto")
        return objection(intent, mode, self._widened(around), verdict)

    def _widened(self, around: Around) -> Places:
        """The workspace with what a session may read and write besides."""
        return self._places.widened(around.readable, (*around.writable, *around.temporary))

    def _held(self, seen: Seen, decision: Decision, around: Around) -> Decision:
        """The decision once more, in view of what was read from outside."""
        if decision.outcome == "deny" or decision.is_explicit or decision.rule == BY_FILE:
            return decision
        is_wary = decision.outcome == "allow" and not decision.outside
        is_wary = is_wary and is_confined(seen.intent, around)
        found = carried(
            seen.intent,
            replace(around, is_online=around.is_online or decision.outside),
            self._places,
            verdict=seen.verdict,
            reading=seen.reading,
            touched=seen.touched.paths,
            changing=self._changing(seen) if around.outside.sources else (),
        )
        if not found:
            return replace(decision, wary=True) if is_wary else decision
        asked = decision
        if decision.outcome == "allow":
            asked = self._asking(seen, rule=TAINT, reason="")
        reason = f"text from outside was read ({around.outside.told}), and {found}"
        if asked.outside:
            reason = f"{asked.reason}; {reason}"
        asked = replace(
            asked,
            reason=reason,
            sources=around.outside.sources,
            command="",
            amendment=(),
            always=(),
        )
        return asked if self._policies is None else self._policies.settled(asked)

    def _doubt(self, seen: Seen, here: Lying) -> str:
        """Why a command may be one that a rule is about, although it does not say so."""
        reading = seen.reading
        rules = (*self._rules, *here.doubtful)
        wary = [p for p in rules if p.family == "execute" and p.rule.outcome != "allow"]
        is_masked = self._policies is None or self._policies.masks()
        limits = [p for p in rules if p.limits_files]
        files = sorted(str(p.rule) for p in limits if p.rule.outcome == "deny")
        if reading is None:
            return ""
        if limits and not is_masked and not _reads_nothing(reading):
            return (
                f"no sandbox hides files here, and {limits[0].rule} may be about some that it reads"
            )
        if not (wary or files):
            return ""
        if files and (seen.touched.is_unsure or reading.opaque):
            return f"the shell fills in words, and then {files[0]} may be about it"
        if not wary:
            return ""
        if reading.opaque:
            return "the command hides what it runs, and there are rules about that"
        near = sorted(str(prepared.rule) for prepared in wary if prepared.may_match(reading))
        return f"the shell fills in words, and then {near[0]} may be about it" if near else ""

    def _history(self, seen: Seen, rules: Sequence[Prepared]) -> str:
        """Why git may show, or write, a stored version of a file that a rule keeps from being read."""
        if seen.reading is None:
            return ""
        about = [p for p in rules if p.limits_files and p.family == "read"]
        if not about or not any(map(reads_history, seen.reading.commands)):
            return ""
        return f"git may show stored versions of files that {about[0].rule} is about"

    def _mention(self, seen: Seen, here: Lying) -> str:
        """Why a program may be told to run what a rule is about."""
        reading = seen.reading
        if reading is None:
            return ""
        wary = (
            p
            for p in (*self._rules, *here.doubtful)
            if p.family == "execute" and p.rule.outcome != "allow"
        )
        found = next((str(p.rule) for p in wary if p.is_mentioned(reading)), "")
        return f"it may run what {found} is about, which stands among its words" if found else ""

    def denial(self, kind: Literal["read", "write"], path: Path) -> str:
        """The rule that denies reading or writing a resolved path; empty when none does."""
        intent = Intent(tool=kind, kind=kind, paths=(path,), spelled=(path,))
        rules = (*self._rules, *self._regions.denying(path))
        denying = (p for p in rules if p.rule.outcome == "deny")
        return next((str(p.rule) for p in denying if p.matches(intent, None)), "")

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
            prepared.rule.outcome == "deny" and prepared.matches(intent, None)
            for prepared in (*self._rules, *self._regions.denying(path))
        )

    def _asking(self, seen: Seen, *, rule: Rule | str, reason: str) -> Decision:
        grant = grant_for(seen.intent)
        return Decision(
            outcome="ask",
            rule=str(rule),
            layer=rule.layer if isinstance(rule, Rule) else "",
            reason=reason,
            grant=grant,
            always=self._always(seen, rule),
            rules=remembered(seen.intent, seen.verdict),
            wider=wider(seen.intent, seen.verdict),
            warning=_harm(seen.verdict),
            amendment=host_amendment(seen.intent),
        )

    def _always(self, seen: Seen, rule: Rule | str) -> tuple[str, ...]:
        """What "always" covers; this very thing where a rule asks about some of the same kind."""
        if isinstance(rule, Rule) or rule == TAINT:
            return ()
        found = always(seen.intent, seen.verdict, self._places)
        asking = (p for p in self._rules if p.rule.outcome == "ask")
        begun = (seen.verdict.parts if seen.verdict else None) or ()
        is_near = any(
            p.limits_files if seen.intent.kind == "write" else p.names(begun) for p in asking
        )
        return () if is_near else found

    def _prepared(self, rule: Rule, places: Places | None = None) -> "Prepared":
        tool = "*" if rule.tool == "*" else self._canonical(rule.tool)
        return Prepared(rule, tool, places or self._places)


def _shown(rules: Sequence[Prepared], seen: Seen) -> tuple[Path, ...]:
    found = (path for rule in rules for path in rule.asks_paths(seen.touched.paths))
    return tuple(dict.fromkeys(found))


_WORDS_ONLY = frozenset({
    "echo",
    "printf",
    "pwd",
    "date",
    "true",
    "false",
    "whoami",
    "uname",
    "sleep",
})


def _reads_nothing(reading: Reading) -> bool:
    return not reading.opaque and all(each.name in _WORDS_ONLY for each in reading.commands)


def _within(folders: Sequence[Path]) -> Callable[[Path], bool]:
    return lambda path: any(path.is_relative_to(folder) for folder in folders)


def _with_alias(verdict: Verdict, meant: Verdict) -> Verdict:
    """A verdict that knows of the harm and the sending of what an alias stands for."""
    found = replace(
        verdict, sends=verdict.sends or meant.sends, pushes=verdict.pushes or meant.pushes
    )
    if meant.kind != "dangerous" or verdict.kind == "dangerous":
        return found
    return replace(
        found,
        kind=meant.kind,
        reason=meant.reason,
        rule=meant.rule,
        kinds=("dangerous",) * len(verdict.kinds),  # which part holds the alias is not known
        hardened="",
    )


def _spells_harm(rule: Rule) -> bool:
    """Whether the words of a rule say themselves that harm is meant."""
    text = rule.content.removesuffix(":*").removesuffix(" *")
    return danger(text, read_shell(text).commands) is not None


def _harm(verdict: Verdict | None) -> str:
    if verdict is None or verdict.kind != "dangerous":
        return ""
    return f"it may do lasting harm: {verdict.reason}"
