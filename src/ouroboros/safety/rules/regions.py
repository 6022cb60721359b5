"""Workspaces besides the session's own: which of them a call is about, and what holds there."""

from collections.abc import Callable, Sequence
from os.path import normpath
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.core.commands import Mode
from ouroboros.safety.paths import Places
from ouroboros.safety.policy import Policy
from ouroboros.safety.policy.book import Book
from ouroboros.safety.rules.by_policy import Policies
from ouroboros.safety.rules.compound import Seen
from ouroboros.safety.rules.prepared import Prepared
from ouroboros.safety.rules.values import Decision, Intent, Rule

_STRICTEST: tuple[Mode, ...] = ("plan", "ask", "auto-edit", "full-auto")
_OUTCOMES = ("deny", "ask", "allow")
_OF_A_PROJECT = frozenset({"project", "local"})


class Region(Struct, frozen=True, kw_only=True):
    """A workspace with what holds in it.

    Attributes:
        root: Its folder, with links resolved.
        rules: Of its own settings; those that allow hold for what lies in it alone.
        mode: How much is asked there at least; it never makes the session's own milder.
        policy: Of the policy files that count there; None where they are the session's.
    """

    root: Path
    rules: tuple[Rule, ...] = ()
    mode: Mode = "full-auto"
    policy: Policy | None = None


class Prepare(Protocol):
    """Compiles a rule for the places that it starts from."""

    def __call__(self, rule: Rule, places: Places, /) -> Prepared:
        """The same rule with its patterns."""
        ...


def none() -> tuple[Region, ...]:
    """There is no workspace but the session's own."""
    return ()


class Lying(Struct, frozen=True, kw_only=True):
    """Where a call lies.

    Attributes:
        regions: Those that it is about.
        rules: What they say of it.
        doubtful: What limits in those that it may be about, although it does not say so.
        is_here: It is about the session's own workspace too.
    """

    regions: tuple[Region, ...] = ()
    rules: tuple[Prepared, ...] = ()
    doubtful: tuple[Prepared, ...] = ()
    is_here: bool = True

    def mode(self, mode: Mode) -> Mode:
        """The strictest of the session's mode and theirs."""
        wanted = {mode, *(each.mode for each in self.regions)}
        return next(each for each in _STRICTEST if each in wanted)

    def explained(self, decision: Decision, mode: Mode) -> Decision:
        """The decision, saying where its mode stands if that is not the session's ``mode``."""
        wanted = self.mode(mode)
        if wanted == mode or not (decision.reason and decision.rule.startswith("mode ")):
            return decision
        root = next(each.root for each in self.regions if each.mode == wanted)
        return replace(decision, reason=f"{decision.reason} (mode {wanted} holds in {root})")

    def joined(self, rules: Sequence[Prepared]) -> Sequence[Prepared]:
        """The session's rules and theirs; a project's yes is one to what lies in that project."""
        if not self.regions:
            return rules
        return [*(each for each in rules if not _is_own_yes(each.rule)), *self.rules]

    def judged(
        self,
        policies: Policies,
        seen: Seen,
        decision: Decision,
        *,
        granted: Sequence[str],
        may_write: bool,
    ) -> Decision:
        """What the policies of all places make of a decision: the strictest of it."""
        books = [region.policy for region in self.regions if region.policy is not None]
        others = [replace(policies, book=Book(each)) for each in books if seen.verdict is not None]
        found = [
            each.join(
                seen.intent,
                decision,
                verdict=seen.verdict,
                reading=seen.reading,
                granted=granted,
                may_write=may_write,
            )
            for each in ((policies, *others) if self.is_here or not others else others)
        ]
        return min(found, key=lambda each: (_OUTCOMES.index(each.outcome), each.outside))


_HERE = Lying()


class Regions:
    """The workspaces of a session besides its own, with their rules compiled once."""

    def __init__(
        self, regions: Callable[[], Sequence[Region]], places: Places, prepare: Prepare
    ) -> None:
        """``places`` are the session's, of which the first root is its own workspace."""
        self._regions, self._places, self._prepare = regions, places, prepare
        self._known: dict[Path, tuple[Region, tuple[Prepared, ...]]] = {}

    def about(self, seen: Seen) -> Lying:
        """Which of them a call is about, by the paths that it names and where it runs."""
        regions = self._regions()
        if not regions:
            return _HERE
        intent, reading = seen.intent, seen.reading
        if intent.kind == "execute":
            folder = intent.folder or self._places.roots[0]
            own, named = self._of(folder, regions), seen.touched.paths
            lies = [own, *(self._of(path, regions) for path in named)]
            is_here = own is None
            is_whole = own is not None and {own.root}.issuperset(each.root for each in lies if each)
            is_whole = is_whole and not any(self._is_own(path, regions) for path in named)
        else:
            lies = [self._of(path, regions) for path in intent.paths]
            own = lies[0] if lies else None
            is_here = not lies or None in lies
            is_whole = own is not None and all(each is own for each in lies)
            lies += [self._of(Path(normpath(path)), regions) for path in intent.spelled]
        found = [each for each in regions if each in lies]
        rules = [
            prepared
            for each in found
            for prepared in self._rules(each)
            if (prepared.rule.outcome != "allow" or (is_whole and each is own))
            and _is_about(prepared, intent)
        ]
        is_unsure = reading is not None and (reading.opaque or seen.touched.is_unsure)
        doubtful = [
            prepared
            for each in (regions if is_unsure else found)
            for prepared in self._rules(each)
            if prepared.rule.outcome != "allow"
        ]
        return Lying(
            regions=tuple(found), rules=tuple(rules), doubtful=tuple(doubtful), is_here=is_here
        )

    def denying(self, path: Path) -> tuple[Prepared, ...]:
        """The rules that may deny a resolved path."""
        region = self._of(path, self._regions())
        return self._rules(region) if region is not None else ()

    def _of(self, path: Path, regions: Sequence[Region]) -> Region | None:
        """The innermost workspace that a path lies in; None for the session's own, or for none."""
        found = [each for each in regions if path.is_relative_to(each.root)]
        nearest = max(found, key=lambda each: len(each.root.parts), default=None)
        own = self._places.roots[0]
        is_nearer = nearest is not None and own.is_relative_to(nearest.root)
        return None if is_nearer and path.is_relative_to(own) else nearest

    def _is_own(self, path: Path, regions: Sequence[Region]) -> bool:
        return path.is_relative_to(self._places.roots[0]) and self._of(path, regions) is None

    def _rules(self, region: Region) -> tuple[Prepared, ...]:
        known = self._known.get(region.root)
        if known is None or known[0] is not region:
            places = replace(self._places, roots=(region.root,))
            prepared = tuple(self._prepare(rule, places) for rule in region.rules)
            known = self._known[region.root] = (region, prepared)
        return known[1]


def _is_own_yes(rule: Rule) -> bool:
    return rule.outcome == "allow" and rule.layer in _OF_A_PROJECT


def _is_about(prepared: Prepared, intent: Intent) -> bool:
    return prepared.is_about(intent) or (intent.kind == "execute" and prepared.limits_files)
