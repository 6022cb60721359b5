"""What a person may call a repository, and git's own words about how far it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.core.errors import Misuse
from ouroboros.workspace.repos.address import checked_name, moved, read_address
from ouroboros.workspace.repos.faults import RepoRefused
from ouroboros.workspace.repos.progress import Lines, Progress, read_line
from ouroboros.workspace.repos.refs import checked_ref
from ouroboros.workspace.repos.survey import check_path
from tests.cases import every

BASE = "https://git.example.com"


@every(
    ("written", "url", "name"),
    [
        ("pallets/click", f"{BASE}/pallets/click.git", "pallets_click"),
        ("pallets/click.git", f"{BASE}/pallets/click.git", "pallets_click"),
        ("https://h.org/a/b/c.git", "https://h.org/a/b/c.git", "b_c"),
        ("https://h.org:8443/c/", "https://h.org:8443/c/", "c"),
        ("git@h.org:o/r.git", "git@h.org:o/r.git", "o_r"),
        ("ssh://git@h.org:2222/o/r", "ssh://git@h.org:2222/o/r", "o_r"),
        ("file:///srv/o/r.git", "file:///srv/o/r.git", "o_r"),
        ("https://h.org/o/..%2f..%2fetc", "https://h.org/o/..%2f..%2fetc", "o_..-2f..-2fetc"),
    ],
)
def test_a_repository_has_an_address_and_a_folder(written: str, url: str, name: str) -> None:
    address = read_address(written, base=BASE)
    assert (address.kind, address.url, address.name) == ("remote", url, name)
    assert checked_name(address.name)


@every("written", [".", "..", "./a", "../a", "/a/b", "~/a"])
def test_a_path_is_a_folder_of_the_persons(written: str) -> None:
    assert read_address(written, base=BASE).kind == "folder"


@pytest.mark.proves("Y02")
@every(
    "written",
    [
        *("", "  ", "click", "--upload-pack=touch x", "-a/b", "a/b/c", "a b/c", "a/../b"),
        *(
            "ext::sh -c touch% x",
            "ext::https://h/o/r",
            "fd::17",
            "javascript://h/o/r",
            "http:///o/r",
        ),
        *("https://me:secret@h.org/o/r", "https://token@h.org/o/r", "file://other/o/r"),
        *("https://h.org/o/r?x=1", "https://h.org/", "https://h:x/o/r", "https://-h/o/r"),
        *("-oProxyCommand=x:o/r", "ssh://-oProxyCommand=x/o/r", "a/\x1b[31mb"),
    ],
)
def test_what_is_no_address_is_refused(written: str) -> None:
    with pytest.raises(Misuse) as refused:
        read_address(written, base=BASE)
    assert "secret" not in refused.value.message + refused.value.hint


@given(st.text(max_size=60))
def test_whatever_is_written_has_a_safe_name_or_none(written: str) -> None:
    try:
        address = read_address(written, base=BASE)
    except Misuse:
        return
    if address.kind == "remote":
        assert checked_name(address.name)
        assert not address.url.startswith("-")


@every("name", ["", ".", "..", ".x", "a/b", "-a", "a.lock", "x" * 101, "a\n", "a b"])
def test_a_name_that_is_no_folder_is_refused(name: str) -> None:
    with pytest.raises(Misuse):
        checked_name(name)


@every("ref", ["-x", "a..b", "a b", "x:y", "a^", "@{u}", "a\nb", "/a", "a.lock", "a*"])
def test_a_ref_that_git_could_not_have_is_refused(ref: str) -> None:
    with pytest.raises(Misuse):
        checked_ref(ref)


@every(
    ("from_", "to", "is_taken"),
    [
        ("https://h.org/o/r", "https://h.org/o/new/info/refs?service=x", True),
        ("http://h.org/o/r", "https://h.org/o/r/info/refs", True),
        ("https://h.org/o/r", "http://h.org/o/r/info/refs", False),
        ("https://h.org/o/r", "https://evil.org/o/r/info/refs", False),
        ("https://h.org/o/r", "https://h.org:444/o/r/info/refs", False),
        ("https://h.org/o/r", "file:///etc/info/refs", False),
        ("https://h.org/o/r", "https://h.org@evil.org/o/r/info/refs", False),
    ],
)
def test_a_server_may_only_send_on_within_itself(from_: str, to: str, *, is_taken: bool) -> None:
    address = read_address(from_, base=BASE)
    if is_taken:
        assert moved(address, to).url == to.partition("/info/refs")[0]
        return
    with pytest.raises(Misuse):
        moved(address, to)


@pytest.mark.proves("Y02")
@every(
    "path",
    [
        *(".git/config", "a/.GIT/hooks/x", "a/.git ", "git~1/x", ".g\u200cit/x", ".git::$INDEX/x"),
        *("../x", "/etc/passwd", "a//b", "a/./b", "x" * 256, "a/" * 2000 + "b"),
    ],
)
def test_names_that_lead_elsewhere_are_not_written(path: str) -> None:
    with pytest.raises(RepoRefused):
        check_path(path)


@every("path", [".gitignore", "a/.github/x", "ä/日本", "a.git/x", "...", "a b"])
def test_ordinary_names_are(path: str) -> None:
    check_path(path)


@pytest.mark.proves("Y02")
def test_gits_words_are_read() -> None:
    line = "Receiving objects:  45% (450/1000), 1.50 MiB | 3.00 MiB/s"
    assert read_line(line) == Progress(
        stage="receiving", percent=45, done=450, total=1000, bytes=1_572_864
    )
    assert read_line("remote: Counting objects: 100% (3/3), done.") == Progress(
        stage="counting", percent=100, done=3, total=3
    )
    assert read_line("fatal: no") is None


@given(st.binary(max_size=300), st.integers(1, 20))
def test_lines_are_the_same_however_they_arrive(data: bytes, size: int) -> None:
    pieces, whole = Lines(), Lines()
    found = [line for at in range(0, len(data), size) for line in pieces.feed(data[at : at + size])]
    assert [*found, *pieces.end()] == [*whole.feed(data), *whole.end()]
    for line in found:
        read_line(line)
