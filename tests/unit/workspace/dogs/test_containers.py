"""What stands inside a container of an answer is text: nothing in it is done, and it comes back byte for byte."""

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ouroboros.workspace.artifacts.cats import File, Head, markers, v1
from ouroboros.workspace.artifacts.dogs import Bundle, Refused, Snapshot
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import read
from ouroboros.workspace.artifacts.dogs.tree import Sketch
from tests.cases import every

PAGE = "docs/p.md"
THERE = {
    "other.txt": Snapshot(content=b"old\nsecond\nthird\n"),
    "src/a.py": Snapshot(content=b"a = 1\nb = 2\n"),
}

TEXTS = {
    "v4a": "*** Begin Patch\n*** Delete File: other.txt\n*** End Patch\n",
    "v4a update": "*** Begin Patch\n*** Update File: other.txt\n@@\n-old\n+new\n second\n*** End Patch\n",
    "paws delete": (
        "🐕 --- DOGS_START_FILE: other.txt ---\n@@ PAWS_CMD DELETE_FILE() @@\n"
        "🐕 --- DOGS_END_FILE: other.txt ---\n"
    ),
    "paws whole": "--- DOGS_START_FILE: other.txt ---\nnew\n--- DOGS_END_FILE: other.txt ---\n",
    "cats": "🐈 --- CATS_START_FILE: other.txt ---\nnew\n🐈 --- CATS_END_FILE: other.txt ---\n",
    "chain": "⛓️ --- RSI_LINK_START_FILE: other.txt ---\nx\n⛓️ --- RSI_LINK_END_FILE: other.txt ---\n",
    "search": "other.txt\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n",
    "diff": "--- a/other.txt\n+++ b/other.txt\n@@ -1,2 +1,2 @@\n-old\n+new\n second\n",
    "git diff": (
        "diff --git a/other.txt b/other.txt\ndeleted file mode 100644\n--- a/other.txt\n+++ /dev/null\n"
        "@@ -1,3 +0,0 @@\n-old\n-second\n-third\n"
    ),
    "xml": '<file path="other.txt">\nnew\n</file>\n',
    "xml delete": '<file path="other.txt" action="delete"/>\n',
    "v1": "--- File: other.txt ---\n```diff\n-old\n+new\n```\n",
    "v1 delete": "--- Delete File: other.txt ---\n",
    "v1 rename": "--- Rename File: other.txt -> else.txt ---\n",
    "whole": "```text:other.txt\nnew\n```\n",
    "whole below a name": "other.txt\n```\nnew\n```\n",
    "head": "---\nversion: 1.0.0\n---\n",
    "later head": '---\nversion: "2.0"\ntitle: x\n---\n',
    "draft": "<think>\nperhaps so\n</think>\n",
    "open draft": "<reasoning>\n",
    "end of a draft": "</think>\n",
    "indented": "    *** Begin Patch\n    *** Delete File: other.txt\n    *** End Patch\n",
    "fence": "```sh\nrm -r x\n```\n",
    "prose": "Words about it.\n\n",
}

type Wrap = Callable[[str], str]


def fenced(body: str, words: str = "", mark: str = "`") -> str:
    runs = [len(line) - len(line.lstrip(mark)) for line in map(str.strip, body.split("\n"))]
    fence = mark * max(3, max(runs, default=0) + 1)
    return f"{fence}{words}\n{body}{fence}\n"


def patched(body: str) -> str:
    lines = "".join(f"+{line}\n" for line in body.removesuffix("\n").split("\n"))
    return f"*** Begin Patch\n*** Add File: {PAGE}\n{lines}*** End Patch\n"


def diffed(body: str) -> str:
    lines = body.removesuffix("\n").split("\n")
    text = "".join(f"+{line}\n" for line in lines)
    return (
        f"diff --git a/{PAGE} b/{PAGE}\nnew file mode 100644\n--- /dev/null\n+++ b/{PAGE}\n"
        f"@@ -0,0 +1,{len(lines)} @@\n{text}"
    )


