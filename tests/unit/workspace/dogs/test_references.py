"""Line numbers of an answer are those of the bundle that the model saw, whichever program wrote it."""

import base64
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ouroboros.app.paws.dogs.references import references_in
from ouroboros.workspace.artifacts.cats import File, Head, markers
from ouroboros.workspace.artifacts.cats import read as read_files
from ouroboros.workspace.artifacts.dogs.applying import apply
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.tree import Folder
from tests.cases import every
from tests.unit.workspace.dogs.case_file import case_of
from tests.unit.workspace.dogs.test_cases import CASES, bundle_of, found_in, laid_out

DELTAS = [path for path in CASES if path.parent.name == "delta" and case_of(path).before]

type Files = Mapping[str, bytes]


def bundled(
    files: Files, *, fence: str = "", words: str = "", head: str = "# Cats Bundle\n"
) -> bytes:
    """Files as versions of the first PAWS wrote them: a fence, where there is one, is around each text."""
    parts = [head, "# Format: Raw UTF-8; binaries as Base64\n# Delta Reference: Yes\n"]
    for path, data in files.items():
        try:
            text, hint = data.decode(), ""
        except UnicodeDecodeError:
            text, hint = base64.b64encode(data).decode(), " (Content:Base64)"
        if fence and not hint:
            end = "" if text.endswith("\n") or not text else "\n"
            text = f"{fence}{words}\n{text}{end}{fence}"
        name = f"{path}{hint}"
        parts.append(
            f"\n🐈 --- CATS_START_FILE: {name} ---\n{text}\n🐈 --- CATS_END_FILE: {name} ---\n"
        )
    return "".join(parts).encode()


WRITERS: dict[str, Callable[[Files], bytes]] = {
    "raw": bundled,
    "fenced": lambda files: bundled(files, fence="```"),
    "fenced with a language": lambda files: bundled(files, fence="```", words="python"),
    "longer fences": lambda files: bundled(files, fence="`````", words="text"),
    "tildes": lambda files: bundled(files, fence="~~~"),
    "fenced below words": lambda files: bundled(
        files,
        fence="```",
        head="Rules.\n\n--- END PREPENDED INSTRUCTIONS ---\nThe following content is the Cats Bundle.\n# Cats Bundle\n",
    ),
    "fenced with crlf": lambda files: re.sub(rb"(?<!\r)\n", b"\r\n", bundled(files, fence="```")),
    "our own": lambda files: (
        markers.opening(Head(is_delta_ready=True))
        + b"".join(markers.block(File(path=path, data=data)) for path, data in files.items())
    ),
}


def check(writer: str, path: Path, tmp_path: Path) -> None:
    case = case_of(path)
    seen = case.reference or {name: file.content for name, file in case.before.items()}
    root = tmp_path / writer.replace(" ", "-") / path.stem
    root.mkdir(parents=True)
    laid_out(root, case.before)
    made = plan(bundle_of(case), Folder(root), references=references_in(WRITERS[writer](seen)))
    told = [refusal.text for refusal in made.refusals]
    assert bool(told) == (case.outcome == "refused"), told
    assert all(wanted.words in "\n".join(told) for wanted in case.refused)
    if not told:
        apply(made, root, journal=tmp_path / "journal" / writer / f"{path.stem}.json")
    assert found_in(root) == case.after


@pytest.mark.proves("M20", "M06")
@every("path", DELTAS)
def test_deltas_of_a_bundle_of_the_first_paws(path: Path, tmp_path: Path):
    check("fenced", path, tmp_path)


@pytest.mark.deep
@pytest.mark.proves("M20", "M06")
@every("writer", [name for name in WRITERS if name != "fenced"])
@every("path", DELTAS)
def test_deltas_of_every_writer_of_bundles(writer: str, path: Path, tmp_path: Path):
    check(writer, path, tmp_path)


def test_there_are_as_many_deltas_as_there_should_be():
    assert len(DELTAS) >= 28


@pytest.mark.proves("M20")
@every(
    "text",
    [
        "```\nx\n```\n",
        "```sh\nx\n```",
        "~~~\nx\n~~~\n",
        "\n```\nx\n```\n\n",
        "````md\n```\nx\n```\n````\n",
        "```\nx\n```\ny\n",
        "```\nx\n",
        "```",
        "",
        "\n",
    ],
)
def test_a_page_that_is_one_fence_keeps_it(text: str):
    data = markers.opening(Head()) + markers.block(File(path="a.md", data=text.encode()))
    assert [file.data for file in read_files(data).files] == [text.encode()]
    assert references_in(data) == {"a.md": text.encode()}
    both = bundled({"a.md": text.encode(), "b.py": b"x = 1\n"})
    assert references_in(both) == {"a.md": text.encode(), "b.py": b"x = 1\n"}
