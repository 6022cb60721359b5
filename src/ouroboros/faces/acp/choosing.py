"""What may be chosen for a session: its mode, and the model it asks."""

from collections.abc import Mapping
from typing import get_args

from ouroboros.app.config.layers import Loaded
from ouroboros.app.providers import listing, model_list
from ouroboros.core.commands import Mode
from ouroboros.core.errors import Misuse
from ouroboros.faces.acp.frames import Json

MODEL = "model"
"""The one option; modes have a place of their own in the protocol."""

_MOST = 300
_MODES: dict[Mode, tuple[str, str]] = {
    "plan": ("Plan", "Looks around, changes nothing, and proposes a plan"),
    "ask": ("Ask", "Asks before it changes a file or runs what is not known to be safe"),
    "auto-edit": ("Edit", "Edits files of the folder unasked; asks before commands"),
    "full-auto": ("Full auto", "Asks only where a rule says so"),
}


def modes(current: Mode) -> Json:
    """Every mode, and the one that counts."""
    listed = [
        {"id": id, "name": name, "description": words} for id, (name, words) in _MODES.items()
    ]
    return {"currentModeId": current, "availableModes": listed}


def mode_named(name: str) -> Mode:
    """The mode of this name; raises ``Misuse`` where there is none."""
    for mode in _MODES:
        if mode == name:
            return mode
    known = ", ".join(get_args(Mode.__value__))
    raise Misuse(f"there is no mode {name!r}", hint=f"there are {known}")


def models(current: str, known: tuple[str, ...]) -> list[Json]:
    """The option that names the model, with those that could be asked now."""
    names = dict.fromkeys([current, *known])
    listed = [{"value": name, "name": name} for name in names]
    option: Json = {"id": MODEL, "name": "Model", "category": "model", "type": "select"}
    return [{**option, "currentValue": current, "options": listed}]


def usable(loaded: Loaded, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Models that could be asked now, as far as is known without asking anybody; blocking."""
    ready = {each.name for each in listing.listed(loaded, environment) if each.is_ready}
    found = (each.name for each in model_list.searched(loaded, environment, ()))
    return tuple(name for name in found if name.partition("/")[0] in ready)[:_MOST]


def is_equipped(loaded: Loaded, environment: Mapping[str, str]) -> bool:
    """Whether any vendor could be asked; blocking."""
    return any(each.is_ready for each in listing.listed(loaded, environment))
