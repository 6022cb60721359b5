"""One command after the other: is each in the tables, with options and paths that only read."""

import re
import shlex
from collections.abc import Sequence
from itertools import takewhile

from ouroboros.safety.commands.checks import CHECKS, check_project
from ouroboros.safety.commands.finding import Feed, check_find, check_xargs
from ouroboros.safety.commands.flow import parse_script
from ouroboros.safety.commands.git import check_git
from ouroboros.safety.commands.grammar import Redirect, Simple, Word
from ouroboros.safety.commands.operands import Ground
from ouroboros.safety.commands.options import sort_out, spec
from ouroboros.safety.commands.tables import coreutils, packages, search, system
from ouroboros.safety.commands.verdict import Doubt, FileDeletion
from ouroboros.safety.commands.wrappers import check_assignment, is_wrapper, unwrapped

READS: dict[str, str] = coreutils.READS | search.READS | packages.READS | system.READS
FOLDERS = frozenset({
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/sbin",
    "/usr/sbin",
    "/opt/homebrew/bin",
})
_SHELLS = frozenset({"bash", "sh", "dash"})
_SCRIPT_FLAGS = frozenset({"-c", "-lc"})
_LISTING = {
    "rg": re.compile(r"-[FHPSUilnosuvwx0]*l[FHPSUilnosuvwx0]*|--files(-with-matches)?"),
    "grep": re.compile(r"-[EFGHPRZhilnorsvwxz]*l[EFGHPRZhilnorsvwxz]*|--files-with-matches"),
}
"""Clusters of letters of which none takes a value; ``-r`` of rg does."""

_NAMES_OF_CHANGES = re.compile(r"--name-only|--cached|--staged|--relative|-z|--diff-filter=\w*")
_STREAMED = frozenset({"cat", "cmp", "comm", "diff", "head", "join", "paste", "sort", "tail", "wc"})
"""Programs that only read what another command prints into a file of theirs."""

_FILTERS = frozenset({"grep", "egrep", "fgrep", "sort", "head", "tail", "uniq", "tac", "rg"})
_MOVES = frozenset({"cd", "pushd", "popd"})
_DEEPEST = 3
_MOST = 64

_SHOWS_HIDDEN = re.compile(r"-[A-Za-z]*[HIu.]|--hidden|--no-ignore|--unrestricted")

type Edit = tuple[int, int, str]


