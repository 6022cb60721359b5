"""Addresses: as people give them, as a vendor's entry spells them, and with a path behind them."""

from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ouroboros.core.errors import Misuse
from ouroboros.llm.providers.entry import Entry, Variable
from ouroboros.llm.transport import split

_FORMAT_PATHS = {"gemini": "/v1beta"}
_WITHOUT_PATH = frozenset({"ollama-chat", "bedrock-converse", "bedrock-invoke-stream"})
_ENDINGS = ("/chat/completions", "/responses", "/messages", "/api/chat", "/models")
_OLLAMA_PORT = 11_434


def normalised(base_url: str, entry: Entry) -> str:
    """An address as people give it, with or without ``/v1`` or the path of the wire format.

    Without any path the one of the vendor's own address is meant; Anthropic's own clients leave
    ``/v1`` out behind a path too.
    """
    given = base_url.strip()
    if given.startswith(":") and entry.protocol == "ollama-chat":
        given = f"127.0.0.1{given}"
    has_scheme = "://" in given
    parts = split(given if has_scheme else f"http://{given}")
    if parts.username or parts.password:
        raise Misuse(
            f"The address of {parts.hostname!r} holds a user or a password.",
            hint=f"Leave them out, and set {' or '.join(entry.keys) or 'a key'} instead.",
        )
    path = parts.path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    netloc = parts.netloc
    if entry.protocol == "ollama-chat":
        path = path.removesuffix("/v1").removesuffix("/api")
        netloc = _ollama(parts, has_scheme=has_scheme)
    elif not path:
        path = _own_path(entry)
    elif entry.protocol == "anthropic-messages" and not path.endswith("/v1"):
        path += "/v1"
    return urlunsplit((parts.scheme, netloc, path, "", ""))


def filled(address: str, entry: Entry, told: Mapping[str, str]) -> str:
    """The address with a value for each ``{name}``; ``Misuse`` names the variables of one missing.

    ``told`` holds values by the names in the address, and variables of the environment.
    """
    for name, variable in entry.variables.items():
        if f"{{{name}}}" in address:
            address = address.replace(f"{{{name}}}", _value(name, variable, entry, told))
    return address


def join(base_url: str, path: str) -> str:
    """The base and a path of a wire format, which may or may not begin with ``/v1``."""
    return base_url.rstrip("/") + "/" + path.removeprefix("/v1/").lstrip("/")


def _value(name: str, variable: Variable, entry: Entry, told: Mapping[str, str]) -> str:
    given = (told.get(each, "").strip() for each in (name, *variable.names))
    value = next((each for each in given if each), variable.default)
    if not value:
        names = " or ".join(variable.names)
        raise Misuse(
            f"The address of {entry.name!r} needs a {name}, and {names} is not set.",
            hint=f"Set {variable.names[0]}, or {name} in [providers.{entry.name}.variables].",
        )
    if (
        not value.isascii()
        or not value.replace("-", "").replace("_", "").replace(".", "").isalnum()
    ):
        raise Misuse(
            f"{value!r} cannot be the {name} in the address of {entry.name!r}.",
            hint="Only letters, digits, '-', '_' and '.' can stand there.",
        )
    return variable.spelled.get(value) or variable.form.replace("{}", value)


def _own_path(entry: Entry) -> str:
    own = urlsplit(entry.base_url).path.rstrip("/") if entry.base_url else ""
    if entry.base_url or entry.protocol in _WITHOUT_PATH:
        return own
    return _FORMAT_PATHS.get(entry.protocol, "/v1")


def _ollama(parts: SplitResult, *, has_scheme: bool) -> str:
    """``OLLAMA_HOST`` is also what the server listens on, so every interface means this machine."""
    host = parts.hostname or ""
    if not host.strip("0."):
        host = "127.0.0.1"
    elif host == "::":
        host = "::1"
    port = parts.port or (None if has_scheme else _OLLAMA_PORT)
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{port}" if port else host
