"""Where hooks are set up: every place, in order, and which of them may run."""

from pathlib import Path

import msgspec
import pytest

from ouroboros.app.config import trust
from ouroboros.app.config.layers import Loaded, load
from ouroboros.app.hooks import offline, standing
from ouroboros.app.hooks.files import every, files
from ouroboros.core.errors import ConfigBroken, Misuse


def toml(command: str) -> str:
    return f'[[hooks.Stop]]\nhooks = [{{ type = "command", command = "{command}" }}]\n'


def table(command: str) -> bytes:
    return msgspec.json.encode({"Stop": [{"hooks": [{"type": "command", "command": command}]}]})


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    home, own = tmp_path / "home", tmp_path / "work" / ".ouroboros"
    own.mkdir(parents=True)
    home.mkdir()
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "hooks.json").write_bytes(table("managed json"))
    (home / "config.toml").write_text(toml("user toml"), encoding="utf-8")
    (home / "hooks.json").write_bytes(table("user json"))
    (own / "config.toml").write_text(toml("project toml"), encoding="utf-8")
    (own / "config.local.toml").write_text(toml("local toml"), encoding="utf-8")
    (own / "hooks.json").write_bytes(b'{"hooks": ' + table("project json") + b"}")
    return read(tmp_path)


def read(tmp_path: Path) -> Loaded:
    environment = {
        "OUROBOROS_HOME": str(tmp_path / "home"),
        "OUROBOROS_HOOKS": table("session").decode(),
    }
    managed = tmp_path / "etc" / "managed.toml"
    return load(tmp_path / "work", environment, {}, managed=managed)


def texts(tmp_path: Path, reading: standing.Reading) -> list[tuple[str, str]]:
    return [(each.definition.text, each.verdict) for each in reading.found]


@pytest.mark.proves("Z08")
def test_every_place_counts_in_order(tmp_path: Path, loaded: Loaded):
    managed = tmp_path / "etc" / "managed.toml"
    found = standing.read(loaded.home, files(loaded, managed=managed))
    assert texts(tmp_path, found) == [
        ("managed json", "active"),
        ("user toml", "active"),
        ("user json", "active"),
        ("session", "active"),
    ]
    shown = standing.read(loaded.home, every(loaded, managed=managed))
    assert {
        text for text, verdict in texts(tmp_path, shown) if verdict == "folder not trusted"
    } == {
        "project toml",
        "local toml",
        "project json",
    }
    trust.grant(loaded.home, trust.read(tmp_path / "work", loaded.home))
    again = standing.read(loaded.home, files(read(tmp_path), managed=managed))
    assert texts(tmp_path, again)[3:6] == [
        ("project toml", "not trusted"),
        ("project json", "not trusted"),
        ("local toml", "not trusted"),
    ]
    assert "3 hooks of this project will not run" in again.warnings[0]
    assert [each.text for each in again.active] == [
        *("managed json", "user toml", "user json", "session")
    ]


def test_trusting_one_trusts_no_other_and_survives_a_switch(tmp_path: Path, loaded: Loaded):
    home = loaded.home
    trust.grant(home, trust.read(tmp_path / "work", home))
    found = standing.read(home, files(read(tmp_path))).found
    picked = [each for each in found if each.definition.text == "project toml"]
    offline.trust(home, picked)
    offline.enable(home, picked, enabled=False)
    assert ("project toml", "disabled") in texts(
        tmp_path, standing.read(home, files(read(tmp_path)))
    )
    offline.enable(home, picked, enabled=True)
    verdicts = texts(tmp_path, standing.read(home, files(read(tmp_path))))
    assert ("project toml", "active") in verdicts
    assert ("project json", "not trusted") in verdicts
    offline.untrust(home, picked)
    assert standing.load(home).state == {}
    offline.enable(home, found, enabled=False)
    offline.untrust(home, found)
    assert len(standing.load(home).state) == len(found)


