"""What counts of the settings of a workspace that a session visits."""

from pathlib import Path

import pytest

from ouroboros.app.config import trust
from ouroboros.app.config.visited import MOST_RULES, settings_of
from ouroboros.core.errors import ConfigBroken


@pytest.fixture
def red(tmp_path: Path) -> Path:
    (tmp_path / "red/.git").mkdir(parents=True)
    (tmp_path / "red/.ouroboros").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "red"


def written(red: Path, text: str, *, trusted: bool = False) -> Path:
    (red / ".ouroboros/config.toml").write_text(text, encoding="utf-8")
    home = red.parent / "home"
    if trusted:
        trust.grant(home, trust.read(red, home))
    return home


ALL = (
    'mode = "plan"\nmodel = "a/b"\n[sandbox]\nmode = "read-only"\nhide = ["keys"]\nnetwork = "on"\n'
    '[permissions]\nallow = ["shell(make)"]\nask = ["edit"]\ndeny = ["read(keys)"]\n'
)


@pytest.mark.proves("Y06")
@pytest.mark.parametrize("trusted", [True, False])
def test_only_trust_lets_a_yes_of_it_count(red: Path, trusted: bool) -> None:
    own = settings_of(red, written(red, ALL, trusted=trusted))
    found = [(each.outcome, str(each), each.layer) for each in own.rules]
    asks = [("ask", "edit", "project"), ("deny", "read(keys)", "project")]
    assert found == ([("allow", "shell(make)", "project")] if trusted else []) + asks
    assert (own.mode, own.sandbox, own.hide) == ("plan", "read-only", ("keys",))


@pytest.mark.proves("Y06")
def test_what_a_stranger_writes_costs_little(red: Path) -> None:
    stars = "read(" + "**/".join("a" * 6) + ")"
    rules = [stars, "shell(re:(a+)+$)", "nonsense", f"edit({'x' * 400})", "edit(kept)", 7]
    home = written(red, f"[permissions]\ndeny = {rules}\n".replace("7", '"shell(npm *)"'))
    assert [str(each) for each in settings_of(red, home).rules] == ["edit(kept)", "shell(npm *)"]
    many = [f"edit(a{number})" for number in range(MOST_RULES + 50)]
    written(red, f"[permissions]\nask = {many}\n")
    assert len(settings_of(red, home).rules) == MOST_RULES


@pytest.mark.proves("Y06")
@pytest.mark.parametrize("text", ["mode = [", "mode = 7", "[permissions]\ndeny = 3", "x" * 100, ""])
def test_what_is_broken_counts_for_nothing_until_it_is_trusted(red: Path, text: str) -> None:
    home = written(red, text)
    own = settings_of(red, home)
    assert (own.rules, own.mode, own.hide) == ((), None, ())
    if text:
        written(red, text, trusted=True)
        with pytest.raises(ConfigBroken):
            settings_of(red, home)


@pytest.mark.proves("Y06", "divergences-settings-of-a-visited-repository")
def test_the_settings_of_others_are_not_its_own(red: Path) -> None:
    home = written(red, 'mode = "ask"\n', trusted=True)
    (home / "config.toml").write_text(
        '[permissions]\nallow = ["shell(make)"]\n[sandbox]\nhide = ["x"]\n', encoding="utf-8"
    )
    own = settings_of(red, home)
    assert (own.rules, own.mode, own.hide, own.project) == ((), "ask", (), red)
