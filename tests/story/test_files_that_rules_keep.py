"""A file that a rule denies, or asks about, is not there for a command, whatever reads it."""

import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from ouroboros.core.commands import Approve, Deny
from ouroboros.core.events import PermissionRequested, ToolAttempted
from ouroboros.llm.turns import Turn
from tests.story.stage import Stage, call, stage

SECRET = "hush-4711"
DENY = {"deny": ["Read(secrets/**)", "Read(*.pem)"]}
ASK = {"ask": ["Read(secrets/**)", "Read(*.pem)"]}
DONE = Turn(text="Done.")
READERS = (
    "cat secrets/key",
    "grep -r hush .",
    "grep -rn . secrets",
    *(["rg -uu hush"] if shutil.which("rg") else []),
    "find . -type f -exec cat {} +",
    "find . -name 'k*' | xargs cat",
    "printf 'secrets/key\\ndeep/er/a.pem\\n' > list; xargs -a list cat",
    "tar c . | strings",
    "cp -r . ../copy; cat ../copy/secrets/key ../copy/deep/er/a.pem",
    "cp -r secrets other; cat other/key",
    "mv secrets other; cat other/key",
    "ln secrets/key linked; cat linked",
    "ln -s secrets/key linked; cat linked",
    "cd secrets && cat key",
    "s=sec; cat ${s}rets/key",
    "cat s*/k*",
    "head -c 100 deep/*/*.pem",
    "while read line; do echo $line; done < secrets/key",
    "awk 1 secrets/key deep/er/a.pem",
    "dd if=secrets/key status=none",
    "base64 -w0 secrets/key | base64 -d",
    f"{sys.executable} -c \"import pathlib; [print(p.read_text()) for p in pathlib.Path('.').rglob('k'+'ey')]\"",
    "git grep -n hush",
    "git grep --no-index hush",
    "git grep hush HEAD",
    "git show HEAD:secrets/key",
    "git show",
    "git log -p",
    "git diff HEAD~0 HEAD -- ; git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD",
    "git archive HEAD | tar xO",
    "git cat-file -p HEAD:secrets/key",
    "git checkout-index -f --prefix=../out/ secrets/key; cat ../out/secrets/key",
    "git worktree add -q ../tree; cat ../tree/secrets/key",
    "git stash; git stash show -p",
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    for name in ("secrets/key", "deep/er/a.pem"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(f"{SECRET}\n", encoding="utf-8")
    (folder / "plain").write_text("plain\n", encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git[:3], "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    return folder


def answers(s: Stage) -> list[str]:
    return [m["content"] for m in s.body()["messages"] if m["role"] == "tool"]


async def agreeing(s: Stage) -> None:
    """Says yes to everything but to what git has stored, which no sandbox can hide."""
    said = 0
    while True:
        await s.until(PermissionRequested, said + 1)
        asked = s.events(PermissionRequested)[said]
        is_told = "stored versions of files" in asked.reason
        answer = Deny if is_told else Approve
        await s.session.send(answer(request_id=asked.request_id))
        said += 1


@pytest.mark.proves("E05", "divergences-what-git-has-stored-of")
@pytest.mark.parametrize(
    ("bubblewrap", "rules"),
    [
        pytest.param("auto", DENY),
        pytest.param("off", DENY, marks=pytest.mark.deep),
        pytest.param("auto", ASK, marks=pytest.mark.deep),
    ],
)
async def test_no_reader_reads_it(
    tmp_path: Path, work: Path, bubblewrap: str, rules: dict[str, list[str]]
) -> None:
    turns = [Turn(tool_calls=(call("shell", command=each),)) for each in READERS]
    sandbox = {"bubblewrap": bubblewrap}
    async with stage(
        tmp_path, [*turns, DONE], permissions=rules, sandbox=sandbox, interactive=rules is DENY
    ) as s:
        async with anyio.create_task_group() as tasks:
            if rules is DENY:
                tasks.start_soon(agreeing, s)
            await s.run()
            tasks.cancel_scope.cancel()
        read = [
            (reader, said)
            for reader, said in zip(READERS, answers(s), strict=True)
            if SECRET in said
        ]
        ran = len(s.events(ToolAttempted))
    assert read == []
    assert ran >= (8 if rules is DENY else 6), (
        "nearly all of them were refused beforehand, and showed nothing of the sandbox"
    )
    assert (work / "secrets" / "key").read_text("utf-8") == f"{SECRET}\n"


@pytest.mark.proves("E05", "divergences-outside-of-the-sandbox-where")
@pytest.mark.parametrize("mode", ["danger-full-access", "workspace-write"])
async def test_a_yes_to_leave_the_sandbox_is_none_to_what_is_denied(
    tmp_path: Path, work: Path, mode: str
) -> None:
    (work / "read.py").write_text(
        "import pathlib\n"
        "for path in ('plain', 'secrets/key', 'deep/er/a.pem'):\n"
        "    try: print(path, pathlib.Path(path).read_text())\n"
        "    except OSError as error: print(path, error.strerror)\n",
        encoding="utf-8",
    )
    command = f"{sys.executable} read.py; touch ../made && echo made"
    turns = [
        Turn(
            tool_calls=(
                call(
                    "exec_command",
                    cmd=command,
                    sandbox_permissions="require_escalated",
                    justification="to see",
                ),
            )
        ),
        DONE,
    ]
    rules = {"deny": ["Read(*.pem)"], "ask": ["Read(secrets/**)"]}
    async with stage(
        tmp_path,
        turns,
        mode="ask",
        interactive=True,
        sandbox={"mode": mode},
        permissions=rules,
    ) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            request = s.events(PermissionRequested)[0].request_id
            await s.session.send(Approve(request_id=request))
        (said,) = answers(s)
    assert "plain" in said
    assert "made" in said
    assert f"secrets/key {SECRET}" in said  # what is only asked about was agreed to
    assert "deep/er/a.pem Permission denied" in said
    assert (work / "deep" / "er" / "a.pem").exists()


@pytest.mark.deep
@pytest.mark.proves("E05")
async def test_a_yes_shows_what_a_rule_asks_about_to_that_command_alone(
    tmp_path: Path, work: Path
) -> None:
    turns = [
        Turn(tool_calls=(call("shell", command="cat secrets/key"),)),
        Turn(tool_calls=(call("shell", command="grep -r hush . ; true"),)),
        DONE,
    ]
    async with stage(tmp_path, turns, interactive=True, permissions=ASK) as s:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.run)
            await s.until(PermissionRequested)
            (asked,) = s.events(PermissionRequested)
            assert "Read(secrets/**)" in asked.reason
            await s.session.send(Approve(request_id=asked.request_id))
        first, second = answers(s)
    assert SECRET in first
    assert SECRET not in second
    assert (work / "secrets" / "key").exists()


@pytest.mark.deep
@pytest.mark.proves("E05")
async def test_what_may_not_be_written_is_written_by_no_command(tmp_path: Path, work: Path) -> None:
    python = f"{sys.executable} -c \"open('pl'+'ain','w').write('x')\""
    commands = (
        "for f in p*; do echo x > $f; done",
        python,
        "cp deep/er/a.pem plain",
        "rm -f plain",
    )
    turns = [Turn(tool_calls=(call("shell", command=each),)) for each in commands]
    denied = {"deny": ["Edit(plain)"]}
    async with stage(tmp_path, [*turns, DONE], permissions=denied) as s:
        await s.run()
    assert (work / "plain").read_text("utf-8") == "plain\n"


@pytest.mark.deep
@pytest.mark.proves("E10")
@pytest.mark.usefixtures("work")
async def test_a_program_that_is_denied_as_such_is_not_started_by_another(tmp_path: Path) -> None:
    """What a script runs nobody reads beforehand."""
    script = "import subprocess\nprint(subprocess.run(['stat', '-c', '%s', 'plain']))\n"
    (tmp_path / "work" / "script.py").write_text(script, encoding="utf-8")
    commands = (f"{sys.executable} script.py", "bash -c ls; stat plain")
    turns = [Turn(tool_calls=(call("shell", command=each),)) for each in commands]
    async with stage(tmp_path, [*turns, DONE], permissions={"deny": ["Bash(stat:*)"]}) as s:
        await s.run()
        first, second = answers(s)
    assert "Permission denied" in first
    assert "denies this" in second


@pytest.mark.proves("E05")
@pytest.mark.usefixtures("work")
async def test_searches_say_how_many_files_they_left_out(tmp_path: Path) -> None:
    turns = [
        Turn(tool_calls=(call("grep", pattern="hush|plain", glob="**/*"),)),
        Turn(tool_calls=(call("find", pattern="**/*"),)),
        DONE,
    ]
    async with stage(tmp_path, turns, permissions=DENY) as s:
        await s.run()
        grep, find = answers(s)
    assert SECRET not in grep + find
    assert "plain" in grep
    assert "2 files are left out: they may not be read" in grep
    assert "2 files are left out: they may not be read" in find


@pytest.mark.proves("E05")
async def test_a_patch_neither_moves_nor_deletes_what_is_denied(tmp_path: Path, work: Path) -> None:
    patches = (
        "*** Begin Patch\n*** Delete File: secrets/key\n*** End Patch",
        f"*** Begin Patch\n*** Update File: secrets/key\n*** Move to: open\n@@\n-{SECRET}\n+x\n*** End Patch",
        "*** Begin Patch\n*** Update File: plain\n*** Move to: secrets/key\n@@\n-plain\n+x\n*** End Patch",
        "*** Begin Patch\n*** Add File: secrets/key\n+x\n*** End Patch",
    )
    turns = [Turn(tool_calls=(call("apply_patch", input=each),)) for each in patches]
    denied = {"deny": ["Read(secrets/**)", "Edit(secrets/**)"]}
    async with stage(tmp_path, [*turns, DONE], permissions=denied) as s:
        await s.run()
        said = answers(s)
    assert all("denies this" in each for each in said), said
    assert (work / "secrets" / "key").read_text("utf-8") == f"{SECRET}\n"
    assert not (work / "open").exists()
