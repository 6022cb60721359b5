"""Permission rules that a project brings outside its settings: ``permissions.json`` and Claude Code's files.

What they deny or ask about holds at once, since it only narrows; the rest holds once the folder is trusted.
Source: https://code.claude.com/docs/en/permissions
"""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.app.config.file import decode, read_bytes
from ouroboros.app.config.rule_names import MOST_RULES, is_modest, limiting
from ouroboros.app.config.schema import Table
from ouroboros.core.errors import ConfigBroken
from ouroboros.safety.commands.reading import runner_start
from ouroboros.safety.commands.tables.runners import RUNNERS
from ouroboros.safety.origins import place
from ouroboros.safety.rules.values import ANY, EXPRESSION, Outcome
from ouroboros.safety.rules.written import parse_rule

type Scope = Literal["project rules", "local rules"]

CLAUDE = ".claude/"
LOCAL = ".claude/settings.local.json"

_OUTCOMES: tuple[Outcome, ...] = ("deny", "ask", "allow")
_WIDENING = ("allow", "additionalDirectories", "defaultMode")
_SHOWN = 3
_LONGEST_SHOWN = 60
_STRICTEST_FIRST = ("plan", "ask", "auto-edit", "full-auto")
_MODES = {
    "plan": "plan",
    "default": "ask",
    "manual": "ask",
    "acceptEdits": "auto-edit",
    "bypassPermissions": "full-auto",
}
_FILES = {"Read": "read", "Edit": "edit", "Write": "write", "MultiEdit": "multi_edit"}
_SEARCHES = {"Glob": "find", "Grep": "grep", "LS": "ls"}
_OTHERS = {"Bash": "shell", "WebFetch": "fetch", "TodoWrite": "update_plan"}
_TOOLS = _FILES | _SEARCHES | _OTHERS
_MARKED = re.compile(r"[*?\[]")


class PermissionFile(Struct, frozen=True, kw_only=True):
    """One file, as far as it counts.

    Attributes:
        table: Settings that it stands for: lists of ``permissions``, in our spelling, and ``mode``.
        waits: Something in it counts only once the folder is trusted.
    """

    path: Path
    scope: Scope
    table: Table
    waits: bool = False
    warnings: tuple[str, ...] = ()


class PathGround(Struct, frozen=True, kw_only=True):
    """What paths in such files are relative to.

    Attributes:
        folder: The project.
        tree: The folder that stands for it in the work tree of a session; else the same.
        cwd: Where the run works.
        home: The folder of the product.
        person: The home folder of the person.
        mode: How much the person is asked without the project.
    """

    folder: Path
    tree: Path
    cwd: Path
    home: Path
    person: Path
    mode: str = "ask"


class _RuleUnreadable(Exception):
    """A line that says nothing that could hold here."""


def needing_trust(path: Path) -> bytes | None:
    """The permission block of a file if something in it lets more happen; None where nothing waits for trust."""
    try:
        block = _block(path)
    except (ConfigBroken, OSError):
        return None  # whoever reads the rules says it
    return block if block is not None and _widens(_parsed(block)) else None


def read(
    ground: PathGround, places: Iterable[tuple[Path, str]], trusted: Mapping[str, bytes]
) -> Iterator[PermissionFile]:
    """What counts of the files that lie in these folders under these names; blocks.

    ``trusted`` holds the project's blocks as they were compared with what was trusted. A folder below the
    project is trusted in nothing.
    """
    for folder, name in places:
        path, at = folder / name, ground
        try:
            if folder == ground.folder and name in trusted:
                yield _counted(path, name, _parsed(trusted[name]), at, is_trusted=True)
                continue
            if folder != ground.folder:
                at = replace(ground, folder=folder, tree=folder)
            if (block := _block(path)) is not None:
                yield _counted(path, name, _parsed(block), at, is_trusted=False)
        except (ConfigBroken, OSError) as broken:
            told = (f"{broken}; no permission rule of it counts",)
            yield PermissionFile(path=path, scope=_scope(name), table={}, warnings=told)


def _scope(name: str) -> Scope:
    return "local rules" if name == LOCAL else "project rules"


