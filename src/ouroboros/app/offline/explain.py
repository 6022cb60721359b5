"""Why a command, a path or an address would be allowed, asked about or denied."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ouroboros.app.config.layers import Loaded
from ouroboros.core.errors import OuroborosError
from ouroboros.safety.commands.classify import classify
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places

type Subject = Literal["command", "path", "url"]
type Answer = dict[str, object]


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


class Explained(Struct, frozen=True, kw_only=True):
    """What a command is, and what the rules that hold here would say to it.

    Attributes:
        decision: ``allow``, ``ask`` or ``deny``.
        decided_by: The rule, or the mode.
        why: The reason of the rules, empty when they allow.
    """

    verdict: Verdict
    decision: str
    decided_by: str
    why: str


def explained(asked: CommandAsked, loaded: Loaded, person: Path) -> Explained:
    """A command as a session with these settings would judge it; blocking."""
    from ouroboros.app.permission import policies
    from ouroboros.app.wiring import toolbox
    from ouroboros.safety.rules import Intent, Rules
    from ouroboros.tools.registry import canonical

    cwd = Path(asked.cwd).absolute()
    places = _places(cwd, person, loaded.home)
    settings = loaded.settings
    book, _ = policies.book(loaded.home, cwd)
    rules = Rules(
        loaded.rules,
        places,
        canonical,
        policies=toolbox.policies(settings, book),
    )
    intent = Intent(tool="shell", kind="execute", command=asked.command)
    decision = rules.decide(intent, mode=settings.mode)
    verdict = classify(asked.command, cwd=cwd, places=places, shell=asked.shell)
    return Explained(
        verdict=verdict,
        decision=decision.outcome,
        decided_by=decision.rule,
        why=decision.reason,
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


def _places(cwd: Path, person: Path, home: Path | None) -> Places:
    return Places(roots=(cwd,), home=home, person=person).resolved()


_ANSWERS: dict[Subject, Callable[[bytes, Path], Answer]] = {
    "command": _command,
    "path": _path,
    "url": _url,
}
