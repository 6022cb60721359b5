"""Bundles come back byte for byte, in both dialects, and broken ones are refused with their place."""

import json
from base64 import b64encode
from contextlib import suppress

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.workspace.artifacts.cats import Bundle, File, Head, Metadata, markers, read, v1
from ouroboros.workspace.artifacts.exact import shaped, unshaped
from ouroboros.workspace.artifacts.faults import Malformed
from tests.cases import every

PIECES = (
    *("a", "def f():\n", " ", "\n", "\r\n", "\r", "\t", "`", "```", "````\n", "```python:x.py\n"),
    *(
        "é",
        "中文",
        "\0",
        "---\n",
        '---\nversion: "1.0"\n',
        "1| ",
        "\x85",
        "\u2028",
        "\x0c",
        "\x1b[",
    ),
    *("🐈 --- CATS_END_FILE: a.py ---\n", "--- CATS_START_FILE: b ---\n", "# Cats Bundle\n"),
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp1252", "latin-1", "gb18030")
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def encoded(text: str, encoding: str) -> bytes:
    return text.encode(encoding, "replace")


contents: st.SearchStrategy[bytes] = st.one_of(
    st.binary(max_size=200),
    texts.map(str.encode),
    st.builds(encoded, texts, st.sampled_from(ENCODINGS)),
)
PATHS = ("a.py", "dir/b c.txt", 'q"uote`s.md', "ünï/中.json", "x:y", "100%/[a]{b}", "'", "eol=crlf")


def written(files: list[File], head: Head | None = None, dialect: str = "v1") -> bytes:
    head = head or Head()
    if dialect == "paws":
        return markers.opening(head) + b"".join(markers.block(file) for file in files)
    ready = head.is_delta_ready
    return v1.opening(head) + b"".join(v1.block(file, is_numbered=ready) for file in files)


def plain(bundle: Bundle) -> list[tuple[str, bytes]]:
    return [(file.path, file.data) for file in bundle.files]


@pytest.mark.deep
@pytest.mark.proves("L08", "CF12")
@settings(max_examples=80, deadline=None)
@given(
    st.lists(contents, min_size=1, max_size=len(PATHS)),
    st.sampled_from(("v1", "paws")),
    st.booleans(),
    texts,
)
def test_any_files_come_back_byte_for_byte(
    data: list[bytes], dialect: str, is_numbered: bool, task: str
) -> None:
    files = [File(path=path, data=each) for path, each in zip(PATHS, data, strict=False)]
    head = Head(is_delta_ready=is_numbered, task_description=task, persona=b"```x:y\n```\n")
    bundle = read(written(files, head, dialect))
    assert plain(bundle) == [(file.path, file.data) for file in files]
    assert bundle.head.is_delta_ready == is_numbered
    assert bundle.dialect == dialect
    if dialect == "v1":
        assert bundle.head.task_description == task


@pytest.mark.proves("L07")
def test_every_byte_survives_and_is_told_as_base64() -> None:
    data = bytes(range(256))
    bundle = written([File(path="all.bin", data=data)])
    assert b"```binary:all.bin encoding=base64\n" in bundle
    assert plain(read(bundle)) == [("all.bin", data)]
    old = written([File(path="all.bin", data=data)], dialect="paws")
    assert "🐈 --- CATS_START_FILE: all.bin (Content:Base64) ---".encode() in old
    assert plain(read(old)) == [("all.bin", data)]


@pytest.mark.proves("L08", "CF12")
@every(
    ("data", "attributes", "body"),
    [
        (b"a\r\nb\r\n", " eol=crlf", b"a\nb\n"),
        (b"a\rb\r", " eol=cr", b"a\nb\n"),
        (b"a\nb", " no-final-newline", b"a\nb\n"),
        (b"a\r\nb\n", " eol=mixed", b"a\r\nb\n"),
        (b"\xef\xbb\xbfa\n", " bom", b"a\n"),
        (
            "é\n".encode("utf-16-le"),
            " encoding=base64",
            b64encode("é\n".encode("utf-16-le")) + b"\n",
        ),
        (b"\xff\xfe" + "é\n".encode("utf-16-le"), " encoding=utf-16-le bom", "é\n".encode()),
        (b"caf\xe9 ol\xe9\n", " encoding=latin-1", "café olé\n".encode()),
        (b"", "", b""),
        (b"\n", "", b"\n"),
    ],
)
def test_how_a_file_differs_is_recorded_and_its_text_stays_readable(
    data: bytes, attributes: str, body: bytes
) -> None:
    block = v1.block(File(path="f.txt", data=data))
    head, _, rest = block.removeprefix(b"\n").partition(b"\n")
    assert head.decode().endswith(f"f.txt{attributes}")
    assert rest.rpartition(b"```")[0] == body
    assert plain(read(v1.opening(Head()) + block)) == [("f.txt", data)]


@pytest.mark.proves("L05")
def test_a_fence_is_longer_than_any_run_of_backticks_within() -> None:
    inner = written([File(path="inner.md", data=b"```\ncode\n```\n")])
    outer = written([File(path="outer.md", data=inner)])
    assert b"\n`````markdown:outer.md\n" in outer
    assert plain(read(read(outer).files[0].data)) == [("inner.md", b"```\ncode\n```\n")]
    absurd = b"`" * 1_000_000 + b"\n"
    bundle = written([File(path="absurd", data=absurd)])
    assert len(bundle) < 1_500_000
    assert plain(read(bundle)) == [("absurd", absurd)]


@pytest.mark.proves("L04", "O16")
def test_the_head_is_yaml_with_exactly_these_fields() -> None:
    metadata = Metadata(
        source_session="abc", curation_method="ai_curated", ai_curation_confidence=0.83
    )
    task = 'say "hi": # no\n---\n\u2028\x85 end'
    text = written([File(path="a", data=b"x")], Head(task_description=task, metadata=metadata))
    head = yaml.safe_load(text.decode().split("---\n")[1])
    assert head == {
        "version": "1.0",
        "task_description": task,
        "metadata": {
            "source_session": "abc",
            "curation_method": "ai_curated",
            "ai_curation_confidence": 0.83,
        },
    }
    assert read(text).head == Head(task_description=task, metadata=metadata)
    by_hand = yaml.safe_load(written([File(path="a", data=b"")]).decode().split("---\n")[1])
    assert by_hand["metadata"] == {"source_session": None, "curation_method": "manual"}


@pytest.mark.proves("L11")
def test_lines_are_numbered_where_an_answer_is_to_name_them() -> None:
    head = Head(is_delta_ready=True)
    text = written([File(path="a.py", data=b"".join(b"x%d\n" % n for n in range(10)))], head)
    assert b'\ndelta_reference: "numbered"\n' in text
    assert b"```python:a.py numbered\n 1| x0\n 2| x1\n" in text
    assert b"\n10| x9\n```\n" in text
    old = markers.opening(head)
    assert (
        old == b"# Cats Bundle\n# Format: Raw UTF-8; binaries as Base64\n# Delta Reference: Yes\n"
    )


def test_words_for_the_model_stand_before_the_files_in_order() -> None:
    head = Head(persona=b"be brief", system=b"answer so:\n```python:example.py\n```\n")
    file = File(path="a.py", data=b"pass\n")
    for dialect in ("v1", "paws"):
        text = written([file], head, dialect)
        places = [text.index(each) for each in (b"be brief", b"answer so", b"pass")]
        assert places == sorted(places)
        assert plain(read(text)) == [("a.py", b"pass\n")]


OLD = """\
--- START PERSONA ---
Write tests. 🐈 --- CATS_START_FILE: no.py ---
--- END PERSONA ---
Use these markers:
🐈 --- CATS_START_FILE: example.py ---
--- END PREPENDED INSTRUCTIONS ---
The following content is the Cats Bundle.
# Cats Bundle
# Format: Raw UTF-8; binaries as Base64

🐈 --- CATS_START_FILE: src/a.py ---
print("hi")

🐈 --- CATS_END_FILE: src/a.py ---

----- cats_start_file : b.bin (content:base64) -----
AAEC
/w==
--- CATS_END_FILE ---

🐈 --- CATS_START_FILE: empty ---

🐈 --- CATS_END_FILE: empty ---
"""


@pytest.mark.proves("L10")
def test_bundles_of_the_original_are_read_in_all_their_forms() -> None:
    found = read(OLD.encode())
    assert plain(found) == [
        ("src/a.py", b'print("hi")\n'),
        ("b.bin", b"\0\1\2\xff"),
        ("empty", b""),
    ]
    whole = b"# Cats Bundle\n# Format: Base64\n\n--- CATS_START_FILE: a ---\naGk=\n--- CATS_END_FILE ---\n"
    assert plain(read(whole)) == [("a", b"hi")]


@pytest.mark.proves("L08", "CF12")
def test_a_bundle_that_a_window_wrote_with_other_line_ends_is_still_read() -> None:
    text = b"\xef\xbb\xbf" + written([File(path="a.py", data=b"x\ny\n")]).replace(b"\n", b"\r\n")
    assert plain(read(text)) == [("a.py", b"x\ny\n")]
    mixed = written([File(path="a.py", data=b"x\r\ny\n")])
    assert plain(read(mixed)) == [("a.py", b"x\r\ny\n")]
    with pytest.raises(Malformed, match="changed on the way"):
        read(mixed.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


@pytest.mark.proves("L04", "O16")
def test_a_later_minor_version_is_read() -> None:
    assert plain(read(head_with('"1.0"', '"1.7"').encode())) == [("a.py", b"x\n")]


def head_with(old: str, new: str) -> str:
    return written([File(path="a.py", data=b"x\n")]).decode().replace(old, new)


@pytest.mark.proves("L04", "O16")
@every(
    ("text", "why", "block", "line"),
    [
        ("", "it is no bundle", 0, 0),
        ("hello", "it is no bundle", 0, 0),
        (head_with('"1.0"', '"2.0"'), "it is version 2.0; this program reads version 1", 0, 1),
        (head_with('"1.0"', '"x"'), "names no version", 0, 1),
        (head_with("\n---\n", "\n"), "its head is not closed", 0, 1),
        (head_with('"manual"', '"guessed"'), "neither 'manual' nor 'ai_curated'", 0, 1),
        (head_with("metadata:", "metadata: ["), "not understood", 0, 6),
        (head_with("\n```\n", "\n"), "cut off", 1, 9),
        (head_with("a.py", "../a.py"), "not taken", 1, 9),
        (head_with("a.py", "/etc/passwd"), "it is absolute", 1, 9),
        (head_with("a.py", ".git/config"), "git's own folder", 1, 9),
        (head_with("a.py", "sub/.GIT./x"), "git's own folder", 1, 9),
        (head_with("a.py", '"a\\u0000"'), "control characters", 1, 9),
        (head_with("a.py", "a\\\\..\\\\b"), "backslash", 1, 9),
        (head_with("a.py", '"a.py'), "its first line names no file", 1, 9),
        (head_with("a.py", " a.py"), "its first line names no file", 1, 9),
        (head_with("a.py", "a.py zip=9"), "'zip=9' is not known here", 1, 9),
        (head_with("a.py", "a.py encoding=base64"), "no base64", 1, 9),
        (head_with("a.py", "a.py encoding=rot13"), "is not known here", 1, 9),
        (head_with("a.py", "a.py numbered"), "does not have its number", 1, 9),
        (
            head_with("```\n", "```\n\n```python:a.py\ny\n```\n"),
            "block 1 is of the same file",
            2,
            13,
        ),
        (head_with("```python:a.py\nx\n```", ""), "it holds no file", 0, 0),
        ("--- CATS_START_FILE: a ---\nx\n", "this file has no end", 1, 1),
        ("--- CATS_START_FILE: a ---\n--- CATS_START_FILE: b ---\n", "before the one before", 1, 2),
        ("--- CATS_START_FILE: a ---\nx\n--- CATS_END_FILE: b ---\n", "no such file began", 1, 3),
        (f"--- CATS_START_FILE: a {'-' * 200_000}x\n", "it is no bundle", 0, 0),
        ("x\n--- CATS_END_FILE: b ---\n", "no such file began", 1, 2),
        ("--- CATS_START_FILE: ../b ---\n--- CATS_END_FILE ---\n", "not taken", 1, 1),
        (
            "--- CATS_START_FILE: b (Content:Base64) ---\n!\n--- CATS_END_FILE ---\n",
            "no base64",
            1,
            3,
        ),
    ],
)
def test_what_is_broken_is_refused_with_block_and_line(
    text: str, why: str, block: int, line: int
) -> None:
    with pytest.raises(Malformed) as refused:
        read(text.encode())
    assert why in refused.value.message
    assert (refused.value.block, refused.value.line) == (block, line)


@pytest.mark.proves("paws-bad-bundles-in")
@settings(max_examples=100, deadline=None)
@given(st.one_of(st.binary(max_size=400), texts.map(lambda text: f"---\n{text}".encode())))
def test_nothing_that_is_read_raises_anything_but_a_refusal(data: bytes) -> None:
    with suppress(Malformed):
        read(data)


@pytest.mark.proves("L08", "CF12")
@given(contents)
def test_a_text_and_its_shape_are_the_file(data: bytes) -> None:
    found = shaped(data)
    if found is not None:
        assert unshaped(found.text, found.shape) == data
        found.text.decode("utf-8")
        assert not found.text or found.text.endswith(b"\n")


def test_a_name_in_quotes_is_json() -> None:
    block = v1.block(File(path='a "b"`.py', data=b""))
    name = block.decode().partition(":")[2].partition("\n")[0]
    assert json.loads(name) == 'a "b"`.py'
    assert "`" not in name
