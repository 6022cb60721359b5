"""Programs that run programs: a rule about one holds behind all of them, and a yes to one is none to what it runs."""

from pathlib import Path

import pytest

from ouroboros.core.commands import Mode
from ouroboros.safety.commands.reading import read_shell, reads_history, runner_start
from ouroboros.safety.commands.tables.runners import INTERPRETERS, KNOWN, QUOTES, RUNNERS
from ouroboros.safety.paths import Places
from ouroboros.safety.rules import Decision, Intent, Rules, parse_rule
from ouroboros.tools.registry import canonical
from tests.cases import every

PUSH = "git push origin main"
SPELLINGS = tuple(
    line.format(PUSH=PUSH)
    for line in """
uv run {PUSH}
uv run -- {PUSH}
uv run --with x {PUSH}
uvx --from git git push
poetry run {PUSH}
pipenv run {PUSH}
pdm run {PUSH}
hatch run {PUSH}
rye run {PUSH}
conda run -n base {PUSH}
mamba run {PUSH}
npm exec -- {PUSH}
npx -- {PUSH}
npx -c '{PUSH}'
npm exec -c '{PUSH}'
pnpm exec {PUSH}
yarn exec {PUSH}
bunx {PUSH}
bun run {PUSH}
bundle exec {PUSH}
nix-shell --run '{PUSH}'
nix develop -c {PUSH}
nix shell nixpkgs#git -c {PUSH}
docker exec c {PUSH}
docker run img {PUSH}
docker compose exec web {PUSH}
docker compose run web {PUSH}
podman exec c {PUSH}
kubectl exec pod -- {PUSH}
ssh host {PUSH}
ssh-agent {PUSH}
dbus-run-session {PUSH}
git rebase -x '{PUSH}' main
git rebase --exec '{PUSH}' main
git bisect run {PUSH}
git submodule foreach '{PUSH}'
git -c alias.x='!{PUSH}' x
git filter-branch --tree-filter '{PUSH}' HEAD
sudo {PUSH}
doas {PUSH}
su -c '{PUSH}'
runuser -u me -- {PUSH}
env {PUSH}
env -S '{PUSH}'
nice {PUSH}
nohup {PUSH}
timeout 5 {PUSH}
time {PUSH}
/usr/bin/time -v {PUSH}
stdbuf -oL {PUSH}
xargs {PUSH}
echo x | xargs -I y {PUSH}
find . -exec {PUSH} ;
fd -x {PUSH}
parallel {PUSH} ::: a
watch {PUSH}
entr {PUSH}
script -c '{PUSH}' /dev/null
strace {PUSH}
ltrace {PUSH}
gdb --args {PUSH}
valgrind {PUSH}
perf stat {PUSH}
flock l {PUSH}
setsid {PUSH}
unshare {PUSH}
nsenter -t 1 {PUSH}
chroot / {PUSH}
bwrap --ro-bind / / {PUSH}
firejail {PUSH}
systemd-run {PUSH}
at now -f x {PUSH}
tmux new -d '{PUSH}'
tmux send-keys '{PUSH}' Enter
screen -dm {PUSH}
expect -c 'spawn {PUSH}'
make SHELL='{PUSH}'
direnv exec . {PUSH}
mise exec -- {PUSH}
asdf exec {PUSH}
devbox run {PUSH}
just --command {PUSH}
cargo watch -x '{PUSH}'
go run ./wrap {PUSH}
./wrap.sh {PUSH}
bash -c '{PUSH}'
sh -ec '{PUSH}'
zsh -c '{PUSH}'
busybox sh -c '{PUSH}'
python -c 'import os; os.system("{PUSH}")'
perl -e 'system("{PUSH}")'
ruby -e 'system("{PUSH}")'
node -e 'require("child_process").execSync("{PUSH}")'
awk 'BEGIN{{system("{PUSH}")}}'
vim -c ':!{PUSH}' -c q
ex -c '!{PUSH}'
sed '1e {PUSH}' f
tar --to-command='{PUSH}' -xf x
tar cf x --checkpoint=1 --checkpoint-action='exec={PUSH}' y
rsync -e '{PUSH}' a b
socat - EXEC:'{PUSH}'
ionice -c2 {PUSH}
chrt 1 {PUSH}
taskset 1 {PUSH}
caffeinate {PUSH}
op run -- {PUSH}
aws-vault exec p -- {PUSH}
dotenv run {PUSH}
dotenvx run -- {PUSH}
foreman run {PUSH}
heroku local:run {PUSH}
turbo run {PUSH}
nx run {PUSH}
lerna exec -- {PUSH}
tox -e py -- {PUSH}
nox -s x -- {PUSH}
coverage run -m {PUSH}
hyperfine '{PUSH}'
xvfb-run {PUSH}
proxychains {PUSH}
torsocks {PUSH}
faketime x {PUSH}
fakeroot {PUSH}
catchsegv {PUSH}
sg grp -c '{PUSH}'
pkexec {PUSH}
rustup run stable {PUSH}
bundler exec {PUSH}
stack exec -- {PUSH}
opam exec -- {PUSH}
cabal exec -- {PUSH}
dune exec -- {PUSH}
mix cmd {PUSH}
cmake -E env {PUSH}
firebase emulators:exec '{PUSH}'
ansible all -a '{PUSH}'
uv --directory . run {PUSH}
poetry -C . run {PUSH}
docker -H x exec c {PUSH}
pnpm --filter foo exec {PUSH}
yarn workspace foo exec {PUSH}
nix --extra-experimental-features flakes develop -c {PUSH}
split --filter='{PUSH}' f
less +'!{PUSH}' f
""".strip().splitlines()
)
ORDINARY = """
pytest -k rm
uv run pytest -k rm
uv run pytest tests/test_rm.py
npm test
npm run build
npm run rm
docker compose up -d
cargo test rm
git commit -m 'git push is slow'
git log --grep 'git push'
echo git push
grep -rn 'git push' .
rg 'rm -rf'
python -m pytest
python scripts/x.py
python -c 'print(1)'
make test
make clean
node index.js
npx prettier --write 'src/**/*.ts'
npx tsc --noEmit
poetry run pytest -q
sed -n 1,20p f
awk '{print $1}' f
ls -la
cat README.md
./gradlew build
./manage.py migrate
bundle exec rspec spec/x_spec.rb
go run ./cmd/x
go test ./...
mvn -q test
terraform plan
kubectl get pods
jq .a f.json
tar xf a.tar
cmake --build build
bun run dev
""".strip().splitlines()
"""In which the names of denied programs stand for something else, or do not stand at all."""


