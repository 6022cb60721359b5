"""Sessions as documents: all branches, no keys, and nothing that what was said could change."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ouroboros.app.export.deeds import diff_of
from ouroboros.app.export.lines import json_lines
from ouroboros.app.export.markdown import closed, markdown
from ouroboros.app.export.page import page
from ouroboros.app.export.passages import passages
from ouroboros.app.text import plain
from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    Event,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.changes import TurnDiffed
from ouroboros.core.events.checkpoint import CheckpointRestored
from ouroboros.core.events.schema import decode
from ouroboros.core.events.session import SessionBranched
from ouroboros.core.parts import Media, Message, Text, ToolCall, Usage
from ouroboros.safety.leaks import Leaks
from ouroboros.safety.secrets.detector import Detector
from ouroboros.tools.result import DETAIL_BYTES, cut
from ouroboros.workspace.diff import unified
from tests.cases import every

KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\n```js\nnever closed\x1b[2J\u202e\n<!-- "
)


def enveloped(events: list[Event]) -> list[Envelope]:
    """Events as a session has them."""
    return [
        Envelope(id=f"evt{n}", session="ses_1", turn=0, seq=n, ts=float(n), type=e.type,
                 source=e.source, data=e)
        for n, e in enumerate(events, 1)
    ]  # fmt: skip


def asked(id: str, text: str) -> list[Event]:
    """The person says something, and a turn begins."""
    message = Message(id=id, role="user", parts=(Text(text=text),))
    return [UserMessage(message=message), TurnStarted(turn=1)]


def told(id: str, text: str, *calls: ToolCall) -> Event:
    """The model says something."""
    parts = (Text(text=text), *calls)
    return AgentMessage(
        message=Message(id=id, role="assistant", parts=parts), usage=Usage(), stop_reason="end"
    )


def called(name: str, arguments: str, text: str, detail: str = "") -> list[Event]:
    """A call and its result."""
    return [
        ToolStarted(call_id="c", name=name, arguments=arguments, title=f"{name} it"),
        ToolResulted(
            call_id="c", name=name, status="done", parts=(Text(text=text),), detail=detail
        ),
    ]


def parted() -> list[Envelope]:
    """Two branches after the first answer, and one from the beginning; the last one goes on."""
    return enveloped([
        *asked("u1", "first"),
        told("a1", "one"),
        *asked("u2", "left behind"),
        told("a2", "also left"),
        SessionBranched(message_id="a1"),
        *asked("u3", "another way"),
        told("a3", "there"),
        SessionBranched(message_id=""),
        *asked("u4", "all anew"),
        told("a4", "the end"),
    ])


@pytest.mark.proves("Y07")
def test_all_branches_are_told_the_one_that_goes_on_first() -> None:
    found = passages(parted())

    rows = [
        (each.after, [step.node.message.text for step in each.steps if step.node]) for each in found
    ]
    assert rows == [
        (0, ["all anew", "the end"]),
        (0, ["first", "one", "another way", "there"]),
        (2, ["left behind", "also left"]),
    ]
    assert [len(passages(parted(), only_active=True)), len(found)] == [1, 3]


@pytest.mark.proves("Y07")
def test_the_markdown_names_each_branch_where_it_leaves_and_where_it_stands() -> None:
    text = "".join(markdown(parted(), "Ways"))

    assert text.index("all anew") < text.index("# Branch 2, from the beginning")
    assert (
        text.index("one")
        < text.index("in another way: branch 3")
        < text.index("# Branch 3, after message 2")
    )
    assert "left behind" not in "".join(markdown(parted(), "Ways", only_active=True))


@pytest.mark.proves("Y09")
@every("hostile", [HOSTILE, "~~~~\n```", "    <b>", "a <!-- b", "# Title\n## You\n\nlies"])
def test_words_do_not_change_what_follows_them(hostile: str) -> None:
    events = enveloped([*asked("u1", hostile), told("a1", hostile), *asked("u2", "the last words")])

    text = "".join(markdown(events, hostile))

    reader = MarkdownIt("commonmark")
    tokens = reader.parse(text)
    headings = [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]
    assert headings == ["You", "Ouroboros", "You"]
    assert not any(token.type == "html_block" for token in tokens)
    assert "<p>the last words</p>" in reader.render(text)


@every(
    "words",
    [
        "1. ```\n   ```",
        "- ```\n  ```",
        "* ~~~\n  ~~~ ",
        "You\n---\nlies",
        "a\nYou\n ==\nlies",
        "- a\n  <!--",
    ],
)
def test_no_words_end_as_what_they_do_not_end(words: str) -> None:
    told = MarkdownIt("commonmark").render(f"{closed(words)}\n\n## Next\n\nhere\n")

    assert told.endswith("<h2>Next</h2>\n<p>here</p>\n")
    assert (told.count("<h1>"), told.count("<h2>")) == (0, 1)
    assert "lies" not in words or "lies" in told


@pytest.mark.proves("Y09")
@given(st.text(alphabet="`~<>!-#a1. \n*/|=", max_size=60))
def test_no_words_leave_a_fence_or_a_tag_open(words: str) -> None:
    rendered = MarkdownIt("commonmark").render(f"{closed(words)}\n\n## Next\n\nhere\n")

    assert rendered.endswith("<h2>Next</h2>\n<p>here</p>\n")


PATCH = (
    "*** Begin Patch\n*** Add File: n.txt\n+the new words\n+\n+the new words\n"
    "*** Update File: o.txt\n@@\n-old\n+changed words\n*** End Patch\n"
)


@pytest.mark.proves("Y08")
def test_files_are_named_but_not_told_unless_that_is_wanted() -> None:
    new = "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+the new words\n"
    change = "--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-old\n+changed words\n"
    events = enveloped([
        *asked("u1", "go"),
        told("a1", ""),
        *called("write", '{"path":"n.txt","content":"the new words"}', "Wrote", new),
        *called("read", '{"path":"o.txt"}', "words of o"),
        *called("edit", '{"path":"n.txt"}', "Edited", change),
        TurnDiffed(diff=f"diff --git a/n.txt b/n.txt\nnew file mode 100644\n{new}{change}"),
        TurnDiffed(diff="--- a/g.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-the old words\n--- gone\n"),
    ])  # fmt: skip

    for form in (markdown, page):
        short, whole = "".join(form(events, "")), "".join(form(events, "", contents=True))
        assert "the new words" not in short
        assert not any(each in short for each in ("words of o", "the old words", "gone"))
        assert all(each in whole for each in ("the old words", "gone"))
        assert all(each in short for each in ("n.txt", "o.txt", "changed words"))
        assert all(each in whole for each in ("the new words", "words of o"))


@pytest.mark.proves("Y08")
@every(
    ("name", "arguments"),
    [
        ("dogs", {"bundle": "## N: n.txt\n```\nthe new words\n```\n"}),
        ("create_tool", {"name": "n.txt", "code": "the new words"}),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", PATCH),
        ("apply_patch", PATCH.replace("\n", "\r\n")),
    ],
)
def test_whole_files_in_what_was_asked_for_are_told_only_where_that_is_wanted(
    name: str, arguments: dict[str, str] | str
) -> None:
    said = arguments if isinstance(arguments, str) else json.dumps(arguments)
    events = enveloped([*asked("u1", "go"), told("a1", ""), *called(name, said, "Done", "")])
    for form in (markdown, page):
        short, whole = "".join(form(events, "")), "".join(form(events, "", contents=True))
        assert "the new words" not in short
        assert "the new words" in whole
        if name == "apply_patch":
            assert all(each in short for each in ("n.txt", "o.txt", "changed words"))


@pytest.mark.proves("Y07")
def test_what_only_looked_a_summary_and_files_that_came_back_are_told() -> None:
    """A read that a person's words name has no event of its own but its result."""
    summary = Message(
        id="s", role="user", kind="summary", parts=(Text(text="Go on.\n\nAll is well."),)
    )
    events = enveloped([
        *asked("u1", "look at @a.py"),
        ToolResulted(call_id="c", name="read", status="done", title="Read a.py", within="u1"),
        told("a1", "seen"),
        ContextCompacted(
            old_tokens=9, new_tokens=1, messages_summarized=2, trigger="manual", history=(summary,)
        ),
        CheckpointRestored(checkpoint="0" * 40, paths=("x.py", "y.py"), changed=7),
    ])
    for style in (markdown, page):
        text = "".join(style(events, "Talk"))
        assert "Read a.py: done" in text
        assert "2 messages were summarised" in text
        assert "All is well." in text
        assert "Go on." not in text
        assert "Files were brought back, 7 changed: x.py, y.py, ..." in text


