"""The demo of bundles and work sessions: the commands that a person would type, one after another.

Everything but the model's words is real: the repository, the agent's program, the bundles, git.
"""

import shlex
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from ouroboros.app.demo.fix import Demo

NOTICE = (
    "Demo: the model's words come from a script that is built in; the bundle, the agent's program, its "
    "changes, the review, the tests and the merge are real."
)
SESSION, AGENT, TASK = "demo", "mender", "The tests of parcel.py fail; find the cause and mend it."
BUNDLE = "parcel.cats.md"
DEFINITION = f"""---
name: {AGENT}
description: Mends failing tests
version: "1.0"
engine:
  max_turns: 20
tools:
  - name: read
  - name: ls
  - name: grep
  - name: edit
  - name: update_plan
  - name: shell
    allowed_commands: ['.*python[0-9.]* -m unittest.*']
    denied_commands: ['git push.*']
---
You mend failing tests. Find the cause, change as little as you can, and show that the tests pass.
"""
_RANKED = [
    ("parcel.py", 0.97, "holds the function whose tests fail"),
    ("test_parcel.py", 0.95, "holds the failing tests"),
    ("README.md", 0.30, "says what parcels cost"),
]


class Step(Struct, frozen=True, kw_only=True):
    """A command of ``paws``, and what it is for.

    Attributes:
        together: Words that are added where a person sits at a terminal.
        alone: Words that are added elsewhere.
    """

    words: tuple[str, ...]
    why: str
    together: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()


def prepared(folder: Path) -> tuple[Path, Path]:
    """Writes the agent's definition and the script that ranks files; blocking."""
    definition = folder / f"{AGENT}.agent.md"
    definition.write_text(DEFINITION, encoding="utf-8")
    ranked = [
        {"file_path": path, "relevance": relevance, "justification": why}
        for path, relevance, why in _RANKED
    ]
    reply = msgspec.json.encode({"ranked_files": ranked}).decode()
    ranking = folder / "ranking.jsonl"
    ranking.write_bytes(msgspec.json.encode({"text": reply}) + b"\n")
    return definition, ranking


def steps(demo: Demo, definition: Path, ranking: Path) -> tuple[Step, ...]:
    """What comes before there is a bundle of changes."""
    return (
        Step(
            words=("cats", "--ai-curate", TASK, "--model", f"script:{ranking}", "-o", BUNDLE, "-y"),
            why="A model chooses what the task needs; the files go into one text.",
        ),
        Step(words=("session", "start", "--name", SESSION), why="Work begins apart."),
        Step(words=("agent", "create", "--from", str(definition)), why="An agent by a definition."),
        Step(
            words=(
                *("agent", "run", AGENT, "--session", SESSION, "--goal", TASK),
                *("--context", BUNDLE, "--model", demo.model, "--mode", "auto-edit"),
            ),
            why="It works as a program of its own, and hands its changes over.",
        ),
    )


def closing(bundle: Path) -> tuple[Step, ...]:
    """From the bundle of changes to the merge."""
    tests = f"{shlex.quote(sys.executable)} -m unittest -q"
    return (
        Step(
            words=(
                *("dogs", str(bundle), "--session", SESSION, "--checkpoint", "mended"),
                *("--verify", tests, "--revert-on-fail"),
            ),
            why="Review by file and hunk, then the tests judge; if they fail, nothing stays.",
            together=("--interactive",),
            alone=("-y",),
        ),
        Step(words=("session", "merge", SESSION), why="What was checked comes into your branch."),
    )
