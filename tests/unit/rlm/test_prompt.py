"""The fixed prompt speaks only of functions that the REPL has."""

import re

import pytest

from ouroboros.rlm import prompts
from tests.cases import every

DATA = "## Session\nenv.name = value\nsetFinal(value)\nread(path): string"
ASK = "\nllm_query(prompt, data?): string\nllm_map(prompt, items)"
PAGES = (
    "\nopenTab(url?): tab id\nwaitForLoad(tab)\nquerySelectorAll(tab, sel)\nexecInTab(tab, code)"
)


@every("api", [DATA, DATA + ASK, DATA + PAGES, DATA + ASK + PAGES])
def test_examples_and_rules_of_code_name_only_what_there_is(api: str) -> None:
    text = prompts.load().system(api, can_ask="llm_query" in api)
    assert "{" + "examples}" not in text
    assert "{pages}" not in text
    after = text.partition("# Code format")[2]
    named = set(re.findall(r"\b(openTab|execInTab|querySelectorAll|llm_map|llm_query)\b", after))
    assert named == {name for name in named if f"{name}(" in api}
    assert ("execInTab" in after) == ("openTab" in api)
    assert after.count("setFinal(") >= 1


OF_BROWSERS = re.compile(r"\b(browsers?|pages?|tabs?|click|navigat\w+|waitFor\w+)\b", re.IGNORECASE)


@pytest.mark.proves("browser-prompts-of-runs-without-a-browser")
@pytest.mark.parametrize("is_child", [False, True])
def test_without_a_browser_nothing_is_said_of_one(is_child: bool) -> None:
    words = prompts.load()
    plain = words.system(DATA + ASK, can_ask=True, is_child=is_child)
    assert OF_BROWSERS.findall(plain) == []
    full = words.system(DATA + ASK + PAGES, can_ask=True, is_child=is_child)
    assert {"waitForLoad", "page", "pages"} <= set(OF_BROWSERS.findall(full))
    for text in (plain, full):
        assert "<<" not in text
        assert ">>" not in text
        rules = re.findall(r"^(\d+)\. ", text, re.MULTILINE)
        assert rules == [str(n + 1) for n in range(len(rules))]
