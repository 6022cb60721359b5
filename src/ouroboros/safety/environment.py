"""Which variables a child process may see."""

import re
from collections.abc import Collection, Mapping

_HIDDEN_NAME = (
    r"(^|_)(API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_KEY|ENCRYPTION_KEY|TOKEN|SECRET"
    r"|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_[A-Z0-9]{1,4})?$|_(KEY|PAT|PWD|AUTH)$"
    r"|(APIKEY|TOKEN|SECRET|PASSWORD)$|^AWS_BEARER_TOKEN_"
)
_LOADERS = frozenset({
    *("BASH_ENV", "ENV", "LD_AUDIT", "LD_PRELOAD", "PROMPT_COMMAND", "DYLD_INSERT_LIBRARIES"),
    *("BASHOPTS", "SHELLOPTS", "PS4", "CDPATH", "GLOBIGNORE", "IFS", "PERL5OPT", "RUBYOPT"),
    *("BAT_PAGER", "LESSCLOSE", "LESSOPEN", "MANOPT", "MANPAGER", "SYSTEMD_PAGER"),
    *("GREP_OPTIONS", "RIPGREP_CONFIG_PATH", "TAR_OPTIONS"),
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_COMMON_DIR", "GIT_DIR"),
    *("GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_INDEX_FILE", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_PROXY_COMMAND", "GIT_QUARANTINE_PATH"),
    *("GIT_TEMPLATE_DIR", "GIT_WORK_TREE"),
})
"""They make programs run something, read a command otherwise, or work on another repository: those
of git are set in its hooks."""
_FUNCTION = "BASH_FUNC_"
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


def steers(name: str) -> bool:
    """Whether a variable of this name makes ordinary commands do something else."""
    return name in _LOADERS or name.startswith(_FUNCTION)


def cleaned(environment: Mapping[str, str], *, reveal: Collection[str] = ()) -> dict[str, str]:
    """The variables a child may see: no credentials, nothing that steers, no colours, no pagers.

    Args:
        environment: What the parent has.
        reveal: Names that pass although they look like credentials.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if name in reveal or not (is_secret_name(name) or steers(name))
    }
    return kept | _FORCED
