"""Files that steer what programs and agents do later, by their names: instructions, hooks, settings, start-up files.

Left out, since work on code changes them all the time and nothing runs them but a command that is judged by
itself: ``Makefile``, ``justfile``, ``package.json`` with its scripts, ``pyproject.toml``, ``setup.py``,
``conftest.py``, ``build.gradle``, ``Dockerfile``, ``compose.yaml``, ``flake.nix``, sources and tests.
``.gitattributes`` and ``.gitignore`` choose among what git is set up to do, and run nothing.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePath

from msgspec import Struct

from ouroboros.safety.paths import PROTECTED
from ouroboros.safety.paths.spelling import folded

AGENTS, EDITORS, GIT = (
    "what agents are told and may do",
    "what editors run",
    "what git and its hooks run",
)
CI, SHELL = "what runs on the project's servers", "what shells and programs do when they start"
PACKAGES, VARIABLES = "where packages come from and what installing runs", "variables of programs"

_FILES: dict[str, str] = {
    AGENTS: (
        "AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md WARP.md CRUSH.md"
        " SKILL.md copilot-instructions.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .rules"
        " .goosehints .augment-guidelines .aider.conf.yml .mcp.json mcp.json permissions.json opencode.json"
        " opencode.jsonc crush.json .crush.json"
    ),
    EDITORS: ".devcontainer.json .exrc .nvimrc .nvim.lua .lvimrc .vimrc .dir-locals.el .dir-locals-2.el .replit",
    GIT: (
        ".gitmodules .gitconfig .lfsconfig .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml"
        " lefthook.yaml lefthook-local.yml .lefthook.yml .lefthook.yaml .huskyrc .huskyrc.json .huskyrc.js"
        " .lintstagedrc .lintstagedrc.json .lintstagedrc.js .lintstagedrc.mjs .lintstagedrc.cjs"
        " .lintstagedrc.yml .lintstagedrc.yaml lint-staged.config.js lint-staged.config.mjs"
        " lint-staged.config.cjs .overcommit.yml .simple-git-hooks.json .simple-git-hooks.js"
    ),
    CI: (
        ".gitlab-ci.yml .travis.yml azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml"
        " Jenkinsfile .drone.yml .woodpecker.yml .woodpecker.yaml appveyor.yml .appveyor.yml .cirrus.yml"
        " .build.yml buildspec.yml cloudbuild.yaml cloudbuild.yml renovate.json .renovaterc .renovaterc.json"
        " .mergify.yml CODEOWNERS .gitpod.yml"
    ),
    SHELL: (
        ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin"
        " .zlogout .kshrc .cshrc .tcshrc .login .xprofile .xinitrc .inputrc .tmux.conf .screenrc .gdbinit"
        " .lldbinit .pdbrc .irbrc .pryrc .rspec .psqlrc .sqliterc .curlrc .wgetrc sitecustomize.py"
        " usercustomize.py crontab authorized_keys"
    ),
    PACKAGES: (
        ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pypirc pip.conf bunfig.toml nuget.config .condarc .gemrc"
    ),
    VARIABLES: ".env .envrc .flaskenv mise.toml .mise.toml .tool-versions",
}
_FOLDERS: dict[str, str] = {
    AGENTS: (
        ".ouroboros .agents .claude .claude-plugin .codex .codex-plugin .cursor .gemini .qwen .windsurf .clinerules .roo"
        " .kilocode .kiro .amazonq .augment .continue .trae .opencode .openhands .factory .junie .aiassistant"
    ),
    EDITORS: ".vscode .idea .run .fleet .zed .nvim .devcontainer .idx .codesandbox",
    GIT: ".git .husky .githooks .lefthook",
    CI: (
        ".github .gitlab .circleci .woodpecker .buildkite .semaphore .teamcity .gitea .forgejo .tekton"
        " .harness .builds"
    ),
    SHELL: ".ssh",
    PACKAGES: ".cargo .mvn",
}
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (AGENTS, re.compile(r".+\.(?:instructions|prompt|agent|chatmode)\.md|.+\.mdc")),
    (EDITORS, re.compile(r".+\.code-workspace")),
    (SHELL, re.compile(r".+\.pth")),
    (VARIABLES, re.compile(r"(?:.*/)?\.env\.(?!(?:example|sample|template|dist|defaults)$)[^/]+")),
    # Of folders that programs fill while they work, what they run.
    (PACKAGES, re.compile(r"(?:.*/)?\.(?:yarn/(?:releases|plugins|sdks)/.+|bundle/config)")),
    (VARIABLES, re.compile(r"(?:.*/)?\.(?:mise/|config/mise/)(?:config|conf\.d)[^/]*(?:/.+)?")),
)
_NOT_STARTED_HERE = frozenset({SHELL})
"""Kinds that are read from the person's home folder rather than from a workspace."""

_NAMES = {folded(name): kind for kind, names in _FILES.items() for name in names.split()}
_INSIDE = {folded(name): kind for kind, names in _FOLDERS.items() for name in names.split()}
_AT_THE_TOP = tuple(
    dict.fromkeys(
        name
        for table in (_FILES, _FOLDERS)
        for kind, names in table.items()
        if kind not in _NOT_STARTED_HERE
        for name in names.split()
        if name not in PROTECTED
    )
)
"""As they are spelled where they are read."""


class Steering(Struct, frozen=True, kw_only=True):
    """A file that steers, and what it is about."""

    path: str
    what: str


def steers(path: str | PurePath) -> str:
    """What a file of this path below a workspace steers, as a clause; empty for an ordinary one. Pure."""
    parts = [folded(part) for part in PurePath(path).parts]
    if not parts:
        return ""
    name = parts[-1]
    found = _NAMES.get(name) or next(filter(None, map(_INSIDE.get, parts)), "")
    if found:
        return found
    # A file such as .ssh or crontab may stand for the folder.
    above = next((_NAMES[part] for part in parts[:-1] if _NAMES.get(part) == SHELL), "")
    whole = "/".join(parts)
    return above or next((kind for kind, form in _PATTERNS if form.fullmatch(whole)), "")


def steering(paths: Iterable[str]) -> tuple[Steering, ...]:
    """Those of some paths below a workspace that steer, each once, in order. Pure."""
    found = ((path, steers(path)) for path in dict.fromkeys(paths))
    return tuple(Steering(path=path, what=what) for path, what in found if what)


def configures(path: Path) -> bool:
    """Whether a file steers what programs or agents do later: settings, hooks, instructions."""
    return bool(steers(path))


def steering_in(roots: Iterable[Path]) -> tuple[Path, ...]:
    """Where at the top of workspaces programs and agents look for what they do; not all of it exists."""
    return tuple(place for root in roots for place in _below(root))


@lru_cache(maxsize=64)
def _below(root: Path) -> tuple[Path, ...]:
    """Asked before each command after a text from outside, so kept."""
    return tuple(root / name for name in _AT_THE_TOP)
