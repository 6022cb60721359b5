"""Bundles are applied whole, refused whole, asked about, and taken back."""

from pathlib import Path

import msgspec
import pytest
from anyio import to_thread

from ouroboros.app.paws.dogs.choosing import with_hunks
from ouroboros.app.paws.dogs.door import ground_of, undone, undone_in
from ouroboros.app.paws.dogs.holding import Attempt, content_name
from ouroboros.app.paws.dogs.outcome import FileOutcome
from ouroboros.app.paws.dogs.reading import Files, Prepared, only_planned
from ouroboros.app.paws.sessions import Sessions, WorkRefused
from ouroboros.core.errors import OuroborosError
from ouroboros.faces.cli.commands.paws.dogs_words import tell_outcome
from tests.unit.app.dogs.dogs_stage import BUNDLE, Dogs, git, picture, project_in

pytestmark = pytest.mark.real

REFUSED = BUNDLE.replace('-print("dirty")', "-nowhere to be found")


@pytest.fixture
def dogs(tmp_path: Path) -> Dogs:
    return Dogs(project_in(tmp_path), tmp_path / "home")


@pytest.mark.proves("M01")
async def test_a_bundle_is_applied_and_each_file_told(dogs: Dogs) -> None:
    before = picture(dogs.root)
    outcome = await dogs()
    assert (outcome.outcome, outcome.exit_code) == ("applied", 0)
    assert outcome.files == (
        FileOutcome(path="docs/new.md", action="add", added=1),
        FileOutcome(path="src/app.py", action="change", added=1, removed=1),
    )
    assert (dogs.root / "src" / "app.py").read_text() == 'import os\nprint("better")\n'
    assert (dogs.root / "docs" / "new.md").read_text() == "# New\n"
    assert dogs.told == ["Applying changes from answer.md"]
    after = picture(dogs.root)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed == {"src/app.py", "docs", "docs/new.md"}


@pytest.mark.proves("M13")
async def test_one_refused_block_stops_all_of_it(dogs: Dogs) -> None:
    before = picture(dogs.root)
    outcome = await dogs(REFUSED)
    assert (outcome.outcome, outcome.exit_code) == ("refused", 1)
    actions = {file.path: file.action for file in outcome.files}
    assert actions == {"src/app.py": "refused", "docs/new.md": "skipped"}
    refused = next(file for file in outcome.files if file.action == "refused")
    assert "block 1" in refused.reason
    assert "line" in refused.reason
    assert picture(dogs.root) == before


@pytest.mark.proves("M13")
async def test_in_part_is_applied_what_fits(dogs: Dogs) -> None:
    outcome = await dogs(REFUSED, partial=True)
    assert outcome.exit_code == 0
    actions = {file.path: file.action for file in outcome.files}
    assert actions == {"src/app.py": "refused", "docs/new.md": "add"}
    assert (dogs.root / "docs" / "new.md").exists()
    assert "dirty" in (dogs.root / "src" / "app.py").read_text()


async def test_only_new_files_overwrite_nothing(dogs: Dogs) -> None:
    outcome = await dogs(only_new=True)
    assert outcome.exit_code == 0
    assert (dogs.root / "docs" / "new.md").exists()
    assert "dirty" in (dogs.root / "src" / "app.py").read_text()


async def test_applied_twice_there_is_nothing_to_do(dogs: Dogs) -> None:
    await dogs("--- New File: a.txt ---\n```\nhi\n```\n")
    outcome = await dogs("*** Begin Patch\n*** End Patch\n")
    assert outcome.exit_code in {1, 5}
    assert (await dogs("Just words, no change.\n")).exit_code == 5


async def test_what_was_applied_last_is_taken_back(dogs: Dogs) -> None:
    before = picture(dogs.root)
    await dogs()
    (dogs.root / "later.txt").write_text("mine\n")
    outcome = await undone(dogs.loaded, dogs.root, dogs.told.append)
    assert outcome.exit_code == 0
    (dogs.root / "later.txt").unlink()
    assert picture(dogs.root) == before


