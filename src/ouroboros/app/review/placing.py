"""Whether the places that findings name are there, and lie in the change."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ouroboros.app.review.changes import FileChange
from ouroboros.app.review.subjects import Subject
from ouroboros.core.events.review import CodeLocation, Finding, ReviewOutput

_BYTES = 16 * 1_048_576


def placed(review: ReviewOutput, subject: Subject) -> ReviewOutput:
    """The review with whole paths, and a remark on each place that is not there; blocking."""
    return replace(review, findings=tuple(_placed(one, subject) for one in review.findings))


def _placed(finding: Finding, subject: Subject) -> Finding:
    written = finding.code_location.absolute_file_path
    path = _relative(written, subject.root)
    location = CodeLocation(
        absolute_file_path=str(subject.root / path) if path else written,
        line_range=finding.code_location.line_range,
    )
    return replace(finding, code_location=location, remark=_remark(finding, path, subject))


def _remark(finding: Finding, path: str, subject: Subject) -> str:
    if not path:
        return "this file is outside the repository"
    lines = finding.code_location.line_range
    change = _change(path, subject.files)
    if change is not None and change.deleted:
        return "this file is deleted by the change"
    if change is None and not _is_file(subject.root / path):
        return "there is no such file"
    if lines.start < 1:
        return "it names no line"
    if change is not None and any(
        hunk.first <= lines.end and lines.start <= hunk.last for hunk in change.hunks
    ):
        return ""
    if subject.on_disk and _ends_before(subject.root / path, lines.start):
        return "the file has no such line"
    if not subject.files:
        return ""
    return "this file is not part of the change" if change is None else "not part of the change"


def _change(path: str, files: Sequence[FileChange]) -> FileChange | None:
    return next((file for file in files if path == file.path), None)


def _relative(written: str, root: Path) -> str:
    """A path from the root on, however it was written; empty for one that lies elsewhere."""
    path = Path(written)
    try:
        if path.is_absolute():
            path = path.relative_to(root)
        parts = path.parts
    except ValueError:
        return ""
    if not parts or ".." in parts:
        return ""
    is_of_diff = parts[0] in {"a", "b"} and len(parts) > 1 and not _is_file(root / path)
    return str(Path(*parts[1:])) if is_of_diff else str(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _ends_before(path: Path, line: int) -> bool:
    """Whether a file has no such line; one that cannot be read has none, one too large may have any."""
    try:
        if not path.is_file():
            return True
        if path.stat().st_size > _BYTES:
            return False
        content = path.read_bytes()
    except (OSError, ValueError):
        return True
    return line > content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
