"""A task is rehearsed: nothing is changed, reads show what was planned, and a run is held to the plan."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import msgspec
import pytest

from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.paws.planning.document import Plan, read, written
from ouroboros.app.paws.planning.following import Following, places_of
from ouroboros.app.paws.planning.running import Wish, planned
from ouroboros.app.settings import Settings
from ouroboros.core.clock import SystemClock
from ouroboros.core.errors import Misuse
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving
from ouroboros.workspace.artifacts.faults import Malformed
from tests.story.stage import call
from tests.story.test_cli_run import ouro, script
from tests.unit.app.dogs.dogs_stage import git, picture, project_in

PATCH = '*** Begin Patch\n*** Update File: src/app.py\n@@\n import os\n-print("dirty")\n+print(2)\n*** Delete File: staged.txt\n*** End Patch'
LOOK = Turn(text="First I look.", tool_calls=(call("read", path="src/app.py"),))
CHANGE = Turn(
    text="## Change it",
    tool_calls=(
        call("write", path="docs/new.md", content="# planned\n"),
        call("apply_patch", input=PATCH),
        call("edit", path="untracked.txt", old_text="mine", new_text="yours"),
    ),
)
SEE = Turn(
    text="Look again",
    tool_calls=(
        call("read", path="src/app.py"),
        call("grep", pattern="planned"),
        call("ls", path="."),
        call("exec_command", cmd="cat docs/new.md; ls; git status --short"),
    ),
)
RUN = Turn(
    text="Check it",
    tool_calls=(
        call("exec_command", cmd="pytest -q"),
        call("exec_command", cmd="rm -rf build"),
        call("call_tool", name="fetch", arguments={"url": "https://example.com/"}),
    ),
)
END = Turn(text="It changes three files. The tests may fail.")


async def rehearsed(
    root: Path, turns: Sequence[Turn], *, agent: str = "", **wishes: object
) -> tuple[Plan, list[str]]:
    """The plan, and what the model was told by its tools."""
    home = root.parent / "home"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(root.parent), "SHELL": "/bin/sh"}
    async with serving(list(turns)) as server:
        settings = msgspec.convert(
            {"base_url": server.url, "model": "openai-chat/scripted", **wishes}, Settings
        )

        def engine(chosen: Settings) -> Ouroboros:
            return Ouroboros(chosen, home=home, environment=environment)

        plan = await planned(
            Wish(goal="Make it better", cwd=root, agent=agent),
            engine,
            settings,
            environment=environment,
            home=home,
            clock=SystemClock(),
            tell=lambda _: None,
        )
        body: dict[str, Any] = msgspec.json.decode(server.exchanges[-1].body)
        messages = body["messages"]
    return plan, [str(each["content"]) for each in messages if each["role"] == "tool"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return project_in(tmp_path)


@pytest.mark.deep
@pytest.mark.proves("N01", "N02", "D36")
async def test_nothing_is_changed_and_what_is_read_shows_what_was_planned(root: Path) -> None:
    before = picture(root.parent)
    plan, told = await rehearsed(root, [LOOK, CHANGE, SEE, RUN, END])
    assert picture(root.parent) == before
    assert 'print("dirty")' in told[0]
    assert "print(2)" in told[4]
    assert "docs/new.md:1:# planned" in told[5]
    assert "staged.txt" not in told[6]
    assert "# planned\na.log\nbuild\n" in told[7]
    assert "?? docs/" in told[7]
    assert all("not run: this is a rehearsal" in text for text in told[8:])
    assert not any("/ouro-plan-" in text for text in told)
    assert [step.status for step in plan.steps] == [
        *["read"],
        *["planned"] * 3,
        *["read"] * 4,
        *["not run"] * 3,
    ]
    assert "+# planned" in plan.diff
    assert "a/staged.txt" in plan.diff


@pytest.mark.proves("N04")
async def test_the_document_has_phases_steps_results_estimates_and_risks(root: Path) -> None:
    plan, _ = await rehearsed(root, [LOOK, CHANGE, RUN, END])
    text = written(plan)
    heads = [line for line in text.splitlines() if line.startswith("#") and line != "# planned"]
    assert heads == [
        *("# Plan: Make it better", "## Persona", "## Base context", "## Phase 1: First I look."),
        *("## Phase 2: Change it", "## Phase 3: Check it", "## Summary", "## Changes"),
        *("## Estimate", "## Risks", "## Steps for machines"),
    ]
    assert "2. `write` Write docs/new.md (planned)" in text
    assert "   Created docs/new.md" in text
    assert "5. `exec_command` Run pytest -q (not run)" in text
    assert "It changes three files. The tests may fail." in text
    assert "- turns: 4\n" in text
    assert plan.estimate.most_tokens == plan.estimate.tokens + 3 * 2_500
    assert plan.estimate.tokens > 0
    assert "- not tried: Run rm -rf build (" in text
    assert "- removes staged.txt" in text
    followed = read(text)
    assert (followed.goal, followed.steps) == ("Make it better", plan.steps)
    assert [line for line in followed.text.splitlines() if line in heads] == [
        *heads[:-3],
        heads[-2],
    ]
    assert followed.text.count("Write docs/new.md (planned)") == 1
    assert "Created docs/new.md" not in followed.text
    assert all(line in followed.text for line in ("+# planned", "- removes staged.txt"))


@pytest.mark.proves("N04")
async def test_a_step_that_failed_is_a_risk_until_it_is_made_good(root: Path) -> None:
    wrong = Turn(
        tool_calls=(
            call("edit", path="untracked.txt", old_text="nowhere", new_text="yours"),
            call("edit", path="src/app.py", old_text="nowhere", new_text="yours"),
            call("read", path="gone.txt"),
            call("grep", pattern="("),
        )
    )
    right = Turn(
        tool_calls=(
            call("edit", path="untracked.txt", old_text="mine", new_text="yours"),
            call("read", path="src/app.py"),
            call("write", path="gone.txt", content="made\n"),
            call("grep", pattern="yours"),
        )
    )
    plan, _ = await rehearsed(root, [wrong, right, END])
    assert [step.number for step in plan.steps if step.status == "failed"] == [1, 2, 3, 4]
    told = [risk for risk in plan.risks if "failed" in risk]
    assert told == ["step 2 failed in the rehearsal"]


@pytest.mark.deep
@pytest.mark.proves("N01", "N02", "D36")
async def test_a_write_that_leaves_the_project_is_only_written_down(root: Path) -> None:
    (root / "out").symlink_to(root.parent / "elsewhere")
    (root.parent / "elsewhere").mkdir()
    turn = Turn(
        tool_calls=(
            call("write", path=str(root.parent / "outside.txt"), content="x"),
            call("write", path="out/x.txt", content="x"),
            call("write", path="../climbing.txt", content="x"),
            call("write", path=f"{root}/inside.txt", content=f"{root} stays in a text"),
            call("read", path=f"{root}/inside.txt"),
        )
    )
    before = picture(root.parent)
    plan, told = await rehearsed(root, [turn, END])
    assert picture(root.parent) == before
    assert [step.status for step in plan.steps] == [*["not run"] * 3, "planned", "read"]
    assert told[4].startswith(f"1\t{root} stays in a text")


@pytest.mark.proves("N01", "N02", "D36")
async def test_a_rule_that_denies_reading_holds_in_the_copy_too(root: Path) -> None:
    (root / ".env").write_text("SECRET=1\n")
    turn = Turn(tool_calls=(call("write", path="a.txt", content="SECRET here\n"),))
    look = Turn(
        tool_calls=(
            call("read", path=".env"),
            call("grep", pattern="SECRET"),
            call("exec_command", cmd="cat .env"),
            call("exec_command", cmd="head a.txt"),
        )
    )
    denied = {"deny": ("read(.env)", "exec_command(head:*)")}
    plan, told = await rehearsed(root, [turn, look, END], permissions=denied)
    assert "SECRET=1" not in "".join(told)
    assert "a.txt:1:SECRET here" in told[2]
    assert [step.status for step in plan.steps] == [
        *("planned", "failed", "read", "not run", "failed")
    ]


def ended() -> int:
    """The number of a process that is no more."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
        return process.pid


