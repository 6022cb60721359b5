"""What a cage is to let through: values, and the paths that follow from them."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

type Reach = Literal["read-only", "workspace-write", "full-access"]
type Traffic = Literal["off", "proxy", "on"]

PROTECTED_NAMES = (".git", ".ouroboros", ".agents")
"""Inside a writable folder these stay as they are: what is in them runs outside the cage later."""

GIT_STEERS = (
    *("config", "config.worktree", "hooks", "commondir", "modules", "worktrees"),
    *("rebase-merge", "rebase-apply"),
)
"""Of a repository only these: they name programs and settings. The index and objects may be written."""

MOST_FOLDERS = 4_000
"""So many folders of a workspace are looked into for more of them, the upper ones first."""

_BUILT = frozenset({
    *("node_modules", "site-packages", "__pycache__", "venv", ".venv", ".tox", ".nox"),
})
"""Folders that programs fill: thousands of files, and nobody works in a repository in there."""

_SECRETS = (
    *(".ssh", ".aws", ".gnupg", ".netrc", ".git-credentials", ".pgpass", ".kube", ".azure"),
    *(".docker/config.json", ".config/gh", ".config/gcloud", ".config/git/credentials"),
    *(".password-store", ".local/share/keyrings", ".mozilla", ".config/google-chrome"),
    *(".config/chromium", ".config/op", ".vault-token", ".terraform.d/credentials.tfrc.json"),
    # Of package managers, vendors and hosts.
    *(".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"),
    *(
        ".composer/auth.json",
        ".config/composer/auth.json",
        ".config/hub",
        ".config/glab-cli",
        ".s3cfg",
    ),
    *(".config/rclone", ".rclone.conf", ".config/sops", ".config/age", ".boto", ".oci", ".fly"),
    *(".config/doctl", ".config/hcloud", ".config/linode-cli", ".config/heroku", ".config/netlify"),
    *(
        ".databrickscfg",
        ".kaggle",
        ".cache/huggingface/token",
        ".huggingface/token",
        ".sentryclirc",
    ),
    *(
        ".my.cnf",
        ".mylogin.cnf",
        ".pki",
        ".config/Bitwarden",
        ".config/1Password",
        ".config/KeePassXC",
    ),
    # Of other agents.
    *(".codex/auth.json", ".claude/.credentials.json", ".claude.json", ".gemini/oauth_creds.json"),
    *(".config/github-copilot", ".local/share/opencode/auth.json", ".aider.conf.yml"),
    # What was typed may have been a password.
    *(".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"),
    *(".mysql_history", ".sqlite_history", ".rediscli_history", ".local/share/fish/fish_history"),
    # Profiles of browsers and of who writes messages.
    *(".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera"),
    *(".config/google-chrome-beta", ".config/google-chrome-unstable", ".thunderbird", ".librewolf"),
    *(
        "snap/chromium",
        "snap/firefox",
        ".var/app/org.mozilla.firefox",
        ".var/app/com.google.Chrome",
    ),
    *(".config/Slack", ".config/discord", ".config/Signal", "Library/Keychains", "Library/Cookies"),
    *("Library/Application Support/Google/Chrome", "Library/Application Support/Chromium"),
    *("Library/Application Support/Firefox", "Library/Application Support/BraveSoftware"),
)
_SYSTEM_SECRETS = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers")
_ROOT = Path("/")
_OWN = (
    *("artifacts", "auth", "backups", "browser", "cache", "checkpoints", "config.toml", "history"),
    *("hooks.toml", "keys.lock", "keys.sealed", "keys.toml", "locks", "log", "mirror", "notes"),
    *("ouroboros.db", "ouroboros.db-shm", "ouroboros.db-wal", "paws", "profiles", "repl", "rules"),
    *("seal.key", "seal.lock", "server.lock"),
    *("servers", "snapshots", "taint.jsonl", "told.json", "trust.toml", "uses.json", "values"),
)
"""What lies in our home, where not the whole of it can be hidden since somebody works in it."""


_CACHES = (
    *(".cache/pip", ".cache/uv", ".cache/pypoetry", ".cache/pdm", ".cache/pre-commit", ".npm"),
    *(".cache/yarn", ".cache/pnpm", ".cache/node", ".cache/go-build", "go/pkg/mod", ".cargo/git"),
    *(".cargo/registry", ".cache/sccache", ".cache/ccache", ".ccache", ".gradle/caches"),
    *(".gradle/wrapper", ".m2/repository", ".ivy2/cache", ".cache/bazel", ".nuget/packages"),
    *(".local/share/pnpm/store", ".bun/install/cache", ".cache/deno", ".cache/composer"),
    *("Library/Caches/pip", "Library/Caches/uv", "Library/Caches/go-build", "Library/Caches/Yarn"),
)
_CACHE_VARIABLES = (
    *("PIP_CACHE_DIR", "UV_CACHE_DIR", "npm_config_cache", "YARN_CACHE_FOLDER", "GOCACHE"),
    *("GOMODCACHE", "CCACHE_DIR", "SCCACHE_DIR", "POETRY_CACHE_DIR", "NUGET_PACKAGES"),
)


class Policy(Struct, frozen=True, kw_only=True):
    """What may be reached from inside; every path is absolute and real.

    Attributes:
        reach: Read everything, write in the folders of ``writable``, or do as the person does.
        writable: Folders that may be written, the workspace first.
        protected: Places inside them that may only be read, also while they do not exist.
        hidden: Places that may not even be read.
        shown: Places inside hidden ones that may be read all the same.
        network: None at all, the ports of the proxy on loopback alone, or as the machine has it.
        ports: Where the proxy listens.
        local_sockets: Where the network is on, programs of this machine may be spoken to by local sockets
            too, such as Docker and agents that hold keys.
        processes: The most that the user may have at once; 0 leaves it as it is.
        temporary: The folder that ``TMPDIR`` names for commands; None leaves it as it is.
    """

    reach: Reach = "workspace-write"
    writable: tuple[Path, ...] = ()
    protected: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    shown: tuple[Path, ...] = ()
    network: Traffic = "off"
    ports: tuple[int, ...] = ()
    local_sockets: bool = False
    processes: int = 0
    temporary: Path | None = None


def secrets_of(person: Path, home: Path) -> tuple[Path, ...]:
    """Where keys usually are: the person's, the machine's, and all that is our own."""
    return (
        *(person / name for name in _SECRETS),
        *(Path(name) for name in _SYSTEM_SECRETS),
        home,
        *(home / name for name in _OWN),
    )


def temporary_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """``$TMPDIR`` and ``/tmp``, those that exist."""
    named = [environment.get("TMPDIR", ""), str(_ROOT / "tmp")]
    return tuple(dict.fromkeys(Path(name) for name in named if name and Path(name).is_dir()))


def caches_of(person: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Where package managers and compilers keep what they fetched and built, as far as it is there."""
    named = (Path(environment[name]) for name in _CACHE_VARIABLES if environment.get(name))
    found = (*(person / name for name in _CACHES), *(path for path in named if path.is_absolute()))
    held = frozenset((_ROOT, person))
    return tuple(path for path in dict.fromkeys(found) if path.is_dir() and path not in held)


