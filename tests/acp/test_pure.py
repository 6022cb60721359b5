"""What needs no editor: frames, prompts, changes and endings as values."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.faces.acp import frames
from ouroboros.faces.acp.content import mention, path_of
from ouroboros.faces.acp.diffs import MOST, pieces
from ouroboros.faces.acp.endings import stop_of
from ouroboros.faces.acp.frames import Nonsense, Notification, Reply, Request
from ouroboros.workspace.diff import unified

CWD = Path("/desk")
LINES = st.lists(st.sampled_from(["a", "b", "-- c", "++ d", "@@ -1 +1 @@", "", " e"]), max_size=30)


@given(LINES, LINES)
def test_pieces_of_a_change_are_pieces_of_both_files(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in each) for each in (old, new))
    found = pieces(unified(before, after, "x.txt"), CWD)
    assert bool(found) == (before != after)
    for piece in found:
        assert piece["path"] == "/desk/x.txt"
        assert str(piece["oldText"]) in before
        assert str(piece["newText"]) in after
    if len(found) == 1:
        whole = before.replace(str(found[0]["oldText"]), str(found[0]["newText"]), 1)
        assert sorted(whole.splitlines()) == sorted(after.splitlines()) or found[0]["oldText"] == ""


def test_a_long_change_of_several_files_is_bounded_and_a_new_file_has_no_old_text() -> None:
    new = "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+--- a\n++++ b\n"
    gone = "--- a/o.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\\ No newline at end of file\n"
    found = pieces(new + gone, CWD)
    assert found == [
        {"type": "diff", "path": "/desk/n.txt", "oldText": None, "newText": "--- a\n+++ b\n"},
        {"type": "diff", "path": "/desk/o.txt", "oldText": "old\n", "newText": ""},
    ]
    assert len(pieces(new * 200, CWD)) == MOST
    assert pieces("no diff at all\n@@ nor -1 this\n", CWD) == []


@given(st.binary(max_size=200))
def test_no_line_breaks_the_reader(line: bytes) -> None:
    assert isinstance(frames.step(line), Request | Notification | Reply | Nonsense)


@pytest.mark.deep
@given(st.integers() | st.text(max_size=20), st.text(max_size=50))
def test_what_is_written_is_read_as_it_was(id: int | str, text: str) -> None:
    if isinstance(id, int) and abs(id) < 2**53:
        assert frames.step(frames.asked(id, "m", [text]).strip()) == Request(
            id=id, method="m", params=msgspec.Raw(msgspec.json.encode([text]))
        )
    told = frames.step(frames.told("m", {"a": text}).strip())
    assert isinstance(told, Notification)
    assert msgspec.json.decode(told.params) == {"a": text}


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("file:///desk/a.py", "@a.py"),
        ("file:///desk/my%20notes.txt", '@"my notes.txt"'),
        ("file:///else/a.py", "@/else/a.py"),
        ("file:///desk/a.py#L3:9", "@a.py:3-9"),
        ("file:///desk/a.py#L3-L9", "@a.py:3-9"),
        ("https://example.com/x?y", "@https://example.com/x?y"),
        ('file:///desk/"odd`%0A.py', "@\"'odd' .py\""),
    ],
)
def test_a_link_is_named_as_a_person_names_it(uri: str, shown: str) -> None:
    assert mention(uri, CWD) == shown


def test_an_address_that_is_no_file_stays_as_it_is() -> None:
    assert path_of("untitled:Untitled-1") == "untitled:Untitled-1"


@pytest.mark.parametrize(
    ("reason", "stop_reason", "stop"),
    [
        ("completed", "end", "end_turn"),
        ("", "refusal", "end_turn"),
        ("completed", "refusal", "refusal"),
        ("failed", "content_filter", "refusal"),
        ("failed", "end", None),
        ("cancelled", "refusal", "cancelled"),
        ("limit_reached:max_turns", "tool_calls", "max_turn_requests"),
        ("limit_reached:max_cost", "end", "max_turn_requests"),
        ("limit_reached:max_output_tokens", "length", "max_tokens"),
    ],
)
def test_endings_have_the_names_of_the_protocol(
    reason: str, stop_reason: str, stop: str | None
) -> None:
    assert stop_of(reason, stop_reason) == stop


@pytest.mark.proves("interfaces-acp-peers")
@pytest.mark.parametrize("id", [7, "seven"])
def test_a_request_with_half_a_sign_in_it_is_answered_by_its_id(id: int | str) -> None:
    """Editors in JavaScript cut texts in the middle of one."""
    head = f'"jsonrpc":"2.0","id":{msgspec.json.encode(id).decode()}'
    for rest in (
        r'"method":"session/prompt","params":{"text":"a\ud83d"}',
        r'"method":"session/prompt","params":["\udc00", "\ud83d\ude00"]',
        r'"method":"x\ud83d"',
        r'"extra":"\ude00","method":"x"',
    ):
        found = frames.step(f"{{{head},{rest}}}".encode())
        assert isinstance(found, Request), rest
        assert found.id == id
        msgspec.json.decode(found.params)
