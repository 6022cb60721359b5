"""What was read of pages is known to later runs: by files, by kept values, by a session's variables."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ouroboros.app.demo.site.server import Shop, open_shops
from tests import forked

MINE = "only my own words"


@pytest.fixture
def shops() -> Iterator[tuple[Shop, ...]]:
    with open_shops() as opened:
        yield opened


def browse(folder: Path, blocks: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    path = folder / "turns.jsonl"
    turns = [json.dumps({"text": f"```repl\n{block}\n```"}) for block in blocks]
    path.write_text("\n".join(turns) + "\n", encoding="utf-8")
    return forked.run(
        [
            *(sys.executable, "-I", "-m", "ouroboros", "browse", "--model", f"script:{path}"),
            *("--mode", "full-auto", *words),
        ],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)},
        cwd=folder,
        timeout=90,
        check=False,
    )


@pytest.mark.proves("browser-taint")
@pytest.mark.deep
def test_a_later_run_that_takes_up_page_data_is_asked_before_it_opens_a_new_place(
    tmp_path: Path, shops: tuple[Shop, ...]
) -> None:
    read = [
        f"const tab = await openTab('{shops[0].url}'); const page = await getText(tab);",
        f"await write('page.txt', page); await write('mine.txt', '{MINE}');",
        "await store('page', page); setFinal(page.length)",
    ]
    first = browse(tmp_path, ["\n".join(read)], f"look at {shops[0].url}")
    assert first.returncode == 0, first.stderr
    (tmp_path / "page.txt").rename(tmp_path / "renamed.txt")
    asked_before = list(shops[1].asked)
    handed = ("--data", "data=renamed.txt")
    for taken, words in (("read('renamed.txt')", ()), ("retrieve('page')", ()), ("data", handed)):
        blocks = [
            f"const found = await {taken}; await openTab('{shops[1].url}?d=' + found.length)",
            "setFinal('went on')",
        ]
        later = browse(tmp_path, blocks, *words, "go on")
        assert (later.returncode, later.stdout) == (0, "went on\n"), later.stderr
        assert "1 call refused: nobody was here to approve" in later.stderr
        assert "a new place, after reading data of" in " ".join(later.stderr.split())
        assert shops[1].asked == asked_before


@pytest.mark.deep
def test_a_run_that_has_read_nothing_opens_what_it_likes(
    tmp_path: Path, shops: tuple[Shop, ...]
) -> None:
    (tmp_path / "mine.txt").write_text(MINE)
    code = f"await read('mine.txt'); await openTab('{shops[1].url}'); setFinal(tabs.length)"
    ended = browse(tmp_path, [code], "open it")
    assert (ended.returncode, ended.stdout) == (0, "2\n"), ended.stderr
    assert shops[1].asked[0] == "/"


@pytest.mark.proves("browser-taint")
@pytest.mark.deep
def test_a_resumed_session_has_its_variables_and_has_read_what_it_had_read(
    tmp_path: Path, shops: tuple[Shop, ...]
) -> None:
    code = f"const tab = await openTab('{shops[0].url}'); const page = await getText(tab)"
    first = browse(tmp_path, [f"{code}; setFinal(page.length)"], f"look at {shops[0].url}")
    assert first.returncode == 0, first.stderr
    found = re.search(r"--resume (ses_\w+)", first.stderr)
    assert found is not None, first.stderr
    blocks = [
        f"await openTab('{shops[1].url}?d=' + page.length)",
        "setFinal(page.length)",
    ]
    later = browse(tmp_path, blocks, "--resume", found.group(1), "go on")
    assert (later.returncode, later.stdout) == (0, first.stdout), later.stderr
    assert "1 call refused: nobody was here to approve" in later.stderr
    assert shops[1].asked == []