class Judge:
    """Judges the commands of one text in their order."""

    def __init__(self, ground: Ground, *, depth: int = 0) -> None:
        """``ground`` is changed by ``cd``."""
        self.edits: list[Edit] = []
        self._ground = ground
        self._depth = depth
        self._feed = Feed()

    def text(self, text: str) -> None:
        """Judges shell text.

        Raises:
            Doubt: It is not known only to read.
        """
        self.commands(parse_script(text).commands)

    def commands(self, commands: Sequence[Simple]) -> None:
        """Judges the simple commands of a text.

        Raises:
            Doubt: One is not known only to read.
        """
        if not commands or len(commands) > _MOST:
            raise Doubt("ask.long", f"it has {len(commands)} commands")
        for at, simple in enumerate(commands):
            self._next(simple, commands[at + 1 : at + 2])

    def each(self, commands: Sequence[Simple]) -> tuple[Doubt | None, ...]:
        """What is doubtful about each command; after a doubtful ``cd`` all of them are."""
        found: list[Doubt | None] = []
        lost: Doubt | None = None
        if len(commands) > _MOST:
            lost = Doubt("ask.long", f"it has {len(commands)} commands")
            return tuple(lost for _ in commands)
        for at, simple in enumerate(commands):
            edits = len(self.edits)
            try:
                self._next(simple, commands[at + 1 : at + 2])
                found.append(lost)
            except Doubt as doubt:
                self._feed = Feed()
                is_lost = lost is not None and isinstance(doubt, FileDeletion)
                found.append(lost if is_lost else doubt)
                lost = doubt if simple.words[0].text in _MOVES else lost
            if found[-1] is not None:
                del self.edits[edits:]
        return tuple(found)

    def _next(self, simple: Simple, following: Sequence[Simple]) -> None:
        if simple.joint not in {"|", "|&"}:
            self._feed = Feed()
            if simple.joint != "&&":
                self._ground.rejoin()
        self._simple(simple, following[0].joint if following else "")

    def words(self, words: Sequence[Word]) -> None:
        """Judges the words of one command, its name first."""
        name = words[0].text
        folder, _, own = name.rpartition("/")
        if words[0].is_pattern or words[0].is_home or (folder and folder not in FOLDERS):
            raise Doubt("ask.program", f"{name} is not a program of the system")
        if any(word.is_filled for word in words) and not _may_be_filled(own, words):
            raise Doubt("ask.syntax", "the shell fills in a variable")
        if any(word.is_stream for word in words) and own not in _STREAMED:
            raise Doubt("ask.syntax", "it runs a command inside of another")
        if folder and own in {"time", "command"}:
            raise Doubt("ask.program", f"{name} is not the one of the shell")
        if is_wrapper(own) and not _looks_up(words) and not _is_version(own, words):
            self._keep(self._feed, unwrapped(words))
        elif own == "git":
            self.edits.extend(check_git(words, self._ground))
            self._feed = Feed(is_listing=_is_listing(own, words), is_narrow=not _is_wide(words))
        elif own == "find":
            self._feed = check_find(words, self._ground, self._found)
        elif own == "xargs":
            check_xargs(words, self._feed, self._more)
            self._feed = Feed()
        elif own in _SHELLS:
            self._shell(words)
        else:
            self._program(own, words)

    def _keep(self, feed: Feed, words: Sequence[Word]) -> None:
        self._feed = feed
        _check_behind(words)
        self.words(words)

    def _found(self, words: Sequence[Word]) -> None:
        if words[0].text in {"cd", "xargs"} or is_wrapper(words[0].text):
            raise Doubt("ask.wrapper", f"find with {words[0].text} is not known to be harmless")
        _check_behind(words)
        self.words(words)

    def _more(self, words: Sequence[Word]) -> None:
        """A command that gets more words than can be seen."""
        own = words[0].text.rpartition("/")[2]
        if not (own in READS and spec(READS[own]).is_open):
            raise Doubt("ask.wrapper", f"{own} may do harm with words that cannot be seen")
        _check_behind(words)
        self.words(words)

    def _simple(self, simple: Simple, following: str) -> None:
        for assignment in simple.assignments:
            check_assignment(assignment)
        for redirect in simple.redirects:
            self._redirect(redirect)
        if simple.words[0].text != "cd" or any(w.is_filled or w.is_stream for w in simple.words):
            self._checked(simple)
            return
        if len(simple.words) > 2 or simple.assignments:
            raise Doubt("ask.folder", "cd with more than a folder")
        target = simple.words[1] if len(simple.words) > 1 else None
        self._ground.enter(target, certain=following == "&&" and simple.joint in {"", "&&"})

    def _checked(self, simple: Simple) -> None:
        try:
            self.words(simple.words)
        except Doubt as doubt:
            folder, _, own = simple.words[0].text.rpartition("/")
            is_deleting = own in {"rm", "unlink"} and folder in FOLDERS | {""}
            if doubt.rule != "ask.program" or not is_deleting:
                raise
            paths = self._ground.deleted(simple.words[1:])
            raise (doubt if paths is None else FileDeletion(paths)) from doubt

    def _redirect(self, redirect: Redirect) -> None:
        operator, target = redirect.operator, redirect.target
        # Within quotes a variable is one name; in the place of a pattern it may be any that fits.
        is_name = target.variable and operator in {"<", "0<"} and not target.is_filled
        if not is_name and (target.is_pattern or target.is_home or target.is_filled):
            raise Doubt("ask.redirect", "the shell may change where it redirects")
        match operator:
            case ">" | "1>" | "2>" | ">>" | "2>>" | "&>" | "1>>" if target.text == "/dev/null":
                return
            case ">&" | "1>&" | "2>&" if target.text in {"1", "2"}:
                return
            case "<" | "0<":
                self._ground.check([target])
            case _:
                raise Doubt("ask.redirect", f"it writes to {target.text}")

    def _shell(self, words: Sequence[Word]) -> None:
        if len(words) == 2 and words[1].text == "--version":
            return
        is_script = len(words) == 3 and words[1].text in _SCRIPT_FLAGS and words[2].end > 0
        if not is_script or words[2].is_pattern or self._depth >= _DEEPEST:
            raise Doubt("ask.wrapper", f"what {words[0].text} runs is not known")
        ground = Ground(self._ground.cwds[0], self._ground.places)
        ground.cwds = self._ground.cwds
        inner = Judge(ground, depth=self._depth + 1)
        inner.text(words[2].text)
        if inner.edits:
            script = edited(words[2].text, inner.edits)
            self.edits.append((words[2].start, words[2].end, shlex.quote(script)))

    def _program(self, own: str, words: Sequence[Word]) -> None:
        feed, self._feed = self._feed, Feed()
        check_project(own, self._ground.cwds)
        if _is_version(own, words):
            return
        count, line = _entry(words, own)
        known = spec(line)
        name = " ".join((own, *(word.text for word in words[1:count])))
        if "echo" in known.checks:
            return
        match = sort_out(name, known, words[count:])
        for check in known.checks:
            CHECKS[check](name, match, words[count:], self._ground)
        self._ground.check(match.paths)
        if own in _FILTERS and not match.paths and feed.is_listing:
            self._feed = feed
        elif _is_listing(own, words):
            hidden = own.endswith("grep") or any(map(_SHOWS_HIDDEN.match, _texts(words)))
            self._feed = Feed(is_listing=True, is_narrow=not hidden)


