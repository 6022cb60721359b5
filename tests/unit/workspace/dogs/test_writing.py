"""A bundle that was written leads from the one tree to the other, whatever is in them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.workspace.artifacts.dogs import Header, Refused, Snapshot
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Sketch
from ouroboros.workspace.artifacts.dogs.writing import write
from tests.cases import every

type Files = dict[str, Snapshot]

LINES = st.lists(
    st.sampled_from([
        *("one", "two", "three", "", "    x = 1", "```", "````python", "--- File: a ---", "---"),
        *("@@ PAWS_CMD DELETE_FILE() @@", "🐕 --- DOGS_START_FILE: a ---", "<<<<<<< SEARCH"),
        *(
            "=======",
            ">>>>>>> REPLACE",
            "\\ No newline at end of file",
            "-x",
            "+x",
            "größe",
            "a\x0cb",
        ),
        *(
            "*** Begin Patch",
            "<file path='a'>",
            "\u2028",
            "a\rb",
            "diff --git a/x b/x",
            "version: 2",
        ),
    ]),
    max_size=14,
)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    kind = draw(st.sampled_from(["text", "text", "text", "bytes", "latin-1", "utf-16"]))
    if kind == "bytes":
        return draw(st.binary(max_size=60))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    text = end.join(draw(LINES)) + draw(st.sampled_from(["", end]))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    if kind == "text":
        return mark + text.encode()
    return text.encode(kind, "replace")


NAMES = st.sampled_from([
    *("a", "b", "a/b", "a/b/c", "d/e.py", "README.md", "x y.txt", "a -> b", '"q"', "z (Mode:755)"),
    *(
        "--- File: a ---",
        "`t`",
        "**b**",
        "größe",
        "fix.patch",
        "-",
        "new (Content:Base64)",
        " lead",
    ),
])
FILE = st.builds(Snapshot, content=contents(), mode=st.sampled_from([0o644, 0o644, 0o755]))


def is_possible(files: Files) -> bool:
    return not any(path.startswith(f"{other}/") for path in files for other in files)


TREES = st.dictionaries(NAMES, FILE, max_size=6).filter(is_possible)


@st.composite
def edited(draw: st.DrawFn) -> tuple[Files, Files]:
    """Two trees, the second of which is mostly the first with some edits."""
    before = draw(TREES)
    after = dict(before)
    for path in list(after):
        match draw(st.sampled_from(["keep", "drop", "move", "edit", "mode"])):
            case "drop":
                del after[path]
            case "move":
                after[draw(NAMES)] = after.pop(path)
            case "edit":
                lines = after[path].content.split(b"\n")
                lines.insert(draw(st.integers(0, len(lines))), b"put in")
                after[path] = Snapshot(content=b"\n".join(lines), mode=after[path].mode)
            case "mode":
                after[path] = Snapshot(content=after[path].content, mode=0o755)
            case _:
                pass
    after |= draw(TREES)
    return before, after if is_possible(after) else before


def made(before: Files, bundle: bytes) -> Files:
    found = plan(read(bundle), Sketch(before))
    assert found.refusals == ()
    after = dict(before)
    for file in found.files:
        after.pop(file.was or file.path, None)
    return after | {file.path: file.after for file in found.files if file.after is not None}


@pytest.mark.deep
@pytest.mark.proves("M26")
@settings(max_examples=60, deadline=None)
@given(trees=edited())
def test_applied_to_the_one_tree_it_makes_the_other(trees: tuple[Files, Files]):
    before, after = trees
    assert made(before, write(before, after)) == after


@pytest.mark.soak
@settings(max_examples=20_000, deadline=None)
@given(trees=edited())
def test_applied_to_any_tree_it_makes_the_other(trees: tuple[Files, Files]):
    before, after = trees
    assert made(before, write(before, after)) == after


def text(words: str, mode: int = 0o644) -> Snapshot:
    return Snapshot(content=words.encode(), mode=mode)


@pytest.mark.proves("M26")
def test_a_person_can_read_it():
    before = {"a.py": text("".join(f"line {n}\n" for n in range(20))), "old": text("x\n")}
    after = {
        "a.py": text("".join(f"line {n}\n" for n in range(20) if n != 10)),
        "new": text("x\n"),
        "docs/n.md": text("```\ncode\n```"),
        "run.sh": text("echo\n", 0o755),
    }
    header = Header(source_turn="7", agent_name="coder", confidence_score=0.5)
    assert write(before, after, header=header).decode() == (
        '---\nversion: "1.0"\nsource_turn: "7"\nmetadata:\n  agent_name: "coder"\n'
        "  confidence_score: 0.5\n---\n\n"
        "--- Rename File: old -> new ---\n\n"
        "--- File: a.py ---\n```diff\n@@ -8,7 +8,6 @@\n line 7\n line 8\n line 9\n-line 10\n"
        " line 11\n line 12\n line 13\n```\n\n"
        "--- New File: docs/n.md ---\n````md\n```\ncode\n```\n````\n\\ No newline at end of file\n\n"
        "--- New File: run.sh (Mode:755) ---\n```sh\necho\n```\n"
    )


def test_its_head_is_read_back():
    header = Header(version="1.0", source_turn="7", agent_name='a "b"', confidence_score=0.25)
    assert read(write({}, {"a": text("x\n")}, header=header)).header == header


def test_nothing_changed_is_a_head_alone():
    files = {"a": text("x\n")}
    assert read(write(files, dict(files))).changes == ()


@every("name", [".git/config", "../x", "a\nb", "/etc/x", "a\\b"])
def test_a_name_that_may_not_be_in_a_bundle_is_refused(name: str):
    with pytest.raises(Refused) as refused:
        write({}, {name: text("x\n")})
    assert refused.value.refusals[0].path == name
