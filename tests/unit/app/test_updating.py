"""How an installation is updated is told by the marks that its installer left."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

import ouroboros
from ouroboros.app.updating import Here, installation
from tests import forked
from tests.cases import every
from tests.house.rules import ROOT

pytestmark = pytest.mark.real


def here(tmp_path: Path, *parts: str, mark: str = "", source: str = "") -> Here:
    prefix = tmp_path.joinpath(*parts)
    package = prefix / "lib" / "python3.12" / "site-packages" / "ouroboros"
    package.mkdir(parents=True)
    if mark:
        (prefix / mark).touch()
    direct = json.dumps({"url": f"file://{source}", "dir_info": {}}) if source else ""
    python = str(prefix / "bin" / "python")
    return Here(package=package, prefix=prefix, python=python, direct=direct)


@pytest.mark.proves("interfaces-ouro-update")
@every(
    ("parts", "mark", "source", "kind", "commands"),
    [
        (("tool",), "uv-receipt.toml", "", "uv tool", ["uv tool upgrade ouroboros"]),
        (
            ("tool",),
            "uv-receipt.toml",
            "/src/my%20ouro",
            "uv tool",
            [
                "git -C '/src/my ouro' pull --ff-only",
                "uv tool install --reinstall '/src/my ouro'",
            ],
        ),
        (("venvs", "ouro"), "pipx_metadata.json", "", "pipx", ["pipx upgrade ouroboros"]),
        (
            ("venvs", "ouro"),
            "pipx_metadata.json",
            "/src",
            "pipx",
            ["git -C /src pull --ff-only", "pipx install --force /src"],
        ),
        (("archive-v0", "x1"), "", "", "uvx", ["uvx --refresh --from ouroboros ouro"]),
        (
            ("own",),
            "",
            "/down/ouroboros-1-py3-none-any.whl",
            "pip",
            ["{prefix}/bin/python -m pip install --upgrade /down/ouroboros-1-py3-none-any.whl"],
        ),
        (("own",), "", "", "pip", ["{prefix}/bin/python -m pip install --upgrade ouroboros"]),
    ],
)
def test_each_installer_is_known_by_what_it_leaves(
    tmp_path: Path, parts: tuple[str, ...], mark: str, source: str, kind: str, commands: list[str]
) -> None:
    known = here(tmp_path, *parts, mark=mark, source=source)
    found = installation(known)
    assert found.kind == kind
    wanted = [each.replace("{prefix}", str(known.prefix)) for each in commands]
    assert list(found.commands) == wanted
    assert found.version == ouroboros.__version__


def test_a_package_of_the_system_is_left_to_the_system(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "python3" / "dist-packages" / "ouroboros"
    known = Here(package=package, prefix=tmp_path, python="/usr/bin/python3")
    assert installation(known).kind == "system"


@pytest.mark.proves("interfaces-ouro-update-address")
@every(
    ("note", "source"),
    [
        (
            {
                "url": "https://example.com/ouro.git",
                "vcs_info": {"vcs": "git", "commit_id": "0" * 40},
            },
            "git+https://example.com/ouro.git",
        ),
        (
            {
                "url": "ssh://git@host/ouro",
                "vcs_info": {"vcs": "git", "requested_revision": "main", "commit_id": "0" * 40},
            },
            "git+ssh://git@host/ouro@main",
        ),
        (
            {"url": "https://example.com/ouroboros", "archive_info": {}},
            "https://example.com/ouroboros",
        ),
    ],
)
def test_what_came_from_an_address_is_fetched_from_there_again(
    tmp_path: Path, note: dict[str, object], source: str
) -> None:
    for parts, command in (
        (("archive-v0", "x1"), f"uvx --refresh --from {source} ouro"),
        (("own",), f"{{prefix}}/bin/python -m pip install --upgrade {source}"),
    ):
        known = msgspec.structs.replace(here(tmp_path, *parts), direct=json.dumps(note))
        found = installation(known)
        assert found.commands == (command.replace("{prefix}", str(known.prefix)),)


@every("direct", ["nonsense", "[]", '{"url": 3}', '{"url": "file://[x"}'])
def test_a_broken_note_of_where_it_came_from_counts_as_none(tmp_path: Path, direct: str) -> None:
    known = here(tmp_path, "own")
    broken = Here(package=known.package, prefix=known.prefix, python="p", direct=direct)
    assert installation(broken).source == ""


@pytest.mark.proves("interfaces-ouro-update")
def test_the_program_says_how_this_checkout_is_updated_and_does_nothing() -> None:
    done = forked.run(
        [sys.executable, "-I", "-m", "ouroboros", "update"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"git -C {ROOT} pull --ff-only\n"
    assert f"Ouroboros {ouroboros.__version__} runs from a checkout" in done.stderr
