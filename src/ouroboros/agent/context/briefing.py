"""What a model is told of where it works: named blocks, in order, each only when it changed.

The first message of a session holds all blocks; later ones only what is new since then, so that
the request prefix keeps growing and never changes.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from ouroboros.agent.context import standing
from ouroboros.agent.context.instructions import Instructions, added
from ouroboros.agent.prompts import Prompts
from ouroboros.core.commands import Mode, Personality
from ouroboros.core.state import State

BLOCKS = (
    "instructions", "environment", "permissions", "personality", "plan",
    "files", "goal", "pending", "commands", "children", "tabs",
)  # fmt: skip
_LINE_CHARACTERS = 4096
_BEYOND = (
    'To run one outside, exec_command with sandbox_permissions "require_escalated" and a '
    "justification asks the person."
)
NOBODY_HERE = "Nobody is here to be asked: what needs approval is refused."
_ADDED = "Lines were added to the instructions above; the rest of them holds as it is.\n\n"
_CHANGED = "The instructions above have changed; these take their place.\n\n"
_NO_MANNER = "No manner of speaking is asked for any more: speak as you would by yourself."
_SOMEBODY = "The person is here again and can be asked."


class Visit(Struct, frozen=True, kw_only=True):
    """A workspace besides the session's own, and what its instruction files say."""

    folder: Path
    instructions: Instructions


class Surroundings(Struct, frozen=True, kw_only=True):
    """Facts about the machine and the folder, read anew before each of the person's messages.

    Attributes:
        cage: What the sandbox of commands lets through, in words of ours; empty for no sandbox.
        attended: Somebody is there who can approve something.
        personality: The manner of speaking that the settings ask for.
        visits: Workspaces that the person brought in.
    """

    cwd: Path
    shell: str
    system: str
    date: str
    timezone: str
    git: str
    instructions: Instructions = Instructions()
    cage: str = ""
    attended: bool = True
    personality: Personality = "none"
    visits: tuple[Visit, ...] = ()


class Briefing(Struct, frozen=True, kw_only=True):
    """A context message's text, what it tells by name, and nothing else."""

    text: str
    told: dict[str, str]


def git_state(root: Path) -> str:
    """The branch or commit that is checked out, without starting git; blocking."""
    folder = root / ".git"
    try:
        if folder.is_file():
            folder = root / _line(folder).partition("gitdir:")[2].strip()
        head = _line(folder / "HEAD")
    except (OSError, ValueError):
        return "not a git repository"
    branch = head.removeprefix("ref: refs/heads/")
    return f"branch {branch}" if branch != head else f"detached at {head[:12]}"


def _line(path: Path) -> str:
    """The first line of a small file that git keeps; a pipe in its place is not waited for."""
    if not path.is_file():
        raise FileNotFoundError(path)
    with path.open(encoding="utf-8") as file:
        return file.readline(_LINE_CHARACTERS).strip()


def brief(
    around: Surroundings,
    state: State,
    prompts: Prompts,
    off: tuple[str, ...],
    *,
    anew: bool = False,
    earlier: Surroundings | None = None,
    handed: Callable[[], dict[str, str]] = dict,
) -> Briefing | None:
    """What must be told now; None when nothing is new.

    Args:
        around: The facts.
        state: Knows the mode, the plan, and what was told before.
        prompts: Has the words for each mode.
        off: Names of blocks that are switched off.
        anew: Tell everything, as after a compaction.
        earlier: The facts as they were the last time, where that is still known.
        handed: What goes on that the state does not know: ``goal``, ``tabs``.
    """
    known = {} if anew else state.told
    told: dict[str, str] = {}
    texts = {
        "instructions": lambda: "\n\n".join(_instructions(around, earlier, known, told)),
        "environment": lambda: _environment(around, known, told),
        "permissions": lambda: _permissions(around, state.mode, prompts, known, told),
        "personality": lambda: _personality(around, state, prompts, known, told),
        "plan": lambda: "" if known else _plan(state),
        "files": lambda: _files(state, told),
    }
    going_on = {} if known else standing.blocks(state, handed())
    texts |= {name: partial(str, text) for name, text in going_on.items()}
    wanted = [name for name in BLOCKS if name in texts and name not in off]
    said = [text for name in wanted if (text := texts[name]())]
    return Briefing(text="\n\n".join(said), told=told) if said else None


