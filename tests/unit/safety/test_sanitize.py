import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.safety.sanitize import Sanitizer, sanitized
from tests.cases import every

HOSTILE = [
    ("red \x1b[31mtext\x1b[0m", "red text"),
    ("\x1b]0;title\x07after", "after"),
    ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x1b]52;c;ZXZpbA==\x07x", "x"),
    ("\x9b31mC1\x9b0m", "C1"),
    ("\x9d52;c;x\x9cy", "y"),
    ("\x90dcs\x1b\\z", "z"),
    ("\x1bPq#0;2;0;0;0\x1b\\six", "six"),
    ("a\x1b[2J\x1b[Hb", "ab"),
    ("\x1b(0lqk\x1b(B", "lqk"),
    ("\x1bcreset", "reset"),
    ("a\x08\x08b\x7f\x00\x07", "ab"),
    ("over\rwritten", "over\nwritten"),
    ("dos\r\nline", "dos\nline"),
    ("user\u202egpj.exe\u202c", "usergpj.exe"),
    ("a\u2066b\u2069c\u200e\u200f\u061c", "abc"),
    ("tag\U000e0041\U000e0042s", "tags"),
    ("tab\tand\nline stay", "tab\tand\nline stay"),
    ("émoji 🙂 → 漢字 ‍", "émoji 🙂 → 漢字 ‍"),
    ("\x1b]0;never ended", "]0;never ended"),
    ("\x1b[", "["),
    ("\ud800lone", "lone"),
]
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.proves("V22")
@every(("text", "safe"), HOSTILE)
def test_whole_texts(text: str, safe: str):
    assert sanitized(text) == safe


@every(("text", "safe"), HOSTILE)
def test_the_same_text_one_character_at_a_time(text: str, safe: str):
    sanitizer = Sanitizer()
    assert "".join(map(sanitizer.feed, text)) + sanitizer.finish() == safe


def test_a_string_that_never_ends_does_not_eat_the_text():
    sanitizer = Sanitizer()
    said = sanitizer.feed("\x1b]0;") + "".join(sanitizer.feed("word " * 100) for _ in range(20))
    assert said.count("word") > 1000


ALPHABET = st.sampled_from("ab;0m\x1b[]\\()\x07\x9b\x9d\x9c\x90\r\n\t\u202eé")


@pytest.mark.proves("V22")
@given(st.lists(st.text(alphabet=ALPHABET, max_size=12), max_size=8))
def test_pieces_give_what_the_whole_gives(pieces: list[str]):
    sanitizer = Sanitizer()
    shown = "".join(map(sanitizer.feed, pieces)) + sanitizer.finish()
    assert not UNSAFE.search(shown)
    assert shown == sanitized("".join(pieces))


@pytest.mark.deep
@given(st.text())
def test_sanitizing_twice_changes_nothing_more(text: str):
    once = sanitized(text)
    assert not UNSAFE.search(once)
    assert sanitized(once) == once


@pytest.mark.deep
def test_many_openings_of_a_control_string_take_no_time_to_speak_of():
    # Without a bound on the search this takes hours.
    flood = "\x9d" * 2_000_000
    assert sanitized(flood + "a") == "a"
    assert Sanitizer().feed(flood + "\x07b") == "b"
