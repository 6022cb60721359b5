"""Every case of every dialect: what a bundle makes of a folder, or why it makes nothing of it."""

from pathlib import Path

import pytest

from ouroboros.workspace.artifacts.dogs import Bundle, Refusal, Refused
from ouroboros.workspace.artifacts.dogs.applying import apply
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import DIALECTS, Wanted, read
from ouroboros.workspace.artifacts.dogs.tree import Folder
from tests.cases import every
from tests.unit.workspace.dogs.case_file import Case, File, case_of

CASES = sorted((Path(__file__).parent / "cases").glob("*/*.txt"))


def laid_out(root: Path, files: dict[str, File]) -> None:
    for name, file in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.link:
            path.symlink_to(file.link)
        else:
            path.write_bytes(file.content)
            path.chmod(file.mode)


def found_in(root: Path) -> dict[str, File]:
    return {
        path.relative_to(root).as_posix(): (
            File(b"", 0o644, str(path.readlink()))
            if path.is_symlink()
            else File(path.read_bytes(), path.stat().st_mode & 0o777)
        )
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def bundle_of(case: Case) -> Bundle:
    words = case.options.split()
    named = next((word.partition("=")[2] for word in words if word.startswith("dialect=")), "auto")
    dialect: Wanted = "auto"
    for each in DIALECTS:
        dialect = each if each == named else dialect
    return read(
        case.bundle, dialect=dialect, rsi_link="rsi" in words, allow_truncated="truncated" in words
    )


def outcome(case: Case, root: Path, journal: Path) -> tuple[str, tuple[Refusal, ...]]:
    try:
        bundle = bundle_of(case)
    except Refused as refused:
        return "refused", refused.refusals
    if bundle.requests and not bundle.refusals:
        request = bundle.requests[0]
        told = (request.kind, request.path, request.reason, request.command)
        assert "|".join(told) == case.options
        return "request", ()
    made = plan(bundle, Folder(root), references=case.reference or None)
    if made.refusals and "partial" not in case.options:
        return "refused", made.refusals
    apply(made, root, journal=journal)
    return ("applied" if bundle.changes else "nothing"), made.refusals


@pytest.mark.proves(
    "M02",
    "M03",
    "M04",
    "O16",
    "M05",
    "M06",
    "M07",
    "M14",
    "M08",
    "M15",
    "M20",
    "M12",
    "M25",
    "CF13",
    "M13",
    "divergences-new-file-over-another-file",
)
@every("path", CASES)
def test_case(path: Path, tmp_path: Path):
    case = case_of(path)
    root = tmp_path / "work"
    root.mkdir()
    laid_out(root, case.before)
    became, refusals = outcome(case, root, tmp_path / "journal" / "changes.json")
    told = [(refusal.block, refusal.line, refusal.reason) for refusal in refusals]
    assert became == case.outcome, told
    assert [place[:2] for place in told] == [place[:2] for place in case.refused], told
    for wanted, (_, _, reason) in zip(case.refused, told, strict=True):
        assert wanted.words in reason
    assert found_in(root) == case.after


@pytest.mark.proves("M15")
def test_a_file_in_a_fence_beside_blocks_of_another_format_is_told():
    block = "a.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
    bundle = read(f"{block}\n**b.py**\n```python\nz = 1\n```\n".encode())
    assert bundle.dialect == "search"
    assert len(bundle.changes) == 1
    assert [note for note in bundle.notes if note.startswith("line 10: a fence that names a file")]
    assert not read(block.encode()).notes


@pytest.mark.proves("M02", "M03", "M04", "O16")
def test_the_case_sets_are_as_large_as_they_should_be():
    counted = {
        folder: sum(path.parent.name == folder for path in CASES)
        for folder in ("v1", "full", "delta", "safety", "request", "rsi")
    }
    least = {"v1": 20, "full": 30, "delta": 28, "safety": 20, "request": 6, "rsi": 6}
    assert all(counted[folder] >= number for folder, number in least.items()), counted