async def test_some_hunks_are_written(dogs: Dogs) -> None:
    text = "".join(f"line {number}\n" for number in range(40))
    (dogs.root / "long.txt").write_text(text)
    bundle = (
        "--- File: long.txt ---\n```diff\n line 1\n-line 2\n+two\n line 3\n@@\n line 29\n-line 30\n"
        "+thirty\n line 31\n```\n"
    )
    outcome = await dogs(
        bundle, choose=lambda found: tuple(filter(None, [with_hunks(found.files[0], {1})]))
    )
    assert outcome.exit_code == 0
    assert (dogs.root / "long.txt").read_text() == text.replace("line 30\n", "thirty\n")


@pytest.mark.proves("M09")
async def test_a_model_that_wants_context_gets_nothing_written(dogs: Dogs) -> None:
    before = picture(dogs.root)
    outcome = await dogs(
        "🐕 --- DOGS_START_FILE: src/app.py ---\n"
        '@@ PAWS_CMD REQUEST_CONTEXT("src/util.py", "it is imported", "cat src/util.py") @@\n'
        "🐕 --- DOGS_END_FILE: src/app.py ---\n"
    )
    assert (outcome.outcome, outcome.exit_code) == ("needs_context", 4)
    (request,) = outcome.requests
    assert (request.kind, request.path, request.reason) == (
        "context",
        "src/util.py",
        "it is imported",
    )
    assert picture(dogs.root) == before


ASKS = (
    "🐕 --- DOGS_START_FILE: x ---\n@@ PAWS_CMD EXECUTE_AND_REINVOKE({command}) @@\n"
    "🐕 --- DOGS_END_FILE: x ---\n"
)


@pytest.mark.proves("M10")
async def test_a_command_is_run_only_where_it_may_be(dogs: Dogs) -> None:
    looks = ASKS.format(command='"cat staged.txt"')
    assert (await dogs(looks)).reason == (
        "the bundle asks to run a command first, which needs --allow-reinvoke"
    )
    ran = await dogs(looks, reinvoke=True)
    assert (ran.exit_code, ran.requests[0].decision, ran.requests[0].output) == (
        4,
        "ran",
        "staged\n",
    )


@pytest.mark.proves("M10")
async def test_a_dangerous_command_is_asked_about_also_with_a_yes(dogs: Dogs) -> None:
    asked: list[str] = []

    def agree(command: str) -> bool:
        asked.append(command)
        return False

    removes = ASKS.format(command='"rm -rf src"')
    outcome = await dogs(removes, reinvoke=True, yes=True, agree=agree)
    assert outcome.exit_code == 1
    assert asked == ["rm -rf src"]
    assert (dogs.root / "src").is_dir()


OTHER = "--- New File: other.txt ---\n```text\nx\n```\n"


