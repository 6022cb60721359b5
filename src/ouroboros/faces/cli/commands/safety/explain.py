"""`ouro explain`: why a command, a path or an address would be asked about."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ouroboros.core.errors import Misuse
from ouroboros.faces.cli.groups import NearGroup
from ouroboros.faces.cli.invocation import Invocation, say, say_each, say_json

if TYPE_CHECKING:
    from ouroboros.app.offline.explain import Asked, Here, Subject

_OPERATIONS = ["read", "write", "list", "delete", "extract", "patch", "upload", "download", "glob"]

jsonl = click.option(
    "--jsonl", is_flag=True, help="Answer objects, one a line, that come on standard input."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


@click.group(cls=NearGroup, name="explain")
def command() -> None:
    """Tell why a command, a path or an address was or would be asked about.

    Nothing is run, opened or asked over a network.
    """


@command.command("command", context_settings={"ignore_unknown_options": True})
@click.argument("text", required=False, metavar="TEXT", type=click.UNPROCESSED)
@click.option("--cwd", default="", metavar="DIR", help="The workspace; else the current folder.")
@click.option("--shell", default="bash", metavar="NAME", help="What would read it; else bash.")
@as_json
@jsonl
@click.pass_obj
def of_command(
    invocation: Invocation, text: str | None, cwd: str, shell: str, *, as_json: bool, jsonl: bool
) -> int:
    """Print whether a command only reads, and what becomes of it.

    Rules, policy files and the mode that hold here are asked.

    With --jsonl a line is {"command", "cwd", "shell"}, an answer {"class", "reason", "rule"}.
    """
    if jsonl:
        return _each("command", text, _person(invocation))
    from ouroboros.app.offline.explain import here_of_command, verdict_of

    asked = _asked(invocation, cwd)
    verdict = verdict_of(_wanted(text), asked, shell=shell)
    here = here_of_command(_wanted(text), asked, shell=shell)
    if as_json:
        say_json({
            "class": verdict.kind,
            "reason": verdict.reason,
            "rule": verdict.rule,
            "sends": verdict.sends,
            "pushes": verdict.pushes,
            "hardened": verdict.hardened,
            "decision": here.decision,
            "decided_by": here.decided_by,
            "why": here.why,
            "runs": here.runs,
        })
        return 0
    say(f"{verdict.kind}: {verdict.reason} ({verdict.rule})")
    if verdict.is_unseen:
        say("may send: nobody can see all that it runs, so it might use the network")
    elif verdict.sends:
        say("may send: data could leave over a network")
    if verdict.pushes:
        say("publishes: code or packages would be seen by others")
    if verdict.hardened:
        say(f"unasked it runs as: {verdict.hardened}")
    say(_said(here))
    return 0


@command.command("path")
@click.argument("text", required=False, metavar="PATH")
@click.option("--root", default="", metavar="DIR", help="The workspace; else the current folder.")
@click.option("--op", type=click.Choice(_OPERATIONS), default="read", help="What would be done.")
@as_json
@jsonl
@click.pass_obj
def of_path(
    invocation: Invocation, text: str | None, root: str, op: str, *, as_json: bool, jsonl: bool
) -> int:
    """Print whether PATH may be used, and where it really leads.

    With --jsonl a line is {"root", "op", "path"}, an answer {"decision", "reason", "resolved"}.
    """
    if jsonl:
        return _each("path", text, _person(invocation))
    from ouroboros.app.offline.explain import PathAsked, answer_path, here_of_path

    answer = answer_path(PathAsked(root=str(invocation.cwd(root)), op=op, path=_wanted(text)))
    here = here_of_path(op, _wanted(text), _asked(invocation, root))
    if as_json:
        say_json({**answer, **_as_json(here)})
        return 0
    say(f"{_judged(answer)} ({answer['resolved']})")
    if here is not None:
        say(_said(here))
    return 0


@command.command("url")
@click.argument("text", required=False, metavar="URL")
@click.option("--resolves-to", multiple=True, metavar="ADDRESS", help="What its name means.")
@click.option("--redirect", multiple=True, metavar="URL", help="Where it leads on to, in order.")
@click.option("--allow", multiple=True, metavar="HOST", help="The only hosts that may be reached.")
@as_json
@jsonl
@click.pass_obj
def of_url(
    invocation: Invocation,
    text: str | None,
    resolves_to: tuple[str, ...],
    redirect: tuple[str, ...],
    allow: tuple[str, ...],
    *,
    as_json: bool,
    jsonl: bool,
) -> int:
    """Print whether URL may be opened; no name is looked up.

    With --jsonl a line is {"url", "resolves_to", "redirect_chain", "allow_list"}, of which only the
    first is needed, and an answer is {"decision", "reason"}.
    """
    if jsonl:
        return _each("url", text, _person(invocation))
    from ouroboros.app.offline.explain import UrlAsked, answer_url, here_of_url

    answer = answer_url(
        UrlAsked(
            url=_wanted(text),
            resolves_to=resolves_to,
            redirect_chain=redirect,
            allow_list=allow or None,
        )
    )
    here = here_of_url(_wanted(text), _asked(invocation, ""))
    if as_json:
        say_json({**answer, **_as_json(here)})
        return 0
    say(_judged(answer))
    say(_said(here))
    return 0


def _asked(invocation: Invocation, folder: str) -> "Asked":
    from ouroboros.app.offline.explain import Asked

    cwd = Path(invocation.cwd(folder)).absolute()
    return Asked(cwd=cwd, loaded=invocation.load(cwd=cwd), environment=invocation.environment)


def _as_json(here: "Here | None") -> dict[str, object]:
    if here is None:
        return {}
    return {"here": {"decision": here.decision, "decided_by": here.decided_by, "why": here.why}}


def _said(here: "Here") -> str:
    """What a session would do about it, in a line."""
    because = f": {here.why}" if here.why else ""
    runs = f"; it runs {here.runs}" if here.runs else ""
    return f"here: {here.decision}, by {here.decided_by or 'no rule'}{because}{runs}"


def _judged(answer: dict[str, object]) -> str:
    """A decision, and its reason where there is one."""
    return ": ".join(str(answer[key]) for key in ("decision", "reason") if answer[key])


def _each(subject: "Subject", text: str | None, person: Path) -> int:
    """Answers line by line; 1 when one of the lines was broken."""
    if text is not None:
        raise Misuse("--jsonl reads standard input", hint="leave the text away")
    from ouroboros.app.offline.explain import answers

    lines: Iterable[bytes] = sys.stdin.buffer if sys.stdin is not None else ()
    return 1 if say_each(answers(subject, lines, person)) else 0


def _person(invocation: Invocation) -> Path:
    return Path(invocation.environment.get("HOME", "/"))


def _wanted(text: str | None) -> str:
    if text is None:
        raise Misuse("nothing to explain", hint="name it, or use --jsonl for objects on stdin")
    return text
