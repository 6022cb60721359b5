"""Vim over the prompt's buffer: scripts of keys and what comes out, with ``|`` where the cursor is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.faces.tui.prompt.text.buffer import Buffer
from ouroboros.faces.tui.prompt.text.clusters import is_boundary
from ouroboros.faces.tui.prompt.vim.machine import Vim

_NAMED = {"<esc>": "escape", "<c-r>": "ctrl+r", "<bs>": "backspace", "<left>": "left"}


def keys_of(script: str) -> list[str]:
    keys: list[str] = []
    while script:
        name = next((name for name in _NAMED if script.startswith(name)), script[0])
        keys.append(_NAMED.get(name, name))
        script = script[len(name) :]
    return keys


def begun(marked: str) -> tuple[Buffer, Vim]:
    """A buffer in Normal with the cursor at the mark."""
    buffer = Buffer()
    at = marked.index("|")
    buffer.begin(marked.replace("|", "", 1), at)
    vim = Vim(buffer)
    vim.press("escape")
    buffer.go(at)
    return buffer, vim


def play(buffer: Buffer, vim: Vim, script: str) -> None:
    for key in keys_of(script):
        if not vim.press(key) and vim.mode == "insert":
            if key == "backspace":
                buffer.delete("left")
            elif key == "left":
                buffer.move("left")
            else:
                buffer.insert(key)


def marked(buffer: Buffer) -> str:
    return f"{buffer.text[: buffer.cursor]}|{buffer.text[buffer.cursor :]}"


TEXT = "|one two.three\n  four five\nsix"

MOTIONS = [
    ("w", "one |two.three\n  four five\nsix"),
    ("2w", "one two|.three\n  four five\nsix"),
    ("W", "one |two.three\n  four five\nsix"),
    ("2W", "one two.three\n  |four five\nsix"),
    ("e", "on|e two.three\n  four five\nsix"),
    ("2e", "one tw|o.three\n  four five\nsix"),
    ("2E", "one two.thre|e\n  four five\nsix"),
    ("$", "one two.thre|e\n  four five\nsix"),
    ("2$", "one two.three\n  four fiv|e\nsix"),
    ("$b", "one two.|three\n  four five\nsix"),
    ("$B", "one |two.three\n  four five\nsix"),
    ("$3b", "one |two.three\n  four five\nsix"),
    ("$0", "|one two.three\n  four five\nsix"),
    ("j^", "one two.three\n  |four five\nsix"),
    ("j$0", "one two.three\n|  four five\nsix"),
    ("G", "one two.three\n  four five\n|six"),
    ("2G", "one two.three\n  |four five\nsix"),
    ("Ggg", "|one two.three\n  four five\nsix"),
    ("2gg", "one two.three\n  |four five\nsix"),
    ("G1G", "|one two.three\n  four five\nsix"),
    ("2j", "one two.three\n  four five\n|six"),
    ("Gk", "one two.three\n|  four five\nsix"),
    ("3l", "one| two.three\n  four five\nsix"),
    ("99l", "one two.thre|e\n  four five\nsix"),
    ("3lh", "on|e two.three\n  four five\nsix"),
    ("fe", "on|e two.three\n  four five\nsix"),
    ("fe;", "one two.thr|ee\n  four five\nsix"),
    ("2fe", "one two.thr|ee\n  four five\nsix"),
    ("fe;;,", "one two.thr|ee\n  four five\nsix"),
    ("te", "o|ne two.three\n  four five\nsix"),
    ("te;", "one two.th|ree\n  four five\nsix"),
    ("$Ft", "one two.|three\n  four five\nsix"),
    ("$Tt", "one two.t|hree\n  four five\nsix"),
    ("$Ft;", "one |two.three\n  four five\nsix"),
    ("fz", "|one two.three\n  four five\nsix"),
    ("fq", "|one two.three\n  four five\nsix"),
    ("v$<esc>", "one two.thre|e\n  four five\nsix"),
]


@pytest.mark.proves("V04")
@pytest.mark.parametrize(("script", "end"), MOTIONS)
def test_a_motion_leads_where_vim_goes(script: str, end: str) -> None:
    buffer, vim = begun(TEXT)
    play(buffer, vim, script)
    assert marked(buffer) == end


CHANGES = [
    ("|one two three", "dw", "|two three"),
    ("|one two three", "d2w", "|three"),
    ("|one two three", "2dw", "|three"),
    ("one two thre|e", "db", "one two |e"),
    ("one |two three", "de", "one | three"),
    ("one |two\nthree", "dw", "one| \nthree"),
    ("one |two three", "d$", "one| "),
    ("one |two three", "D", "one| "),
    ("one |two three", "d0", "|two three"),
    ("one two(|three) x", "dt)", "one two(|) x"),
    ("one two(|three) x", "df)", "one two(| x"),
    ("one tw|o three", "dFn", "o|o three"),
    ("a|\nb\nc", "dd", "|b\nc"),
    ("a\nb\n|c", "dd", "a\n|b"),
    ("|only", "dd", "|"),
    ("|a\nb\nc\nd", "2dd", "|c\nd"),
    ("|a\nb\nc\nd", "d2j", "|d"),
    ("a\nb\n|c\nd", "dk", "a\n|d"),
    ("a\n|b\nc", "dG", "|a"),
    ("a\n|b\nc", "dgg", "|c"),
    ("|abc", "x", "|bc"),
    ("|abc", "2x", "|c"),
    ("ab|c", "x", "a|b"),
    ("ab|c", "X", "a|c"),
    ("|abc", "9x", "|"),
    ("say |hello now", "cwbye<esc>", "say by|e now"),
    ("say |h now", "cwbye<esc>", "say by|e now"),
    ("say |hello now", "cebye<esc>", "say by|e now"),
    ("say |hello now", "c2wbye<esc>", "say by|e"),
    ("say |hello now", "Cbye<esc>", "say by|e"),
    ("a\nsay| it\nb", "ccno<esc>", "a\nn|o\nb"),
    ("a\nsay| it\nb", "Sno<esc>", "a\nn|o\nb"),
    ("|abc", "sX<esc>", "|Xbc"),
    ("|abc", "2sX<esc>", "|Xc"),
    ("|abc", "rX", "|Xbc"),
    ("|abc", "3rX", "XX|X"),
    ("|abc", "r<esc>x", "|bc"),
    ("|aBc", "~", "A|Bc"),
    ("|aBc", "3~", "Ab|C"),
    ("|one two", "yiwP", "on|eone two"),
    ("|one two", "ywP", "one| one two"),
    ("|one two", "dwp", "tone| wo"),
    ("|one\ntwo", "yyp", "one\n|one\ntwo"),
    ("|one\ntwo", "Yp", "one\n|one\ntwo"),
    ("one\n|two", "yyP", "one\n|two\ntwo"),
    ("|one\ntwo", "ddp", "two\n|one"),
    ("|a b", "dw3p", "ba a a| "),
    ("|ab", "iX<esc>", "|Xab"),
    ("|ab", "aX<esc>", "a|Xb"),
    ("  a|b", "IX<esc>", "  |Xab"),
    ("|ab", "AX<esc>", "ab|X"),
    ("a|b\nc", "oX<esc>", "ab\n|X\nc"),
    ("a|b\nc", "OX<esc>", "|X\nab\nc"),
    ("|ab\n  cd", "J", "ab| cd"),
    ("|a\nb\nc", "3J", "a b| c"),
]

OBJECTS = [
    ("one tw|o three", "diw", "one | three"),
    ("one tw|o three", "daw", "one |three"),
    ("one two thr|ee", "daw", "one tw|o"),
    ("one t-w|o three", "diW", "one | three"),
    ("one t-w|o three", "daW", "one |three"),
    ('say "he|llo" x', 'di"', 'say "|" x'),
    ('|say "hello" x', 'ci"bye<esc>', 'say "by|e" x'),
    ('say "he|llo" x', 'da"', "say |x"),
    ("say 'he|llo' x", "di'", "say '|' x"),
    ("say `he|llo` x", "di`", "say `|` x"),
    ("f(a, (b|), c)", "di(", "f(a, (|), c)"),
    ("f(a|, (b), c)", "di(", "f(|)"),
    ("f(a|, (b), c)", "da)", "|f"),
    ("f(a|, (b), c)", "dib", "f(|)"),
    ("f[a|]", "di[", "f[|]"),
    ("f{\n a|\n}", "di{", "f{\n|}"),
    ("f<a|>", "di<", "f<|>"),
    ("f|(a, b) x", "d%", "f| x"),
    ("no| quotes", 'di"', "no| quotes"),
]

AGAIN = [
    ("|a b c d", "dw.", "|c d"),
    ("|a b c d", "dw2.", "|d"),
    ("|a b c", "cwX<esc>w.", "X |X c"),
    ("|abcdef", "x..", "|def"),
    ("|ab", "iX<esc>l.", "X|Xab"),
    ("|a\nb", "A!<esc>j.", "a!\nb|!"),
    ("|a", "ob<esc>.", "a\nb\n|b"),
    ("|abc", "rXl.", "X|Xc"),
    ("|abc", "~.", "AB|c"),
    ("|a\nb\nc\nd", "dd.", "|c\nd"),
    ('"a|" "b"', 'ci"X<esc>4l.', '"X" "|X"'),
    ("|a b", "ywwP.", "a aa|  b"),
    ("|abc", "xu", "|abc"),
    ("|abc", "xxu", "|bc"),
    ("|abc", "xx2u", "|abc"),
    ("|abc", "xxuu<c-r>", "|bc"),
    ("|abc", "xuyl<c-r>", "|bc"),
    ("|abc", "ihello there<esc>u", "|abc"),
    ("|a b", "cwX Y Z<esc>u", "|a b"),
    ("|a b c", "dwuw.", "a |c"),
    ("|abc", "wu", "ab|c"),
]

VISUAL = [
    ("|one two", "ved", "| two"),
    ("|one two", "vwd", "|wo"),
    ("one |two", "vbd", "|wo"),
    ("|one two", "vecX<esc>", "|X two"),
    ("|one two", "veyP", "on|eone two"),
    ("|one\ntwo\nsix", "Vjd", "|six"),
    ("one\n|two\nsix", "Vyp", "one\ntwo\n|two\nsix"),
    ("|one two", "ve~", "|ONE two"),
    ("|one two", "vv", "|one two"),
    ("o|ne two", "vlohd", "| two"),
    ("|one two", "v<esc>x", "|ne two"),
]


@pytest.mark.proves("V04")
@pytest.mark.parametrize(("text", "script", "end"), [*CHANGES, *OBJECTS, *AGAIN, *VISUAL])
def test_a_command_changes_what_vim_changes(text: str, script: str, end: str) -> None:
    buffer, vim = begun(text)
    play(buffer, vim, script)
    assert marked(buffer) == end
    assert vim.mode == "normal"
    assert vim.pending == ""


def test_what_is_typed_in_insert_is_left_to_the_prompt() -> None:
    _, vim = begun("|")
    assert vim.press("i") == "taken"
    assert [vim.press(key) for key in ("x", "enter", "ctrl+c")] == ["", "", ""]
    assert vim.press("escape") == "taken"
    assert vim.press("escape") == ""  # that one is the app's


def test_over_the_edge_is_what_was_typed_before_or_after() -> None:
    _, vim = begun("one| \ntwo")
    assert vim.press("k") == "previous"
    assert vim.press("j") == "taken"
    assert vim.press("j") == "next"


def test_a_key_that_is_not_vims_ends_what_was_begun() -> None:
    buffer, vim = begun("|one two")
    play(buffer, vim, "d2")
    assert vim.pending == "d2"
    assert vim.press("enter") == ""
    play(buffer, vim, "w")
    assert marked(buffer) == "one |two"


def test_accents_are_not_taken_apart() -> None:
    buffer, vim = begun("|e\u0301a")
    play(buffer, vim, "x")
    assert marked(buffer) == "|a"


@pytest.mark.proves("V04")
@given(
    st.text(alphabet="ab (\"'\n\u0301", max_size=12),
    st.lists(
        st.sampled_from([
            *'dcywbeWBE0^$gGfFtT;,2iaIAoOpPrRxXsSDCYJ~.uvVjkhl%"(',
            "escape",
            "ctrl+r",
        ]),
        max_size=14,
    ),
)
def test_no_keys_lead_astray(text: str, keys: list[str]) -> None:
    buffer, vim = begun(f"|{text}")
    for key in keys:
        if not vim.press(key) and vim.mode == "insert" and len(key) == 1:
            buffer.insert(key)
        assert 0 <= buffer.cursor <= len(buffer.text)
        assert is_boundary(buffer.text, buffer.cursor)
    while vim.mode != "normal" or vim.pending:
        vim.press("escape")
    while buffer.undo():
        assert is_boundary(buffer.text, buffer.cursor)
    assert buffer.text == text
