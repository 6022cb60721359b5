"""Going on from elsewhere at the command line: in a chat, and with sessions that are not open."""

import json
from pathlib import Path

import pytest

from tests.story.cli_terminal import Program
from tests.story.test_cli_run import ouro, script


@pytest.mark.proves("I10")
def test_a_chat_shows_its_tree_and_goes_on_from_another_message(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "One."}, {"text": "Two."})
    with Program(["chat", "--model", model], cwd=tmp_path, lines=40) as program:
        program.sees("ask> ")
        for number, (said, answer) in enumerate((("first", "One."), ("second", "Two.")), start=1):
            program.type(f"{said}\r")
            program.sees(answer)
            program.sees("Done after", times=number)
        program.type("/branch\r")
        program.sees("/branch needs a message")
        program.type("/rollback 3\r")
        program.sees("there are 2 turns to go back")
        program.type("/branch 2\r")
        program.sees("The conversation goes on from another message")
        program.sees("after message 2, it: One.")
        program.type("other\r")
        program.sees("Done after", times=3)
        program.type("/tree\r")
        program.sees(">   6   it: Two.")
        assert "    4   it: Two." in program.picture.text
        program.type("/rollback\r")
        program.sees("goes on without its latest turn")
        program.type("/fork\r")
        program.sees("Another session begins like this one")
        program.sees("Going on with ses_")
        program.type("/quit\r")
        assert program.ends() == 0
    listed = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)
    assert [bool(each["parent"]) for each in listed].count(True) == 1


@pytest.mark.deep
@pytest.mark.proves("I19")
def test_a_session_that_is_open_is_named_in_its_chat(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "One."})
    given = "/rename\nfirst\n/rename   The long\tway \x1b[2J  \n/rename\n"
    done = ouro("chat", "--model", model, cwd=tmp_path, given=given)
    assert done.stderr.count("error: the title is empty") == 2
    assert "Now title: The long way" in done.stderr
    assert "\x1b" not in done.stderr
    (listed,) = json.loads(ouro("sessions", "list", "--json", cwd=tmp_path).stdout)
    assert listed["title"].startswith("The long way")
    found = ouro("sessions", "search", "long", "WÁY", cwd=tmp_path).stdout.splitlines()
    assert [line.split("\t")[0] for line in found] == [listed["id"]]
    titled = ouro("sessions", "show", listed["title"], cwd=tmp_path)
    assert (titled.returncode, listed["id"] in titled.stdout) == (0, True)


@pytest.mark.deep
@pytest.mark.proves("I10")
def test_sessions_that_are_not_open_are_branched_rolled_back_and_forked(tmp_path: Path) -> None:
    model = script(tmp_path, *[{"text": "One."}] * 4)
    ouro("run", "first", "--model", model, cwd=tmp_path)
    ouro("run", "second", "--continue", "--model", model, cwd=tmp_path)
    tree = ouro("sessions", "tree", "last", cwd=tmp_path).stdout.splitlines()
    assert tree == ["*   1 you: first", "*   2 it: One.", "*   3 you: second", ">   4 it: One."]
    assert ouro("sessions", "rollback", "last", cwd=tmp_path).returncode == 0
    tree = ouro("sessions", "tree", "last", cwd=tmp_path).stdout.splitlines()
    assert tree[1] == ">   2 it: One."
    refused = ouro("sessions", "rollback", "last", "2", cwd=tmp_path)
    assert (refused.returncode, "there is one turn" in refused.stderr) == (2, True)
    refused = ouro("sessions", "branch", "last", "99", cwd=tmp_path)
    assert (refused.returncode, "no message '99'" in refused.stderr) == (2, True)
    assert ouro("sessions", "branch", "last", "4", cwd=tmp_path).returncode == 0
    grown = json.loads(ouro("sessions", "tree", "last", "--json", cwd=tmp_path).stdout)
    assert [twig["is_head"] for twig in grown] == [False, False, False, True]
    child = ouro("sessions", "fork", "last", "--at", "2", cwd=tmp_path).stdout.strip()
    assert ouro("sessions", "tree", child, cwd=tmp_path).stdout.splitlines()[-1] == ">   2 it: One."
    ran = ouro("run", "third", "--resume", child, "--at", "1", "--model", model, cwd=tmp_path)
    assert ran.returncode == 0
    tree = ouro("sessions", "tree", child, cwd=tmp_path).stdout.splitlines()
    assert tree == [
        "*   1 you: first",
        "    2   it: One.",
        "*   3   you: third",
        ">   4   it: One.",
    ]
    refused = ouro("run", "x", "--at", "1", "--model", model, cwd=tmp_path)
    assert (refused.returncode, "--at names a message" in refused.stderr) == (2, True)


@pytest.mark.deep
@pytest.mark.proves("Y10")
def test_a_session_is_written_out_read_back_and_gone_on_with_elsewhere(tmp_path: Path) -> None:
    model = script(tmp_path, {"text": "One."}, {"text": "Two."})
    ouro("run", "first", "--model", model, "--mode", "full-auto", cwd=tmp_path)
    ouro("export", "last", "-o", "session.jsonl", cwd=tmp_path)
    there = {"OUROBOROS_HOME": str(tmp_path / "other machine")}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    made = ouro("sessions", "import", "../session.jsonl", cwd=elsewhere, **there)
    name = made.stdout.strip()
    again = ouro("run", "second", "--resume", name, cwd=elsewhere, **there)
    assert (again.returncode, again.stdout) == (0, "Two.\n")
    (listed,) = json.loads(ouro("sessions", "list", "--json", cwd=elsewhere, **there).stdout)
    assert (listed["id"], listed["cwd"]) == (name, str(elsewhere))
    twice = ouro("sessions", "import", "../session.jsonl", cwd=elsewhere, **there)
    assert twice.stdout.strip() != name
    assert "another name" in twice.stderr
    (tmp_path / "bad.jsonl").write_text("x\n", "utf-8")
    refused = ouro("sessions", "import", "../bad.jsonl", cwd=elsewhere, **there)
    assert (refused.returncode, "bad.jsonl:1: not an event" in refused.stderr) == (2, True)
