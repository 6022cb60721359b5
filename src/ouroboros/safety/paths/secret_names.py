"""Names of files that usually hold credentials."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache

_SECRET = re.compile(
    r"\.env([.~_-].*)?|\.envrc|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)"
    r"|\.?(netrc|pgpass|npmrc|pypirc|htpasswd|my\.cnf|git-credentials|dockercfg|vault-token|boto|s3cfg)"
    r"|_netrc|shadow-?|gshadow-?|sudoers|(credentials?|secrets?|passwords?|tokens?)(\.(json|ya?ml|toml|txt|ini|xml|env|csv|db|enc))?"
    r"|.*_history|service[-_]account.*\.json|client_secret.*\.json|.*\.tfstate(\.backup)?|kubeconfig|.*\.kubeconfig"
    r"|authorized_keys|terraform\.tfvars|.*\.auto\.tfvars|master\.key|wp-config\.php|logins\.json|key[34]\.db|cookies(\.sqlite)?|login data",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(
    r"\.env\.(example|sample|template|dist|defaults?|schema)|.*\.(pub|example|sample|template)",
    re.IGNORECASE,
)
_COPY = re.compile(r"(~|\.(bak|backup|old|orig|save|swp))+$", re.IGNORECASE)
_FOLDERS = frozenset({
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".azure",
    ".gcloud",
    ".password-store",
    ".docker",
    "keyrings",
    "keychains",
    ".secrets",
})


def is_secret_name(path: str, *, is_pattern: bool = False) -> bool:
    """Whether a path, or a name that a pattern may stand for, usually holds credentials."""
    path = path.rstrip("/")
    lowered = path.lower().split("/")
    if not _FOLDERS.isdisjoint(lowered):
        return True
    if ".git" in lowered[:-1] and lowered[-1] in {"config", "credentials", "config.worktree"}:
        return True
    return _is_secret(path.rpartition("/")[2], is_pattern)


# A command may name hundreds of files, and each is asked about as written and where it leads.
@lru_cache(maxsize=2_048)
def _is_secret(name: str, is_pattern: bool) -> bool:
    if _NO_SECRET.fullmatch(name):
        return False
    if is_pattern and any(mark in name for mark in "*?["):
        stands_for_all = not name.strip("*?.")
        return not stands_for_all and any(fnmatchcase(each, name.lower()) for each in _EXAMPLES)
    return _SECRET.fullmatch(_COPY.sub("", name)) is not None


_EXAMPLES = (
    ".env",
    ".env.local",
    ".netrc",
    ".npmrc",
    ".pgpass",
    "credentials.json",
    "id_ed25519",
    "id_rsa",
    "private.pem",
    "secrets.yaml",
    "server.key",
    "shadow",
)
