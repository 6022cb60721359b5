"""Texts that try to get past the grammar, and a day's plain reads, written apart from the tables; one a line."""

TRICKS = r"""
rg --pre=sh foo .
rg --pre sh foo
rg --search-zip --hostname-bin=./x foo
grep -f /etc/shadow x
grep --file=/etc/ssh/id_rsa .
sort --compress-program=./x README.md
sort -o README.md src/a.py
sort --output=out README.md
sort -T /tmp --parallel=2 -S1 --compress-prog=sh README.md
sort --files0-from=/etc/passwd
uniq README.md src/out
tee out < README.md
sed -n '1e id' README.md
sed -n 'w out' README.md
sed -n '1,2w out' README.md
sed -ni p README.md
sed --in-place=x p README.md
sed -s -n 's/x/id/e' README.md
sed -n 's/x/y/w out' README.md
sed -f script README.md
awk 'BEGIN{system("id")}'
awk '{print > "out"}' README.md
awk '{print | "sh"}' README.md
awk 'BEGIN{"id"|getline x; print x}'
awk '@load "filefuncs"; BEGIN{}' README.md
awk -i inplace '{print}' README.md
awk -v x=1 'BEGIN{getline y < "/etc/passwd"}'
gawk -l filefuncs 'BEGIN{}'
find . -fprint out
find . -fls out
find . -execdir id \;
find . -okdir rm {} \;
find . -name x -exec tee out \;
find -files0-from x
find . -exec cat {} \; -delete
xargs -a README.md rm
ls | xargs sh -c id
ls | xargs -I{} sh -c {}
ls | xargs -I% rm %
fd -x rm
fd . --exec rm
tree -o out
tree --fromfile /etc/passwd
ls 2>out
ls &>out
ls >&out
ls >|out
ls <>out
cat <<< $(id)
cat <(touch x)
echo ${x:=$(id)}
echo ${x@P}
echo $((a[$(id)]))
echo "${!x}"
[ -v 'a[$(id)]' ]
[ 'a[$(id)]' -eq 0 ]
test 'x[$(id)]' -gt 1
printf -v 'a[$(id)]' x
printf "$(id)"
read -r 'a[$(id)]' < README.md
export PATH=.:$PATH; ls
PATH=. ls
LD_PRELOAD=./x.so ls
IFS=x ls
PAGER=./x git log
GIT_EXTERNAL_DIFF=./x git diff
GIT_CONFIG_GLOBAL=x git status
git -c core.pager=./x log
git -c alias.st='!id' st
git --exec-path=. status
git -C /etc status
git --git-dir=/tmp/x status
git -p log
git grep -O foo
git grep --open-files-in-pager=sh foo
git grep -Osh foo
git diff --ext-diff
git diff --textconv
git diff --no-index /etc/passwd README.md
git diff --output=out
git log --output=out -p
git show --output=x
git archive -o x HEAD
git bundle create x HEAD
git branch new
git branch -m x
git branch --edit-description
git tag v1
git stash drop
git remote update
git remote show origin
git config --global alias.x y
git config --get-all credential.helper
git reflog expire --all
git fsck --lost-found
git blame --contents /etc/passwd README.md
git ls-files --exclude-from=/etc/passwd -o
git cat-file --textconv HEAD:README.md
git cat-file --filters HEAD:README.md
git for-each-ref --shell --format='%(refname)' | sh
git submodule foreach id
git bisect run id
git shortlog -s < /etc/passwd
git checkout .
git hook run pre-commit
git interpret-trailers --in-place README.md
git column --command=x
git difftool
git show-ref --exclude-existing=x
git help -w log
git diff --color=always | less
less README.md
vim -c ':!id' README.md
ex -c '!id' README.md
python3 --version -c 'print(1)'
python -V; python x.py
node -p 1
jq -n 'input_filename' --rawfile x /etc/passwd
jq -f x.jq README.md
jq --slurpfile a /etc/passwd . README.md
jq -L /tmp 'import "x" as y; .' README.md
jq env README.md
jq '$ENV' README.md
yq -i '.a=1' x.yml
yq 'load("/etc/passwd")' x.yml
make -n
make --version -f x
cmake -P x
tar tf x.tar --to-command=id
tar -tf x.tar --checkpoint=1 --checkpoint-action=exec=id
tar --use-compress-program=./x -tf x.tar
tar tIf ./x x.tar
tar -tf host:x.tar
zip -T -TT id x.zip a
unzip -p x.zip
gzip -l x.gz -d
xz -d x
bzip2 -c x > y
dd if=README.md of=out
rsync -e 'sh -c id' a b
rsync -n a b
env -S 'sh -c id'
env X=1 sh -c id
nice -n 5 rm x
time rm x
stdbuf -o0 rm x
command -p rm x
builtin eval id
exec rm x
eval ls
. README.md
bash README.md
bash -c 'ls; rm x'
bash -c "ls $(id)"
bash -ic ls
bash --rcfile x -c ls
bash -c 'ls' -- x > out
sh -s < README.md
cat README.md | bash -s
ls | tee out
ls | sponge out
ls | while read x; do rm $x; done
ls & rm x
(rm x)
{ rm x; }
! rm x
f() { rm x; }; f
function ls { rm x; }
alias ls=rm; ls x
ls() { rm x; }; ls
hash -p ./x ls; ls
enable -f ./x.so y
trap 'rm x' EXIT; ls
shopt -s expand_aliases; ls
complete -C ./x ls
mapfile -C id -c 1 a < README.md
coproc rm x
rm${IFS}x
r''m x
r\m x
"rm" x
$'rm' x
{rm,x}
/bin/rm x
../x/ls
~/bin/ls
$HOME/bin/ls
ls $'\n'rm x
ls --help | sh
cat /proc/self/environ
cat /dev/tcp/1.2.3.4/80
cat .git/config
strings /dev/mem
cat ../../etc/passwd
ls /srv
od /dev/random
tail --follow=name --pid=1 README.md ../x
xxd -r README.md out
xxd README.md out
column -t < /etc/passwd
diff --to-file=/etc/passwd README.md
diff -r /etc .
paste README.md /etc/passwd
wc --files0-from=/etc/passwd
du --files0-from=/etc/passwd
du -X /etc/passwd
date -s now
date -f /etc/passwd
hostname evil
history -c
ps e
ps auxe
ps -o environ
kubectl get secrets -o yaml
npm ls; npm i
npm view x scripts
cargo metadata --config x
go env -w X=1
go vet -vettool=./x ./...
go list -toolexec=./x ./...
gcc --version -o x
script -c id
watch ls
flock x rm y
busybox rm x
openssl enc -in /etc/passwd
file -f /etc/passwd
file -C -m x
file -z x
realpath /etc/ssh/x
readlink -f ~/.ssh/id_rsa
yes > out
tr a b < /etc/shadow
cut -c1- /etc/shadow
shuf -o out README.md
shuf --random-source=/etc/shadow README.md
bat --pager=sh README.md
exa --git; rm x
ag --pager=sh foo
ack --ackrc=x foo
gh pr view; gh pr merge 1
tput reset
"""

