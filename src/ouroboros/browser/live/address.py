"""An address as a person writes it. Pure."""

import re

from ouroboros.browser.errors import CannotAct
from ouroboros.browser.guard.policy import check_address

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(//|(?=[^\d]))", re.IGNORECASE)
_NEAR = re.compile(r"(localhost|.+\.localhost|\d+(\.\d+){3}|\[[0-9a-f:.]+\])", re.IGNORECASE)


def whole(written: str) -> str:
    """The address that is meant: ``example.com`` has TLS, what is on this machine has not.

    Raises:
        CannotAct: It is none, or of a kind that is not opened; nothing is searched for.
    """
    text = written.strip()
    if not text or re.search(r"\s", text):
        raise CannotAct(
            f"{text[:100]!r} is no address",
            hint="write one such as example.com; there is no search",
        )
    if not _SCHEME.match(text):
        host = re.split(r"[/?#]", text, maxsplit=1)[0].rpartition("@")[2]
        name = re.sub(r":\d*$", "", host)
        is_near = _NEAR.fullmatch(name) is not None
        if not is_near and "." not in name:
            raise CannotAct(
                f"{text[:100]!r} is no address",
                hint="write one such as example.com; there is no search",
            )
        text = f"{'http' if is_near else 'https'}://{text}"
    return check_address(text)
