"""A page is shown in the person's own browser, and none of them ever has the terminal that we have."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.app.providers.logins import open_page
from tests.cases import every

pytestmark = pytest.mark.real

OPENS = """
import os, sys, time
from ouroboros.app.providers.logins import open_page
assert open_page("http://127.0.0.1:1/#token=x", dict(os.environ))
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
"""


@pytest.mark.deep
@pytest.mark.proves("interfaces-ouro-web-open")
def test_a_browser_has_neither_our_terminal_nor_our_keys(tmp_path: Path) -> None:
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(
        "#!/bin/sh\nfor n in 0 1 2; do [ -t $n ] && echo terminal; done > $0.part\n"
        "(: < /dev/tty) 2> /dev/null && echo terminal >> $0.part\n"
        f'echo "$1 $OPENAI_API_KEY" >> $0.part\nmv $0.part {seen}\n'
    )
    browser.chmod(0o755)
    # What lies in the folder is not what is run.
    (tmp_path / "webbrowser.py").write_text(f"open({str(seen)!r}, 'w').write('from here')")
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-P", "-c", OPENS, seen],
            cwd=tmp_path,
            env={**os.environ, "BROWSER": str(browser), "OPENAI_API_KEY": "sk-x", "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            check=True,
            timeout=60,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert seen.read_text() == "http://127.0.0.1:1/#token=x \n"


@pytest.mark.proves("interfaces-ouro-web-open")
@every("named", ["w3m", "/usr/bin/lynx -nocolor %s", "links2:elinks", "www-browser"])
def test_a_browser_that_needs_a_terminal_is_none(named: str) -> None:
    assert not open_page("http://127.0.0.1:1/", {"BROWSER": named, "DISPLAY": ":0"})


@pytest.mark.proves("interfaces-ouro-web-open")
def test_where_nothing_can_be_seen_there_is_none() -> None:
    assert sys.platform != "linux" or not open_page("http://127.0.0.1:1/", {"TERM": "xterm"})