WRAPS: dict[str, Wrap] = {
    "named fence": lambda body: fenced(body, f"markdown:{PAGE}"),
    "named fence of tildes": lambda body: fenced(body, f"markdown:{PAGE}", "~"),
    "name above": lambda body: f"**{PAGE}**\n\n{fenced(body, 'markdown')}",
    "title of a fence": lambda body: fenced(body, f'markdown title="{PAGE}"'),
    "v1": lambda body: f"--- New File: {PAGE} ---\n{fenced(body, 'markdown')}",
    "v1 of a file": lambda body: f"--- File: {PAGE} ---\n{fenced(body, 'markdown')}",
    "paws": lambda body: (
        f"🐕 --- DOGS_START_FILE: {PAGE} ---\n{fenced(body, 'markdown')}🐕 --- DOGS_END_FILE: {PAGE} ---\n"
    ),
    "v4a": patched,
    "diff": diffed,
    "fenced diff": lambda body: fenced(diffed(body), "diff"),
    "xml": lambda body: f'<file path="{PAGE}"><![CDATA[\n{body}]]></file>\n',
    "fenced xml": lambda body: fenced(f'<file path="{PAGE}"><![CDATA[\n{body}]]></file>\n', "xml"),
}
AROUND: dict[str, Wrap] = {
    "alone": lambda answer: answer,
    "between words": lambda answer: f"Here is the page.\n\n{answer}\nThat is all.\n",
    "behind a draft": lambda answer: f"<think>\n{TEXTS['v4a']}</think>\n\n{answer}",
    "behind a head": lambda answer: f'---\nversion: "1.0"\nsource_turn: 3\n---\n\n{answer}',
    "within a list": lambda answer: (
        "1. Write this:\n\n"
        + "".join(
            f"    {line}\n" if line else "\n" for line in answer.removesuffix("\n").split("\n")
        )
    ),
    "with crlf": lambda answer: answer.replace("\n", "\r\n"),
}


def outcome(answer: str, *, rsi: bool = False) -> tuple[dict[str, bytes | None], Bundle | None]:
    """The files that an answer changes, and what it was read as; None where it is refused."""
    try:
        bundle = read(answer.encode(), rsi_link=rsi)
    except Refused:
        return {}, None
    made = plan(bundle, Sketch(THERE))
    if made.refusals:
        return {}, None
    return {file.path: file.after.content if file.after else None for file in made.changed}, bundle


@pytest.mark.proves("M15")
@every("wrap", WRAPS)
@every("text", TEXTS)
@pytest.mark.deep
def test_text_in_a_container_is_text(wrap: str, text: str):
    for body in (
        f"# A page\n\n{TEXTS[text]}\nMore.\n",
        TEXTS[text],
        f"Words.\n\n{TEXTS[text]}" * 2,
    ):
        for name, around in AROUND.items():
            if name == "within a list" and wrap in {"xml", "diff", "v4a"}:
                continue  # they have no fence that says how far they are indented
            changed, bundle = outcome(around(WRAPS[wrap](body)))
            assert bundle is not None, (name, body)
            assert changed == {PAGE: body.encode()}, name


@pytest.mark.deep
@pytest.mark.proves("M15")
@settings(max_examples=150, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=5),
    wrap=st.sampled_from(sorted(WRAPS)),
    around=st.sampled_from(["alone", "between words", "behind a draft", "behind a head"]),
)
@example(pieces=["head"], wrap="named fence", around="alone")
def test_any_text_in_any_container_comes_back(pieces: list[str], wrap: str, around: str):
    body = "".join(TEXTS[piece] for piece in pieces)
    changed, bundle = outcome(AROUND[around](WRAPS[wrap](body)))
    assert bundle is not None
    assert changed == {PAGE: body.encode()}


@pytest.mark.deep
@pytest.mark.proves("M15")
@every(
    "text",
    [
        name
        for name in TEXTS
        if name not in {"prose", "fence", "head", "later head", "draft", "end of a draft"}
    ],
)
@every(
    "words",
    [
        "The format looks like this:",
        "For example:",
        "A patch has this syntax, e.g.:",
        "The syntax of an answer is as follows:",
        "An example of the format:",
    ],
)
def test_what_an_example_shows_is_not_done(text: str, words: str):
    real = "src/a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
    shown = fenced(TEXTS[text])
    assert outcome(f"{words}\n\n{shown}")[0] == {}
    changed, bundle = outcome(f"{words}\n\n{shown}\nNow the change:\n\n{real}")
    assert bundle is not None
    assert changed == {"src/a.py": b"a = 1\nb = 3\n"}


@pytest.mark.proves("M15")
@every(
    "words, is_done",
    [
        ("We validate input now. For example, empty names are refused.", True),
        ("I added an example to the docs.", True),
        ("I updated the examples. Now:", True),
        ("Each block now looks up its parent.", True),
        ("The format string is this: wrong. Change:", True),
        ("It looks like the constant is wrong. Fix:", True),
        ("That looks like a bug. Fix:", True),
        ("This looks like an off-by-one.", True),
        ("It guards against bugs such as the off-by-one.", True),
        ("Handle edge cases, e.g. zero.", True),
        ("Something like a race was there. The mend:", True),
        ("The tests need a fix, e.g. the parser broke:", False),
        ("You could write something like this:", False),
        ("For example, to change it you would write:", False),
    ],
)
def test_only_the_sentence_that_leads_to_a_fence_says_whether_it_is_an_example(
    words: str, is_done: bool
):
    diff = "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n```\n"
    changed, bundle = outcome(f"{words}\n\n{diff}")
    # What is left open is refused, and not passed over without a change.
    assert (changed, bundle is None) == (
        ({"src/a.py": b"a = 1\nb = 3\n"}, False) if is_done else ({}, True)
    )


