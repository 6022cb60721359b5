"""What vendors said of their models, kept for a while in the home folder."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from ouroboros.llm.catalog.known import Known
from ouroboros.llm.fields import UNREADABLE

FRESH_SECONDS = 300.0


class Listing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One vendor's list: from which address, and when; seconds since the epoch."""

    version: int = 1
    base_url: str
    taken_at: float
    models: dict[str, Known]

    def is_fresh(self, now: float) -> bool:
        """Whether it need not be asked for again; one from the future is not believed."""
        return 0 <= now - self.taken_at <= FRESH_SECONDS


def called(name: str, models: Mapping[str, Known]) -> Known | None:
    """What a list says of the model of this name; Ollama's calls the usual one ``NAME:latest``."""
    return models.get(name) or models.get(f"{name}:latest")


def read(home: Path, provider: str, base_url: str) -> Listing | None:
    """The kept list of the provider at this address, however old; None for a broken one."""
    try:
        listing = msgspec.json.decode(_file(home, provider).read_bytes(), type=Listing)
    except (OSError, *UNREADABLE):
        return None
    return listing if listing.version == 1 and listing.base_url == base_url else None


def write(
    home: Path, provider: str, base_url: str, models: Mapping[str, Known], now: float
) -> None:
    """Keeps a list, for nobody else to read; raises ``OSError``."""
    from ouroboros.safety.private_file import replacing

    listing = Listing(base_url=base_url, taken_at=now, models=dict(models))
    target = _file(home, provider)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in (target.parent.parent, target.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    with replacing(target) as file:
        file.write(msgspec.json.encode(listing))


def _file(home: Path, provider: str) -> Path:
    return home / "cache" / "models" / f"{quote(provider, safe='')[:100]}.json"
