"""Commands at the edges of what is read: one step further, and somebody must be asked."""

import subprocess
from pathlib import Path

import pytest

from ouroboros.safety.commands.classify import classify
from ouroboros.safety.commands.git import HARDENED
from ouroboros.safety.commands.verdict import Verdict
from ouroboros.safety.paths import Places
from tests.cases import every

pytestmark = pytest.mark.real


def judged(text: str, folder: Path) -> Verdict:
    return classify(text, cwd=folder, places=Places(roots=(folder,)))


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "ws"
    (folder / "src/deep").mkdir(parents=True)
    for name in ("README.md", ".env", "p", "x.zip", "x.yml"):
        (folder / name).write_text("x\n")
    (folder / "notes").symlink_to(".env")
    (folder / "in").symlink_to("src/deep")
    return folder


ASKED = (
    ("sed -n /*/p README.md", "ask.pattern"),
    ("sed --expression='w out' p", "ask.script"),
    ("sed --expression 'e id' p", "ask.script"),
    ("awk -v 'x=$(id)' 1 README.md", "ask.script"),
    ("yq env x.yml", "ask.script"),
    ("yq '.a | line' x.yml", "ask.script"),
    ("unzip -q x.zip", "ask.option"),
    ("unzip -1 x.zip", "ask.option"),
    ("git reflog drop main", "ask.git"),
    ("cat notes", "ask.secret"),
    ("cd in && ls", "ask.folder"),
    ("cat /etc/nothing-of-this-name*", "ask.outside"),
    ("rg --files --ignore-file /etc/passwd", "ask.outside"),
    ("rg --files -f /etc/passwd .", "ask.outside"),
    ("rg --files /etc", "ask.outside"),
    ("grep -r '' .", "ask.secret"),
    ("grep -rn . .", "ask.secret"),
    ("grep -R '^.*$' src", "ask.secret"),
    ("grep -rv nothing-of-this", "ask.secret"),
    ("grep -d recurse '' .", "ask.secret"),
    ("grep -rh -e x -e '' .", "ask.secret"),
    ("fgrep -r '' .", "ask.secret"),
    ("rg --hidden .", "ask.secret"),
    ("rg -uu ''", "ask.secret"),
    ("rg -. --passthru x", "ask.secret"),
    ("find . -type f -exec cat {} +", "ask.secret"),
    ("find . -type f | xargs cat", "ask.secret"),
    ("tar c .", "ask.option"),
    ("git show HEAD:.env", "ask.secret"),
    ("sed -n p *", "ask.pattern"),
    ("cat .*", "ask.pattern"),
)


@pytest.mark.proves("E10", "E11", "E12")
@every(("text", "rule"), ASKED)
def test_one_step_beyond_a_read_is_asked_about(ground: Path, text: str, rule: str):
    assert judged(text, ground).rule == rule


@pytest.mark.proves("E09", "E20", "E11", "E12")
@every(
    "text",
    [
        "sed -n /x/p README.md",
        "sed --expression='s/a/b/' README.md",
        "awk -v 'x=1' '{print x}' README.md",
        "yq '.a' x.yml",
        "unzip -l x.zip",
        "git reflog show",
        "rg --files src",
        "rg --files --ignore-file README.md .",
        "cd src/deep && ls",
        "ls ./*.nothing",
        "grep -rn main .",
        "grep -rl '' .",
        "grep -rc '' src",
        "grep -rn --include=*.py . src",
        "grep '' README.md",
        "grep -v x README.md",
        "rg .",
        "rg --hidden main",
        "rg -uu main src",
        "rg --hidden --files",
        "git grep ''",
        "git log -M",
        "git diff -M README.md",
        "cat README.md ./*.md",
    ],
)
def test_one_step_back_is_a_read(ground: Path, text: str):
    subprocess.run(["git", "init", "-q"], cwd=ground, check=True)
    assert judged(text, ground).kind == "safe"


