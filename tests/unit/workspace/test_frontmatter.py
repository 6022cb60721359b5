"""Heads of bundles and definitions: what is read, what is refused, and where."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.workspace.artifacts.faults import Malformed
from ouroboros.workspace.artifacts.frontmatter import MOST_CHARACTERS, Head, Reader, written
from tests.cases import every

SCALARS = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text()
KEYS = st.from_regex(r"[a-z][a-z_]{0,9}", fullmatch=True)


def read(text: str) -> Head:
    return Reader(text.split("\n"), 2).read()


@pytest.mark.deep
@pytest.mark.proves("paws-heads")
@given(st.dictionaries(KEYS, SCALARS | st.dictionaries(KEYS, SCALARS, min_size=1)))
def test_what_is_written_is_read_again(head: Head) -> None:
    assert Reader(written(head).split("\n")[1:-2], 2).read() == head


@pytest.mark.proves("paws-heads")
def test_words_mean_what_they_would_mean_in_json() -> None:
    text = "a: no\nb: 2026-01-01\nc: 0x10\nd: 1:30\ne: 1e999\nf: true\ng: ~\nh: 0.8\ni: '1'\nj: -3"
    assert read(text) == {
        "a": "no",
        "b": "2026-01-01",
        "c": "0x10",
        "d": "1:30",
        "e": "1e999",
        "f": True,
        "g": None,
        "h": 0.8,
        "i": "1",
        "j": -3,
    }


def test_lists_tables_and_blocks_are_read() -> None:
    text = "tools:\n  - name: shell\n    denied_commands: [rm, 'git push']  # never\nwords: |\n  a\n   b\n"
    assert read(text) == {
        "tools": [{"name": "shell", "denied_commands": ["rm", "git push"]}],
        "words": "a\n b\n",
    }


@pytest.mark.deep
@pytest.mark.proves("paws-heads")
@every(
    ("text", "line", "why"),
    [
        ("a: &x 1\nb: *x", 2, "anchors"),
        ("a: 1\nb: !!python/object/apply:os.system [x]", 3, "tags"),
        ("a: 1\na: 2", 3, "twice"),
        ("a: {b: 1, b: 2}", 2, "twice"),
        ("- a", 2, "no 'key: value'"),
        ("a: 1\n? [x]\n: y", 3, "no word"),
        ("a: 1\n--- \nb: 2", 3, "another document"),
        ("a: 1\nb: 'c", 3, "end of stream"),
        ("a:\tb", 2, "token"),
        ("[" * 100_000, 2, "too deeply"),
        ("a: " + "{b: " * 20, 2, "too deeply"),
        ("a: \x00", 2, "special characters"),
        ("a: " + "b" * MOST_CHARACTERS, 2, "characters"),
    ],
)
def test_what_has_no_meaning_in_a_head_is_refused_with_its_line(
    text: str, line: int, why: str
) -> None:
    with pytest.raises(Malformed, match=why) as refused:
        read(text)
    assert refused.value.line == line


@pytest.mark.deep
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(Malformed):
        assert isinstance(read(text), dict)
