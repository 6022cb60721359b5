"""Lets a model choose the files of a bundle: candidates by their words, a ranking, a threshold."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.speaking.lineup import Lineup
from ouroboros.agent.speaking.speaker import Speaker
from ouroboros.app.paws.cats import Ground, NothingLeft
from ouroboros.app.providers.speakers import Speakers
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import OuroborosError
from ouroboros.core.parts import Usage
from ouroboros.fleet.curate.answer import Ranked, judged
from ouroboros.fleet.curate.candidates import Candidate, Text, candidates, fitting
from ouroboros.fleet.curate.curator import Talk, Wanted, instructions
from ouroboros.fleet.curate.search import Search
from ouroboros.llm.stream import Finished
from ouroboros.safety.paths.secret_names import is_secret_name
from ouroboros.workspace.artifacts.cats.bundle import Metadata
from ouroboros.workspace.artifacts.cats.contents import Left, content
from ouroboros.workspace.artifacts.cats.gather import Gathered
from ouroboros.workspace.artifacts.exact import shaped
from ouroboros.workspace.artifacts.tokens import tokens_of
from ouroboros.workspace.checkpoints.ignored import Ignored
from ouroboros.workspace.checkpoints.scan import pattern_lines
from ouroboros.workspace.repomap.tags import is_read

__all__ = ["Candidate", "Chosen", "Curation", "Paid", "Ranked", "Scanned", "scan"]

CURATION_SECONDS = 600.0
_READ_BYTES = 262_144
_MOST_BYTES = 33_554_432
_NAMED_BYTES = 100_000
_NOT_SHOWN = "it was not among the candidates"
_LIST_SHARE = 3
"""The list takes so small a part of what a model can see; searches and the answer need room, too."""


class Curation(Struct, frozen=True, kw_only=True):
    """What a model is to choose for, and among what.

    Attributes:
        wanted: Patterns of what it may choose, as lines of an ignore file; all when empty.
        unwanted: Patterns of what it may not.
        threshold: What is ranked so, or higher, is taken.
        most: So many files are shown to it.
    """

    task: str
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    threshold: float = 0.7
    most: int = 400


class Scanned(Struct, frozen=True, kw_only=True):
    """The candidates, the best first, and of the other files why they are none."""

    files: int
    candidates: tuple[Candidate, ...]
    others: dict[str, str]


class Paid(Struct, kw_only=True):
    """What the ranking cost: tokens in and out, and dollars, each as far as they are known."""

    model: str = ""
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0

    def note(self, usage: Usage | None, cost: float | None) -> None:
        """Adds a reply."""
        self.requests += 1
        self.tokens_in += usage.input_total if usage else 0
        self.tokens_out += usage.output_total if usage else 0
        self.cost = None if self.cost is None or cost is None else self.cost + cost


class Chosen(Struct, frozen=True, kw_only=True):
    """What a model chose.

    Attributes:
        gathered: The files that are ranked high enough.
        ranked: All that can be believed of its ranking, the most relevant first.
        dropped: What it named besides, and why that is not taken.
    """

    gathered: Gathered
    ranked: tuple[Ranked, ...]
    dropped: dict[str, str]
    metadata: Metadata
    ranks: dict[str, float]
    paid: Paid


def scan(curation: Curation, ground: Ground, gathered: Gathered) -> Scanned:
    """Finds the candidates; blocks.

    Raises:
        NothingLeft: There is none.
    """
    others = dict(gathered.left)
    kept: set[str] = set()

    def names(path: str) -> tuple[str, ...]:
        return _names(ground.root, path)

    def texts() -> Iterator[Text]:
        for path in _allowed(curation, gathered, others):
            text = _text(ground.root, path)
            if text is None:
                others[path] = "it is no text"
            else:
                kept.add(path)
                yield text

    found = candidates(curation.task, texts(), curation.most, names)
    if not found:
        raise NothingLeft("there is no file to choose from, so no bundle was made")
    others |= dict.fromkeys(kept - {each.path for each in found}, _NOT_SHOWN)
    return Scanned(files=len(gathered.files), candidates=tuple(found), others=others)


def _allowed(curation: Curation, gathered: Gathered, others: dict[str, str]) -> Iterator[str]:
    """The files that a model may choose; the others are noted, with the reason."""
    wanted = Ignored(None, "", pattern_lines(curation.wanted))
    unwanted = Ignored(None, "", pattern_lines(curation.unwanted))
    for file in gathered.files:
        if curation.wanted and not _fits(wanted, file.path):
            others[file.path] = "it does not fit --include-pattern"
        elif _fits(unwanted, file.path):
            others[file.path] = "it fits --exclude-pattern"
        elif is_secret_name(file.path):
            others[file.path] = "its name is that of a file with secrets"
        else:
            yield file.path


def _fits(patterns: Ignored, path: str) -> bool:
    """Whether a pattern fits a file or a folder above it."""
    parts = path.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts)))
    is_in = any(patterns.verdict(folder, is_folder=True) for folder in above)
    return is_in or bool(patterns.verdict(path, is_folder=False))


def _text(root: Path, path: str) -> Text | None:
    try:
        data = content(root, path, most=_MOST_BYTES).data
    except Left:
        return None
    found = shaped(data)
    if found is None:
        return None
    return Text(
        path=path,
        text=found.text[:_READ_BYTES].lower(),
        tokens=tokens_of(found.text),
    )


def _names(root: Path, path: str) -> tuple[str, ...]:
    if not is_read(path):
        return ()
    try:
        data = content(root, path, most=_NAMED_BYTES).data
    except Left:
        return ()
    from ouroboros.workspace.repomap.reading import tags_of

    defined = tags_of(path, data).definitions
    top = [each for each in defined if not each.parent]
    top.sort(key=lambda each: (each.is_value, each.name.startswith("_"), each.line))
    return tuple(dict.fromkeys(each.name for each in top[:40]))


async def choose(
    curation: Curation,
    ground: Ground,
    gathered: Gathered,
    scanned: Scanned,
    *,
    settings: Settings,
    environment: Mapping[str, str],
    tell: Callable[[str], None] = lambda _: None,
) -> Chosen:
    """Asks the model that the settings choose; ``tell`` hears what it does meanwhile.

    Raises:
        NothingLeft: Nothing is ranked high enough.
        OuroborosError: No model can be asked, or it gives no ranking.
    """
    clock = SystemClock()
    speakers = await to_thread.run_sync(Speakers, settings, environment, clock)
    system = await to_thread.run_sync(instructions)
    paid = Paid(model=speakers.first.choice.name)

    def note(speaker: Speaker, finished: Finished) -> None:
        paid.model = speaker.name
        paid.note(finished.usage, speaker.cost(finished.usage) if finished.usage else None)

    said: tuple[Ranked, ...] | None = None
    try:
        lineup = Lineup(
            await speakers.leader(), clock=clock, others=speakers.others, connect=speakers.another
        )
        scanned = _fitted(scanned, lineup.speaker.tuning.window, tell)
        search = Search(ground.root, [each.path for each in scanned.candidates], environment)
        wanted = Wanted(task=curation.task, candidates=scanned.candidates, search=search)
        with anyio.move_on_after(CURATION_SECONDS):
            said = await Talk(lineup, system, note, tell).ranking(wanted)
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(5):
            await speakers.close()
    if said is None:
        raise OuroborosError(f"the model did not choose within {CURATION_SECONDS:g} s")
    return _taken(curation, gathered, scanned, said, paid)


def _fitted(scanned: Scanned, window: int, tell: Callable[[str], None]) -> Scanned:
    """As many candidates as a model can be shown."""
    shown = fitting(scanned.candidates, window // _LIST_SHARE)
    rest = scanned.candidates[len(shown) :]
    if rest:
        tell(f"only {len(shown):,} candidates fit what the model can see")
    others = {**scanned.others, **{each.path: _NOT_SHOWN for each in rest}}
    return replace(scanned, candidates=shown, others=others)


def _taken(
    curation: Curation, gathered: Gathered, scanned: Scanned, said: tuple[Ranked, ...], paid: Paid
) -> Chosen:
    shown = [each.path for each in scanned.candidates]
    found = judged(said, shown, scanned.others)
    taken = [each for each in found.files if each.relevance >= curation.threshold]
    if not taken:
        raise _none(found.files, found.dropped, curation.threshold)
    ranks = {each.file_path: each.relevance for each in taken}
    sure = sum(ranks.values()) / len(ranks)
    return Chosen(
        gathered=replace(
            gathered,
            files=tuple(
                replace(each, is_named=True) for each in gathered.files if each.path in ranks
            ),
            left={},
        ),
        ranked=found.files,
        dropped=found.dropped,
        metadata=Metadata(curation_method="ai_curated", ai_curation_confidence=round(sure, 2)),
        ranks=ranks,
        paid=paid,
    )


def _none(ranked: tuple[Ranked, ...], dropped: dict[str, str], threshold: float) -> NothingLeft:
    if ranked:
        best = ranked[0]
        return NothingLeft(
            f"the model ranks no file {threshold:g} or higher, so no bundle was made;"
            f" the highest is {best.file_path!r} with {best.relevance:g}",
            hint=f"--threshold {best.relevance:g} takes it",
        )
    if dropped:
        path, why = next(iter(dropped.items()))
        return NothingLeft(
            f"of the files that the model names none can be taken, such as {path!r}: {why}"
        )
    return NothingLeft(
        "the model finds no file that has to do with the task, so no bundle was made"
    )
