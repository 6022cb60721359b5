"""Adding providers of one's own to the user's settings, and taking them out again."""

import re
from pathlib import Path

from msgspec import Struct

from ouroboros.app.config import write as config_write
from ouroboros.app.config.file import holds
from ouroboros.app.config.layers import Loaded
from ouroboros.core.errors import Misuse
from ouroboros.llm.protocols import NAMES
from ouroboros.llm.providers.address import normalised
from ouroboros.llm.providers.entry import Entry
from ouroboros.llm.providers.table import ENTRIES

_TAKEN = frozenset({"compatible", "echo", "litellm", "script"})
"""Names that stand for something else than a server."""


class New(Struct, frozen=True, kw_only=True):
    """A provider as the person describes it; an empty ``protocol`` is the known vendor's."""

    name: str
    base_url: str
    protocol: str = ""
    key_env: str = ""
    is_keyless: bool = False


def add(loaded: Loaded, new: New) -> Path:
    """Puts a provider into the user's file, which is answered.

    Raises:
        Misuse: Something of it cannot be, or there is one of that name.
        ConfigBroken: The file is not valid.
        StoreFailed: It cannot be written.
    """
    _check(loaded, new)
    protocol = new.protocol or _known_protocol(new.name)
    entry = Entry(name=new.name, protocol=protocol)
    values: dict[tuple[str, ...], object] = {
        ("providers", new.name, "base_url"): normalised(new.base_url, entry)
    }
    if new.protocol:
        values["providers", new.name, "protocol"] = new.protocol
    if new.key_env:
        values["providers", new.name, "key_env"] = new.key_env
    if new.is_keyless:
        values["providers", new.name, "auth"] = "none"
    file = loaded.home / "config.toml"
    config_write.set_values(file, values, private=True)
    return file


def remove(loaded: Loaded, name: str) -> Path:
    """Takes a provider out of the user's file, which is answered.

    Raises:
        Misuse: It is not there; says where it is instead.
        ConfigBroken: The file is not valid.
        StoreFailed: It cannot be written.
    """
    file, path = loaded.home / "config.toml", ("providers", name)
    if config_write.remove_value(file, path, private=True):
        return file
    places = [layer.source for layer in loaded.layers if holds(layer.table, path)]
    if places:
        hint = f"it stands in {' and '.join(places)}; take it out there"
    elif is_known(name):
        hint = "it is known without any setting, and stays known"
    else:
        from ouroboros.app.config.schema import nearest

        near = nearest(name, loaded.settings.providers)
        hint = f"did you mean {near!r}?" if near else "`ouro providers list` names them"
    raise Misuse(f"there is no provider {name!r} in {file}", hint=hint)


def is_known(name: str) -> bool:
    """Whether there is a provider of that name without any setting."""
    return any(entry.name == name for entry in ENTRIES)


def _check(loaded: Loaded, new: New) -> None:
    if new.name in _TAKEN:
        raise Misuse(f"{new.name!r} stands for something else", hint="choose another name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", new.name):
        raise Misuse(
            f"{new.name!r} cannot be the name of a provider",
            hint="letters, digits, '-' and '_', such as my-server",
        )
    if new.name in loaded.settings.providers:
        raise Misuse(
            f"there is a provider {new.name!r} already",
            hint=f"ouro providers remove {new.name}, or ouro config set providers.{new.name}.KEY",
        )
    if new.protocol and new.protocol not in NAMES:
        raise Misuse(f"there is no protocol {new.protocol!r}", hint=f"one of {', '.join(NAMES)}")
    if new.key_env and not (new.key_env.isascii() and new.key_env.isidentifier()):
        raise Misuse(
            "what --key-env says is not the name of a variable",
            hint="name the variable that holds the key, such as MY_API_KEY, not the key itself",
        )
    if new.key_env and new.is_keyless:
        raise Misuse("--key-env and --no-auth contradict each other", hint="leave one out")


def _known_protocol(name: str) -> str:
    return next((entry.protocol for entry in ENTRIES if entry.name == name), "openai-chat")