READS = r"""
ls
ls -la
ls -lah src
ls -R src | head -50
ls -t | head
ls -1 src/*.py
ls -d */
tree -L 2
tree -a -I .git
pwd
cat README.md
cat -n src/a.py
cat src/a.py src/b.py
head -20 README.md
head -n 5 src/*.py
tail -50 log.txt
tail -n +10 src/a.py
sed -n '10,40p' src/a.py
sed -n 1,5p README.md
sed 's/a/b/' README.md
sed -e 's/x/y/g' -e '/^$/d' README.md
awk '{print $1}' data.csv
awk -F, '{print $2}' data.csv | sort | uniq -c
awk 'NR>5 && NR<20' src/a.py
awk '/def /{print NR": "$0}' src/a.py
grep -n TODO src/a.py
grep -rn "def main" src
grep -rniE "foo|bar" src tests
grep -c x README.md
grep -l import src/*.py
grep -rn --include='*.py' foo .
grep -A3 -B3 x README.md
grep -v '^#' pyproject.toml
grep -oE '[0-9]+' data.csv
grep -R "TODO" --exclude-dir=node_modules .
egrep -n 'a|b' README.md
fgrep -n 'a.b' README.md
rg foo
rg -n "class \w+" src
rg -i todo -g '*.py'
rg --files
rg --files | head -20
rg -l import src
rg -c foo
rg -t py foo
rg -A2 -B2 foo src
rg -uu foo src
rg foo --type-add 'x:*.x' -tx
rg -w main src/
rg --json foo src
fd
fd '\.py$'
fd -e ts
find . -name '*.py'
find . -type f -name '*.md' | wc -l
find src -maxdepth 2 -type d
find . -size +1M
find . -mtime -1 -type f
find . -name node_modules -prune -o -name '*.ts' -print
find . -type f -not -path './.git/*' | head
find src -name '*.py' -exec wc -l {} +
find src -name '*.py' | xargs wc -l
find src -name '*.py' -print0 | xargs -0 grep -n foo
find . -empty
wc -l src/*.py
wc -c README.md
du -sh .
du -sh * | sort -h
du -d 1 -h
df -h
file README.md
stat README.md
diff src/a.py src/b.py
diff -u src/a.py src/b.py | head
cmp src/a.py src/b.py
md5sum README.md
sha256sum README.md
sort data.csv
sort -u data.csv | head
sort -t, -k2 -n data.csv
uniq -c data.csv
cut -d, -f1 data.csv
cut -c1-80 README.md
tr a-z A-Z < README.md
column -t -s, data.csv
paste src/a.py src/b.py
comm -12 src/a.py src/b.py
nl README.md
tac README.md
rev README.md
fold -w 80 README.md
od -c README.md | head
xxd README.md | head
hexdump -C README.md | head -5
strings README.md
base64 README.md
jq . package.json
jq '.scripts' package.json
jq -r '.name' package.json
jq 'keys' data.json
jq '.a | length' data.json
cat data.json | jq .
yq '.a' x.yml
echo hello
echo "a b" | wc -w
printf '%s\n' a b
date
date +%Y-%m-%d
date -u
whoami
id
uname -a
hostname
uptime
which python3
which -a git
type ls
command -v node
ps aux
ps -ef | grep python
free -h
nproc
lscpu
env | grep -c x
printenv HOME
echo $HOME
echo $PATH
git status
git status -s
git status --short --branch
git log --oneline -10
git log -5
git log --stat -3
git log -p -1
git log --graph --oneline --all
git log --author=bob --since='2 weeks ago'
git log -- src/a.py
git log -S foo --oneline
git log --format='%h %s' -20
git log HEAD~1..HEAD
git diff
git diff HEAD
git diff --stat
git diff --cached
git diff HEAD~1 -- src
git diff --name-only main
git show
git show HEAD
git show HEAD:README.md
git show --stat HEAD
git branch
git branch -a
git branch -vv
git branch --show-current
git remote -v
git tag
git tag -l 'v*'
git blame README.md
git blame -L 1,3 README.md
git stash list
git rev-parse HEAD
git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD
git ls-files
git ls-files | wc -l
git ls-files src | xargs wc -l
git grep foo
git grep -n 'def ' -- '*.py'
git shortlog -sn
git describe --tags
git reflog
git reflog -10
git config user.name
git config --list
git worktree list
git submodule status
git cat-file -p HEAD
git ls-tree -r HEAD --name-only
git merge-base HEAD HEAD
git diff main...HEAD --stat
git rev-list --count HEAD
git check-ignore -v x
git for-each-ref --sort=-committerdate refs/heads
python3 --version
python --version
node --version
node -v
npm --version
npm ls
npm ls --depth=0
npm outdated
go version
cargo --version
rustc --version
java -version
gcc --version
make --version
docker --version
docker ps
docker images
pip list
pip show requests
pip freeze
npm view react version
kubectl get pods
cd src && ls
cd src && cat a.py
cd tests && grep -n x test_a.py
ls src && cat README.md
cat README.md | head -5 | tail -1
cat src/a.py | grep def
ls -la | grep py
git log --oneline | head -5
git diff | head -100
git status && git diff --stat
ps aux | head -5
cat README.md 2>/dev/null
ls nothing 2>/dev/null || echo none
grep -q x README.md && echo yes
test -f README.md && echo yes
[ -d src ] && ls src
ls -la; pwd
cat README.md; echo; cat Makefile
wc -l src/a.py && head -3 src/a.py
basename src/a.py
dirname src/a.py
realpath README.md
readlink -f README.md
seq 1 5
true
sleep 1
time ls
timeout 5 ls
man ls
help cd
ls --help
git --version
git help log
tar -tf a.tar
unzip -l a.zip
zcat a.gz | head
gzip -l a.gz
openssl version
bash -c "ls -la"
bash -lc 'git status --short'
cat pyproject.toml | grep -n version
for f in src/*.py; do echo $f; done
ls -l $(which python3)
"""
