"""Where a value comes from, and that the nearest layer wins."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.app.config import layers as config
from ouroboros.app.config import schema as config_schema
from ouroboros.app.config import trust
from ouroboros.app.settings import Rule, Settings
from tests.cases import every


class Place:
    """A home, a project inside git with a folder below, and an administrator's file."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "project"
        self.cwd = self.project / "src" / "deep"
        self.managed = root / "managed.toml"
        self.home.mkdir()
        self.cwd.mkdir(parents=True)
        (self.project / ".git").mkdir()
        (self.project / ".ouroboros").mkdir()
        self.environment = {"OUROBOROS_HOME": str(self.home)}

    def user(self, text: str) -> None:
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    def own(self, text: str, name: str = "config.toml") -> None:
        (self.project / ".ouroboros" / name).write_text(text, encoding="utf-8")

    def trust(self) -> None:
        trust.grant(self.home, trust.read(self.project, self.home))

    def load(
        self, flags: dict[str, object] | None = None, profile: str = "", **variables: str
    ) -> config.Loaded:
        environment = {**self.environment, **variables}
        return config.load(self.cwd, environment, flags or {}, profile, managed=self.managed)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.proves("W06")
def test_without_any_layer_every_setting_has_its_default(place: Place) -> None:
    loaded = place.load()

    assert loaded.settings == Settings()
    assert loaded.origins == {}
    assert loaded.warnings == ()
    assert loaded.home == place.home


LAYERS = ("user", "project", "local", "profile", "environment", "command line", "managed")


@pytest.mark.proves("W01")
@every("highest", range(len(LAYERS)))
def test_each_layer_beats_those_below_it(tmp_path: Path, highest: int) -> None:
    place = Place(tmp_path)
    active = LAYERS[: highest + 1]
    user = 'model = "user"\n' + (
        '[profiles.work]\nmodel = "profile"\n' if "profile" in active else ""
    )
    place.user(user)
    if "project" in active:
        place.own('model = "project"')
    if "local" in active:
        place.own('model = "local"', "config.local.toml")
    place.trust()
    if "managed" in active:
        place.managed.write_text('model = "managed"', encoding="utf-8")

    loaded = place.load(
        {"model": "command line"} if "command line" in active else {},
        profile="work" if "profile" in active else "",
        **({"OUROBOROS_MODEL": "environment"} if "environment" in active else {}),
    )

    assert loaded.settings.model == LAYERS[highest]
    assert loaded.origins["model"] == LAYERS[highest]


def test_tables_are_joined_key_by_key(place: Place) -> None:
    place.user("[limits]\nmax_turns = 3\nmax_tokens = 9\n")
    place.own("[limits]\nmax_turns = 5\n")
    place.trust()

    loaded = place.load()

    assert loaded.settings.limits.max_turns == 5
    assert loaded.settings.limits.max_tokens == 9
    assert loaded.origins == {"limits.max_turns": "project", "limits.max_tokens": "user"}


@pytest.mark.proves("E07")
def test_permission_rules_of_all_layers_add_up(place: Place) -> None:
    place.user('[permissions]\ndeny = ["Bash(rm:*)"]\nallow = ["Read(*)"]')
    place.own('[permissions]\ndeny = [{toolName = "Write", ruleContent = "*.pem"}]')
    place.trust()
    place.managed.write_text('[permissions]\ndeny = ["Bash(curl:*)"]', encoding="utf-8")

    loaded = place.load({"permissions.deny": ["Edit(x)"]}, OUROBOROS_PERMISSIONS_DENY="Read(.env)")

    assert loaded.settings.permissions.deny == (
        "Bash(rm:*)",
        Rule(tool_name="Write", rule_content="*.pem"),
        "Read(.env)",
        "Edit(x)",
        "Bash(curl:*)",
    )
    assert loaded.settings.permissions.allow == ("Read(*)",)
    assert loaded.origins["permissions.deny"] == (
        "user + project + environment + command line + managed"
    )


def test_other_lists_are_replaced(place: Place) -> None:
    place.user('[tools]\ndisabled = ["bash", "write"]')

    assert place.load(OUROBOROS_TOOLS_DISABLED='["edit"]').settings.tools.disabled == ("edit",)


def test_a_broken_profile_that_is_not_chosen_does_no_harm(place: Place) -> None:
    place.user('model = "m"\n[profiles.other]\nmodel = 3\n')

    assert place.load().settings.model == "m"


def test_the_profile_may_be_named_by_a_variable(place: Place) -> None:
    place.user('[profiles.work]\nmode = "plan"\n')

    assert place.load(OUROBOROS_PROFILE="work").settings.mode == "plan"


def test_an_empty_variable_and_an_absent_option_count_as_not_given(place: Place) -> None:
    place.user('model = "user"')

    loaded = place.load({"model": None}, OUROBOROS_MODEL="")

    assert loaded.settings.model == "user"


def test_names_of_models_may_hold_dots_and_slashes(place: Place) -> None:
    place.user('[models."openai/gpt-5.1"]\nwindow = 1000\n')

    loaded = place.load()

    assert loaded.settings.models["openai/gpt-5.1"].window == 1000
    assert loaded.origins == {'models."openai/gpt-5.1".window': "user"}