@pytest.mark.deep
@pytest.mark.proves("M15")
@every("text", TEXTS)
def test_a_bundle_of_files_gives_them_back_whatever_they_hold(text: str):
    body = f"# A page\n\n{TEXTS[text]}\nMore.\n"
    for data in (body, TEXTS[text], TEXTS[text] * 2, TEXTS[text].rstrip("\n")):
        file = File(path=PAGE, data=data.encode())
        for writer in (markers, v1):
            answer = writer.opening(Head()) + writer.block(file)
            changed, bundle = outcome(answer.decode())
            assert bundle is not None, writer
            assert changed == {PAGE: data.encode()}, writer


HEADS = {
    "a version": "---\nversion: 1.0.0\n---\n\n# Page\n",
    "another version": '---\nversion: "2.0"\ntitle: x\n---\n# Page\n',
    "words": "---\ntitle: x\n---\n# Page\n",
    "what an answer says": '---\nversion: "1.0"\nsource_turn: 3\nsummary: x\n---\n# Page\n',
    "no YAML": "---\n- [: {\n---\n# Page\n",
    "two": "---\nversion: 1.0.0\n---\n---\nversion: 1.0.0\n---\n",
    "empty": "---\n---\n# Page\n",
    "later": "# Page\n\n---\nversion: 1.0.0\n---\n\nMore.\n",
}


@pytest.mark.deep
@pytest.mark.proves("M15")
@every("head", HEADS)
@every("wrap", WRAPS)
def test_the_front_matter_of_a_file_is_its_text(head: str, wrap: str):
    for around in ("alone", "between words", "behind a draft", "behind a head"):
        changed, bundle = outcome(AROUND[around](WRAPS[wrap](HEADS[head])))
        assert bundle is not None, around
        assert changed == {PAGE: HEADS[head].encode()}, around


REAL = "src/a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
DONE = {"src/a.py": b"a = 1\nb = 3\n"}
TAGS = {
    "think": ("<think>", "</think>"),
    "thinking": ("<thinking>", "</thinking>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "attributes": ('<thinking level="2">', "</thinking>"),
    "capitals": ("<THINK>", "</THINK>"),
    "scratchpad": ("<scratchpad>", "</scratchpad>"),
    "square": ("[THINK]", "[/THINK]"),
    "triangles": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    "no beginning": ("", "</think>"),
}


@pytest.mark.deep
@pytest.mark.proves("M15")
@every("tag", TAGS)
@every("text", [name for name in TEXTS if "draft" not in name])
def test_a_draft_is_no_part_of_the_answer(tag: str, text: str):
    begin, end = TAGS[tag]
    draft = f"{begin}\nPerhaps so:\n\n{TEXTS[text]}\n{end}\n"
    for answer in (f"{draft}\n{REAL}", f"{draft}{REAL}"):
        assert outcome(answer)[0] == DONE, answer
    if begin:
        assert outcome(f"{REAL}\n{draft}")[0] == DONE
        assert outcome(draft)[0] == {}


@pytest.mark.proves("M15")
@every("tag", [name for name in TAGS if name != "no beginning"])
def test_a_draft_that_nothing_ends_refuses_what_it_holds(tag: str):
    assert outcome(f"{TAGS[tag][0]}\nPerhaps so:\n\n{REAL}") == ({}, None)


@pytest.mark.deep
def test_drafts_too_tangled_to_tell_refuse_the_answer():
    tangle = "<think>\n```py\n</think>\n"
    assert outcome(f"{tangle * 3}{REAL}")[0] == DONE
    assert outcome(f"{tangle * 2_000}{REAL}") == ({}, None)


UNFENCED: dict[str, tuple[Wrap, frozenset[str]]] = {
    "search": (
        lambda body: f"{PAGE}\n<<<<<<< SEARCH\n=======\n{body}>>>>>>> REPLACE\n",
        frozenset({"search"}),
    ),
    "markers": (
        lambda body: (
            f"🐕 --- DOGS_START_FILE: {PAGE} ---\n{body}🐕 --- DOGS_END_FILE: {PAGE} ---\n"
        ),
        frozenset({"paws delete", "paws whole", "cats"}),
    ),
    "tags": (
        lambda body: f'<file path="{PAGE}">\n{body}</file>\n',
        frozenset({"xml", "xml delete"}),
    ),
}
"""Containers that only their own last line ends, and the texts that hold such a line."""


@pytest.mark.proves("M15")
@every("wrap", UNFENCED)
@every("text", TEXTS)
def test_text_that_holds_the_end_of_its_container_is_refused(wrap: str, text: str):
    around, clashing = UNFENCED[wrap]
    body = f"# A page\n\n{TEXTS[text]}\nMore.\n"
    changed, bundle = outcome(around(body))
    assert (bundle is None) == (text in clashing)
    assert changed == ({} if bundle is None else {PAGE: body.encode()})