def test_a_text_beyond_all_measure_is_asked_about_and_may_send(ground: Path):
    assert judged("ls" + " " * 1_000, ground).kind == "safe"
    long = judged("ls" + " " * 99_999, ground)
    assert (long.rule, long.sends) == ("ask.long", True)


@pytest.mark.proves("E10")
@every("root", ["/etc", "/proc", "/sys", "/dev", "/var", "/run", "/home"])
def test_a_workspace_that_is_a_folder_of_the_system_opens_nothing(root: str):
    places = Places(roots=(Path(root),))
    for text in ("cat a-file", f"cat {root}/a-file", "head -1 sub/a-file"):
        assert classify(text, cwd=Path(root), places=places).kind != "safe"


SENDERS = """
aws s3 cp a s3://b⏎az storage blob upload⏎bitsadmin x⏎cloudflared tunnel⏎curl x⏎dig x.org⏎drill x.org⏎fetch x
ftp x⏎gcloud x⏎gh api x⏎git clone x⏎git ls-remote x⏎git pull⏎git remote update⏎git submodule update⏎glab x
gsutil cp a b⏎host x.org⏎http x⏎lftp x⏎mail x⏎mosh x⏎mysql -h x⏎nc x 80⏎ncat x 80⏎netcat x 80⏎ngrok http 80
node -e x⏎npm install⏎npx x⏎nslookup x.org⏎openssl s_client -connect x⏎perl -e x⏎php -r x⏎ping x⏎pip install x⏎psql -h x
python -m http.server⏎python3 - < x⏎echo x | python3⏎rclone copy a b⏎redis-cli -h x⏎rsync a b:c⏎ruby -e x⏎sendmail x
sftp x⏎smbclient x⏎socat - TCP:x:80⏎ssh x⏎sshfs x y⏎svn up⏎telnet x⏎tftp x⏎traceroute x⏎uv sync⏎uvx x⏎wget x
websocat x⏎whois x⏎yarn add x
"""
PUBLISHERS = """
git push⏎git send-email x⏎gem push x⏎npm publish⏎pnpm -r publish⏎twine upload x⏎docker push x⏎podman image push x
gh release create x⏎gh pr comment 1⏎gh gist create x⏎glab mr create⏎mvn deploy⏎./gradlew publish⏎hg push⏎svn commit
python setup.py sdist upload⏎vercel deploy --prod⏎fly deploy⏎helm push x⏎skopeo copy a b⏎nuget push x
"""


def lines(text: str) -> list[str]:
    return [one for line in text.split("\n") for one in line.split("⏎") if one]


@pytest.mark.proves("permissions-taint")
def test_every_program_that_reaches_the_network_is_told(ground: Path):
    assert [text for text in lines(SENDERS) if not judged(text, ground).sends] == []


@pytest.mark.proves("permissions-taint")
def test_every_program_that_publishes_is_told(ground: Path):
    published = [judged(text, ground) for text in lines(PUBLISHERS)]
    wrong = [t for t, v in zip(lines(PUBLISHERS), published, strict=True) if not v.pushes]
    assert wrong == []
    assert all(verdict.sends for verdict in published)


PROTECTIONS = (
    "-c core.fsmonitor= ",
    "-c core.hooksPath=/dev/null ",
    "-c diff.external= ",
    "-c gpg.program=false ",
    "-c gpg.ssh.program=false ",
    "-c log.showSignature=false ",
    "-c protocol.allow=never ",
    "-c safe.bareRepository=explicit ",
    "-c submodule.recurse=false",
    "-u GIT_SSH_COMMAND ",
    "-u GIT_EXTERNAL_DIFF ",
    "GIT_ALLOW_PROTOCOL=none ",
    "GIT_OPTIONAL_LOCKS=0 ",
    " --no-pager ",
)


