"""Why a command, a path or an address would be allowed, asked about or denied."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.app.config.layers import Loaded
from ouroboros.app.permission import policies
from ouroboros.core.commands import Mode
from ouroboros.core.errors import OuroborosError, ToolFailed
from ouroboros.safety.commands.classify import classify
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places
from ouroboros.safety.rules.values import STILL, Around, Decision
from ouroboros.tools.builtin.location import located
from ouroboros.tools.tool import Effect

type Subject = Literal["command", "path", "url"]
type Answer = dict[str, object]

_TOOLS = {
    "read": "read",
    "list": "ls",
    "write": "write",
    "patch": "apply_patch",
    "delete": "apply_patch",
}
"""The tool of ours that does it."""


class CommandAsked(Struct, frozen=True, kw_only=True):
    """A question about a command; ``cwd`` is the workspace."""

    command: str
    cwd: str = "."
    shell: str = "bash"


class PathAsked(Struct, frozen=True, kw_only=True):
    """A question about a path: may ``op`` be done with it in the workspace ``root``."""

    root: str
    op: str
    path: str


class UrlAsked(Struct, frozen=True, kw_only=True):
    """A question about an address.

    Attributes:
        resolves_to: Addresses that its name has.
        redirect_chain: Where it leads on to, in order.
        allow_list: The only hosts that may be reached; None where there is no list.
    """

    url: str
    resolves_to: tuple[str, ...] | str = ()
    redirect_chain: tuple[str, ...] = ()
    allow_list: tuple[str, ...] | None = None


class Here(Struct, frozen=True, kw_only=True):
    """What a new session in this folder would do about it.

    Attributes:
        decision: ``allow``, ``ask`` or ``deny``.
        decided_by: The rule, or the mode.
        why: The reason, empty when it is allowed.
        runs: Where a command would run, in words.
    """

    decision: str
    decided_by: str
    why: str
    runs: str = ""


class Session(Struct, frozen=True, kw_only=True):
    """How a session stands that has just begun."""

    mode: Mode
    granted: tuple[str, ...] = ()
    around: Around = STILL


class Asked(Struct, frozen=True, kw_only=True):
    """Where a session would begin; ``environment`` is that of whoever asks."""

    cwd: Path
    loaded: Loaded
    environment: Mapping[str, str]

    @property
    def person(self) -> Path:
        """Their home folder."""
        return Path(self.environment.get("HOME", "/"))


def here_of_command(command: str, asked: Asked, *, shell: str = "bash") -> Here:
    """A command as a session would judge it; blocking."""
    from ouroboros.app.permission.cages import is_caged

    effect = Effect(kind="execute", action=command, command=command, shell=shell)
    decision = _decided("shell", effect, asked)
    runs = "outside of the sandbox"
    if not decision.outside:
        runs = "in the sandbox" if is_caged(asked.loaded.settings.sandbox) else "without a sandbox"
    return _told(decision, runs)


def here_of_path(op: str, path: str, asked: Asked) -> Here | None:
    """The same of a path for the tool that does this; None where no tool of ours does."""
    tool = _TOOLS.get(op)
    if tool is None:
        return None
    kind = "write" if tool in {"write", "apply_patch"} else "read"
    try:
        effect = Effect(kind=kind, action=path, paths=(located(path, asked.cwd),))
        return _told(_decided(tool, effect, asked))
    except (OSError, ToolFailed) as failed:  # as the call itself would fail
        return Here(decision="deny", decided_by="the disk", why=str(failed))


def here_of_url(url: str, asked: Asked) -> Here:
    """The same of an address that ``fetch`` would open; no name is looked up."""
    from ouroboros.app.wiring.web import fetch_tool
    from ouroboros.tools.web.fetch import FetchArguments

    book, _ = policies.book(asked.loaded.home, asked.cwd)
    tool = fetch_tool(asked.loaded.settings, {}, book.policy)
    try:
        effect = tool.effect(FetchArguments(url=url), asked.cwd)
    except OuroborosError as refused:
        return Here(decision="deny", decided_by="[web]", why=refused.message)
    return _told(_decided("fetch", effect, asked))


def _decided(tool: str, effect: Effect, asked: Asked) -> Decision:
    from ouroboros.app import secrecy
    from ouroboros.app.wiring import rulebook
    from ouroboros.safety.leaks import Leaks
    from ouroboros.tools.admission import Judgement
    from ouroboros.tools.passage import resolved

    loaded = asked.loaded
    bench = rulebook.Bench(
        settings=loaded.settings,
        home=loaded.home,
        cwd=asked.cwd,
        environment=secrecy.without_keys(asked.environment, loaded.settings),
        leaks=Leaks({}),
        rules=loaded.rules,
    )
    book, _ = policies.book(loaded.home, asked.cwd)
    rules, validator = rulebook.judging(bench, "", book)
    judgement = Judgement(rules=rules, validator=validator)
    stands = Session(mode=loaded.settings.mode)
    return judgement.of(tool, resolved(effect, asked.cwd), effect, stands)


def _told(decision: Decision, runs: str = "") -> Here:
    return Here(
        decision=decision.outcome,
        decided_by=decision.rule,
        why=decision.reason,
        runs="" if decision.outcome == "deny" else runs,
    )


def answer_path(asked: PathAsked) -> Answer:
    """Whether a path may be used; blocking."""
    from ouroboros.safety.paths import judge_path

    decision, reason, resolved = judge_path(Path(asked.root).absolute(), asked.op, asked.path)
    return {"decision": decision, "reason": reason, "resolved": str(resolved)}


def answer_url(asked: UrlAsked) -> Answer:
    """Whether an address may be opened."""
    from ouroboros.safety.network.urls import judge_url

    known = asked.resolves_to
    judged = judge_url(
        asked.url,
        resolves_to=(known,) if isinstance(known, str) else known,
        redirect_chain=asked.redirect_chain,
        allow_list=asked.allow_list,
    )
    return {"decision": judged.decision, "reason": judged.reason}


def answers(subject: Subject, lines: Iterable[bytes], person: Path) -> Iterator[Answer]:
    """An answer for each line that holds something; ``{"error": ...}`` for one that is broken."""
    answer = _ANSWERS[subject]
    for line in filter(bytes.strip, lines):
        try:
            yield answer(line, person)
        except (msgspec.MsgspecError, OuroborosError, OSError, ValueError) as broken:
            yield {"error": str(broken)}


def _command(line: bytes, person: Path) -> Answer:
    asked = msgspec.json.decode(line, type=CommandAsked)
    cwd = Path(asked.cwd).absolute()
    places = _places(cwd, person, None)
    verdict = classify(asked.command, cwd=cwd, places=places, shell=asked.shell)
    return {"class": verdict.kind, "reason": verdict.reason, "rule": verdict.rule}


def _path(line: bytes, person: Path) -> Answer:
    del person
    return answer_path(msgspec.json.decode(line, type=PathAsked))


def _url(line: bytes, person: Path) -> Answer:
    del person
    return answer_url(msgspec.json.decode(line, type=UrlAsked))


def verdict_of(command: str, asked: Asked, *, shell: str = "bash") -> Verdict:
    """What a command is taken for there by its words, wherever PATH leads; blocking."""
    places = _places(asked.cwd, asked.person, asked.loaded.home)
    return classify(command, cwd=asked.cwd, places=places, shell=shell)


def _places(cwd: Path, person: Path, home: Path | None) -> Places:
    return Places(roots=(cwd,), home=home, person=person).resolved()


_ANSWERS: dict[Subject, Callable[[bytes, Path], Answer]] = {
    "command": _command,
    "path": _path,
    "url": _url,
}
