"""A plain session's model finds what it is not told of at once, and it works."""

from base64 import b64decode
from pathlib import Path

import pytest

from ouroboros.llm.turns import Turn
from tests.story.stage import call, stage

PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.mark.proves("Y05")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fetch", "read a web page"),
        ("python", "run python code"),
        ("view_image", "look at an image"),
        ("repo_map", "map of the repository"),
        ("dogs", "apply a bundle of changes"),
        ("request_permissions", "ask for permission to write"),
        ("request_user_input", "ask the user a question"),
    ],
)
async def test_it_is_found_and_not_listed(tmp_path: Path, name: str, words: str) -> None:
    search = Turn(tool_calls=(call("tool_search", query=words),))
    async with stage(tmp_path, [search, Turn(text="Found.")]) as s:
        await s.run()
        assert name not in [tool["function"]["name"] for tool in s.body()["tools"]]
        (found,) = [str(m["content"]) for m in s.body()["messages"] if m["role"] == "tool"]
        assert f'"name":"{name}"' in found


async def test_a_picture_is_put_before_the_model(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.png").write_bytes(PICTURE)
    (tmp_path / "work" / "a.txt").write_text("no picture")
    views = [
        Turn(tool_calls=(call("call_tool", name="view_image", arguments={"path": path}),))
        for path in ("a.png", "a.txt", "/etc/hostname")
    ]
    async with stage(
        tmp_path, [*views, Turn(text="Seen.")], mode="auto-edit", format="anthropic"
    ) as s:
        outcome = await s.run()
        said = str(s.body()["messages"])
        assert "'media_type': 'image/png'" in said
        assert "a.txt is no PNG, JPEG, GIF or WebP image" in said
        assert "outside the workspace" in str(s.shown)
        assert (outcome.exit_code, outcome.unapproved > 0) == (0, True)
