"""Which symbols matter: files vote for those whose names they use; pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from math import sqrt

from msgspec import Struct

from ouroboros.workspace.repomap.tags import Definition, Tags

DAMPING = 0.85
"""How much of a vote is handed on at each step; the usual value."""

MOST_ROUNDS = 40
ENOUGH = 1e-6

MOST_PLACES = 8
"""A name that more files define says nothing about where it is from."""

_MENTIONED_FILE, _MENTIONED_NAME = 50.0, 10.0
_PRIVATE, _MEMBER, _VALUE, _OWN, _TESTS = 0.3, 0.2, 0.2, 0.1, 0.1
_OFFERED = 4.0
_DOORS = frozenset({"__init__.py", "__init__.pyi"})


class Ranked(Struct, frozen=True):
    """A symbol with its share of all votes."""

    path: str
    definition: Definition
    score: float


def rank(
    files: Mapping[str, Tags], *, near: Collection[str] = (), names: Collection[str] = ()
) -> list[Ranked]:
    """All symbols, the weightiest first.

    Args:
        files: Tags by path.
        near: Paths that the conversation is about; what they use counts more.
        names: Names that were mentioned.
    """
    places = _places(files)
    votes, shares = _votes(files, places, frozenset(names))
    weights = _flow(tuple(files), votes, {path for path in near if path in files})
    scores: defaultdict[tuple[str, str], float] = defaultdict(float)
    usual = _usual(votes)
    for source, given in shares.items():
        total = sum(votes[source].values()) + usual
        for symbol, share in given.items():
            scores[symbol] += weights[source] * share / total
    return _sorted(files, places, scores, names)


def is_test(path: str) -> bool:
    """Whether a file is one of tests, examples or documents, whose votes count little."""
    steps = path.lower().split("/")
    folders = {"tests", "test", "examples", "docs", "benchmarks", "__tests__", "spec"}
    is_in = bool(folders & set(steps[:-1]))
    return is_in or steps[-1].startswith(("test_", "conftest")) or "_test." in steps[-1]


class _Place(Struct, frozen=True):
    """A name in a file; with a class that it is a member of, it is reached after a dot only."""

    parent: str
    factor: float


def _places(files: Mapping[str, Tags]) -> dict[str, dict[str, _Place]]:
    """The files that define a name; not of what many define."""
    offered = _offered(files)
    places: defaultdict[str, dict[str, _Place]] = defaultdict(dict)
    for path, tags in files.items():
        for each in tags.definitions:
            if each.name.startswith("__") and each.name.endswith("__"):
                continue
            factor = _VALUE if each.is_value else _MEMBER if each.parent else 1.0
            factor *= _PRIVATE if each.name.startswith("_") else 1.0
            factor *= _OFFERED if each.name in offered and not each.parent else 1.0
            had = places[each.name].get(path)
            if had is None or had.factor < factor:
                places[each.name][path] = _Place(each.parent.rpartition(".")[2], factor)
    return {name: where for name, where in places.items() if len(where) <= MOST_PLACES}


def _offered(files: Mapping[str, Tags]) -> set[str]:
    """Names that a package shows to others."""
    found: set[str] = set()
    for path, tags in files.items():
        found.update(tags.offered)
        if path.rpartition("/")[2] in _DOORS and not is_test(path):
            found.update(tags.imported or ())
    return found


def _votes(
    files: Mapping[str, Tags], places: Mapping[str, Mapping[str, _Place]], mentioned: frozenset[str]
) -> tuple[dict[str, dict[str, float]], dict[str, dict[tuple[str, str], float]]]:
    """How much each file votes for each other, and for each symbol."""
    votes: dict[str, dict[str, float]] = {}
    shares: dict[str, dict[tuple[str, str], float]] = {}
    for path, tags in files.items():
        given: defaultdict[str, float] = defaultdict(float)
        wanted: dict[tuple[str, str], float] = {}
        less = _TESTS if is_test(path) else 1.0
        for name, target, place, count in _uses(path, tags, places):
            vote = sqrt(count) * place.factor * less / len(places[name])
            vote *= _MENTIONED_NAME if name in mentioned else 1.0
            vote *= _OWN if target == path else 1.0
            given[target] += vote
            wanted[target, name] = wanted.get((target, name), 0.0) + vote
            if place.parent:  # whose members are used is used itself
                symbol = (target, place.parent)
                wanted[symbol] = wanted.get(symbol, 0.0) + vote
        votes[path], shares[path] = given, wanted
    return votes, shares


def _uses(
    path: str, tags: Tags, places: Mapping[str, Mapping[str, _Place]]
) -> Iterator[tuple[str, str, _Place, int]]:
    """Which symbols of which files a file uses, and how often."""
    own = Counter(each.name for each in tags.definitions)
    imported = None if tags.imported is None or "*" in tags.imported else set(tags.imported)
    for name, count in tags.names.items():
        for target, place in places.get(name, _NOWHERE).items():
            is_known = imported is None or name in imported or target == path
            if is_known and not place.parent:
                more = count - own[name] if target == path else count
                if more > 0:
                    yield name, target, place, more
    for name, count in tags.members.items():
        for target, place in places.get(name, _NOWHERE).items():
            if place.parent or imported is None or _stem(target) in imported:
                yield name, target, place, count


def _stem(path: str) -> str:
    """What the module of a file is called by those who import it."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem == "__init__" else stem