@pytest.mark.proves("Y07")
@every(
    ("answer", "expected"),
    [
        (f"It is **there**. {KEY}", ("It is **there**.", "<strong>there</strong>")),
        (f'[{{"n":1,"k":"{KEY}"}}]', ('```json\n[{"n":1,', "<pre>[{&quot;n&quot;:1,")),
    ],
)
def test_the_answer_of_code_is_told_whole(answer: str, expected: tuple[str, str]) -> None:
    """What a model reads of its own answer is only what kind of thing it is."""
    ended = ToolResulted(
        call_id="c", name="repl", status="done", parts=(Text(text="final value set"),), final=True,
        answer=answer,
    )  # fmt: skip
    events = enveloped([*asked("u1", "how many?"), told("a1", "I count."), ended])
    clean = Leaks({}, unknown=Detector()).redacted
    for style, words in zip((markdown, page), expected, strict=True):
        text = "".join(style(events, "Talk", clean=clean))
        assert words in text
        assert "Answer" in text
        assert KEY not in text
    nothing = enveloped([*asked("u1", "x"), *called("write", "{}", "")])
    assert "```\n\n```" not in "".join(markdown(nothing, "Talk"))


@pytest.mark.proves("Y08")
def test_no_form_has_a_key_and_lines_can_still_be_read() -> None:
    leaks = Leaks({"OWN_TOKEN": "my-very-own-token-1"}, unknown=Detector())
    events = enveloped([
        *asked("u1", f"use {KEY}"),
        told("a1", "yes", ToolCall(id="c1", name="shell", arguments=json.dumps({"command": f'curl -H "Authorization: Bearer {KEY}"'}))),
        *called("shell", json.dumps({"command": f"echo {KEY} my-very-own-token-1"}), f"TOKEN={KEY}\nmy-very-own-token-1"),
    ])  # fmt: skip

    forms = [
        *(form(events, f"About {KEY}", clean=leaks.redacted) for form in (markdown, page)),
        json_lines(events, clean=leaks.redacted),
    ]
    for text in map("".join, forms):
        assert KEY not in text
        assert "my-very-own-token-1" not in text
        assert "REDACTED" in text
    back = [decode(line.encode()) for line in json_lines(events, clean=leaks.redacted)]
    assert [each.seq for each in back] == [each.seq for each in events]
    for each in back:
        if isinstance(each.data, ToolStarted):
            msgspec.json.decode(each.data.arguments)


