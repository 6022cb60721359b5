"""A home full of secrets, the person's and our own: nothing that runs in a cage reads one of them."""

import sys
from pathlib import Path

import pytest
from anyio import to_thread

from ouroboros.app.permission.cages import Grounds, policy_of
from ouroboros.app.settings.permission import Sandbox as Wanted
from ouroboros.safety.sandbox.policy import Reach, secrets_of
from tests.sandbox.cages import CAGES, OFFERED, cage_of
from tests.sandbox.test_command_escapes import ran

pytestmark = pytest.mark.real

SECRET = "hush-hush-4711"
SHOWN = "to be read"
OURS = (
    *(
        "vault.key",
        "vault/one.sealed",
        "browser/profiles/mine/Default/Cookies",
        "browser/vault/shop",
    ),
    *("ouroboros.db", "ouroboros.db-shm", "ouroboros.db-wal", "repl/ses_mine/values.json"),
    *(
        "repl/ses_other/values.json",
        "artifacts/ses_other/report.pdf",
        "keys.toml",
        "auth/login.json",
    ),
    *(
        "keys.sealed",
        "seal.key",
    ),
    *(
        "config.toml",
        "mirror/ses_mine.jsonl",
        "checkpoints/a.git/HEAD",
    ),
    *("history/words", "backups/old.db", "what-comes-later/key", "later.key", "servers/8100"),
)
READ = (
    *(
        "blobs/ab/cd",
        "artifacts/ses_mine/out.txt",
        "shell_snapshots/ses_mine.x.sh",
        "repos/o_r/README.md",
    ),
    "tools/mine/run",
)
PERSONS = (
    *(".npmrc", ".pypirc", ".netrc", ".bash_history", ".cargo/credentials.toml", ".config/hub"),
    *(".codex/auth.json", ".claude/.credentials.json", ".config/rclone/rclone.conf", ".aws/config"),
    *(".config/sops/age/keys.txt", ".mozilla/firefox/x/cookies.sqlite", ".ssh/id_ed25519"),
    *(".config/BraveSoftware/Brave-Browser/Default/Cookies", ".thunderbird/x/key4.db"),
)


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def filled(folder: Path) -> Grounds:
    """Every place of the list holds a secret, and so does all of our home but what a call is given."""
    person = folder / "person"
    home, work = person / ".ouroboros", folder / "work"
    work.mkdir()
    put(work / "mine.txt", SHOWN)
    put(person / ".cache" / "pip" / "page", SHOWN)
    for name in OURS:
        put(home / name, SECRET)
    for name in READ:
        put(home / name, SHOWN)
    for name in PERSONS:
        put(person / name, SECRET)
    for place in secrets_of(person, home):
        if place.is_relative_to(person) and not place.exists():
            put(place, SECRET)
    environment = {"HOME": str(person), "PATH": "/usr/bin:/bin"}
    return Grounds(cwd=work, home=home, environment=environment, session="ses_mine")


@pytest.fixture
async def grounds(tmp_path: Path) -> Grounds:
    return await to_thread.run_sync(filled, tmp_path)


@pytest.mark.proves("F03", "sandbox-hidden-places")
@pytest.mark.skipif(OFFERED.landlock < 1, reason="the kernel has no Landlock")
@pytest.mark.parametrize("cage", CAGES)
@pytest.mark.parametrize("reach", ["workspace-write", "read-only"])
async def test_no_secret_is_read_and_what_a_call_is_given_is(
    grounds: Grounds, cage: str, reach: Reach
) -> None:
    policy = await to_thread.run_sync(policy_of, Wanted(), grounds, reach)
    sandbox = cage_of(cage, policy)
    person = grounds.environment["HOME"]
    code = (
        "import os,sys\nfor top,_,names in os.walk(sys.argv[1]):\n for n in names:\n"
        "  try: print(os.path.join(top,n), open(os.path.join(top,n)).read())\n  except OSError: pass"
    )
    ways = {
        "grep": ("grep", "-rs", "", person),
        "find": ("find", person, "-type", "f", "-exec", "cat", "{}", "+"),
        "tar": ("tar", "-cf", "-", person),
        "cp": ("sh", "-c", f"cp -r {person} ./copy 2>/dev/null; grep -rs '' ./copy"),
        "python": (sys.executable, "-ISBc", code, person),
        "by name": ("sh", "-c", f"cd {grounds.home}; cat {' '.join((*OURS, *READ))}"),
        "by a link": (
            "sh",
            "-c",
            f"ln -s {grounds.home} l; cat l/vault.key l/later.key l/blobs/ab/cd",
        ),
    }
    for name, words in ways.items():
        said = await to_thread.run_sync(ran, sandbox.confine(words, cwd=grounds.cwd), grounds.cwd)
        assert SECRET not in said, (name, said[:2000])
        if name == "by name":  # where there are mounts, our home shows no list of what is in it
            assert said.count(SHOWN) == len(READ), said[:2000]
        elif name == "python":
            assert SHOWN in said