@pytest.mark.deep
@pytest.mark.proves("M21")
async def test_a_work_session_takes_a_bundle_and_keeps_it_as_a_checkpoint(dogs: Dogs) -> None:
    sessions = await Sessions.at(dogs.root, dogs.environment)
    session = await sessions.start()
    before = picture(dogs.root / "src")
    bundle = BUNDLE.replace("dirty", "1").replace('"1"', "1")
    outcome = await dogs(bundle, session=session.id[:8], checkpoint="first")
    assert outcome.exit_code == 0
    assert (session.tree / "docs" / "new.md").exists()
    assert picture(dogs.root / "src") == before
    found = await sessions.find(session.id)
    assert found.manifest is not None
    kept = found.manifest.checkpoints["first"]
    assert kept.commit_sha == outcome.checkpoint
    assert git(session.tree, "log", "-1", "--format=%s").strip() == "PAWS Turn 1: first"
    assert kept.dogs_artifact_path is not None
    assert (dogs.root / kept.dogs_artifact_path).read_text() == bundle
    standing = picture(session.tree)
    with pytest.raises(WorkRefused, match="has a checkpoint 'first' already"):
        await dogs(OTHER, session=session.id, checkpoint="first")
    assert picture(session.tree) == standing
    late = await dogs(
        OTHER, session=session.id, checkpoint="second", verify="git checkout -q --detach"
    )
    assert (late.outcome, late.exit_code) == ("refused", 1)
    assert "taken back: in the work tree" in late.reason
    assert [(file.path, file.action) for file in late.files] == [("other.txt", "none")]
    assert not (session.tree / "other.txt").exists()
    git(session.tree, "checkout", "-q", session.work.branch)
    await dogs(OTHER, session=session.id)
    back = await undone_in(dogs.loaded, dogs.root, dogs.environment, session.id, dogs.told.append)
    assert (back.outcome, picture(session.tree)["docs"]) == ("applied", standing["docs"])
    assert not (session.tree / "other.txt").exists()
    await sessions.pause(session.id)
    with pytest.raises(WorkRefused):
        await dogs(bundle, session=session.id)


SEEN = """\
---
version: "1.0"
task_description: ""
metadata:
  curation_method: manual
---

```python:src/app.py
import os
print(1)
```
"""
NUMBERED = (
    "🐕 --- DOGS_START_FILE: src/app.py ---\n@@ PAWS_CMD REPLACE_LINES(2, 2) @@\nprint(2)\n"
    "🐕 --- DOGS_END_FILE: src/app.py ---\n"
)


@pytest.mark.proves("M08", "M20")
async def test_numbers_are_those_of_the_bundle_that_the_model_saw(dogs: Dogs) -> None:
    """The file was changed since: above that is joined, in the same line nothing is written."""
    clash = await dogs(NUMBERED, reference=SEEN.encode())
    assert clash.exit_code == 1
    assert "dirty" in (dogs.root / "src" / "app.py").read_text()
    (dogs.root / "src" / "app.py").write_text("# new\n# lines\n# above\n\nimport os\nprint(1)\n")
    joined = await dogs(NUMBERED, reference=SEEN.encode())
    assert joined.exit_code == 0
    assert joined.files[0].reason == "joined with what was changed since the model saw it"
    text = (dogs.root / "src" / "app.py").read_text()
    assert text == "# new\n# lines\n# above\n\nimport os\nprint(2)\n"


@pytest.mark.proves("M08", "M20")
async def test_a_reference_that_is_no_bundle_writes_nothing(dogs: Dogs) -> None:
    before = picture(dogs.root)
    with pytest.raises(OuroborosError, match="no bundle of files"):
        await dogs(NUMBERED, reference=b"just words\n")
    assert picture(dogs.root) == before


@pytest.mark.proves("M11")
async def test_self_edit_markers_are_read_alone_when_they_are_asked_for(dogs: Dogs) -> None:
    linked = (
        "⛓️ --- RSI_LINK_START_FILE: linked.txt ---\nlinked\n"
        "⛓️ --- RSI_LINK_END_FILE: linked.txt ---\n"
        "🐕 --- DOGS_START_FILE: plain.txt ---\nplain\n🐕 --- DOGS_END_FILE: plain.txt ---\n"
    )
    assert (await dogs(linked, rsi_link=True)).exit_code == 0
    assert (dogs.root / "linked.txt").exists()
    assert not (dogs.root / "plain.txt").exists()


async def test_a_file_that_is_changed_while_the_person_chooses_is_not_overwritten(
    dogs: Dogs,
) -> None:
    def edits(found: Prepared) -> Files:
        (dogs.root / "src" / "app.py").write_text("the person's\n")
        return found.files

    outcome = await dogs(choose=edits)
    assert (outcome.outcome, outcome.exit_code) == ("refused", 1)
    assert "changed just now" in outcome.reason
    assert (dogs.root / "src" / "app.py").read_text() == "the person's\n"
    assert not (dogs.root / "docs").exists()


