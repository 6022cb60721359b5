"""The providers a person could use, and whether their keys are there."""

from collections.abc import Mapping

from ouroboros.app.config import Loaded
from ouroboros.app.keys import Keys, stored


def key_states(loaded: Loaded, environment: Mapping[str, str]) -> dict[str, str]:
    """For each credential that could be used, where it was found; empty if nowhere."""
    keys = Keys(environment, loaded.dotenv, loaded.home)
    names = {entry.key_env for entry in loaded.settings.providers.values() if entry.key_env}
    found = {name: keys.find(name) for name in sorted(names | set(stored(loaded.home)))}
    return {name: key.source if key else "" for name, key in found.items()}
