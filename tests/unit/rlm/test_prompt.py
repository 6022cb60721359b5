"""The fixed prompt speaks only of functions that the REPL has."""

import re

import pytest

from ouroboros.rlm import prompts

DATA = "## Session\nenv.name = value\nsetFinal(value)\nread(path): string"
ASK = "\nllm_query(prompt, data?): string\nllm_map(prompt, items)"
PAGES = (
    "\nopenTab(url?): tab id\nwaitForLoad(tab)\nquerySelectorAll(tab, sel)\nexecInTab(tab, code)"
)


@pytest.mark.parametrize("api", [DATA, DATA + ASK, DATA + PAGES, DATA + ASK + PAGES])
def test_examples_and_rules_of_code_name_only_what_there_is(api: str) -> None:
    text = prompts.load().system(api, can_ask="llm_query" in api)
    assert "{" + "examples}" not in text
    assert "{pages}" not in text
    after = text.partition("# Code format")[2]
    named = set(re.findall(r"\b(openTab|execInTab|querySelectorAll|llm_map|llm_query)\b", after))
    assert named == {name for name in named if f"{name}(" in api}
    assert ("execInTab" in after) == ("openTab" in api)
    assert after.count("setFinal(") >= 1
