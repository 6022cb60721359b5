"""Hostile texts take no more work than their length allows; steps are counted, nothing is timed."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.network.urls import judge_url
from ouroboros.safety.paths import Places
from ouroboros.safety.paths.judge import judge_path
from ouroboros.safety.secrets.find import find
from tests.cases import every

SHAPES = [
    "key=",
    "api_key=",
    "password: ",
    "password=",
    '"token": "',
    "secret sauce ",
    "://a:",
    "a1b2c3d4e5f6a7b8.",
    "session_id=1; ",
    "--token ",
]


def steps(work: Callable[[], object]) -> int:
    """Calls and returns that a piece of work takes."""
    taken = 0

    def count(*_: object) -> None:
        nonlocal taken
        taken += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return taken


@pytest.mark.deep
@pytest.mark.proves("safety-work")
@every("piece", SHAPES)
def test_a_search_for_secrets_takes_few_steps_a_word(piece: str) -> None:
    text = piece * 2_000
    find(text)
    assert steps(lambda: find(text)) <= 70 * 2_000


@pytest.mark.proves("safety-work")
@every("piece", ["key=", "api_key= ", "password: ", '"token": "', "secret sauce "])
def test_what_was_nothing_once_is_not_judged_again(piece: str) -> None:
    """Past the first hundred characters the same piece is the same question."""
    text = piece * 2_000
    find(text)
    assert steps(lambda: find(text)) <= 12 * 2_000 + 1_000


COMMANDS = [
    "cat " + " ".join(f"src/file{number}.py" for number in range(1_300)),
    "echo " + "$(ls) " * 1_000,
    "echo " + "`ls` " * 1_000,
    "a&&" * 30_000,
    "$(a)" * 24_000,
    '"$(a)"' * 16_000,
    "{" * 90_000,
    ")" * 90_000,
    "# a\n" * 20_000,
    "\n".join(["echo hello > out.txt"] * 3_000),
    "rm -rf " + " ".join(f"d{number}" for number in range(9_000)),
    "sudo " * 15_000,
    "echo " + "'a' " * 20_000,
    "cat <<EOF\n" + "$a\n" * 20_000 + "EOF\n",
]


@pytest.mark.deep
@pytest.mark.proves("safety-work")
@every("text", COMMANDS, ids=range(len(COMMANDS)))
def test_no_command_takes_more_than_so_many_steps(tmp_path: Path, text: str) -> None:
    places = Places(roots=(tmp_path,))
    verdict = classify(text, cwd=tmp_path, places=places)
    assert verdict.kind != "safe"
    assert steps(lambda: classify(text, cwd=tmp_path, places=places)) <= 3 * len(text) + 60_000


@pytest.mark.proves("safety-work")
def test_harm_behind_more_than_is_read_is_not_called_harmless(tmp_path: Path) -> None:
    places = Places(roots=(tmp_path,))
    for text in ("true; " * 5_000 + "rm -rf ~", "echo $(a) " * 2_000 + "; git push --force"):
        verdict = classify(text, cwd=tmp_path, places=places)
        assert (verdict.kind, verdict.sends) == ("dangerous", True)


def test_a_script_of_many_words_that_is_written_to_a_file_is_only_asked_about(
    tmp_path: Path,
) -> None:
    body = "    x = first(a, b) && second  # what it does\n" * 1_500
    verdict = classify(
        f"cat > a.py <<'EOF'\n{body}EOF\n", cwd=tmp_path, places=Places(roots=(tmp_path,))
    )
    assert (verdict.kind, verdict.sends) == ("approve", False)


@pytest.mark.proves("safety-work")
def test_links_that_lead_through_links_are_followed_a_bounded_way(tmp_path: Path) -> None:
    way = "/".join(["d"] * 40 + [".."] * 40)
    (tmp_path / "/".join(["d"] * 40)).mkdir(parents=True)
    for number in range(30):
        (tmp_path / f"s{number}").symlink_to(way)
    far = "/".join(f"s{number}" for number in range(30))
    assert judge_path(tmp_path, "read", "s1/new").decision == "allow"
    assert judge_path(tmp_path, "read", f"{far}/new").decision != "allow"
    assert steps(lambda: judge_path(tmp_path, "read", f"{far}/new")) <= 30_000


@pytest.mark.proves("safety-work")
@every(
    "url",
    [
        "https://" + "a." * 2_000 + "com/",
        "https://" + "xn--a." * 2_000 + "com/",
        "https://example.com/" + "a/" * 9_000,
        "https://" + "a" * 600 + "@example.com/",
    ],
)
def test_an_address_beyond_all_measure_is_refused_unread(url: str) -> None:
    assert judge_url(url).decision == "deny"
    assert steps(lambda: judge_url(url)) <= 500


def test_an_address_of_ordinary_length_is_read() -> None:
    assert judge_url("https://example.com/" + "a/" * 500).decision == "allow"
    assert judge_url("https://example.com/?" + "q" * 600).decision == "allow"
    assert judge_url(("a" * 50 + ".") * 4 + "example.com/").decision == judge_url("x.org/").decision