@pytest.mark.deep
async def test_the_copy_of_a_killed_rehearsal_goes_with_the_next(root: Path) -> None:
    left = Path(gettempdir()) / f"ouro-plan-{ended()}-left"
    alive = Path(gettempdir()) / f"ouro-plan-{os.getpid()}-alive"
    left.mkdir()
    alive.mkdir()
    await rehearsed(root, [CHANGE, END])
    assert not left.exists()
    assert [path.name for path in alive.parent.glob(f"ouro-plan-{os.getpid()}-*")] == [alive.name]
    alive.rmdir()


@pytest.mark.proves("N04")
async def test_a_command_of_several_lines_stands_whole_in_what_is_followed(root: Path) -> None:
    command = "cat > new.py <<'EOF'\ndef one():\n    return 1\nEOF\n" + "echo " + "x" * 500
    plan, _ = await rehearsed(root, [Turn(tool_calls=(call("exec_command", cmd=command),)), END])
    followed = read(written(plan))
    assert followed.steps == plan.steps
    whole = "\n".join(f"   {line}" for line in command.split("\n"))
    assert f"\n\n   ```sh\n{whole}\n   ```\n" in followed.text
    places = places_of(root, root.parent / "home", os.environ)
    (missing,) = Following(followed, root, places, print).missing()
    assert missing.startswith("planned, not done: run cat > new.py <<'EOF' def one")
    assert len(missing) < 230


@pytest.mark.proves("N04")
async def test_a_call_that_fails_names_the_project_and_not_its_copy(root: Path) -> None:
    turn = Turn(
        tool_calls=(
            call("read", path="gone.py"),
            call("edit", path="none.py", old_text="x", new_text="y"),
        )
    )
    plan, told = await rehearsed(root, [CHANGE, turn, END])
    assert [step.status for step in plan.steps][-2:] == ["failed", "failed"]
    assert f"{root}/gone.py does not exist" in told[-2]
    assert f"{root}/none.py does not exist" in told[-1]
    assert not any("/ouro-plan-" in text for text in told)