def protected_in(roots: Iterable[Path], *, is_closed: bool = False) -> tuple[Path, ...]:
    """The protected names in each folder and below it, and what a ``.git`` file points to.

    Of a repository what steers git, or all of it where that ``is_closed``.
    """
    found: list[Path] = []
    for root in roots:
        below = (folder / name for folder, names in _looked_into(root) for name in names)
        for place in dict.fromkeys((*(root / name for name in PROTECTED_NAMES), *below)):
            is_folder = place.is_dir()
            if place.name != ".git" or is_closed or place.is_symlink() or not is_folder:
                found.append(place)
            if place.name != ".git":
                continue
            pointed = _pointed(place)
            if is_closed:
                found += pointed
                continue
            # In a work tree the folders of all of them lie beside what it shares.
            names = [name for name in GIT_STEERS if not pointed or name != "worktrees"]
            folders = (*pointed, *([place] if is_folder else []))
            found += [folder / name for folder in folders for name in names]
    return tuple(dict.fromkeys(found))


def _looked_into(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Folders that hold protected names, and those; breadth first, and no further than it should."""
    waiting, looked = deque([root]), 0
    while waiting and looked < MOST_FOLDERS:
        folder, looked = waiting.popleft(), looked + 1
        try:
            with os.scandir(folder) as entries:
                inside = [(each.name, each.is_dir(follow_symlinks=False)) for each in entries]
        except OSError:
            continue
        names = [name for name, _ in inside if name in PROTECTED_NAMES]
        if names:
            yield folder, names
        skipped = _BUILT.union(PROTECTED_NAMES)
        waiting.extend(folder / name for name, is_dir in inside if is_dir and name not in skipped)


def links_among(places: Iterable[Path]) -> tuple[Path, ...]:
    """Those that are links: no mount lies over one, so the folder that it is in has to stay as it is."""
    return tuple(place for place in places if place.is_symlink())


def within_none(places: Iterable[Path], roots: Iterable[Path]) -> tuple[Path, ...]:
    """The places that hold none of the roots: who works in a folder may work in that folder."""
    held = tuple(roots)
    return tuple(place for place in places if not any(root.is_relative_to(place) for root in held))


def outermost(places: Iterable[Path], *, but: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Those that lie in no other of them, and those that lie in one of ``but``."""
    held, apart = tuple(places), frozenset(but)
    known = frozenset(held)
    return tuple(
        place
        for place in held
        if known.isdisjoint(place.parents) or not apart.isdisjoint((place, *place.parents))
    )


def within(places: Iterable[Path], roots: Iterable[Path]) -> tuple[Path, ...]:
    """The places that lie in one of the roots."""
    held = frozenset(roots)
    return tuple(place for place in places if not held.isdisjoint(place.parents))


def _pointed(pointer: Path) -> list[Path]:
    """The folder of git that a work tree's ``.git`` file names, and the one it shares."""
    try:
        if not pointer.is_file():
            return []
        said = pointer.read_text("utf-8", "replace").strip()
        if not said.startswith("gitdir:"):
            return []
        folder = (pointer.parent / said.removeprefix("gitdir:").strip()).resolve()
        shared = folder / "commondir"
        common = shared.read_text("utf-8", "replace").strip() if shared.is_file() else ""
    except (OSError, ValueError):
        return []
    return [folder, (folder / common).resolve()] if common else [folder]


def staying(paths: Iterable[Path]) -> tuple[Path, ...]:
    """As ``real``, and each link under its own name as well: neither it nor what it leads to changes."""
    found: list[Path] = []
    for path in paths:
        if path.is_symlink():
            found.append(real([path.parent])[0] / path.name)
        found += real([path])
    return tuple(dict.fromkeys(found))


def lies_in(path: Path, folder: Path) -> bool:
    """As ``Path.is_relative_to``, which takes too long for the many places of each command."""
    name, above = str(path), str(folder)
    return name == above or name.startswith(above if above.endswith("/") else f"{above}/")


def real(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The same places without links, each once; a place that cannot be looked at stays as named."""
    found: list[Path] = []
    for path in paths:
        try:
            found.append(path.expanduser().resolve())
        except (OSError, RuntimeError):
            found.append(path)
    return tuple(dict.fromkeys(found))
