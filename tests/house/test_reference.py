"""The reference pages say what the program knows: every command, setting, event and tool."""

import pytest

from ouroboros.app.config.schema import format_key, leaves
from ouroboros.core.events.schema import registry
from ouroboros.faces.cli.tree import COMMANDS
from ouroboros.llm.providers import table
from tests.cases import every
from tests.house.reference import FOLDER, PAGES, vendors


@pytest.mark.proves("spine-papers", "W06")
@every("name", PAGES)
def test_a_page_is_what_the_program_says(name: str) -> None:
    written = (FOLDER / name).read_text("utf-8")
    assert written == PAGES[name](), "out of date: run `just docs`"


def test_there_is_no_page_nobody_makes() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


@pytest.mark.proves("spine-papers")
def test_the_pages_name_every_command_setting_and_event() -> None:
    wanted = {
        "commands.md": [f"## ouro {name}\n" for name in COMMANDS],
        "settings.md": [f"| `{format_key(leaf.path)}` |" for leaf in leaves()],
        "events.md": [f"## `{name}`" for name in registry()],
    }
    pages = {page: PAGES[page]() for page in wanted}
    missing = [
        (page, entry)
        for page, entries in wanted.items()
        for entry in entries
        if entry not in pages[page]
    ]
    assert missing == []


def test_the_tools_page_names_what_a_coding_agent_needs() -> None:
    page = PAGES["tools.md"]()
    assert [name for name in ("read", "write", "edit", "shell") if f"## `{name}`" not in page] == []


def test_the_built_table_of_vendors_is_its_source() -> None:
    assert table.BUILT.read_bytes() == vendors(), "run `just docs`"
    assert table.build() == table.ENTRIES
