"""Run blocks are found however the words were cut, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.llm.lowering.fence_reader import FenceReader, Piece
from tests.cases import every

BLOCK = "```run sh\nls\n```"
FOUND = [Piece("open", "sh"), Piece("body", "ls"), Piece("close", "")]


def read(pieces: list[str]) -> list[Piece]:
    reader = FenceReader()
    found: list[Piece] = []
    for piece in [*(one for text in pieces for one in reader.feed(text)), *reader.end()]:
        if found and found[-1].kind == piece.kind and piece.kind in {"text", "body"}:
            found[-1] = Piece(piece.kind, found[-1].text + piece.text)
        else:
            found.append(piece)
    return found


CASES: list[tuple[str, list[Piece]]] = [
    (BLOCK, FOUND),
    (f"{BLOCK}\n", FOUND),
    (f"Look:\n{BLOCK}\nSo.", [Piece("text", "Look:\n"), *FOUND, Piece("text", "So.")]),
    (f"{BLOCK}\n\n{BLOCK}", [*FOUND, Piece("text", "\n"), *FOUND]),
    ("```run sh\r\nls\n```\r\n", FOUND),
    ("```  run   sh  \nls\n```   ", FOUND),
    ("   ```run sh\n   ls\n  ```", FOUND),
    ("```run sh\nls\n`````", FOUND),
    ("```run sh\n```", [Piece("open", "sh"), Piece("close", "")]),
    ("```run sh\n\nls\n\n```", [Piece("open", "sh"), Piece("body", "\nls\n"), Piece("close", "")]),
    (
        "````run sh\ncat <<E\n```\nE\n````",
        [Piece("open", "sh"), Piece("body", "cat <<E\n```\nE"), Piece("close", "")],
    ),
    (
        "```run sh\necho '```' ```\n    ```\n~~~\n```",
        [Piece("open", "sh"), Piece("body", "echo '```' ```\n    ```\n~~~"), Piece("close", "")],
    ),
    (
        "```run sh\ncat <<E\n```sh\nls\n```\nE\n```\nDone.",
        [FOUND[0], Piece("body", "cat <<E\n```sh\nls\n```\nE"), FOUND[2], Piece("text", "Done.")],
    ),
    ("```run sh\n```a`b\n```", [FOUND[0], Piece("body", "```a`b"), FOUND[2]]),
    ("```run sh\n ```\n ```sh\n```", [FOUND[0], Piece("body", " ```\n ```sh"), FOUND[2]]),
    ("```run sh\nls\n```run sh\nls\n```", [FOUND[0], Piece("body", "ls\n```run sh\nls\n```")]),
    (f"{BLOCK}\n[result of sh: ok]\n{BLOCK}", FOUND),
    (f"{BLOCK}\n[result is", [*FOUND, Piece("text", "[result is")]),
    ("```run sh\n\r```\n\t```\n```", [FOUND[0], Piece("body", "\r```\n\t```"), FOUND[2]]),
    ("```run sh\nls", FOUND[:2]),
    ("```run sh\nls\n``", [FOUND[0], Piece("body", "ls\n``")]),
    ("```run sh", FOUND[:1]),
    ("```run mcp__a.b/c\n{}\n```", [Piece("open", "mcp__a.b/c"), Piece("body", "{}"), FOUND[2]]),
]


@pytest.mark.proves("H19", "divergences-what-ends-a-code-block")
@every(("text", "pieces"), CASES)
def test_run_blocks(text: str, pieces: list[Piece]) -> None:
    assert read([text]) == pieces
    assert read(list(text)) == pieces
    for place in range(len(text)):
        assert read([text[:place], text[place:]]) == pieces


SAMPLES = [
    "```sh\nrm -rf /\n```",
    "```\nrm -rf /\n```",
    "```running sh\nrm\n```",
    "```run\nrm\n```",
    "```run sh -x\nrm\n```",
    "```sh run\nrm\n```",
    "```RUN sh\nrm\n```",
    "Write ```run sh rm``` to run it.",
    "Write ```run sh\nrm\n```",
    "    ```run sh\n    rm\n    ```",
    "\t```run sh\nrm\n```",
    "> ```run sh\n> rm\n> ```",
    "``run sh\nrm\n``",
    "~~~run sh\nrm\n~~~",
    f"````markdown\n{BLOCK}\n````",
    f"````\n{BLOCK}\n```` not yet\n{BLOCK}\n",
    f"~~~\n{BLOCK}\n~~~",
    f"```sh\nnever closed\n{BLOCK[:-4]}",
    "```run sh `x`\nrm\n```",
]


@pytest.mark.proves("H19", "divergences-code-blocks-of-models-without")
@every("text", SAMPLES)
def test_samples_and_prose_are_words(text: str) -> None:
    assert read([text]) == [Piece("text", text)]
    assert read(list(text)) == [Piece("text", text)]


PIECES = [
    "`",
    "```",
    "````",
    "~~~",
    "\n",
    " ",
    "run sh",
    "x",
    "\r",
    "[result",
    " of ",
    "```run a\n",
]


@pytest.mark.proves("H19")
@given(st.lists(st.sampled_from(PIECES)))
def test_any_cut_gives_the_same_and_no_word_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    whole = read([text])
    assert read(pieces) == read(list(text)) == whole
    if not any(piece.kind == "open" for piece in whole):
        assert "".join(piece.text for piece in whole) == text


@given(st.text(alphabet="ab `~\n", max_size=40))
def test_only_the_beginning_of_a_line_is_held_back(text: str) -> None:
    reader = FenceReader()
    told = "".join(piece.text for character in text for piece in reader.feed(character))
    held = text[len(told) :]
    assert text.startswith(told)
    assert "\n" not in held
    assert not held or told[-1:] in {"", "\n"}
    assert held.lstrip(" ")[:1] in {"", "`", "~"}
