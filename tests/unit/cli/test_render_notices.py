"""What happened, as one line for a person."""

from ouroboros.core.events import SettingsChanged
from ouroboros.core.events.browser import TabDriven
from ouroboros.faces.wording.notices import notice


def test_a_change_of_settings_names_each_of_them_once() -> None:
    told = notice(SettingsChanged(mode="plan", personality="friendly", service_tier=""))
    assert told is not None
    assert told.text == "Now mode: plan, personality: friendly, service tier: left to the vendor"


def test_who_drives_a_tab_is_told_and_a_tab_that_is_gone_is_not() -> None:
    told = [
        notice(TabDriven(tab="tab_0", driver="person", why="taken")),
        notice(TabDriven(tab="tab_0", driver="agent", why="given")),
        notice(TabDriven(tab="tab_0", driver="agent", why="closed")),
    ]
    assert [one.text if one is not None else "" for one in told] == [
        "A person drives tab_0: the agent waits with it",
        "tab_0 is the agent's again",
        "",
    ]