@pytest.mark.deep
@pytest.mark.proves("sandbox-hidden-places")
async def test_what_a_setting_reveals_is_read(grounds: Grounds) -> None:
    wanted = Wanted(reveal=("~/.npmrc", "~/.ouroboros/history"))
    policy = await to_thread.run_sync(policy_of, wanted, grounds, "workspace-write")
    for cage in CAGES:
        sandbox = cage_of(cage, policy)
        words = ("sh", "-c", "cat ~/.npmrc ~/.ouroboros/history/words ~/.pypirc")
        confined = sandbox.confine(
            ("env", f"HOME={grounds.environment['HOME']}", *words), cwd=grounds.cwd
        )
        said = await to_thread.run_sync(ran, confined, grounds.cwd)
        assert said.count(SECRET) == 2, (cage, said)


@pytest.mark.deep
@pytest.mark.proves("sandbox-hidden-places")
async def test_who_works_in_our_home_reads_its_secrets_no_more_than_others(
    grounds: Grounds,
) -> None:
    """A repository that was loaded is worked in: then the rest of our home is hidden place by place."""
    inside = Grounds(
        cwd=grounds.home / "repos" / "o_r",
        home=grounds.home,
        environment=grounds.environment,
        session="ses_mine",
    )
    policy = await to_thread.run_sync(policy_of, Wanted(), inside, "workspace-write")
    for cage in CAGES:
        words = (
            "sh",
            "-c",
            f"cat README.md; cd {grounds.home}; cat keys.toml auth/* browser/*/* repl/*/*",
        )
        confined = cage_of(cage, policy).confine(words, cwd=inside.cwd)
        said = await to_thread.run_sync(ran, confined, inside.cwd)
        assert (SHOWN in said, SECRET in said) == (True, False), (cage, said)


@pytest.mark.deep
@pytest.mark.proves("sandbox-hidden-places")
async def test_what_a_setting_hides_stays_hidden_within_what_is_shown(grounds: Grounds) -> None:
    await to_thread.run_sync(put, grounds.home / "repos" / "mine" / "letters" / "one", SECRET)
    await to_thread.run_sync(put, grounds.home / "blobs" / "ab" / "cd", SECRET)
    wanted = Wanted(
        hide=("~/.ouroboros/repos/mine/letters", "~/.ouroboros/blobs"), reveal=("mine.txt",)
    )
    policy = await to_thread.run_sync(policy_of, wanted, grounds, "workspace-write")
    assert not any(place.is_relative_to(grounds.cwd) for place in policy.shown)
    for cage in CAGES:
        words = (
            "sh",
            "-c",
            f"cd {grounds.home}; cat blobs/*/* repos/mine/letters/* repos/o_r/*; echo more >> {grounds.cwd}/mine.txt",
        )
        confined = cage_of(cage, policy).confine(words, cwd=grounds.cwd)
        said = await to_thread.run_sync(ran, confined, grounds.cwd)
        assert (SHOWN in said, SECRET in said) == (True, False), (cage, said)
    text = await to_thread.run_sync((grounds.cwd / "mine.txt").read_text, "utf-8")
    assert text.count("more") == len(CAGES)
