"""Files that steer what programs and agents do later are known by their names, wherever they lie."""

from pathlib import Path

import pytest

from ouroboros.app.review.changes import steering_in_diff
from ouroboros.safety.steering import Steering, steering, steering_in, steers
from tests.cases import every

STEERING = [
    # codex, Claude Code, Gemini CLI, Copilot, Cursor and others of their kind
    *("AGENTS.md", "AGENTS.override.md", ".codex/config.toml", ".agents/skills/x/SKILL.md"),
    *("CLAUDE.md", "CLAUDE.local.md", ".claude/settings.json", ".claude/settings.local.json"),
    *(".claude/hooks/x.sh", ".claude/commands/x.md", ".mcp.json", ".claude-plugin/plugin.json"),
    *("GEMINI.md", ".gemini/settings.json", "QWEN.md", "WARP.md", ".kiro/steering/x.md"),
    *(".github/copilot-instructions.md", ".github/instructions/x.instructions.md"),
    *("docs/x.prompt.md", "docs/x.agent.md", "docs/x.chatmode.md", "docs/x.instructions.md"),
    *(".cursor/rules/x.mdc", ".cursor/mcp.json", ".cursor/hooks.json", ".cursorrules", "x.mdc"),
    *(
        ".windsurfrules",
        ".clinerules",
        ".clinerules/x.md",
        ".roo/mcp.json",
        ".rules",
        "opencode.json",
    ),
    *("permissions.json", ".ouroboros/config.toml", ".aider.conf.yml", ".continue/config.yaml"),
    # editors
    *(".vscode/tasks.json", ".vscode/settings.json", "x.code-workspace", ".idea/workspace.xml"),
    *(".run/x.run.xml", ".zed/tasks.json", ".devcontainer/devcontainer.json", ".devcontainer.json"),
    *(".exrc", ".nvim.lua", ".dir-locals.el", ".junie/guidelines.md", ".fleet/run.json"),
    # git and its hooks
    *(
        ".git/hooks/pre-commit",
        ".git/config",
        ".gitmodules",
        ".lfsconfig",
        ".pre-commit-config.yaml",
    ),
    *(
        ".husky/pre-push",
        ".huskyrc.json",
        "lefthook.yml",
        ".lintstagedrc.json",
        ".githooks/pre-commit",
    ),
    # servers
    *(".github/workflows/ci.yml", ".gitlab-ci.yml", ".gitlab/ci.yml", ".circleci/config.yml"),
    *("azure-pipelines.yml", "Jenkinsfile", ".travis.yml", "CODEOWNERS", "renovate.json"),
    # variables, packages, start-up
    *(
        ".env",
        ".env.local",
        ".env.production",
        ".envrc",
        "mise.toml",
        ".tool-versions",
        ".flaskenv",
    ),
    *(".npmrc", ".yarnrc.yml", ".yarn/releases/yarn.cjs", ".pnpmfile.cjs", ".cargo/config.toml"),
    *("pip.conf", ".bundle/config", ".mvn/extensions.xml", "sitecustomize.py", "x.pth", ".pdbrc"),
    *(".bashrc", ".gdbinit", ".ssh/config", "crontab", ".inputrc", "authorized_keys"),
]
ORDINARY = [
    *("src/app.py", "README.md", "docs/agents-guide.md", "Makefile", "package.json", "justfile"),
    *("pyproject.toml", "conftest.py", "setup.py", "Dockerfile", "compose.yaml", "flake.nix"),
    *(".gitignore", ".gitattributes", ".env.example", ".env.sample", "env.py", "agents.py", "a.md"),
    *("github/workflows/ci.yml", "vscode/tasks.json", "prompt.md", "x.instructions.txt", "", "."),
    *(
        "src/permissions.py",
        "claude.py",
        "mcp.py",
        "docs/.gitkeep",
        "build.gradle",
        ".editorconfig",
    ),
]


@pytest.mark.proves("permissions-steering")
@every("name", STEERING)
def test_it_is_known_at_the_top_and_deeper_in_any_spelling(name: str) -> None:
    for path in (name, f"packages/a/{name}", name.upper(), f"packages/a/{name.upper()}"):
        assert steers(path), path
    assert steers(Path(name))


@pytest.mark.proves("permissions-steering")
@every(
    "name",
    [
        "AGENTS.md ",
        "AGENTS.md.",
        "A\u200bGENTS.md",
        "\uff21GENTS.md",
        ".g\u0131thub/x",
        ".env::$DATA",
    ],
)
def test_a_spelling_that_some_file_system_takes_for_it_is_known(name: str) -> None:
    assert steers(name)


@pytest.mark.proves("permissions-steering")
@every("name", ORDINARY)
def test_ordinary_files_are_left_alone(name: str) -> None:
    assert not steers(name)


@pytest.mark.proves("permissions-steering")
def test_those_of_some_paths_are_told_once_each_with_what_they_are_about() -> None:
    found = steering(["a.py", ".github/x.yml", "b/AGENTS.md", ".github/x.yml"])
    assert found == (
        Steering(path=".github/x.yml", what="what runs on the project's servers"),
        Steering(path="b/AGENTS.md", what="what agents are told and may do"),
    )


def test_what_is_kept_from_commands_at_the_top_steers(tmp_path: Path) -> None:
    places = steering_in([tmp_path])
    assert len(places) == len({*places}) > 100
    assert all(steers(place.relative_to(tmp_path)) for place in places)
    assert not {".git", ".ouroboros", ".agents", ".bashrc"} & {place.name for place in places}


@pytest.mark.proves("permissions-steering")
def test_those_of_a_change_are_found_in_its_heads_and_not_in_its_lines() -> None:
    diff = (
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n"
        "--- a/AGENTS.md\n+diff --git a/.env b/.env\n"
        "diff --git a/.npmrc b/sub dir/.npmrc\nrename from .npmrc\nrename to sub dir/.npmrc\n"
        "diff --git a/CLAUDE.md b/CLAUDE.md\ndeleted file mode 100644\n"
        'diff --git "a/a \\"b\\"/.envrc" "b/a \\"b\\"/.envrc"\nnew file mode 100644\n'
        'diff --git "a/caf\\303\\251/.env" "b/caf\\303\\251/.env"\nold mode 100644\nnew mode 100755\n'
        "diff --git a/a b/.env b/a b/.env\nold mode 100644\nnew mode 100755\n"
    )
    assert list(steering_in_diff(diff)) == [
        *(".npmrc", "sub dir/.npmrc", "CLAUDE.md", 'a "b"/.envrc', "café/.env", "a b/.env"),
    ]
