"""A trusted project configures a run and makes it stricter; less careful than the person it never is."""

from pathlib import Path

import msgspec
import pytest

from ouroboros.app.config import layers as config
from ouroboros.app.config import trust
from ouroboros.app.settings import Settings
from tests.cases import every

LOOSER = (
    'approval_policy = "never"',
    'approval_policy = "on-failure"',
    "[guardian]\nenabled = true",
    "[checkpoints]\nask_after = 60.0",
    '[repos]\nhost = "https://other.example"',
    "[repos]\nmax_bytes = 2147483648",
    '[secrets]\nstore = "plain"',
    '[guardian]\nmodel = "small/yes"',
    '[sandbox]\nmode = "danger-full-access"',
    '[sandbox]\nnetwork = "proxy"',
    '[sandbox]\nnetwork = "on"',
    '[sandbox]\nwritable = ["/"]',
    '[sandbox]\nreveal = ["~/.ssh"]',
    '[sandbox]\nbubblewrap = "off"',
    '[sandbox]\nlandlock_alone = "loose"',
    "[sandbox]\nprocesses = 0",
    "[sandbox]\nprocesses = 99999",
    '[sandbox]\nlocal_sockets = "open"',
    '[web]\nallow = ["evil.example"]',
    '[browser]\nmode = "attach"',
    '[browser]\nmode = "remote"',
    '[browser]\nurl = "ws://evil.example/devtools/browser/1"',
    '[browser]\nprogram = "./chromium"',
    '[browser]\nflags = ["--disable-web-security"]',
    '[browser]\nallow_domains = ["evil.example"]',
    '[browser]\nuploads = ["/"]',
    "[browser]\ndownload_max = 99999999999",
    "[browser]\nconfirm = []",
    '[tui]\nstatus_script = "./mine"',
    '[tui]\neditor = "./mine"',
    '[tui]\nkeys.send = ["f2"]',
    "[safety]\nenabled = false",
    "[safety]\nconfirm_disable = true",
    '[safety.actions]\naws-access-key = "warn"',
)
STRICTER = (
    'approval_policy = "untrusted"',
    '[sandbox]\nmode = "read-only"',
    "[sandbox]\nexclude_tmp = true",
    '[sandbox]\nhide = ["secrets"]',
    "[sandbox]\nprocesses = 100",
    '[web]\ndeny = ["evil.example"]\nonly_allowed = true\nonly_reading = true',
    '[browser]\nblock_domains = ["evil.example"]\nonly_allowed = true\ndownload_max = 5',
    '[browser]\nheadless = false\nprofile = "shop"',
    '[safety.actions]\naws-access-key = "block"',
    "[limits]\nactions_per_hour = 3",
)
CAREFUL = """
approval_policy = "granular"
[approval]
rules = false
sandbox_approval = false
[limits]
actions_per_hour = 5
daily_cost = 5.0
[guardian]
timeout = 20.0
strict = true
[sandbox]
mode = "read-only"
exclude_tmp = true
hide = ["/srv/keys"]
writable = ["/srv/out"]
[web]
deny = ["a.example", "b.example"]
only_allowed = true
only_reading = true
[browser]
mode = "attach"
url = "9222"
allow_domains = ["a.example"]
only_allowed = true
block_domains = ["b.example", "c.example"]
confirm = ["payment", "upload"]
[safety.actions]
aws-access-key = "block"
"""
LOOSER_THAN_CAREFUL = (
    'approval_policy = "on-request"',
    "[approval]\nrules = true",
    "[approval]\nsandbox_approval = true",
    "[limits]\nactions_per_hour = 6",
    "[limits]\ndaily_cost = 6.0",
    "[guardian]\ntimeout = 1.0",
    "[guardian]\nstrict = false",
    '[sandbox]\nmode = "workspace-write"',
    "[sandbox]\nexclude_tmp = false",
    "[sandbox]\nhide = []",
    '[sandbox]\nwritable = ["/srv/out", "/srv"]',
    '[web]\ndeny = ["a.example"]',
    "[web]\nonly_allowed = false",
    "[web]\nonly_reading = false",
    '[browser]\nmode = "remote"',
    '[browser]\nurl = ""',
    '[browser]\nallow_domains = ["a.example", "d.example"]',
    "[browser]\nonly_allowed = false",
    '[browser]\nblock_domains = ["b.example"]',
    '[browser]\nconfirm = ["payment"]',
    '[safety.actions]\naws-access-key = "redact"',
)


def load(root: Path, own: str, user: str = "", *, name: str = "config.toml") -> config.Loaded:
    home, folder = root / "home", root / "clone"
    (folder / ".git").mkdir(parents=True)
    (folder / ".ouroboros").mkdir()
    home.mkdir()
    (home / "config.toml").write_text(user, "utf-8")
    (folder / ".ouroboros" / name).write_text(own, "utf-8")
    trust.grant(home, trust.read(folder, home))
    variables = {"OUROBOROS_HOME": str(home)}
    return config.load(folder, variables, {}, managed=root / "managed.toml")