_NOWHERE: Mapping[str, _Place] = {}


def _flow(
    paths: tuple[str, ...], votes: Mapping[str, Mapping[str, float]], near: Collection[str]
) -> dict[str, float]:
    """PageRank: where somebody ends up who follows uses, and begins anew now and then."""
    total = len(paths) + _MENTIONED_FILE * len(near)
    start = {path: (1.0 + (_MENTIONED_FILE if path in near else 0.0)) / total for path in paths}
    usual = _usual(votes)
    sums = {path: sum(given.values()) + usual for path, given in votes.items()}
    parts = {
        path: [(target, vote / sums[path]) for target, vote in given.items()]
        for path, given in votes.items()
        if given
    }
    kept = {path: sum(share for _, share in given) for path, given in parts.items()}
    weights = dict(start)
    for _ in range(MOST_ROUNDS):
        lost = sum(weights[path] * (1 - kept.get(path, 0.0)) for path in paths)
        fresh = {path: share * (1 - DAMPING + DAMPING * lost) for path, share in start.items()}
        for path, given in parts.items():
            carried = DAMPING * weights[path]
            for target, share in given:
                fresh[target] += carried * share
        moved = sum(abs(fresh[path] - weights[path]) for path in paths)
        weights = fresh
        if moved < ENOUGH:
            break
    return weights


def _usual(votes: Mapping[str, Mapping[str, float]]) -> float:
    """What a file gives away in the middle; one that gives less does not put all on one name."""
    sums = sorted(sum(given.values()) for given in votes.values() if given)
    return sums[len(sums) // 2] if sums else 1.0


def _sorted(
    files: Mapping[str, Tags],
    places: Mapping[str, Mapping[str, _Place]],
    scores: Mapping[tuple[str, str], float],
    names: Collection[str],
) -> list[Ranked]:
    wanted = frozenset(names)
    found: list[Ranked] = []
    for path, tags in files.items():
        seen: set[str] = set()
        less = _TESTS if is_test(path) else 1.0
        for each in tags.definitions:
            if each.name in seen:
                continue
            seen.add(each.name)
            is_common = each.name not in places
            score = 0.0 if is_common else scores.get((path, each.name), 0.0)
            if each.name in wanted:
                score += 1.0
            found.append(Ranked(path, each, score * less))
    found.sort(key=lambda one: (-one.score, one.path, one.definition.line))
    return found
