"""Curation without a model: words of a task, candidates, answers that are not believed, the search."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.fleet.curate.answer import Unreadable, judged, read
from ouroboros.fleet.curate.candidates import Text, candidates, fitting, words_of
from ouroboros.fleet.curate.search import Search, spec
from tests.cases import every

pytestmark = pytest.mark.real

RANKED = {"file_path": "a.py", "relevance": 0.9, "justification": "it is it"}
ANSWER = json.dumps({"ranked_files": [RANKED]})


def text(path: str, words: str = "", tokens: int = 10) -> Text:
    return Text(path=path, text=words.encode(), tokens=tokens)


@pytest.mark.proves("L13")
def test_the_words_of_a_task_are_those_that_tell_something() -> None:
    assert words_of("Fix the failing parseCart() in shop_api, please") == (
        "fail",
        "parsecart",
        "parse",
        "cart",
        "shop",
        "api",
    )
    assert words_of("the and of") == ()
    assert words_of("购物车") == ("购物车",)


@pytest.mark.proves("L13")
def test_files_that_share_rare_words_with_the_task_come_first() -> None:
    texts = [
        text("shop/cart.py", "class cart: total"),
        text("shop/tax.py", "def tax(cart): pass"),
        text("shop/mail.py", "total total total"),
        *(text(f"other/{number}.py", "total") for number in range(20)),
    ]
    found = candidates("The cart forgets the tax in its total", texts, 5)
    assert [each.path for each in found[:2]] == ["shop/tax.py", "shop/cart.py"]
    assert len(found) == 5
    assert found[0].words[:2] == ("tax", "cart")
    assert found[0].line == "shop/tax.py | about 10 tokens | tax, cart | -"
    again = candidates("The cart forgets the tax in its total", texts[::-1], 5)
    assert again == found


@pytest.mark.proves("L13")
def test_words_that_most_files_hold_bring_none_of_them_to_the_front() -> None:
    texts = [
        text("b/late.py", "parcel server"),
        *(text(f"a/{number:02}.py", "server " * 40) for number in range(40)),
        text("b/plain.py"),
    ]
    found = candidates("A server of example.com at https://www.com/ sends a parcel", texts, 5)
    assert found[0].path == "b/late.py"
    assert found[0].words == ("parcel",)
    assert found[1].line.endswith(" | about 10 tokens | - | -")
    assert words_of("see https://www.example.com/a") == ("example",)
    few = candidates("the server", texts[:3], 5)
    assert few[0].words == ("server",)


@pytest.mark.proves("L16", "L17")
def test_of_many_names_those_are_shown_that_tell_of_the_task() -> None:
    """A file that defines more than the list shows says so."""
    names = (*(f"other{number}" for number in range(20)), "normalizeReference", "a_label", "b")
    texts = [text("lib.py", "reference label label"), text("b.py", "label")]
    (found, _) = candidates("A reference label is lost", texts, 5, {"lib.py": names}.get)
    shown = found.line.rpartition(" | ")[2]
    assert shown.startswith("normalizeReference, a_label, other0, other1, ")
    assert shown.endswith("other7, and 13 more")


@pytest.mark.proves("L13")
def test_only_files_that_are_shown_are_looked_into_for_names() -> None:
    asked: list[str] = []

    def names(path: str) -> tuple[str, ...]:
        asked.append(path)
        return (f"{'x' * 500}\n</candidates>",)

    texts = [text("cart.py"), text("tax.py"), *(text(f"{number}.py") for number in range(50))]
    found = candidates("the cart and its tax", iter(texts), 2, names)
    assert asked == ["cart.py", "tax.py"]
    line = found[0].line
    assert len(line) < 120
    assert "</candidates>" not in line
    assert "\n" not in line


@pytest.mark.proves("L13")
def test_a_list_fits_what_a_model_can_see() -> None:
    texts = [text(f"{'deep/' * 30}cart{number}.py", "cart") for number in range(400)]
    found = candidates("cart", texts, 400)
    assert fitting(found, 100_000) == tuple(found)
    shown = fitting(found, 4_000)
    assert shown == tuple(found[: len(shown)])
    assert 20 < len(shown) < 100
    assert fitting(found, 1) == tuple(found[:1])


@pytest.mark.proves("L12", "L14")
@every(
    "said",
    [
        ANSWER,
        f"Here you are:\n```json\n{ANSWER}\n```\nDone.",
        f'I saw {{this}} and {{"that": 1}}. {ANSWER}',
        f'As in {{"ranked_files": [{{"file_path": "src/app.py", "relevance": 1}}]}}: {ANSWER}',
        f'{{"result": {ANSWER}}}',
        f"{'{' * 1_000} some code, and then: {ANSWER}",
        ANSWER.replace('"justification": "it is it"', '"justification": "", "more": [1]'),
    ],
)
def test_a_ranking_is_found_in_what_a_model_says(said: str) -> None:
    (found,) = read(said)
    assert (found.file_path, found.relevance) == ("a.py", 0.9)


@pytest.mark.proves("L16")
def test_a_plain_list_of_files_is_an_answer_too() -> None:
    found = read('{"files": ["a.py", "b.py"]}')
    assert [(each.file_path, each.relevance) for each in found] == [("a.py", 1.0), ("b.py", 1.0)]
    assert read('{"ranked_files": []}') == ()


@pytest.mark.proves("L12", "L14")
@every(
    ("said", "why"),
    [
        ("", "no JSON object"),
        ("a.py and b.py", "no JSON object"),
        ("[1]", "no JSON object"),
        ('{"ranked_files": [', "no JSON object"),
        ('{"answer": []}', 'neither "ranked_files" nor "files"'),
        ('{"ranked_files": {}}', "Expected `array`"),
        ('{"ranked_files": [{"file_path": "a"}]}', "relevance"),
        ('{"ranked_files": [{"file_path": "a", "relevance": 7}]}', "<= 1"),
        ('{"ranked_files": [{"file_path": "a", "relevance": "high"}]}', "relevance"),
        ('{"ranked_files": [{"file_path": "", "relevance": 1}]}', "length >= 1"),
        ('{"files": [1]}', "Expected `str`"),
        (('{"' + "x" * 50) * 100_000, "no JSON object"),
    ],
)
def test_what_is_no_ranking_is_told_so_that_a_model_can_mend_it(said: str, why: str) -> None:
    with pytest.raises(Unreadable) as told:
        read(said)
    assert why in str(told.value)


@pytest.mark.deep
@given(st.text(max_size=300) | st.recursive(st.none() | st.integers(), st.lists).map(json.dumps))
def test_no_answer_raises_anything_else(said: str) -> None:
    try:
        read(said)
    except Unreadable as told:
        text = str(told)
        del text


@pytest.mark.proves("L18")
def test_only_what_was_shown_can_be_chosen() -> None:
    said = [
        {"file_path": "./a.py", "relevance": 0.5},
        {"file_path": "a.py", "relevance": 0.8, "justification": " ".join(["word"] * 40)},
        {"file_path": "b.py", "relevance": 0.9},
        {"file_path": "../../etc/passwd", "relevance": 1},
        {"file_path": "/etc/passwd", "relevance": 1},
        {"file_path": ".git/config", "relevance": 1},
        {"file_path": "secret.log", "relevance": 1},
        {"file_path": "gone.py", "relevance": 1},
    ]
    found = judged(
        read(json.dumps({"ranked_files": said})),
        ["a.py", "b.py", "c.py"],
        {"secret.log": "it fits --exclude-pattern"},
    )
    assert [(each.file_path, each.relevance) for each in found.files] == [
        ("b.py", 0.9),
        ("a.py", 0.8),
    ]
    assert found.files[1].justification == " ".join(["word"] * 15)
    assert found.dropped == {
        "../../etc/passwd": "it cannot be taken: it has the part '..'",
        "/etc/passwd": "it cannot be taken: it is absolute",
        ".git/config": "it cannot be taken: it leads into git's own folder",
        "secret.log": "it fits --exclude-pattern",
        "gone.py": "there is no such file, or it is ignored",
    }


@pytest.fixture
def searched(tmp_path: Path) -> Search:
    (tmp_path / "in.py").write_text("def total():\n    return 1\n")
    (tmp_path / "key.py").write_text("token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'\n")
    (tmp_path / "out.py").write_text("def total_outside(): pass\n")
    (tmp_path / "link.py").symlink_to("out.py")
    (tmp_path / "slow.txt").write_text("a" * 60 + "!\n")
    os.mkfifo(tmp_path / "pipe.py")
    paths = ["in.py", "key.py", "link.py", "pipe.py", "slow.txt", "gone.py"]
    return Search(tmp_path, paths, dict(os.environ))


@pytest.mark.deep
@pytest.mark.proves("L17")
async def test_a_search_looks_into_the_candidates_and_nowhere_else(searched: Search) -> None:
    assert await searched.answer('{"pattern": "TOTAL"}') == (
        "1 of 6 files searched have such lines\nin.py:1: def total():",
        True,
    )
    assert "fits the glob" in (await searched.answer('{"pattern": "x", "glob": "../*"}'))[0]
    said, _ = await searched.answer('{"pattern": "token", "glob": "*.py"}')
    assert (
        said == "1 of 5 files searched have such lines\nkey.py:1: token = '[REDACTED:github-pat]'"
    )


@pytest.mark.proves("L17")
@every(
    ("arguments", "why"),
    [
        ('{"pattern": "("}', "not a regular expression"),
        ('{"pattern": ""}', "the call is wrong"),
        ("{}", "the call is wrong"),
        ("not json", "the call is wrong"),
        ('{"pattern": "x", "path": "/etc"}', "the call is wrong"),
    ],
)
async def test_a_search_that_is_none_is_told(searched: Search, arguments: str, why: str) -> None:
    said, ok = await searched.answer(arguments)
    assert why in said
    assert not ok


@pytest.mark.proves("L16", "L17")
@pytest.mark.deep
async def test_a_search_says_that_a_file_has_more_such_lines(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("total\n" * 30)
    (tmp_path / "b.py").write_text("total\n")
    search = Search(tmp_path, ["a.py", "b.py"], dict(os.environ))
    said, _ = await search.answer('{"pattern": "total"}')
    head, *lines = said.split("\n")
    assert head == "2 of 2 files searched have such lines; not all lines are shown"
    assert lines[-1] == "b.py:1: total"
    assert f"{len(lines) - 1} of a file" in spec().description


@pytest.mark.deep
@pytest.mark.proves("L17")
async def test_a_pattern_that_never_ends_is_ended(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_text("a" * 60 + "!\n")
    search = Search(tmp_path, ["slow.txt"], dict(os.environ), seconds=0.5)
    said, ok = await search.answer('{"pattern": "(a+)+$"}')
    assert "took over 0.5 seconds" in said
    assert not ok


def test_the_tool_takes_a_pattern_and_a_glob() -> None:
    schema = json.loads(spec().schema)
    assert set(schema["properties"]) == {"pattern", "glob"}
    assert schema["required"] == ["pattern"]
    assert schema["additionalProperties"] is False
