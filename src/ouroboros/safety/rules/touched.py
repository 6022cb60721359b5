"""Which paths a command speaks of, also one that is not understood: for rules that deny and for taint."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ouroboros.safety.commands.reading import Reading
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import real

_SPLIT = re.compile(r"[\s;|&<>()`\"']+")
_PREFIX = re.compile(r"--?[\w-]+=|@|file://|[A-Za-z_]\w*=@?|-[A-Za-z](?=[./~])|\d*[<>]+")
_ENTERS = frozenset({"cd", "pushd"})
_PATTERN = re.compile(r"[*?\[]")
_FILLED = re.compile(r"[$`{]")
_MOST_WORDS = 400
_MOST_FOUND = 500


class Touched(Struct, frozen=True, kw_only=True):
    """Paths that words of a command may mean: as they are spelled, and with links followed.

    ``is_unsure`` when the shell fills in words that may be paths.
    """

    paths: tuple[Path, ...] = ()
    is_unsure: bool = False


def touched(text: str, reading: Reading, *, folder: Path, person: Path | None) -> Touched:
    """Looks at the disk, for patterns and links."""
    words = dict.fromkeys(
        piece
        for word in (
            *(word for command in reading.commands for word in command.words),
            *_SPLIT.split(text.replace("\\", "")),
        )
        for piece in _pieces(word)
    )
    folders = [folder, *_entered(reading, folder)]
    found: dict[Path, None] = {}
    for word in islice(words, _MOST_WORDS):
        for start in folders:
            for path in _meant(word, start, person):
                found[Path(os.path.normpath(path))] = None
                found[_real(path)] = None
    is_unsure = len(words) > _MOST_WORDS or any(
        loose and _FILLED.search(word) is not None
        for command in reading.commands
        for word, loose in zip(command.words, command.loose, strict=False)
    )
    return Touched(paths=tuple(found), is_unsure=is_unsure)


def changing_parts(text: str, reading: Reading, verdict: Verdict) -> Reading | None:
    """What is left of a chain without the parts that only read; None where none can be left out.

    In a pipeline what one part reads may be what another changes.
    """
    is_piped = "|" in text.replace("||", "")
    if verdict.parts is None or reading.opaque or is_piped:
        return None
    kinds = zip(verdict.parts, verdict.kinds, strict=False)
    reads = {words for words, kind in kinds if kind == "safe" and words[0] not in _ENTERS}
    left = tuple(command for command in reading.commands if command.words not in reads)
    return replace(reading, commands=left) if len(left) < len(reading.commands) else None


def text_of(reading: Reading) -> str:
    """All its words once more, so that names in code and scripts among them are found as in the whole text."""
    return "\n".join(word for command in reading.commands for word in command.words)


def _pieces(word: str) -> Iterator[str]:
    """A word, and what follows an option's name in it."""
    if not word or len(word) > 4096 or "\0" in word:
        return
    yield word
    rest = _PREFIX.sub("", word, count=1)
    if rest and rest != word:
        yield rest
    if ":" in word and not word.startswith("http"):
        yield word.rpartition(":")[2]


def _entered(reading: Reading, folder: Path) -> Iterable[Path]:
    entered: list[Path] = []
    for command in reading.commands:
        if command.name in _ENTERS and len(command.words) > 1:
            entered.append(folder / command.words[-1])
        if command.name in {"git", "make", "tar", "env"} and "-C" in command.words[:-1]:
            entered.append(folder / command.words[command.words.index("-C") + 1])
    return entered[:8]


def _meant(word: str, start: Path, person: Path | None) -> Iterator[Path]:
    if word.startswith("~"):
        rest = word.partition("/")[2]
        if person is not None and word.partition("/")[0] == "~":
            yield person / rest
        return
    yield start / word
    if _PATTERN.search(word):
        base, pattern = (Path("/"), word.lstrip("/")) if word[0] == "/" else (start, word)
        try:
            found = islice(base.glob(pattern), _MOST_FOUND)
            yield from (path for path in found if _is_shown(path.name, pattern))
        except (OSError, ValueError, NotImplementedError, re.error):
            return


def _is_shown(name: str, pattern: str) -> bool:
    """A shell puts hidden files only in the place of a pattern that begins with a dot."""
    return not name.startswith(".") or pattern.rpartition("/")[2].startswith(".")


def _real(path: Path) -> Path:
    try:
        return real(path)
    except OSError:
        return path