def asked(own: str) -> Settings:
    import tomllib

    return msgspec.convert(tomllib.loads(own), Settings)


@pytest.mark.deep
@pytest.mark.proves("C11", "settings-what-a-project-may-not-loosen")
@every("name", ["config.toml", "config.local.toml"])
@every("own", LOOSER)
def test_nothing_of_a_project_makes_us_less_careful(tmp_path: Path, own: str, name: str) -> None:
    loaded = load(tmp_path, f'model = "m"\n{own}\n', name=name)
    assert loaded.settings == Settings(model="m")
    [said] = loaded.warnings
    assert said.startswith(f"{tmp_path / 'clone' / '.ouroboros' / name}, line ")
    assert said.endswith(
        ": ignored, for a project may only make this stricter; "
        "set it in your own settings or by an option"
    )


@pytest.mark.proves("settings-what-a-project-may-not-loosen")
@every("own", STRICTER)
def test_a_project_may_be_stricter(tmp_path: Path, own: str) -> None:
    loaded = load(tmp_path, own)
    assert loaded.settings == asked(own) != Settings()
    assert loaded.warnings == ()


@pytest.mark.deep
@pytest.mark.proves("C11", "settings-what-a-project-may-not-loosen")
@every("own", LOOSER_THAN_CAREFUL)
def test_what_the_person_made_strict_stays_so(tmp_path: Path, own: str) -> None:
    loaded = load(tmp_path, own, CAREFUL)
    assert loaded.settings == asked(CAREFUL)
    assert len(loaded.warnings) == 1


def test_the_person_may_be_less_careful_and_a_project_follows(tmp_path: Path) -> None:
    own = '[sandbox]\nmode = "workspace-write"\nnetwork = "on"\nwritable = ["/srv"]'
    user = '[sandbox]\nmode = "danger-full-access"\nnetwork = "on"\nwritable = ["/srv", "/opt"]'
    loaded = load(tmp_path, own, user)
    assert loaded.settings == asked(own)
    assert loaded.warnings == ()


EASED = [
    ('mode = "full-auto"', "", 'mode = "full-auto"'),
    ('mode = "auto-edit"', "", 'mode = "auto-edit"'),
    ('mode = "auto-edit"', 'mode = "full-auto"', ""),
    ('mode = "plan"', "", ""),
    ('[permissions]\nallow = ["Bash(make)"]', "", "permissions.allow = Bash(make)"),
    (
        '[permissions]\nallow = ["A", "B", "C", "D", "E"]',
        '[permissions]\nallow = ["A"]',
        "permissions.allow = B, C, D and 1 more",
    ),
    ('[permissions]\nallow = ["A"]', '[permissions]\nallow = ["A"]', ""),
    ('[permissions]\ndeny = ["Bash(make)"]', "", ""),
]


@pytest.mark.proves("E07")
@every(("own", "user", "said"), EASED)
def test_what_a_trusted_project_lets_happen_unasked_is_named(
    tmp_path: Path, own: str, user: str, said: str
) -> None:
    loaded = load(tmp_path, own, user)
    path = tmp_path / "clone" / ".ouroboros" / "config.toml"
    told = f"{path}: this project's file lets more happen unasked than your own settings: {said}"
    assert loaded.warnings == ((told,) if said else ())


@pytest.mark.proves("E07")
def test_it_is_shown_before_it_is_trusted_and_a_change_is_asked_about_again(tmp_path: Path) -> None:
    loaded = load(tmp_path, 'mode = "full-auto"\n')
    assert loaded.settings.mode == "full-auto"
    folder = tmp_path / "clone"
    inert = trust.read(folder, tmp_path / "home")
    shown = trust.summary(inert, trust.standing(tmp_path / "home", inert))
    assert '  lets more happen unasked: mode = "full-auto"' in shown

    changed = folder / ".ouroboros" / "config.toml"
    changed.write_text('mode = "full-auto"\n[permissions]\nallow = ["Bash"]\n', "utf-8")
    variables = {"OUROBOROS_HOME": str(tmp_path / "home")}
    again = config.load(folder, variables, {}, managed=tmp_path / "managed.toml")
    assert again.settings.mode == "ask"
    assert "changed since you trusted it (.ouroboros/config.toml)" in again.warnings[0]
    found = trust.standing(tmp_path / "home", trust.read(folder, tmp_path / "home"))
    assert (found.verdict, found.changed) == ("changed", (".ouroboros/config.toml",))


def test_each_setting_is_judged_alone(tmp_path: Path) -> None:
    own = '[sandbox]\nmode = "read-only"\nnetwork = "on"\n[safety]\nenabled = false\nconfirm_disable = true'
    loaded = load(tmp_path, own)
    assert loaded.settings == asked('[sandbox]\nmode = "read-only"')
    assert [each.partition(": ")[2].partition(":")[0] for each in loaded.warnings] == [
        "sandbox.network",
        "safety.enabled",
        "safety.confirm_disable",
    ]
