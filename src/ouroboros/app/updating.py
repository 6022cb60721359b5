"""How this installation came here, and so how it is brought up to date; nothing is done about it."""

import shlex
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct

import ouroboros

type Kind = Literal["checkout", "uv tool", "uvx", "pipx", "system", "pip"]

_NAMES: dict[Kind, str] = {
    "checkout": "runs from a checkout",
    "uv tool": "was installed by uv tool",
    "uvx": "was fetched by uvx for this run",
    "pipx": "was installed by pipx",
    "system": "belongs to the system's packages",
    "pip": "was installed by pip",
}


class Installation(Struct, frozen=True, kw_only=True):
    """One installation.

    Attributes:
        version: Of what runs now.
        place: Where it lies.
        source: The folder, wheel or address that it was installed from; empty where an index had it.
        commands: What brings it up to date, typed one after the other.
    """

    kind: Kind
    version: str
    place: str
    source: str
    commands: tuple[str, ...]

    @property
    def words(self) -> str:
        """How it came here, for people."""
        return _NAMES[self.kind]


class _Vcs(Struct, frozen=True):
    vcs: str = ""
    requested_revision: str = ""


class _Direct(Struct, frozen=True):
    url: str = ""
    vcs_info: _Vcs | None = None


class Here(Struct, frozen=True, kw_only=True):
    """What is known of a Python that runs Ouroboros.

    Attributes:
        package: The folder of the package.
        prefix: The environment.
        direct: What was kept of where the package came from; empty for an index.
    """

    package: Path
    prefix: Path
    python: str
    direct: str = ""

    @classmethod
    def now(cls) -> "Here":
        """This very process; blocking."""
        package = Path(ouroboros.__file__).resolve().parent
        try:
            found = Distribution.from_name("ouroboros").read_text("direct_url.json") or ""
        except PackageNotFoundError:
            found = ""
        return cls(package=package, prefix=Path(sys.prefix), python=sys.executable, direct=found)


def installation(here: Here) -> Installation:
    """Tells by the marks that each installer leaves; blocking."""
    kind = _kind(here)
    checkout = _checkout(here)
    source = str(checkout) if checkout is not None else _source(here.direct)
    return Installation(
        kind=kind,
        version=ouroboros.__version__,
        place=str(here.prefix if checkout is None else checkout),
        source=source,
        commands=_commands(kind, here, source),
    )


def _kind(here: Here) -> Kind:
    if _checkout(here) is not None:
        return "checkout"
    if (here.prefix / "uv-receipt.toml").is_file():
        return "uv tool"
    if (here.prefix / "pipx_metadata.json").is_file():
        return "pipx"
    if any(each.startswith(("archive-v", "environments-v")) for each in here.prefix.parts):
        return "uvx"
    return "system" if "dist-packages" in here.package.parts else "pip"


def _checkout(here: Here) -> Path | None:
    folder = here.package.parent.parent
    is_one = here.package.parent.name == "src" and (folder / "pyproject.toml").is_file()
    return folder if is_one else None


def _source(direct: str) -> str:
    """A path, or the address as an installer takes it; never a name that an index may give to another."""
    try:
        found = msgspec.json.decode(direct, type=_Direct) if direct else _Direct()
        parts = urlsplit(found.url)
    except (msgspec.DecodeError, ValueError):
        return ""
    if found.vcs_info is not None and found.vcs_info.vcs:
        at = found.vcs_info.requested_revision
        return f"{found.vcs_info.vcs}+{found.url}{f'@{at}' if at else ''}"
    return unquote(parts.path) if parts.scheme == "file" else found.url


def _commands(kind: Kind, here: Here, source: str) -> tuple[str, ...]:
    # A wheel is replaced by hand; a folder may be a checkout.
    is_folder = source.startswith("/") and not source.endswith((".whl", ".tar.gz"))
    pull = (f"git -C {shlex.quote(source)} pull --ff-only",) if is_folder else ()
    match kind:
        case "checkout":
            return pull
        case "uv tool":
            again = f"uv tool install --reinstall {shlex.quote(source)}"
            return (*pull, again) if source else ("uv tool upgrade ouroboros",)
        case "pipx":
            again = f"pipx install --force {shlex.quote(source)}"
            return (*pull, again) if source else ("pipx upgrade ouroboros",)
        case "uvx":
            what = shlex.quote(source or "ouroboros")
            return (*pull, f"uvx --refresh --from {what} ouro")
        case "system":
            return ("apt-get update", "apt-get install --only-upgrade ouroboros")
        case "pip":
            what = shlex.quote(source or "ouroboros")
            return (*pull, f"{shlex.quote(here.python)} -m pip install --upgrade {what}")
