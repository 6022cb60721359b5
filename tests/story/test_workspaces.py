"""Two folders of one person: settings, permissions and conversations of each are its own."""

import json
from pathlib import Path

import pytest

from tests.story.test_cli_run import ouro, script

TOUCHES = {
    "text": "I touch.",
    "tool_calls": [{"name": "shell", "arguments": {"command": "touch made"}}],
}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name, mode, rule in (("red", "ask", '"shell(touch *)"'), ("blue", "plan", "")):
        folder = tmp_path / name
        (folder / ".git").mkdir(parents=True)
        (folder / ".ouroboros").mkdir()
        (folder / ".ouroboros" / "config.local.toml").write_text(
            f'mode = "{mode}"\nmodel = "{script(folder, TOUCHES, {"text": f"Said in {name}."}, {"text": "More."})}"\n'
            f"[permissions]\nallow = [{rule}]\n",
            "utf-8",
        )
        assert ouro("trust", ".", "--yes", cwd=folder).returncode == 0
    return tmp_path / "red", tmp_path / "blue"


@pytest.mark.deep
def test_settings_permissions_and_sessions_belong_to_their_folder(
    folders: tuple[Path, Path],
) -> None:
    red, blue = folders
    for folder in folders:
        ran = ouro("run", f"do it in {folder.name}", cwd=folder)
        assert f"Said in {folder.name}." in ran.stdout
    assert ((red / "made").exists(), (blue / "made").exists()) == (True, False)
    listed = {
        folder.name: json.loads(ouro("sessions", "list", "--here", "--json", cwd=folder).stdout)
        for folder in folders
    }
    assert [[each["title"] for each in found] for found in listed.values()] == [
        ["do it in red"], ["do it in blue"]
    ]  # fmt: skip
    again = ouro("run", "and again", "--continue", cwd=blue)
    assert again.returncode == 0
    assert len(json.loads(ouro("sessions", "list", "--json", cwd=red).stdout)) == 2
    tree = ouro("sessions", "tree", listed["blue"][0]["id"], cwd=red).stdout
    assert "and again" in tree
    assert "in red" not in tree
