"""Functions are called by the names they have, wherever their names are said by hand."""

import re
from pathlib import Path

import pytest

from ouroboros.app import settings
from ouroboros.app.seeds import names
from ouroboros.repl.api import BUILT_IN
from ouroboros.repl.functions import pages, session, workspace
from ouroboros.repl.functions.catalogue import GROUPS
from ouroboros.repl.tools.execute import BrowserExecuteTool
from ouroboros.rlm import progress

OTHERS = (
    workspace.ReadFunction,
    workspace.WriteFunction,
    workspace.GrepFunction,
    workspace.FindFunction,
    workspace.ListFilesFunction,
    session.StoreFunction,
    session.RetrieveFunction,
    session.SleepFunction,
    session.RecipeFunction,
)
FUNCTIONS = {
    *(spec.name for _, specs in GROUPS for spec in specs),
    *(function.name for function in OTHERS),
    *("tabs", "activeTab", "log", "setFinal", "llm_query", "llm_batch", "llm_map"),
}


@pytest.mark.proves("B31")
def test_the_description_of_a_tool_names_functions_there_are() -> None:
    _, _, listed = BrowserExecuteTool.description.partition("`activeTab`: ")
    said = re.findall(r"(\w+)(?:\([^)]*\))?[,.]", listed)
    assert len(said) > 20
    assert set(said) <= FUNCTIONS


@pytest.mark.proves("B08")
def test_progress_knows_functions_there_are() -> None:
    assert set(progress.ACTIONS) <= FUNCTIONS


def test_no_variable_of_the_person_hides_a_function(tmp_path: Path) -> None:
    assert [name for name in FUNCTIONS if names.split(f"{name}=a.csv", tmp_path)[0]] == []
    assert names.split("bill=a.csv", tmp_path) == ("bill", "a.csv")


def test_what_is_built_in_is_among_them() -> None:
    built_in = {line.partition("(")[0] for line in BUILT_IN if "(" in line.partition(":")[0]}
    assert built_in <= FUNCTIONS


def test_the_risks_of_the_settings_are_those_that_are_looked_for() -> None:
    assert set(settings.RISKS) == pages.RISKS