def _permissions(
    around: Surroundings, mode: Mode, prompts: Prompts, known: dict[str, str], told: dict[str, str]
) -> str:
    now = {
        "permissions": mode,
        "sandbox": around.cage,
        "attended": "" if around.attended else "no",
    }
    words = {
        "permissions": lambda: prompts[f"mode_{mode}"].text,
        "sandbox": lambda: _sandbox(around),
        "attended": lambda: _SOMEBODY if around.attended else NOBODY_HERE,
    }
    if mode == "plan":  # where commands may write is told when they may write
        del now["sandbox"]
    new = [name for name, value in now.items() if known.get(name, "") != value]
    told.update({name: now[name] for name in new})
    text = "\n".join(words[name]() for name in new)
    return f"<permissions>\n{text}\n</permissions>" if text else ""


def _sandbox(around: Surroundings) -> str:
    if not around.cage:
        return "Commands run without a sandbox now."
    return (
        f"Commands run in a sandbox: {around.cage}. {_BEYOND if around.attended else ''}".rstrip()
    )


def _personality(
    around: Surroundings,
    state: State,
    prompts: Prompts,
    known: dict[str, str],
    told: dict[str, str],
) -> str:
    now = state.personality or around.personality
    if now == known.get("personality", "none"):
        return ""
    told["personality"] = now
    text = _NO_MANNER if now == "none" else prompts[f"personality_{now}"].text
    return f"<personality_spec>\n{text}\n</personality_spec>"


def _plan(state: State) -> str:
    steps = "\n".join(f"[{step.status}] {step.step}" for step in state.plan)
    return f"<plan>\n{steps}\n</plan>" if steps else ""


def _files(state: State, told: dict[str, str]) -> str:
    text = standing.brought_back(state)
    if text:
        told["files"] = "brought back"
    return text


def _instructions(
    around: Surroundings,
    earlier: Surroundings | None,
    known: dict[str, str],
    told: dict[str, str],
) -> Iterator[str]:
    own = Visit(folder=around.cwd, instructions=around.instructions)
    before = _texts(earlier)
    for visit in (own, *around.visits):
        place = "" if visit is own else f" {visit.folder}"
        text = visit.instructions.text
        digest = _digest(text) if text else ""
        was = known.get(f"instructions{place}", "")
        if digest == was:
            continue
        told[f"instructions{place}"] = digest
        if visit.instructions.project:
            told[f"project{place}"] = f"instructions {visit.instructions.project}"
        where = f" in {visit.folder}" if place else ""
        if not text:
            yield (
                f"The instruction files that were given earlier{where and f' for work{where}'} are "
                "gone; they no longer apply."
            )
            continue
        only = f"They hold for work{where}.\n\n" if place else ""
        old = before.get(visit.folder, "")
        more = added(old, text) if was and _digest(old) == was else ""
        again = (_ADDED if more else _CHANGED) if was else ""
        yield (
            f"# AGENTS.md instructions for {visit.folder}\n\n{again}{only}<INSTRUCTIONS>\n"
            f"{more or text}\n</INSTRUCTIONS>"
        )


def _texts(around: Surroundings | None) -> dict[Path, str]:
    """What the instruction files say, by folder."""
    if around is None:
        return {}
    visits = {visit.folder: visit.instructions.text for visit in around.visits}
    return {**visits, around.cwd: around.instructions.text}


def _environment(around: Surroundings, known: dict[str, str], told: dict[str, str]) -> str:
    facts = {
        "cwd": str(around.cwd),
        "shell": around.shell,
        "os": around.system,
        "current_date": around.date,
        "timezone": around.timezone,
        "git": around.git,
    }
    lines: list[str] = []
    for name, value in facts.items():
        if known.get(f"environment.{name}") != value:
            told[f"environment.{name}"] = value
            lines.append(f"  <{name}>{value}</{name}>")
    if not lines:
        return ""
    return "\n".join(["<environment_context>", *lines, "</environment_context>"])


def _digest(text: str) -> str:
    # Imported here: it loads a large library that a run without such files does not need.
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:16]