def test_a_hook_of_a_folder_that_is_trusted_no_longer_says_so(tmp_path: Path, loaded: Loaded):
    home, project = loaded.home, tmp_path / "work"
    trust.grant(home, trust.read(project, home))
    found = standing.read(home, files(read(tmp_path))).waiting
    assert {standing.barred(home, project, each.definition) for each in found} == {""}
    trust.revoke(home, project)
    (said,) = {standing.barred(home, project, each.definition) for each in found}
    assert said == f"you trust {project} no longer, so the hook did not run"


def only_managed(tmp_path: Path, text: str) -> Loaded:
    (tmp_path / "etc" / "managed.toml").write_text(text + toml("managed toml"), encoding="utf-8")
    return read(tmp_path)


@pytest.mark.proves("Z08")
def test_an_administrator_lets_no_other_hooks_run(tmp_path: Path, loaded: Loaded):
    managed = tmp_path / "etc" / "managed.toml"
    trust.grant(loaded.home, trust.read(tmp_path / "work", loaded.home))
    offline.trust(loaded.home, standing.read(loaded.home, files(read(tmp_path))).waiting)
    # Neither the person nor a project says otherwise.
    with (loaded.home / "config.toml").open("r+", encoding="utf-8") as file:
        own = file.read()
        file.seek(0)
        file.write(f"managed_hooks_only = false\n{own}")
    under = only_managed(tmp_path, "managed_hooks_only = true\n")
    assert under.settings.managed_hooks_only
    found = standing.read(
        under.home, files(under, managed=managed), only_managed=under.settings.managed_hooks_only
    )
    assert [each.text for each in found.active] == ["managed toml", "managed json"]
    assert {verdict for text, verdict in texts(tmp_path, found) if "managed" not in text} == {
        "not managed"
    }
    assert found.waiting == ()
    assert any("6 hooks do not run, for managed_hooks_only" in said for said in found.warnings)


@pytest.mark.proves("Z08")
def test_a_project_cannot_put_the_persons_hooks_aside(tmp_path: Path, loaded: Loaded):
    path = tmp_path / "work" / ".ouroboros" / "config.toml"
    path.write_text(f"managed_hooks_only = true\n{toml('project toml')}", encoding="utf-8")
    trust.grant(loaded.home, trust.read(tmp_path / "work", loaded.home))
    found = read(tmp_path)
    assert not found.settings.managed_hooks_only
    assert f"{path}, line 1: managed_hooks_only: ignored" in found.warnings[0]


@pytest.mark.proves("Z08")
def test_the_administrators_hooks_cannot_be_switched_off(tmp_path: Path, loaded: Loaded):
    managed = tmp_path / "etc" / "managed.toml"
    found = standing.read(loaded.home, files(loaded, managed=managed)).found
    with pytest.raises(Misuse, match="stays on"):
        offline.enable(loaded.home, found, enabled=False)
    key = next(each.definition.key for each in found if each.definition.source == "managed")
    text = f'[state."{key}"]\nenabled = false\n'
    path = loaded.home / "hooks.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    again = standing.read(loaded.home, files(loaded, managed=managed))
    assert ("managed json", "active") in texts(tmp_path, again)


def test_a_torn_decision_is_told_and_nothing_runs(loaded: Loaded):
    (loaded.home / "hooks.toml").write_text("[state.x]\nenabled = 3\n", encoding="utf-8")
    with pytest.raises(ConfigBroken, match=r"hooks\.toml"):
        standing.read(loaded.home, files(loaded))


def test_a_project_cannot_be_the_home(tmp_path: Path):
    home = tmp_path / ".ouroboros"
    home.mkdir()
    (home / "hooks.json").write_bytes(table("mine"))
    loaded = load(tmp_path, {"OUROBOROS_HOME": str(home)}, {})
    found = standing.read(home, every(loaded))
    assert texts(tmp_path, found) == [("mine", "active")]
