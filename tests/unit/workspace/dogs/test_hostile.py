"""Whatever bytes come, a bundle is read or refused; large ones take no longer than their size."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ouroboros.workspace.artifacts.dogs import Refused, Snapshot
from ouroboros.workspace.artifacts.dogs.planning import plan
from ouroboros.workspace.artifacts.dogs.reading import DIALECTS, Wanted, read
from ouroboros.workspace.artifacts.dogs.tree import Sketch

TREE = Sketch({
    "a.py": Snapshot(content=b"one\ntwo\nthree\n"),
    "b": Snapshot(content=b"\0\1"),
    "c/d": Snapshot(content=b"x"),
})
PIECES = st.sampled_from([
    *("--- File: a.py ---", "--- New File: c/d ---", "--- Delete File: b ---", "--- File: ---"),
    *("--- Rename File: a.py -> b ---", "--- Rename File: a -> b -> c ---", "-- File: x --"),
    *(
        "🐕 --- DOGS_START_FILE: a.py ---",
        "🐕 --- DOGS_END_FILE: a.py ---",
        "🐕 --- DOGS_END_FILE ---",
    ),
    *("🐈 --- CATS_START_FILE: b (Content:Base64) ---", "⛓️ --- RSI_LINK_START_FILE: x ---"),
    *("@@ PAWS_CMD REPLACE_LINES(1, 2) @@", "@@ PAWS_CMD DELETE_FILE() @@", "@@ PAWS_CMD X @@"),
    *('@@ PAWS_CMD REQUEST_CONTEXT(path="a) @@', "@@ PAWS_CMD INSERT_AFTER_LINE(99999999999) @@"),
    *(
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "a.py",
        "```",
        "```diff",
        "```python:a.py",
        "**c/d.py** (new)",
        "For example:",
        "````markdown",
        "~~~",
    ),
    *("diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@", "@@", "@@ ... @@"),
    *("--- /dev/null", "+++ /dev/null", "\\ No newline at end of file", " one", "-two", "+2", ""),
    *(
        "new file mode 100755",
        "rename from a.py",
        "rename to c/d",
        "GIT binary patch",
        "old mode 1",
    ),
    *(
        "*** Begin Patch",
        "*** Update File: a.py",
        "*** Add File: n",
        "*** End Patch",
        "*** Move to: q",
    ),
    *('<file path="a.py">', "</file>", "<file path='x' action='delete'/>", "<![CDATA[", "]]>"),
    *(
        "---",
        'version: "1.0"',
        "version: 2",
        "metadata:",
        "  x: [",
        "\ufeff",
        "\r",
        "\x0c",
        "../../x",
    ),
])
BUNDLES = st.one_of(
    st.binary(max_size=200),
    st.lists(PIECES, max_size=25).map(lambda lines: "\n".join(lines).encode()),
    st.lists(PIECES, max_size=12).map(lambda lines: "\r\n".join(lines).encode()),
)
ASKED: st.SearchStrategy[Wanted] = st.sampled_from(["auto", "auto", *DIALECTS])


def check(content: bytes, dialect: Wanted, *, rsi: bool, cut: bool) -> None:
    bundle, refusals = None, ()
    try:
        bundle = read(content, dialect=dialect, rsi_link=rsi, allow_truncated=cut)
    except Refused as refused:
        refusals = refused.refusals
    if bundle is None:
        assert refusals
        return
    lines = content.count(b"\n") + 1
    assert all(0 <= refusal.line <= lines for refusal in bundle.refusals)
    assert all(1 <= change.line <= lines for change in bundle.changes)
    for references in (None, {"a.py": b"one\nzwei\nthree\n"}):
        made = plan(bundle, TREE, references=references)
        bad = {refusal.path for refusal in made.refusals}
        assert not bad & {file.path for file in made.files}
        assert all(".." not in file.path.split("/") for file in made.files)


@pytest.mark.proves("paws-hostile-bundles")
@settings(max_examples=120, deadline=None)
@given(content=BUNDLES, dialect=ASKED, rsi=st.booleans(), cut=st.booleans())
@example(content=b"", dialect="auto", rsi=False, cut=True)
@example(content=b"\xff\xfe\x00", dialect="auto", rsi=False, cut=False)
@example(content=b"*** Begin Patch\n*** Add File: \xed\xa0\x80", dialect="v4a", rsi=False, cut=True)
def test_nothing_but_a_refusal_is_raised(content: bytes, dialect: Wanted, rsi: bool, cut: bool):
    check(content, dialect, rsi=rsi, cut=cut)


@pytest.mark.soak
@settings(max_examples=50_000, deadline=None)
@given(content=BUNDLES, dialect=ASKED, rsi=st.booleans(), cut=st.booleans())
def test_nothing_but_a_refusal_is_raised_ever(
    content: bytes, dialect: Wanted, rsi: bool, cut: bool
):
    check(content, dialect, rsi=rsi, cut=cut)