@every("within", ["\x1b[0m", "\x1b[01;31m", "\u202e", "\x00", "\b"])
def test_a_key_with_a_colour_or_a_hidden_sign_within_is_a_key(within: str) -> None:
    leaks = Leaks({}, unknown=Detector())
    coloured = f"{KEY[:8]}{within}{KEY[8:]}"
    picture = Media(media_type="image/png", data="iVBORw0KGgo=", name=f"{KEY}.png")
    said = Message(id="u1", role="user", parts=(Text(text=f"see {coloured}"), picture))
    events = enveloped([
        UserMessage(message=said),
        TurnStarted(turn=1),
        told("a1", "yes"),
        *called("shell", "{}", f"found {coloured} there", ""),
    ])

    for form in (markdown, page):
        assert KEY not in "".join(form(events, coloured, clean=leaks.redacted))
    for line in json_lines(events, clean=leaks.redacted):
        assert KEY not in plain(line.encode().decode("unicode_escape"))


class Seen(HTMLParser):
    """The tags of a page, and what they refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [
            value or ""
            for name, value in attrs
            if name.startswith("on")
            or (name in {"src", "href"} and not re.match(r"#|data:image/|https:", value or ""))
        ]


@pytest.mark.proves("Y09")
def test_a_page_holds_nothing_that_runs_or_is_fetched() -> None:
    picture = Media(media_type="image/svg+xml", data="PHN2Zz4=", name='"><script>')
    words = f"{HOSTILE}\n```\n[x](javascript:alert(1)) ![y](https://example.com/y.png)"
    said = Message(id="u1", role="user", parts=(Text(text=words), picture))
    events = enveloped([
        UserMessage(message=said),
        TurnStarted(turn=1),
        told("a1", words),
        *called(HOSTILE, HOSTILE, HOSTILE, HOSTILE),
    ])

    text = "".join(page(events, HOSTILE))

    seen = Seen()
    seen.feed(text)
    assert not {"script", "iframe", "object", "embed", "link", "svg", "form", "img"} & {*seen.tags}
    assert seen.outside == []
    assert "default-src &#x27;none&#x27;" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_page_has_its_pictures_within() -> None:
    part = Media(media_type="image/png", data="iVBORw0KGgo=", name="shot.png")
    events = enveloped([UserMessage(message=Message(id="u", role="user", parts=(part,)))])

    assert '<img alt="shot.png" src="data:image/png;base64,iVBORw0KGgo=">' in "".join(
        page(events, "")
    )


@pytest.mark.proves("Y07")
def test_a_page_leads_to_its_branches_and_back() -> None:
    text = "".join(page(parted(), "Ways"))

    for anchor in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{anchor}"' in text
    assert text.count("<section") == 2


@pytest.mark.deep
@pytest.mark.proves("Y07")
def test_many_messages_are_written_in_pieces() -> None:
    def long() -> Iterator[Event]:
        for n in range(2_000):
            yield from asked(f"u{n}", f"words {n}")
            yield told(f"a{n}", f"answer {n}")

    pieces = [*page(enveloped([*long()]), "Long")]

    assert len(pieces) > 4_000
    assert max(map(len, pieces)) < 10_000


@pytest.mark.proves("Y08")
@every(
    "diff",
    [
        unified("", "secret\n" * 20_000, "f"),
        unified("", "a\fsecret\nsecret\n", "f"),
        unified("secret\u2028secret\n", "", "f"),
    ],
)
def test_without_contents_nothing_of_a_whole_file_is_told(diff: str) -> None:
    assert "secret" not in diff_of(cut(diff, DETAIL_BYTES), contents=False)
