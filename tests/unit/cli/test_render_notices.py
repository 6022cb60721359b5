"""What happened, as one line for a person."""

from ouroboros.core.events import SettingsChanged
from ouroboros.faces.wording.notices import notice


def test_a_change_of_settings_names_each_of_them_once() -> None:
    told = notice(SettingsChanged(mode="plan", personality="friendly", service_tier=""))
    assert told is not None
    assert told.text == "Now mode: plan, personality: friendly, service tier: left to the vendor"
