"""Whether the paths that a command names may be read without asking."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.verdict import Doubt
from ouroboros.safety.paths import Places, real

_SYSTEM = tuple(
    map(
        Path,
        (
            "/usr/include",
            "/usr/lib",
            "/usr/local/include",
            "/usr/local/lib",
            "/usr/share",
            "/usr/bin",
            "/usr/local/bin",
            "/usr/sbin",
            "/bin",
            "/lib",
            "/sbin",
        ),
    )
)
_FILES = frozenset({
    "/dev/null",
    "/etc/debian_version",
    "/etc/hostname",
    "/etc/issue",
    "/etc/lsb-release",
    "/etc/os-release",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/uptime",
    "/proc/version",
})
"""Places of the system that hold nothing of a person's."""

_SECRET = re.compile(
    r"\.env(\..+)?|\.envrc|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)"
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
_MACHINE = ("/dev/", "/proc/", "/sys/", "//")
_NEVER_ROOTS = frozenset(
    map(Path, ("/", "/etc", "/proc", "/sys", "/dev", "/root", "/home", "/var", "/boot", "/run"))
)
_MOST = 400


class Ground:
    """Where a command stands: its folders, as a text may have changed them, and the places."""

    def __init__(self, cwd: Path, places: Places) -> None:
        """``cwd`` and ``places`` are resolved."""
        self.cwds = (cwd,)
        self.places = places

    def check(self, words: Iterable[Word]) -> None:
        """Holds each word to be a path that is read.

        Raises:
            Doubt: One leads to where a person has to be asked.
        """
        for word in words:
            for cwd in self.cwds:
                self._check(word, cwd)

    def enter(self, word: Word | None, *, certain: bool) -> None:
        """Follows ``cd``; when it need not succeed, both folders count.

        Raises:
            Doubt: It leads outside, or nobody knows where.
        """
        if word is None or word.is_pattern or word.is_home or word.text.startswith("-"):
            raise Doubt("ask.folder", "it goes to a folder that is not named")
        self.check([word])
        after = tuple(Path(os.path.normpath(cwd / word.text)) for cwd in self.cwds)
        if any(real(path) != path for path in after):
            raise Doubt("ask.folder", f"{word.text} is reached through a link")
        self.cwds = after if certain else tuple(dict.fromkeys((*self.cwds, *after)))[:16]

    def _check(self, word: Word, cwd: Path) -> None:
        if word.text == "-":
            return
        if word.is_home:
            person = self.places.person
            if person is None:
                raise Doubt("ask.outside", f"{word.text} is outside the workspace")
            word = Word(text=f"{person}{word.text[1:]}", is_pattern=word.is_pattern)
        if is_secret_name(word.text, is_pattern=word.is_pattern):
            raise Doubt("ask.secret", f"{word.text} may hold keys")
        for path in self._meant(word, cwd):
            self._visit(path, word.text)

    def _meant(self, word: Word, cwd: Path) -> list[Path]:
        if not word.is_pattern:
            return [cwd / word.text]
        if "**" in word.text or ".." in word.text.split("/"):
            raise Doubt("ask.pattern", f"{word.text} may mean any file")
        fixed = re.split(r"[*?\[]", word.text)[0].rpartition("/")[0]
        start = Path("/") if word.text.startswith("/") else cwd
        pattern = word.text.lstrip("/")
        try:
            found = list(islice(_shown(start, pattern), _MOST + 1))
        except (OSError, ValueError, NotImplementedError) as error:
            raise Doubt("ask.pattern", f"{word.text} cannot be followed") from error
        if len(found) > _MOST:
            raise Doubt("ask.pattern", f"{word.text} means more than {_MOST} files")
        return [start / fixed.lstrip("/"), *found]

    def _visit(self, path: Path, said: str) -> None:
        if os.path.normpath(path).startswith(_MACHINE) and os.path.normpath(path) not in _FILES:
            raise Doubt("ask.device", f"{said} is no ordinary file")
        try:
            where = real(path)
            mode = where.stat().st_mode if where.exists() else 0
        except OSError as error:
            raise Doubt(
                "ask.path", f"{said} cannot be looked at ({error.strerror or error})"
            ) from error
        places = self.places
        if places.is_secret(where) or is_secret_name(str(where)):
            raise Doubt("ask.secret", f"{said} may hold keys")
        if str(where) in _FILES:
            return
        roots = [root for root in (*places.roots, *places.readable) if root not in _NEVER_ROOTS]
        if not any(where.is_relative_to(root) for root in (*roots, *_SYSTEM)):
            raise Doubt("ask.outside", f"{said} is outside the workspace")
        if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise Doubt("ask.device", f"{said} is no file and no folder")


def _shown(start: Path, pattern: str) -> Iterator[Path]:
    """The files a pattern stands for; a hidden one only where the pattern begins with a dot."""
    wanted = [piece for piece in pattern.split("/") if piece not in {"", "."}]
    for path in start.glob(pattern):
        own = path.relative_to(start).parts
        if all(a[:1] != "." or b[:1] == "." for a, b in zip(own, wanted, strict=False)):
            yield path


def is_secret_name(path: str, *, is_pattern: bool = False) -> bool:
    """Whether a path, or a name that a pattern may stand for, usually holds credentials."""
    *folders, name = path.rstrip("/").rsplit("/") if path.rstrip("/") else [""]
    lowered = [part.lower() for part in (*folders, name)]
    if any(part in _FOLDERS for part in lowered):
        return True
    if ".git" in lowered[:-1] and lowered[-1] in {"config", "credentials", "config.worktree"}:
        return True
    if _NO_SECRET.fullmatch(name):
        return False
    if is_pattern and any(mark in name for mark in "*?["):
        stands_for_all = not name.strip("*?.")
        return not stands_for_all and any(fnmatchcase(each, name.lower()) for each in _EXAMPLES)
    return _SECRET.fullmatch(name) is not None


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
