"""Which variables a child process may see."""

import re
from collections.abc import Collection, Mapping

_HIDDEN_NAME = (
    r"(^|_)(API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_KEY|ENCRYPTION_KEY|TOKEN|SECRET"
    r"|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_[A-Z0-9]{1,4})?$|_(KEY|PAT|PWD|AUTH)$"
    r"|(APIKEY|TOKEN|SECRET|PASSWORD)$|^AWS_BEARER_TOKEN_"
)
_LOADERS = frozenset({"BASH_ENV", "ENV", "LD_AUDIT", "LD_PRELOAD", "PROMPT_COMMAND"})
_FORCED = {
    "COLORTERM": "",
    "GH_PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "LC_CTYPE": "C.UTF-8",
    "NO_COLOR": "1",
    "OUROBOROS": "1",
    "PAGER": "cat",
    "TERM": "dumb",
}


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name usually holds a credential."""
    return re.search(_HIDDEN_NAME, name, re.IGNORECASE) is not None


def cleaned(environment: Mapping[str, str], *, reveal: Collection[str] = ()) -> dict[str, str]:
    """The variables a child may see: no credentials, no code loaders, no colours, no pagers.

    Args:
        environment: What the parent has.
        reveal: Names that pass although they look like credentials.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if name in reveal or not (is_secret_name(name) or name in _LOADERS)
    }
    return kept | _FORCED