@pytest.mark.proves("E09", "E20")
def test_one_protection_stands_behind_the_other():
    """Most of these hold alone what another holds too, so no repository shows that one is gone."""
    assert [each for each in PROTECTIONS if each not in f"{HARDENED} "] == []


def hostile_surroundings(folder: Path) -> dict[str, dict[str, str]]:
    evil = str(folder / "evil")
    return {
        "settings": {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "filter.evil.clean",
            "GIT_CONFIG_VALUE_0": evil,
        },
        "parameters": {"GIT_CONFIG_PARAMETERS": f"'filter.evil.clean={evil}'"},
        "index": {"GIT_INDEX_FILE": str(folder / "no-index")},
        "folder": {"GIT_DIR": str(folder / "nowhere")},
        "tree": {"GIT_WORK_TREE": "/"},
        "objects": {"GIT_OBJECT_DIRECTORY": str(folder / "nowhere")},
        "common": {"GIT_COMMON_DIR": str(folder / "nowhere")},
        "attributes": {"GIT_ATTR_SOURCE": "nothing"},
        "trace": {"GIT_TRACE": str(folder / "traced")},
    }


@pytest.mark.proves("E09", "E20")
def test_what_the_surroundings_say_does_not_count(tmp_path: Path):
    folder = tmp_path.resolve() / "ws"
    folder.mkdir()
    canary = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    evil.chmod(0o755)
    (folder / ".gitattributes").write_text("* filter=evil\n")
    (folder / "a.txt").write_text("one\n")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "a.txt").write_text("two\n")
    hardened = judged("git status --porcelain", folder).hardened

    def said(**more: str) -> str:
        surroundings = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **more}
        ended = subprocess.run(
            ["bash", "-c", hardened], cwd=folder, env=surroundings, capture_output=True, check=True
        )
        return ended.stdout.decode()

    plain = said()
    assert "AM a.txt" in plain
    for name, surroundings in hostile_surroundings(tmp_path).items():
        assert said(**surroundings) == plain, name
        assert not canary.exists(), name
        assert not (tmp_path / "traced").exists()


@pytest.mark.proves("E11", "E12")
@every(
    ("text", "rule"),
    [
        ("head -n 5 p", "safe.read"),
        ("head -n5 p", "safe.read"),
        ("head -n", "ask.option"),
        ("head -n -q p", "ask.option"),
        ("head -n -5 p", "safe.read"),
        ("head -qx p", "ask.option"),
        ("head --lines=5 p", "safe.read"),
        ("head --lines 5 p", "safe.read"),
        ("head --lines", "ask.option"),
        ("head --quiet=x p", "ask.option"),
        ("head --lines -q p", "ask.option"),
        ("grep -e p -- -x p", "safe.read"),
        ("grep -f.env p", "ask.secret"),
        ("grep -f .env p", "ask.secret"),
        ("grep --file=.env p", "ask.secret"),
        ("grep --file .env p", "ask.secret"),
        ("grep -fREADME.md p", "safe.read"),
        ("grep -fREADME.md .env", "ask.secret"),
        ("grep -e x .env", "ask.secret"),
        ("grep --regexp=x .env", "ask.secret"),
        ("grep .env p", "safe.read"),
        ("grep -e .env p", "safe.read"),
        ("grep -- -e .env", "ask.secret"),
        ("grep -A3 -B3 x p", "safe.read"),
        ("grep -m* x p", "ask.pattern"),
        ("grep -e * p", "ask.pattern"),
        ("grep --include=*.py x p", "safe.read"),
        ("grep --include *.py x p", "ask.pattern"),
        ("grep --file=*.md x", "ask.pattern"),
        ("type +x", "ask.operand"),
        ("type x", "safe.read"),
        ("jq --arg a b . x.yml", "safe.read"),
        ("jq --arg a", "ask.option"),
    ],
)
def test_options_and_their_values_are_told_apart(ground: Path, text: str, rule: str) -> None:
    assert judged(text, ground).rule == rule