def _check_behind(words: Sequence[Word]) -> None:
    """What another program is in front of: which variables ``read`` sets is looked at only where it is the first word."""
    if words and words[0].text.rpartition("/")[2] == "read":
        raise Doubt("ask.environment", "it sets variables of the shell")


def _is_version(own: str, words: Sequence[Word]) -> bool:
    if len(words) != 2 or words[1].is_filled or words[1].is_pattern:
        return False
    option = words[1].text
    return own in packages.VERSION_WORDS.get(option, ()) or (option == "--help" and own in READS)


def _may_be_filled(own: str, words: Sequence[Word]) -> bool:
    """Whether a value that nobody knows is shown and nothing else."""
    if own == "printf" and len(words) > 2:
        return not words[1].is_filled and not words[1].text.startswith("-")
    return own == "echo"


def _looks_up(words: Sequence[Word]) -> bool:
    is_command = words[0].text == "command" and len(words) > 1
    return is_command and words[1].text in {"-v", "-V"}


def _entry(words: Sequence[Word], own: str) -> tuple[int, str]:
    """How many words name the program, and its line in the tables."""
    if own == "command":
        return 2, "NAMES"
    for count in (3, 2, 1):
        key = " ".join((own, *(word.text for word in words[1:count])))
        if len(words) >= count and key in READS:
            return count, READS[key]
    raise Doubt("ask.program", f"{own} is not known only to read")


def _texts(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words[1:]]


def _is_listing(own: str, words: Sequence[Word]) -> bool:
    given = [*takewhile(lambda text: text != "--", _texts(words))]
    match own:
        case "fd" | "fdfind":
            return True
        case "git" if given[:1] == ["diff"]:
            options = [text for text in given if text.startswith("-")]
            return "--name-only" in given and all(map(_NAMES_OF_CHANGES.fullmatch, options))
        case "git":
            return "ls-files" in given
        case "rg" | "grep" | "egrep" | "fgrep":
            return any(map(_LISTING["rg" if own == "rg" else "grep"].fullmatch, given))
        case _:
            return False


def _is_wide(words: Sequence[Word]) -> bool:
    """Whether ``git ls-files`` lists what is kept out of the repository, as keys often are."""
    given = set(_texts(words))
    is_new = bool(given & {"-o", "--others"}) and "--exclude-standard" not in given
    return is_new or bool(given & {"-i", "--ignored"})


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with pieces replaced; places count bytes."""
    data = text.encode("utf-8", "surrogatepass")
    for start, end, new in sorted(set(edits), reverse=True):
        data = data[:start] + new.encode() + data[end:]
    return data.decode("utf-8", "surrogatepass")