def described(name: str, content: bytes) -> list[str]:
    """What trust in a block would let happen, a line for each entry; for whoever is asked to give it."""
    block = _parsed(content)
    return [
        f"{key} {spelled}"[:160]
        for key in (*_OUTCOMES, *_WIDENING[1:])
        for spelled in _spelled(block.get(key))
    ] or [name]


def _block(path: Path) -> bytes | None:
    """The permission block of a file in one spelling; None where it has none."""
    if not path.is_file():
        return None
    content = read_bytes(path)
    if content is None:
        return None
    try:
        whole: object = msgspec.json.decode(decode(path, content))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as broken:
        raise ConfigBroken(f"{path}: not valid JSON: {broken}") from None
    found = cast("Table", whole) if isinstance(whole, dict) else {}
    block = found.get("permissions", None if _is_claudes(path) else found)
    known = {*_OUTCOMES, *_WIDENING}
    if not isinstance(block, dict) or not known & block.keys():
        return None  # a file of this name may well be about something else
    return msgspec.json.encode(block, order="sorted")


def _is_claudes(path: Path) -> bool:
    return path.parent.name == CLAUDE.rstrip("/")


def _parsed(block: bytes) -> Table:
    return cast("Table", msgspec.json.decode(block))


def _widens(block: Table) -> bool:
    return any(block.get(key) for key in _WIDENING)


def _spelled(value: object) -> list[str]:
    many = cast("list[object]", value) if isinstance(value, list) else [value]
    return [each if isinstance(each, str) else repr(each) for each in many if each]


def _counted(
    path: Path, name: str, block: Table, ground: PathGround, *, is_trusted: bool
) -> PermissionFile:
    """What of a block counts; lines that cannot be understood are told in one warning."""
    lists: dict[str, list[object]] = {}
    missed: list[str] = []
    for outcome in _OUTCOMES if is_trusted else _OUTCOMES[:2]:
        written = block.get(outcome)
        if isinstance(written, list):
            entries = cast("list[object]", written)
            kept, left = _rules(name, outcome, entries, ground, is_trusted=is_trusted)
            lists |= {outcome: kept} if kept else {}
            missed += left
        elif written is not None:
            missed.append(f"{outcome} (not a list)")
    table: Table = {}
    if is_trusted:
        missed += _directories(block, ground, lists)
        if mode := _narrower(block.get("defaultMode"), ground.mode):
            table["mode"] = mode
    if lists:
        table["permissions"] = dict(lists)
    more = f" and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
    told = f"{path}: not understood, so not used: {'; '.join(missed[:_SHOWN])}{more}"
    return PermissionFile(
        path=path,
        scope=_scope(name),
        table=table,
        waits=not is_trusted and _widens(block),
        warnings=(told,) if missed else (),
    )


def _rules(
    name: str, outcome: Outcome, entries: list[object], ground: PathGround, *, is_trusted: bool
) -> tuple[list[object], list[str]]:
    """The rules of one list in our spelling, and the lines that are left out; a stranger's may cost little."""
    kept: dict[str, None] = {}
    missed: list[str] = []
    for each in entries if is_trusted else entries[:MOST_RULES]:
        try:
            if not is_trusted and not is_modest(each):
                raise _RuleUnreadable
            is_claudes = name.startswith(CLAUDE)
            own = _in_our_words(outcome, each, ground, name == LOCAL) if is_claudes else [each]
            kept |= dict.fromkeys([_sound(outcome, rule, ground) for rule in own])
        except (ConfigBroken, _RuleUnreadable):
            missed.append(f"{outcome} {' '.join(str(each).split())}"[:_LONGEST_SHOWN])
    if not is_trusted and len(entries) > MOST_RULES:
        missed.append(f"{outcome} beyond the first {MOST_RULES} lines")
    return list(kept), missed


def _sound(outcome: Outcome, written: object, ground: PathGround) -> str:
    """A rule of ours in its short spelling; raises ``ConfigBroken`` where it can never hold."""
    limiting(outcome, written, home=ground.home, project=ground.folder)
    return str(parse_rule(outcome, written))