@pytest.mark.proves("N01", "N02", "D36", "N04")
async def test_an_agent_plans_by_its_own_words(root: Path) -> None:
    (root / "agents").mkdir()
    (root / "agents" / "fixer.agent.md").write_text(
        '---\nname: fixer\ndescription: "Mends tests"\ntools:\n  - name: read\n  - name: edit\n---\n'
        "You mend tests.\n"
    )
    plan, told = await rehearsed(root, [LOOK, CHANGE, END], agent="fixer")
    assert (plan.agent, plan.persona) == ("fixer", "fixer: Mends tests\n\n> You mend tests.")
    assert "> You mend tests." in read(written(plan)).text
    assert [step.status for step in plan.steps if step.tool == "edit"] == ["planned"]
    assert "write" in told[1]
    assert "docs/new.md" not in plan.diff
    with pytest.raises(Misuse, match="there is no agent 'other'"):
        await rehearsed(root, [LOOK, END], agent="other")


def newer(text: str) -> str:
    return text.replace('version: "1.0"', 'version: "2.0"')


def cut_off(text: str) -> str:
    return text[: text.index("```json plan-steps") + 60]


def broken(text: str) -> str:
    return text.replace('"number": 1', '"number": "one"')


def headless(text: str) -> str:
    return text.removeprefix("---")


@pytest.mark.proves("N04")
async def test_a_plan_that_is_none_is_refused_with_its_line(root: Path) -> None:
    text = written((await rehearsed(root, [LOOK, END]))[0])
    refused = {
        newer: "line 2: it is version 2.0",
        cut_off: "it was cut off",
        broken: "the steps of the plan are broken",
        headless: "line 1: it is no plan",
    }
    for change, words in refused.items():
        with pytest.raises(Malformed, match=words):
            read(change(text))


@pytest.mark.proves("N05")
def test_a_run_is_held_to_the_plan_and_departures_are_told(root: Path, tmp_path: Path) -> None:
    def turns(name: str, *made: Turn) -> str:
        folder = tmp_path / name
        folder.mkdir()
        return script(folder, *(msgspec.to_builtins(turn) for turn in made))

    model = turns("planning", LOOK, CHANGE, RUN, END)
    plan = tmp_path / "plan.md"
    made = ouro("plan", "Make it better", "--model", model, "-o", str(plan), "-q", cwd=root)
    assert (made.returncode, made.stdout) == (0, "")
    assert made.stderr == f"7 steps in 3 phases: {plan}\n"
    as_json = ouro("plan", "x", "--model", model, "--json", "-q", cwd=root)
    assert json.loads(as_json.stdout)["steps"][0]["tool"] == "read"
    other = Turn(
        tool_calls=(
            call("write", path="docs/new.md", content="# planned\n"),
            call("write", path="more.txt", content="x"),
            call("exec_command", cmd="ls"),
            call("exec_command", cmd="echo x > y"),
        )
    )
    doing = turns("doing", other, END)
    words = ("run", "--plan", str(plan), "--model", doing, "--mode", "full-auto")
    done = ouro(*words, cwd=root)
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "plan" in line and "not" in line] == [
        "not in the plan: change more.txt",
        "not in the plan: run echo x > y",
        "planned, not done: change src/app.py",
        "planned, not done: change staged.txt",
        "planned, not done: change untracked.txt",
        "planned, not done: run pytest -q",
        "planned, not done: run rm -rf build",
    ]
    assert ouro("run", "--plan", "missing.md", "--model", doing, cwd=root).returncode == 2


@pytest.mark.proves("N05")
@pytest.mark.deep
def test_an_agent_that_departs_from_the_plan_is_told_of(root: Path, tmp_path: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    plan = tmp_path / "plan.md"
    model = script(tmp_path, *(msgspec.to_builtins(turn) for turn in (CHANGE, RUN, END)))
    assert ouro("plan", "x", "--model", model, "-o", str(plan), "-q", cwd=root).returncode == 0
    other = Turn(
        tool_calls=(
            call("write", path="docs/new.md", content="# planned\n"),
            call("write", path="more.txt", content="x"),
            call("exec_command", cmd="ls"),
            call("exec_command", cmd="echo x > y"),
        )
    )
    model = script(tmp_path, *(msgspec.to_builtins(turn) for turn in (other, END)))
    words = ("paws", "run", "--plan", str(plan), "--model", model, "--mode", "full-auto")
    done = ouro(*words, cwd=root)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if "plan" in line and "not" in line] == [
        "not in the plan: change more.txt",
        "not in the plan: change y",
        "planned, not done: change src/app.py",
        "planned, not done: change staged.txt",
        "planned, not done: change untracked.txt",
        "not in the plan: run echo x > y",
        "planned, not done: run pytest -q",
        "planned, not done: run rm -rf build",
    ]
    (tmp_path / "no_plan.md").write_text("words")
    refused = ouro("paws", "run", "--plan", "../no_plan.md", "--model", model, cwd=root)
    assert refused.returncode != 0
    assert "it is no plan" in refused.stderr