def test_the_nearest_project_folder_below_the_work_tree_counts(place: Place) -> None:
    nearer = place.project / "src" / ".ouroboros"
    nearer.mkdir()
    (nearer / "config.toml").write_text('model = "nearer"', encoding="utf-8")
    place.own('model = "top"')
    trust.grant(place.home, trust.read(place.project / "src", place.home))

    assert place.load().settings.model == "nearer"


def test_nothing_above_the_work_tree_is_looked_at(tmp_path: Path) -> None:
    place = Place(tmp_path)
    above = tmp_path / ".ouroboros"
    above.mkdir()
    (above / "config.toml").write_text("not toml at all [", encoding="utf-8")
    (place.project / ".ouroboros").rmdir()

    assert place.load().project == place.project


def test_outside_of_git_only_the_folder_itself_counts(tmp_path: Path) -> None:
    above = tmp_path / "plain" / ".ouroboros"
    above.mkdir(parents=True)
    cwd = tmp_path / "plain" / "below"
    cwd.mkdir()

    assert trust.project_folder(cwd, tmp_path / "home") == cwd
    assert trust.project_folder(cwd.parent, tmp_path / "home") == cwd.parent


def test_the_home_folder_is_never_a_project(tmp_path: Path) -> None:
    home = tmp_path / ".ouroboros"
    home.mkdir()
    (home / "config.toml").write_text('model = "m"', encoding="utf-8")

    loaded = config.load(tmp_path, {"HOME": str(tmp_path)}, {}, managed=tmp_path / "managed.toml")

    assert loaded.settings.model == "m"
    assert loaded.warnings == ()


def test_without_a_home_the_person_is_told_what_to_set() -> None:
    with pytest.raises(config.Misuse, match="neither OUROBOROS_HOME nor HOME is set"):
        config.home_folder({})


LEAVES = [leaf for leaf in config_schema.leaves() if "NAME" not in leaf.path]
TEXTS = {
    "mode": "plan",
    "effort": "low",
    "checkpoints.enabled": "false",
    "checkpoints.on_failure": "warn",
    "context.threshold": "0.5",
    "context.notes": "local",
    "context.off": "a,b",
    "context.scope": "body_after_prefix",
    "personality": "friendly",
    "repos.depth": "7",
    "repos.host": "https://git.example.com",
    "browser.mode": "attach",
    "browser.headless": "false",
    "browser.width": "800",
    "browser.height": "600",
    "browser.confirm": "submit",
    "rlm.depth": "2",
    "permissions.ask": "Bash",
    "permissions.deny": "Bash",
    "approval_policy": "never",
    "strict_approvals": "true",
    "approval.sandbox_approval": "false",
    "approval.rules": "false",
    "approval.request_permissions": "false",
    "guardian.effort": "high",
    "hooks": '{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}',
    "safety.actions": '{"jwt": "warn"}',
    "safety.enabled": "false",
    "sandbox.bubblewrap": "off",
    "sandbox.caches": "write",
    "sandbox.git": "closed",
    "sandbox.landlock_alone": "loose",
    "sandbox.local_sockets": "open",
    "sandbox.mode": "read-only",
    "sandbox.network": "on",
    "secrets.store": "sealed",
    "tools.login_shell": "false",
    "tools.web_search": "live",
    "tui.keys": '{"unfold": ["ctrl+t"]}',
    "tui.mouse": "false",
    "tui.notifications": "bell",
    "tui.pictures": "kitty",
    "tui.side_by_side": "always",
    "tui.theme": "light",
    "web.first_contact": "defer",
}
"""For settings that 1 would not fit, or would not change."""


@pytest.mark.deep
@every("leaf", LEAVES, ids=lambda leaf: ".".join(leaf.path))
def test_every_setting_has_a_variable_that_reaches_it(
    place: Place, leaf: config_schema.Leaf
) -> None:
    text = TEXTS.get(config_schema.format_key(leaf.path), "1")
    variable = config_schema.variable(leaf.path)

    loaded = place.load({}, **{variable: text})

    key = config_schema.format_key(leaf.path)
    assert set(loaded.origins.values()) == {"environment"}
    assert all(name == key or name.startswith(f"{key}.") for name in loaded.origins)
    assert loaded.warnings == ()
    assert loaded.settings != Settings()


names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)


@given(st.lists(names, min_size=1, max_size=4).map(tuple))
def test_a_key_path_survives_being_written_and_read(path: tuple[str, ...]) -> None:
    written = config_schema.format_key(path)
    if written.isprintable() and "=" not in written and "#" not in written:
        assert config_schema.parse_key(written) == path


@pytest.mark.deep
@given(st.text(max_size=20))
def test_any_text_as_a_key_is_a_path_or_misuse(text: str) -> None:
    try:
        path = config_schema.parse_key(text)
    except config.Misuse:
        return
    assert path
    assert all(isinstance(name, str) for name in path)
