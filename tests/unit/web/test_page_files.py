"""The files of the page: complete, small, by themselves, and nothing in them that the policy refuses."""

import gzip
import re
from hashlib import sha256
from itertools import chain
from pathlib import Path
from posixpath import join, normpath

from ouroboros.faces.web.application import STATIC

FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
LOADED = [path for path in FILES if path.suffix in {".html", ".js", ".css", ".svg"}]
LINES = 400
FORBIDDEN = (
    r"\binnerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write",
    r"\beval\(|new Function",
    r"""\son[a-z]+=["']""",
    r"""\sstyle=["'$]""",
    r"<style|@import|@font-face",
    r"""(?:src|href)=["'](?:https?:)?//""",
    r"""url\(["']?(?!data:)""",
    r"""(?:fetch|import|WebSocket)\(["'](?:https?:|wss?:)?//""",
)
_IMPORT = re.compile(r"""(?:^|\n)\s*(?:import|export)\s[^;]*?from\s*["']([^"']+)["']""")
_LATER = re.compile(r"""import\(["']([^"']+)["']\)""")


def _name(path: Path) -> str:
    return path.relative_to(STATIC).as_posix()


def _imported(name: str, pattern: re.Pattern[str] = _IMPORT) -> list[str]:
    """The modules that a module names, from the folder of the page."""
    found = pattern.findall((STATIC / name).read_text(encoding="utf-8"))
    assert all(each.startswith(".") for each in found), (name, found)
    return [normpath(join(name.rpartition("/")[0], each)) for each in found]


def _graph(*names: str) -> set[str]:
    """All that these modules need, themselves included."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imported(name)
    return found


def test_what_the_chat_needs_is_asked_for_at_once() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    asked = re.findall(r'rel="modulepreload" href="([^"]+)"', page)
    asked += re.findall(r'<script type="module" src="([^"]+)"', page)
    assert sorted(asked) == sorted(_graph("js/main.js", "js/views/chat.js"))


def test_every_file_is_needed_and_every_needed_file_is_there() -> None:
    names = {_name(path) for path in LOADED}
    views = _imported("js/views/index.js", _LATER)
    used = _graph("js/main.js", *views) | {"index.html"}
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    used |= set(re.findall(r'<link rel="(?:icon|stylesheet)" href="([^"]+)"', page))
    assert names == used


def test_the_page_is_smaller_than_190_kb_on_the_way() -> None:
    sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in LOADED]
    assert sum(sizes) < 190_000, f"{sum(sizes):,} bytes"


def test_files_of_ours_are_short_and_keep_to_the_policy() -> None:
    for path in LOADED:
        if "vendor" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= LINES, _name(path)
        found = list(chain.from_iterable(re.findall(each, text) for each in FORBIDDEN))
        assert found == [], _name(path)


def test_what_is_not_ours_has_its_licence_and_says_where_it_is_from() -> None:
    told = (STATIC / "vendor" / "README.md").read_text(encoding="utf-8")
    for path in (STATIC / "vendor").glob("*.js"):
        assert f"`{path.name}`" in told
        assert sha256(path.read_bytes()).hexdigest() in told, f"{path.name}: changed without a word"
    assert {path.name for path in (STATIC / "vendor").glob("LICENSE.*")} == {
        "LICENSE.preact",
        "LICENSE.htm",
        "LICENSE.markdown-it",
    }
