"""Definitions of agents: what is read, and where a wrong one is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.fleet.agents.definition import Definition, Engine, Tool, read
from ouroboros.workspace.artifacts.faults import Malformed
from tests.cases import every

WHOLE = """---
# who it is
name: fixer
description: Mends failing tests
version: 1.2
author: "Ada L."
engine:
  model: openai/gpt-5
  temperature: 0.2
  max_turns: 25
tools:
  - name: Read
  - name: Bash
    allowed_commands: ['pytest( .*)?', git diff.*]
    denied_commands:
      - git push.*
---

# Role

You mend tests.
---
Never change them.
"""


@pytest.mark.proves("O01")
def test_a_whole_definition_is_read() -> None:
    assert read(WHOLE.encode()) == Definition(
        name="fixer",
        description="Mends failing tests",
        version="1.2",
        author="Ada L.",
        engine=Engine(model="openai/gpt-5", temperature=0.2, max_turns=25),
        tools=(
            Tool(name="Read"),
            Tool(
                name="Bash",
                allowed_commands=("pytest( .*)?", "git diff.*"),
                denied_commands=("git push.*",),
            ),
        ),
        system_prompt="# Role\n\nYou mend tests.\n---\nNever change them.",
    )


def test_marks_and_line_ends_of_windows_change_nothing() -> None:
    assert read(b"\xef\xbb\xbf" + WHOLE.replace("\n", "\r\n").encode()) == read(WHOLE.encode())


@pytest.mark.proves("O01")
@every(
    ("old", "new", "line", "why"),
    [
        ("name: fixer", "nam: fixer", 3, "unknown field `nam`"),
        ("name: fixer\n", "", 2, "missing required field `name`"),
        ("author:", "autor:", 6, "unknown field `autor`"),
        ("name: fixer", "name: ../up", 3, "regex"),
        ("name: fixer", "name: [fixer]", 3, "expected `str`, got `array`"),
        (
            "temperature: 0.2",
            "temperature: hot",
            9,
            "engine.temperature: expected `float | null`, got `str`",
        ),
        ("temperature: 0.2", "temperature: 9", 9, "<= 2"),
        ("max_turns: 25", "max_turns: 0", 10, ">= 1"),
        ("max_turns: 25", "turns: 25", 10, "unknown field `turns`"),
        ("  - name: Read", "  - Read", 12, "expected `object`, got `str`"),
        ("- git push.*", "- '('", 16, "no regular expression"),
        ("git diff.*]", "'[a-']", 14, "no regular expression"),
        ("version: 1.2", "schema_version: 2.0", 5, "version 2.0"),
        ("version: 1.2", "system_prompt: x", 5, "below its head"),
        ("version: 1.2", "name: other", 5, "twice"),
        ("---\n# who", "# who", 1, "no head"),
        ("\n\n# Role\n\nYou mend tests.\n---\nNever change them.\n", "", 17, "nothing below"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, line: int, why: str) -> None:
    with pytest.raises(Malformed) as refused:
        read(WHOLE.replace(old, new, 1).encode(), "agents/fixer.agent.md")
    assert refused.value.line == line
    assert why in refused.value.message
    assert refused.value.message.startswith(f"agents/fixer.agent.md: line {line}: ")


def test_a_head_that_is_never_closed_and_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(Malformed, match="not closed"):
        read(b"---\nname: a\n")
    with pytest.raises(Malformed, match=r"line 3: it is no UTF-8"):
        read(b"---\nname: a\n\xff\n---\nWords")
    with pytest.raises(Malformed, match="bytes"):
        read(b"---\nname: a\n---\n" + b"w" * 1_000_001)


@pytest.mark.proves("O01")
@given(st.binary(max_size=200))
def test_any_bytes_are_a_definition_or_refused(noise: bytes) -> None:
    with pytest.raises(Malformed):
        read(b"---\nname: a\n" + noise)