@pytest.mark.proves("M22")
async def test_what_would_be_done_to_any_bytes_comes_out_as_json(dogs: Dogs) -> None:
    (dogs.root / "odd.txt").write_bytes(b"a\xff\x81\n\x01b\n")
    bundle = "--- File: odd.txt ---\n```text\nnew\n```\n"
    planned = await dogs(bundle, choose=only_planned)
    assert (planned.outcome, r"-a\xff\x81" in planned.diff) == ("planned", True)
    assert b"odd.txt" in msgspec.json.encode(planned)


async def test_a_bundle_can_be_taken_back_once(dogs: Dogs) -> None:
    await dogs()
    (dogs.root / "src" / "app.py").write_text("the person's\n")
    first = await undone(dogs.loaded, dogs.root, dogs.told.append)
    assert (first.exit_code, first.left) == (1, {"src/app.py": "it was changed since"})
    assert (dogs.root / "src" / "app.py").read_text() == "the person's\n"
    assert not (dogs.root / "docs").exists()
    (dogs.root / "src" / "app.py").write_text('import os\nprint("better")\n')
    assert (await undone(dogs.loaded, dogs.root, dogs.told.append)).exit_code == 0
    with pytest.raises(OuroborosError, match="no bundle was applied"):
        await undone(dogs.loaded, dogs.root, dogs.told.append)


@pytest.mark.proves("M13")
async def test_what_a_killed_process_wrote_can_be_taken_back_and_what_it_did_not_is_not_said_to_be(
    dogs: Dogs,
) -> None:
    """It died behind the last file, then before the first one; both times its notes were half written."""

    def intended() -> None:
        hold = ground_of(dogs.loaded, dogs.root).hold()
        made = ((b"other.txt", content_name(b"x\n")),)
        hold.intend(Attempt(bundle="cut off", before=hold.paths(["other.txt"]), made=made))
        (hold._shadow.folder / "dogs.part").write_bytes(b"half")
        hold.close()

    before = picture(dogs.root)
    for is_written in (True, False):
        await to_thread.run_sync(intended)
        if is_written:
            (dogs.root / "other.txt").write_bytes(b"x\n")
            back = await undone(dogs.loaded, dogs.root, dogs.told.append)
            assert (back.outcome, dogs.told[-1]) == ("applied", "Taking back cut off")
            assert picture(dogs.root) == before
    assert (await dogs()).exit_code == 0
    await undone(dogs.loaded, dogs.root, dogs.told.append)
    assert (dogs.told[-1], picture(dogs.root)) == ("Taking back answer.md", before)


@pytest.mark.proves("M21", "M23")
async def test_a_file_that_cannot_be_taken_back_is_not_told_as_taken_back(
    dogs: Dogs, capsys: pytest.CaptureFixture[str]
) -> None:
    session = await (await Sessions.at(dogs.root, dogs.environment)).start()
    two = OTHER + OTHER.replace("other.txt", "second.txt")
    command = "git checkout -q --detach; echo mine > other.txt"
    outcome = await dogs(two, session=session.id, checkpoint="one", verify=command)
    assert (outcome.outcome, outcome.left) == ("refused", {"other.txt": "it was changed since"})
    assert "not all changes could be taken back: in the work tree" in outcome.reason
    assert [(file.path, file.action, file.reason) for file in outcome.files] == [
        ("other.txt", "add", "it was not taken back: it was changed since"),
        ("second.txt", "none", "it was taken back"),
    ]
    assert (session.tree / "other.txt").read_text() == "mine\n"
    assert not (session.tree / "second.txt").exists()
    tell_outcome(outcome, is_quiet=False, undo="")
    said = capsys.readouterr()
    assert "Refused; not all of it could be taken back\n" in said.err
    assert "nothing was written" not in said.err
