"""A rule that denies or asks and can never hold stops the start, and says where it stands."""

from pathlib import Path

import pytest

from ouroboros.app.config import layers as config
from ouroboros.app.config.rule_names import limiting
from ouroboros.app.settings import Settings
from ouroboros.app.wiring import toolbox
from ouroboros.core.errors import ConfigBroken
from ouroboros.repl.functions.pages import RISKS
from ouroboros.repl.tools import control, execute, look
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Intent, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every
from tests.unit.repl.test_names import FUNCTIONS


def load(root: Path, own: str, **variables: str) -> config.Loaded:
    home = root / "home"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(own, "utf-8")
    work = root / "work"
    work.mkdir(exist_ok=True)
    settings = {"OUROBOROS_HOME": str(home), **variables}
    return config.load(work, settings, {}, managed=root / "managed.toml")


WRONG = [
    ("shel(rm:*)", "no tool has this name, did you mean shell?"),
    ("Bsh(rm:*)", "no tool has this name, did you mean shell?"),
    ("submitt(https://a.example/*)", "no tool has this name, did you mean submit?"),
    ("qqqq", "no tool has this name?"),
    ("update_plan(x)", "a rule about update_plan takes no content"),
    ("mcp__docs__search(x)", "takes no content"),
    ("*(.env)", "takes no content"),
    ("Re*(.env)", "takes no content"),
]


@pytest.mark.proves("E08")
@every("outcome", ["deny", "ask"])
@every(("rule", "why"), WRONG)
def test_a_rule_that_can_never_hold_names_its_file_and_line(
    tmp_path: Path, rule: str, why: str, outcome: str
) -> None:
    with pytest.raises(ConfigBroken) as broken:
        load(tmp_path, f'model = "m"\n\n[permissions]\n{outcome} = ["Read(a)", "{rule}"]\n')
    said = broken.value.message
    place = f"{tmp_path / 'home' / 'config.toml'}, line 4: permissions.{outcome}: "
    assert said.startswith(f"{place}{rule} can never hold: ")
    assert why in said


@pytest.mark.proves("E08")
def test_one_of_a_profile_or_a_variable_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigBroken, match=r"line 2: profiles\.work\.permissions\.deny: shel can"):
        load(tmp_path, '[profiles.work.permissions]\ndeny = ["shel"]\n', OUROBOROS_PROFILE="work")
    with pytest.raises(ConfigBroken, match="OUROBOROS_PERMISSIONS_DENY: shel can never hold"):
        load(tmp_path, "", OUROBOROS_PERMISSIONS_DENY='["shel"]')


def test_an_allow_that_names_nothing_only_does_nothing(tmp_path: Path) -> None:
    loaded = load(tmp_path, '[permissions]\nallow = ["shel(ls)"]\n')
    assert [str(rule) for rule in loaded.rules] == ["shel(ls)"]


def test_a_tool_of_one_s_own_may_be_denied(tmp_path: Path) -> None:
    (tmp_path / "home" / "tools" / "greet").mkdir(parents=True)
    loaded = load(tmp_path, '[permissions]\ndeny = ["greet", "later*"]\n')
    assert [str(rule) for rule in loaded.rules] == ["greet", "later*"]


@pytest.mark.proves("E08")
def test_every_name_that_there_is_may_be_denied(tmp_path: Path) -> None:
    shelf = toolbox.shelf_of(Settings(), home=tmp_path, cwd=tmp_path)
    own = [*vars(execute).values(), *vars(look).values(), *vars(control).values()]
    named = [getattr(each, "name", None) for each in own if isinstance(each, type)]
    classes = [name for name in named if isinstance(name, str)]
    assert len(classes) >= 7
    names = {
        *toolbox.registry(Settings(), shelf=shelf).names(),
        *classes,
        *(FUNCTIONS - {"tabs", "activeTab", "log", "setFinal"}),
        *RISKS,
        *("Bash", "Read", "Edit", "Write", "Search", "MultiEdit", "browser", "mcp__a__b", "*"),
    }
    for name in names:
        limiting("deny", name, home=tmp_path, project=tmp_path)


PATTERNS = [
    ("mcp__docs__*", "mcp__docs__search", "deny"),
    ("mcp__docs__*", "mcp__mail__send", "allow"),
    ("exec*", "exec_command", "deny"),
]


@every(("rule", "tool", "said"), PATTERNS)
def test_a_name_with_a_star_is_about_all_that_are_named_so(rule: str, tool: str, said: str) -> None:
    rules = Rules([parse_rule("deny", rule)], Places(roots=(Path("/w"),)), canonical)
    intent = Intent(tool=tool, kind="mcp" if "mcp" in tool else "execute", command="ls")
    assert rules.decide(intent, mode="full-auto").outcome == said


def test_a_name_with_a_star_is_about_functions_of_pages(tmp_path: Path) -> None:
    rules = Rules([parse_rule("deny", "get*")], Places(roots=(tmp_path,)), canonical)
    url = "https://a.example/"
    said = [
        rules.decide(Intent(tool=tool, kind="look", url=url), mode="ask").outcome
        for tool in ("getText", "getLinks", "screenshot")
    ]
    assert said == ["deny", "deny", "allow"]
