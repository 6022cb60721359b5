"""Which texts are one command to a person who said yes to it."""

import pytest

from ouroboros.safety.policy.keys import approval_key
from tests.cases import every

SAME = [
    ("/bin/bash -lc 'ls -la'", 'bash -lc "ls -la"'),
    ("bash -c 'touch a'", "touch a"),
    ("sh -c 'touch a'", "/usr/bin/zsh -lc 'touch  a'"),
    ("touch  'a'", 'touch "a"'),
    ("bash -lc 'touch a && touch b'", "/bin/sh -lc 'touch a && touch b'"),
    ("bash -c \"bash -c 'touch a'\"", "touch a"),
]


@pytest.mark.proves("codex-7.2")
@every(("one", "other"), SAME)
def test_other_spellings_are_the_same_command(one: str, other: str) -> None:
    assert approval_key(one) == approval_key(other)


OTHER = [
    ("touch a", "touch b"),
    ("touch a b", "touch 'a b'"),
    ("touch *", "touch '*'"),
    ("touch ~/a", "touch '~/a'"),
    ("echo $HOME", "echo '$HOME'"),
    ("touch a", "touch a > b"),
    ("touch a", "X=1 touch a"),
    ("touch a", "touch a; touch b"),
    ("touch a", "bash -c 'touch a' b"),
    ("touch a", "bash -ic 'touch a'"),
    ("touch a", "/tmp/bash -c 'touch a'"),
    ("touch a", "./bash -c 'touch a'"),
    ("touch a", "env bash -c 'touch a'"),
    ("bash -c 'touch a > b'", "bash -lc 'touch a > b'"),
    ("touch a && touch b", "bash -c 'touch a && touch b'"),
    ("touch $(a)", "touch '$(a)'"),
]


@pytest.mark.proves("codex-7.2")
@every(("one", "other"), OTHER)
def test_what_does_something_else_is_another_command(one: str, other: str) -> None:
    assert approval_key(one) != approval_key(other)
