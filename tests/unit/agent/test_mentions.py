"""What counts as a name that a person's words mention, and what does not."""

from hypothesis import given
from hypothesis import strategies as st

from ouroboros.agent.context.mentions import MOST, Mention, mentions
from tests.cases import every


def path(target: str, first: int = 0, last: int = 0) -> tuple[str, str, int, int]:
    return ("path", target, first, last)


def read(text: str) -> list[tuple[str, str, int, int]]:
    return [(m.kind, m.target, m.first, m.last) for m in mentions(text)]


@every(
    ("words", "wanted"),
    [
        ("see @src/a.py please", path("src/a.py")),
        ("(@src/)", path("src/")),
        ("Is it @file.md?", path("file.md")),
        ("@a.py:10-40.", path("a.py", 10, 40)),
        ("@a.py:40-10", path("a.py", 10, 40)),
        ("@a.py:7, then", path("a.py", 7, 7)),
        ("@a.py#L3-L9", path("a.py", 3, 9)),
        ('@"my file.txt":3-4', path("my file.txt", 3, 4)),
        ("@'my file.txt'", path("my file.txt")),
        ("@<odd `name>", path("odd `name")),
        ("@my\\ file.txt", path("my file.txt")),
        ("@a:b.txt", path("a:b.txt")),
        ("@résumé.md", path("résumé.md")),
        ("@~/x.md", path("~/x.md")),
        ("@.", path(".")),
        ("at @https://e.org/a(b).", ("url", "https://e.org/a(b)", 0, 0)),
        ("(@https://e.org/?q=1)", ("url", "https://e.org/?q=1", 0, 0)),
        ('@"https://e.org/a b"', ("url", "https://e.org/a b", 0, 0)),
    ],
)
def test_a_name_is_found_with_its_lines(words: str, wanted: tuple[str, str, int, int]) -> None:
    assert read(words) == [wanted]


@every(
    "words",
    [
        "mail me@example.org",
        "@app.route('/x')",
        "@cache()\ndef f(): ...",
        "HEAD@{1} and @{upstream}",
        "@@ -1,2 +1,2 @@",
        "\\@no.md",
        "what @ home",
        "in `@code.py` only",
        "```\n@x.py\n```",
        "~~~py\n@x.py\n~~~",
        "user@host:/srv/a.py",
    ],
)
def test_other_uses_of_the_sign_are_no_names(words: str) -> None:
    assert read(words) == []


@every(
    ("words", "sure"),
    [
        ("@property", False),
        ("@pytest.mark.slow", False),
        ("@types/node", False),
        ("@alice", False),
        ("@notes.md", True),
        ("@./notes", True),
        ("@a/b/c", True),
        ("@x:5", True),
        ('@"alice"', True),
    ],
)
def test_a_word_that_may_be_anything_is_not_surely_a_file(words: str, sure: bool) -> None:
    (mention,) = mentions(words)
    assert mention.is_sure is sure


def test_a_name_counts_once_and_there_are_so_many_at_most() -> None:
    assert len(mentions("@a.py @a.py @a.py:1 @b.py")) == 3
    assert len(mentions(" ".join(f"@f{number}.py" for number in range(50)))) == MOST


def test_what_was_written_is_what_is_shown() -> None:
    found = mentions('@a.py:2-3, @"b c.md":4. @d.py?')
    assert [m.written for m in found] == ["@a.py:2-3", '@"b c.md":4', "@d.py"]


@given(st.text(alphabet="@a.:/`\"'<>()[]{}\\ \n#L1-~,", max_size=60))
def test_any_words_are_read_and_names_stand_in_them(words: str) -> None:
    for mention in mentions(words):
        assert isinstance(mention, Mention)
        assert mention.target.strip()
        assert mention.last >= mention.first
        assert mention.target in words.replace("\\ ", " ")


@every(
    "words",
    [
        "@https://e.org/" + ")" * 1_000_000,
        "@" + "a" * 1_000_000,
        "@a" + ":1" * 500_000,
        '@"' + "a" * 1_000_000,
        "@" * 1_000_000,
        "@a" + "\\ " * 300_000,
        "`" * 1_000_000 + "@a.py",
        "```\n" * 300_000 + "~~~\n" * 300_000,
        "x" * 200_000 + " @late.py",
    ],
    ids=range(9),
)
def test_words_without_end_name_nothing(words: str) -> None:
    assert mentions(words) == ()