def decide(command: str, *rules: tuple[str, str], mode: Mode = "full-auto") -> Decision:
    places = Places(roots=(Path("/ws"),))
    judge = Rules([parse_rule(*rule) for rule in rules], places, canonical)
    return judge.decide(Intent(tool="shell", kind="execute", command=command), mode=mode)


@pytest.mark.deep
@pytest.mark.proves("E10")
def test_a_deny_is_lost_behind_no_runner() -> None:
    assert len(SPELLINGS) >= 120
    found = {each: decide(each, ("deny", "Bash(git push:*)")).outcome for each in SPELLINGS}
    assert [each for each, outcome in found.items() if outcome == "allow"] == []
    assert sum(outcome == "deny" for outcome in found.values()) >= 90


@pytest.mark.deep
@pytest.mark.proves("E10")
def test_a_yes_to_a_runner_is_none_to_what_it_runs() -> None:
    def answered(command: str) -> str:
        name, *rest = command.split()
        start = runner_start(command.split())
        allowed = " ".join([name, *rest][: start or 1])
        rules = (("deny", "Bash(git push:*)"), ("allow", f"Bash({allowed}:*)"))
        return decide(command, *rules, mode="ask").outcome

    assert [each for each in SPELLINGS if answered(each) == "allow"] == []


@every(
    ("command", "allow", "outcome"),
    [
        ("uv run pytest -q", "uv run:*", "ask"),
        ("uv run pytest -q", "uv run pytest:*", "allow"),
        ("docker compose exec web rake x", "docker compose:*", "ask"),
        ("docker compose exec web rake x", "docker compose exec:*", "ask"),
        ("docker compose up -d", "docker compose:*", "allow"),
        ("npm exec -- jest", "npm exec:*", "ask"),
        ("npm test", "npm:*", "allow"),
        ("npx tsc --noEmit", "npx tsc:*", "allow"),
        ("npx tsc --noEmit", "npx:*", "ask"),
    ],
)
@pytest.mark.proves("E10")
def test_a_yes_counts_as_far_as_it_names_what_is_run(
    command: str, allow: str, outcome: str
) -> None:
    assert decide(command, ("allow", f"Bash({allow})"), mode="ask").outcome == outcome


@pytest.mark.proves("E10")
def test_a_name_that_is_only_a_word_is_no_program() -> None:
    rules = (("deny", "Bash(git push:*)"), ("deny", "Bash(rm:*)"))
    found = {each: decide(each, *rules) for each in ORDINARY}
    assert {each: said.reason for each, said in found.items() if said.outcome != "allow"} == {}


def test_the_tables_agree() -> None:
    assert not QUOTES & RUNNERS.keys()
    assert not QUOTES & INTERPRETERS
    assert KNOWN > QUOTES | INTERPRETERS


@every(
    ("command", "reads"),
    [
        *(
            (each, True)
            for each in (
                *(
                    "git show --stat -p HEAD",
                    "git diff --stat -p",
                    "git log -U3",
                    "git log --unified=1",
                ),
                *("git reflog -p", "git diff-files -p", "git status -vv", "git unpack-file abc"),
                *(
                    "git show -s HEAD:.env",
                    "git --exec-path x show",
                    "git --namespace x show",
                    "git diff",
                ),
                *("git -C sub log -p", "git stash pop", "git checkout main", "git grep x HEAD"),
            )
        ),
        *(
            (each, False)
            for each in (
                *("git status", "git log --oneline", "git show --stat", "git diff --name-only"),
                *(
                    "git add a",
                    "git commit -m x",
                    "git checkout -b new",
                    "git branch",
                    "git grep x",
                ),
            )
        ),
    ],
)
@pytest.mark.proves("E05")
def test_what_git_may_show_of_a_stored_file(command: str, reads: bool) -> None:
    assert any(map(reads_history, read_shell(command).commands)) is reads
