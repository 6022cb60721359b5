"""The files of a run: kept before each call that may write, and brought back."""

import os
import subprocess
from pathlib import Path

import pytest

from ouroboros.app.rewind.journey import ForeignEdits
from ouroboros.core.commands import Redo, Restore, Rollback, Undo
from ouroboros.core.errors import Misuse
from ouroboros.core.events.checkpoint import CheckpointCreated, CheckpointRestored, TurnUndone
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage
from tests.unit.workspace.kept_folder import seen

DONE = Turn(text="All done.")


def shell(command: str) -> Turn:
    return Turn(tool_calls=(call("shell", command=command),))


def write(path: str, content: str) -> Turn:
    return Turn(tool_calls=(call("write", path=path, content=content),))


def kept(s: Stage) -> list[tuple[str, str]]:
    return [(each.kind, each.call_id[:0] or each.checkpoint) for each in s.events(CheckpointCreated)]


async def test_each_call_that_may_write_has_a_checkpoint_on_disk_before_it_acts(tmp_path: Path):
    turns = [
        write("a.txt", "one\n"),
        shell("ls"),
        shell("sed -i s/one/two/ a.txt"),
        shell("echo nothing new"),
        DONE,
    ]
    async with stage(tmp_path, turns) as s:
        await s.run()
        made = s.events(CheckpointCreated)
        assert [each.kind for each in made] == ["before", "before", "end"]
        order = [t for t in s.types if t in {"checkpoint.created", "tool.attempted", "tool.started"}]
        assert order[:3] == ["tool.started", "checkpoint.created", "tool.attempted"]
        assert len({each.checkpoint for each in made}) == 3
