"""What counts as changed by somebody else, where a checkpoint in between is gone."""

from pathlib import Path

import pytest

from ouroboros.app.rewind.points import others
from ouroboros.core.state.files import Kept as Known
from tests.cases import every
from tests.unit.workspace.kept_folder import Kept


@pytest.mark.proves("K06")
@every(("lost", "expected"), [("", {"theirs"}), ("end", {"ours", "theirs"})])
def test_what_nobody_can_tell_any_more_counts_as_somebody_elses(
    tmp_path: Path, lost: str, expected: set[str]
) -> None:
    kept = Kept(tmp_path)
    known: list[Known] = []

    def take(kind: str) -> None:
        taken = kept.take()
        name = taken.checkpoint if kind != lost else "0" * 40
        known.append(Known(seq=len(known), checkpoint=name, tree=taken.tree, kind=kind))

    (kept.root / "ours").write_text("one")
    take("before")
    (kept.root / "ours").write_text("two")
    take("end")
    (kept.root / "theirs").write_text("theirs")
    take("before")
    take("end")
    now = kept.take().checkpoint
    found = others(kept.shadow, known, known[0], now, ask_after=5.0)
    assert (found.theirs, found.unsure) == (expected, set())
