"""The whole way of bundles: curated, worked on apart, handed back, reviewed, verified, merged."""

import os
from pathlib import Path

import pytest

from tests.story.test_demo import demo
from tests.tui.test_terminal import Whole

STAGES = (
    "[AI] Selected 2 of 5 files",
    "$ paws session start --name demo",
    "mender: Edit parcel.py",
    "change   parcel.py  +1 -1",
    "Applied 1 file; the verification command succeeded",
    "merged into main",
    "Checked apart from all of it: the tests pass in your branch.",
)


@pytest.mark.proves("paws-the-whole-way")
@pytest.mark.soak
def test_the_whole_way_from_a_bundle_to_the_merge(tmp_path: Path) -> None:
    ended = demo(tmp_path, "paws")
    assert ended.returncode == 0, ended.stderr
    said = ended.stdout + ended.stderr
    assert [stage for stage in STAGES if stage not in said] == []
    assert list(tmp_path.glob("ouro-demo-*")) == []


@pytest.mark.proves("paws-the-whole-way")
@pytest.mark.deep
def test_a_person_reviews_on_the_way_and_what_they_reject_is_not_merged(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with Whole(["demo", "paws"], cwd=tmp_path, environment=environment) as program:
        program.writes("hunk 1 of")
        program.type("r")
        program.type("q")
        program.writes("error: it ended with 5")
        assert program.ends() == 5
    assert "merged into main" not in program.raw
    assert list(tmp_path.glob("ouro-demo-*")) == []


@pytest.mark.deep
@pytest.mark.proves("paws-the-whole-way")
def test_a_person_accepts_and_it_is_verified_and_merged(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with Whole(["demo", "paws"], cwd=tmp_path, environment=environment) as program:
        program.writes("hunk 1 of")
        program.type("a")
        program.type("q")
        program.writes("the tests pass in your branch")
        assert program.ends() == 0
    assert [stage for stage in STAGES if stage not in program.raw] == []