def _narrower(written: object, own: str) -> str:
    """The mode that is meant where it asks for more than the person's; else nothing."""
    mode = _MODES.get(written, "") if isinstance(written, str) else ""
    order = _STRICTEST_FIRST
    return mode if mode and own in order and order.index(mode) < order.index(own) else ""


def _directories(block: Table, ground: PathGround, lists: dict[str, list[object]]) -> Iterator[str]:
    """Adds rules to read the folders that are named; changing them asks as before. Gives those left out."""
    written, person = block.get("additionalDirectories"), Path(os.path.realpath(ground.person))
    for each in cast("list[object]", written) if isinstance(written, list) else ():
        text = each if isinstance(each, str) else ""
        wanted = Path(text.replace("~", str(person), 1) if text[:2] in {"~", "~/"} else text)
        real = Path(os.path.realpath(ground.tree / wanted))
        is_too_much = person.is_relative_to(real) or ground.home.is_relative_to(real)
        if not text or is_too_much or _MARKED.search(str(real)):
            yield f"additionalDirectories {each}"[:_LONGEST_SHOWN]
        elif not real.is_relative_to(ground.cwd):
            lists.setdefault("allow", []).append(f"read(/{real}/**)")


def _in_our_words(
    outcome: Outcome, written: object, ground: PathGround, is_local: bool
) -> Iterator[str]:
    """One of Claude Code's rules as rules of ours that say no less of what they limit, and no more of what they allow."""
    rule = parse_rule(outcome, written)
    tool, content = rule.tool, rule.content.strip()
    if tool.startswith("mcp__"):
        yield _of_server(outcome, tool, content)
    elif "*" in tool:
        yield from _of_many(outcome, tool, content)
    elif content in ANY:
        yield from _of_whole(outcome, tool)
    elif tool == "Bash":
        yield _of_command(outcome, content)
    elif tool == "WebFetch":
        yield from _of_host(outcome, content)
    elif tool in _FILES or tool in _SEARCHES or tool == "NotebookEdit":
        own = _TOOLS.get(tool) or _for_notebooks(outcome)
        for path in _of_path(outcome, content, ground, is_local):
            yield f"{own}({path})"
            if own == "read" and outcome == "deny":
                yield f"edit({path})"
    else:
        raise _RuleUnreadable


def _for_notebooks(outcome: Outcome) -> str:
    """Notebooks are files here: what limits them limits files, and a yes to them is none."""
    if outcome == "allow":
        raise _RuleUnreadable
    return "edit"


def _of_whole(outcome: Outcome, tool: str) -> Iterator[str]:
    """A rule about any use of one tool; a search is not the same as all reading."""
    if tool not in _TOOLS:
        raise _RuleUnreadable
    is_search = tool in _SEARCHES and outcome != "allow"
    yield f"{_TOOLS[tool]}*" if is_search else _TOOLS[tool]


def _of_many(outcome: Outcome, tool: str, content: str) -> Iterator[str]:
    if outcome == "allow" or content not in ANY:
        raise _RuleUnreadable
    if tool == "*":
        yield tool
        return
    found = [name for name in _TOOLS if fnmatchcase(name, tool)]
    if not found:
        raise _RuleUnreadable
    for name in found:
        yield from _of_whole(outcome, name)


def _of_server(outcome: Outcome, tool: str, content: str) -> str:
    server, _, name = tool.removeprefix("mcp__").partition("__")
    if content not in ANY or (outcome == "allow" and (not server or "*" in server)):
        raise _RuleUnreadable
    return tool if name or "*" in server else f"mcp__{server}__*"


def _of_command(outcome: Outcome, content: str) -> str:
    """A command; ``*`` anywhere stands for any words, and at its end behind a space for none as well."""
    if content.startswith(EXPRESSION):
        raise _RuleUnreadable
    head = content[:-2] if content.endswith((":*", " *")) else content
    first = head.split(maxsplit=1)[0] if head.strip() else ""
    if outcome == "allow" and (":" in first or not first):
        raise _RuleUnreadable  # it would be read as a beginning
    if "*" not in head:
        return f"shell({head}:*)" if head != content else f"shell({head})"
    whole = f"{head} *" if head != content else head
    if outcome == "allow" and not _is_named(whole):
        raise _RuleUnreadable
    return f"shell({EXPRESSION}{_expression(whole)})"


