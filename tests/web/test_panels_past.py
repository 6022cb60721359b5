"""What a person does with kept sessions on the page: other titles, forks, putting away, deleting, exports."""

from pathlib import Path

import msgspec
import pytest

from ouroboros.llm.turns import Turn
from tests.story.stage import call
from tests.web.panel_stage import Panels, panels

DONE = Turn(text="All done.")
WRITE = Turn(tool_calls=(call("write", path="a.txt", content="what is in it\n"),))


async def listed(p: Panels, **query: object) -> dict[str, str]:
    found = (await p.get("/sessions", all=1, **query))["sessions"]
    return {each["id"]: each["title"] for each in found}


@pytest.mark.deep
async def test_a_session_is_renamed_whether_it_is_open_or_not(tmp_path: Path):
    async with panels(tmp_path, [DONE]) as p:
        session = await p.open()
        await p.run(session, "First words")
        assert await p.put(f"/sessions/{session}/title", {"title": "  One\nname "}) == {
            "title": "One name"
        }
        assert await listed(p) == {session: "One name"}
        await p.ask("DELETE", f"/sessions/{session}")
        await p.put(f"/sessions/{session}/title", {"title": "Another"})
        assert await listed(p) == {session: "Another"}
        await p.refused(400, "PUT", f"/sessions/{session}/title", {"title": " \n "})
        await p.refused(400, "PUT", f"/sessions/{session}/title", {"title": 3})
        await p.refused(404, "PUT", "/sessions/ses_nowhere/title", {"title": "x"})


@pytest.mark.deep
async def test_a_fork_goes_on_by_itself_and_the_tree_names_it(tmp_path: Path):
    async with panels(tmp_path, [DONE, DONE, DONE]) as p:
        session = await p.open()
        await p.run(session, "First")
        node = (await p.get(f"/sessions/{session}/tree"))["twigs"][-1]["id"]
        await p.run(session, "Second")
        answer = await p.ask("POST", f"/sessions/{session}/fork", {"message": node})
        child = answer.json()["session"]
        assert answer.status_code == 201
        assert len((await p.get(f"/sessions/{child}/tree"))["twigs"]) == 2
        await p.ask("DELETE", f"/sessions/{session}")
        answer = await p.ask("POST", f"/sessions/{session}/fork", {})
        other = answer.json()["session"]
        assert len((await p.get(f"/sessions/{other}/tree"))["twigs"]) == 4
        forks = (await p.get(f"/sessions/{session}/tree"))["forks"]
        assert forks[node] == [child]
        assert [other] in forks.values()
        await p.refused(400, "POST", f"/sessions/{session}/fork", {"message": "msg_nowhere"})


@pytest.mark.deep
async def test_a_session_is_put_away_and_back(tmp_path: Path):
    async with panels(tmp_path, [DONE]) as p:
        session = await p.open()
        await p.run(session)
        await p.ask("DELETE", f"/sessions/{session}")
        await p.put(f"/sessions/{session}/archived", {"archived": True})
        assert await listed(p) == {}
        assert list(await listed(p, archived=1)) == [session]
        assert list(await listed(p, archived=1, query="do")) == [session]
        assert await listed(p, archived=1, query="nothing of it") == {}
        await p.put(f"/sessions/{session}/archived", {"archived": False})
        assert list(await listed(p)) == [session]
        assert await listed(p, archived=1) == {}


@pytest.mark.deep
async def test_a_session_is_deleted_only_when_its_name_is_said_again(tmp_path: Path):
    async with panels(tmp_path, [WRITE, DONE, DONE]) as p:
        session, other = await p.open(), await p.open()
        await p.run(session)
        await p.run(other)
        (p.home / "artifacts" / session).mkdir(parents=True)
        for body in ({"confirm": ""}, {"confirm": other}, {}):
            await p.refused(400, "POST", f"/sessions/{session}/delete", body)
        assert session in await listed(p)
        answer = await p.ask("POST", f"/sessions/{session}/delete", {"confirm": session})
        assert answer.status_code == 200, answer.text
        assert list(await listed(p)) == [other]
        assert not (p.home / "artifacts" / session).exists()
        assert not list(p.home.glob(f"checkpoints/*.git/refs/checkpoints/{session}"))
        await p.refused(404, "POST", f"/sessions/{session}/delete", {"confirm": session})


@pytest.mark.deep
async def test_a_session_that_works_is_not_deleted(tmp_path: Path):
    turns = [Turn(tool_calls=(call("shell", command="sleep 30"),))]
    async with panels(tmp_path, turns) as p:
        session = await p.open()
        await p.send(session, type="submit", text="Go")
        said = await p.refused(409, "POST", f"/sessions/{session}/delete", {"confirm": session})
        assert "under way" in said
        await p.send(session, type="interrupt")


@pytest.mark.deep
async def test_a_session_is_written_out_in_each_form(tmp_path: Path):
    async with panels(tmp_path, [WRITE, DONE]) as p:
        session = await p.open()
        await p.run(session, "First <b>words</b>")
        at = f"/sessions/{session}/export"
        lines = await p.ask("GET", at, format="jsonl")
        events = [msgspec.json.decode(line) for line in lines.text.splitlines()]
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        bare = (await p.ask("GET", at, format="md")).text
        assert "what is in it" not in bare
        assert "what is in it" in (await p.ask("GET", at, format="md", full=1)).text
        page = await p.ask("GET", at, format="html")
        assert "<b>words</b>" not in page.text
        assert page.headers["content-disposition"].startswith(
            f'attachment; filename="{session}.html"'
        )
        assert "sandbox" in page.headers["content-security-policy"]
        await p.refused(400, "GET", at, format="exe")


async def test_what_was_spent_is_told_by_model(tmp_path: Path):
    async with panels(tmp_path, [DONE], limits__daily_cost=2.0, limits__max_turns=7) as p:
        session = await p.open()
        await p.run(session)
        found = await p.get(f"/sessions/{session}/meter")
        assert found["meter"]["blocks"][0]["name"] == "system prompt"
        assert found["meter"]["used"] > 0
        (used,) = found["models"]
        assert (used["model"], used["spent"]["requests"]) == ("scripted", 1)
        assert used["spent"] == found["spent"]
        assert [(each["name"], each["most"]) for each in found["limits"]] == [
            ("daily_cost", 2.0),
            ("monthly_cost", None),
        ]
        assert found["max_turns"] == 7
        await p.ask("DELETE", f"/sessions/{session}")
        closed = await p.get(f"/sessions/{session}/meter")
        assert (closed["meter"], closed["models"]) == (None, found["models"])