def _is_named(command: str) -> bool:
    """Whether it is settled which program such a pattern runs."""
    head = command.partition("*")[0]
    words = head.split()
    if not words or (len(words) == 1 and not head.endswith(" ")):
        return False
    is_runner = words[0].rpartition("/")[2] in RUNNERS
    is_settled = len(words) > 1 and not words[1].startswith("-") and runner_start(words) is None
    return not is_runner or is_settled


def _expression(pattern: str) -> str:
    """A pattern of ``*`` as a regular expression whose comparison takes no longer than one pass for each star."""
    first, *rest = [re.escape(piece).replace("\\ ", " ") for piece in re.split(r"\*+", pattern)]
    *inner, last = rest
    return first + "".join(f"(?>.*?{piece})" for piece in inner) + f".*{last}"


def _of_host(outcome: Outcome, content: str) -> Iterator[str]:
    """A host; what is denied to one way there is denied to the browser and to commands too."""
    host = content.removeprefix("domain:").strip().rstrip(".").lower()
    if not content.startswith("domain:"):
        raise _RuleUnreadable
    if host == "*":
        yield "fetch"
        return
    if "*" in host.removeprefix("*.") or "/" in host or place(host) is None:
        raise _RuleUnreadable
    if outcome == "allow":
        yield f"fetch({host})" if host.startswith("*.") else f"fetch(*://{host})"
        return
    yield f"fetch({host})"
    if outcome == "deny":
        yield f"browser({host})"


def _of_path(outcome: Outcome, content: str, ground: PathGround, is_local: bool) -> Iterator[str]:
    """A pattern as of gitignore; where ours cannot say it, what is limited is more and what is allowed is nothing."""
    is_allow = outcome == "allow"
    pattern = _without_marks(content, is_allow=is_allow)
    if pattern.startswith(("!", "~")) and not pattern.startswith("~/") and pattern != "~":
        raise _RuleUnreadable
    if pattern.startswith(("//", "~")):
        yield pattern
        return
    if pattern.startswith("/"):
        starts = [ground.cwd] if is_local else [ground.tree]
        if not is_allow:  # what is limited in a work tree is limited in the project too
            starts.append(ground.folder)
        for start in dict.fromkeys(starts):
            yield _anchored(start, pattern, is_allow=is_allow)
        return
    is_dotted = pattern.startswith("./")
    pattern = pattern.removeprefix("./")
    name = pattern.rstrip("/").removesuffix("/**")
    if ".." in pattern.split("/"):
        fixed = posixpath.normpath(posixpath.join(str(ground.cwd), pattern))
        yield _anchored(Path("/"), fixed, is_allow=is_allow)
    elif not name:
        yield _anchored(ground.cwd, "", is_allow=is_allow)
    elif is_allow and (is_dotted or "/" not in name) and (is_dotted or name != pattern):
        yield _anchored(ground.cwd, f"/{pattern}", is_allow=True)
    elif not is_allow and "/" not in name and name != "**":
        yield name  # at any depth, with all below
    else:
        yield pattern


def _anchored(start: Path, pattern: str, *, is_allow: bool) -> str:
    top = os.path.realpath(start).rstrip("/")
    if is_allow and _MARKED.search(top):
        raise _RuleUnreadable
    return f"/{top}{pattern}" if top else f"/{pattern}"


def _without_marks(pattern: str, *, is_allow: bool) -> str:
    """The pattern without classes and backslashes, of which ours knows none."""
    if not re.search(r"[\[\\]", pattern):
        return pattern
    if is_allow and re.search(r"\[|\\[*?]", pattern):
        raise _RuleUnreadable
    plain = re.sub(r"\\[*?\[]|(?<!\\)\[!?\]?[^\]]*\]", "?", pattern)
    return re.sub(r"\\(.)", r"\1", plain)
