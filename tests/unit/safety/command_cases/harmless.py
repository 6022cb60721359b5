"""Reads of a developer's day; the folder they run in is a workspace with such files."""

READS = r"""
git status
git status -s
git status --short
git status -sb
git status --porcelain
git status --porcelain=v2 --branch
git status --untracked-files=no
git status src
git --no-pager status
git log
git log --oneline
git log --oneline -10
git log --oneline -n 20
git log -5
git log -n 5 --stat
git log -p -1
git log --graph --oneline --all
git log --graph --oneline --decorate --all -20
git log --since="2 weeks ago"
git log --since=yesterday --author=alice
git log --pretty=format:"%h %s" -10
git log --format='%H %an %s' --no-merges
git log --name-only -3
git log --follow -p -- src/app.py
git log main..feature
git log origin/main..HEAD --oneline
git log -S'needle' --oneline
git log -G "def main" -- src
git log --grep="fix" -i
git log -1 --format=%cd --date=iso
git log --all --oneline -- README.md
git log -L 1,10:src/app.py
git log --stat | head -40
git --no-pager log --oneline -5
git shortlog -sn HEAD
git shortlog -sne --all
git diff
git diff --stat
git diff --cached
git diff --staged --stat
git diff HEAD
git diff HEAD~1
git diff HEAD~3..HEAD --name-only
git diff main...HEAD
git diff main feature -- src/app.py
git diff --name-status origin/main
git diff --numstat HEAD^ HEAD
git diff -w
git diff -U10 src/app.py
git diff --word-diff
git diff --check
git diff --shortstat
git diff | head -100
git diff | grep '^+'
git show
git show HEAD
git show HEAD~2 --stat
git show --name-only HEAD
git show HEAD:src/app.py
git show v1.0:README.md | head -20
git show --stat --oneline HEAD
git show abc1234
git branch
git branch -a
git branch -r
git branch -vv
git branch --show-current
git branch --list 'feature/*'
git branch --merged main
git branch --contains abc123
git branch -a --sort=-committerdate
git blame src/app.py
git blame -L 10,20 src/app.py
git blame -w -C src/app.py
git remote
git remote -v
git remote get-url origin
git tag
git tag -l
git tag --list 'v1.*'
git tag -n
git tag --sort=-creatordate | head -5
git stash list
git stash show
git stash show -p
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git rev-parse --short HEAD
git rev-parse --is-inside-work-tree
git describe --tags
git describe --tags --always
git ls-files
git ls-files src
git ls-files '*.py' | wc -l
git ls-files --others --exclude-standard
git ls-files -m
git ls-tree HEAD
git ls-tree -r HEAD --name-only
git cat-file -t HEAD
git cat-file -p HEAD
git reflog
git reflog -10
git rev-list --count HEAD
git rev-list --all --count
git merge-base main HEAD
git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads
git show-ref --heads
git grep TODO
git grep -n "def main" -- '*.py'
git grep -i -l needle
git grep -c foo HEAD -- src
git count-objects -vH
git config user.name
git config --get user.email
git config --get remote.origin.url
git worktree list
git check-ignore -v build
git name-rev HEAD
git --version
git version
git -C src status
git diff-tree --no-commit-id --name-only -r HEAD
git symbolic-ref --short HEAD
ls
ls -la
ls -l src
ls -lah
ls -1
ls -R src
ls -lt | head
ls -ltr
ls -d src
ls src tests
ls -la src/app.py
ls --color=never
ls *.md
ls -S src
ls /usr/bin
ls -la .
ls src 2>/dev/null
ls -la && pwd
pwd
pwd -P
cat README.md
cat src/app.py
cat -n src/app.py
cat README.md package.json
cat src/app.py | head -50
cat src/app.py | grep import
cat package.json | jq '.scripts'
cat /etc/os-release
cat /proc/cpuinfo
cat /proc/meminfo | head -3
cat ./src/app.py
cat "README.md"
cat src/app.py | wc -l
cat pyproject.toml
cat Makefile
cat Dockerfile
cat src/*.py
cat .gitignore
cat .env.example
head README.md
head -20 src/app.py
head -n 20 src/app.py
head -c 100 README.md
tail README.md
tail -50 log.txt
tail -n 100 log.txt
tail -n +10 src/app.py
tail -20 log.txt | grep ERROR
wc -l src/app.py
wc -l src/*.py
wc README.md
wc -c README.md
grep foo src/app.py
grep -n "def " src/app.py
grep -rn TODO .
grep -rn "TODO" src --include="*.py"
grep -rn TODO src --include=*.py
grep -r "import os" src/
grep -rl pattern .
grep -ri "error" log.txt
grep -c foo src/app.py
grep -v '^#' config.toml
grep -E 'foo|bar' src/app.py
grep -A 5 -B 5 main src/app.py
grep -nA3 "class " src/app.py
grep -oP '\d+' README.md
grep -w main src/app.py
grep -rn "foo$" src
grep -rn --exclude-dir=node_modules "useState" .
grep -rnE "(foo|bar)\(" src
grep -q foo README.md && echo found
grep -rn "hello world" . | head -20
grep -n 'a b' src/app.py | cut -d: -f1
grep -F "a.b" README.md
grep foo *.md
egrep 'a|b' README.md
fgrep foo README.md
grep -Rn "main" src
grep "foo\.bar" README.md
grep -rn foo\.bar src
grep -n 'it'\''s' README.md
rg TODO
rg -n "def main" src
rg foo --type py
rg -l pattern
rg -i error log.txt
rg -tpy 'class \w+'
rg --files
rg --files | head
rg --files -g '*.py'
rg -g '!node_modules' foo
rg "foo|bar" -C 3
rg -c TODO src
rg --hidden --no-ignore foo src
rg -e foo -e bar src
rg -w main src -A 2
rg -uu foo src
rg foo src | head -20
rg --json foo src
rg -o 'v\d+' README.md --no-filename
rg -n --max-count=3 foo
find .
find . -name "*.py"
find . -type f
find src -name '*.ts' -o -name '*.tsx'
find . -type f -name "*.json" -not -path "*/node_modules/*"
find . -maxdepth 2 -type d
find . -name '*.py' | head
find . -name "*.py" | wc -l
find . -name "*.py" | xargs wc -l
find . -name '*.py' -print0 | xargs -0 grep -n foo
find . -type f -name '*.md' -exec wc -l {} +
find src -name '*.py' -exec grep -l foo {} \;
find . -mtime -1 -type f
find . -size +1M
find . -newer README.md
find . -path ./node_modules -prune -o -name '*.js' -print
find . \( -name '*.c' -o -name '*.h' \) -type f
find . ! -name '*.pyc' -type f
find . -empty
find . -iname 'readme*'
find . -type f -printf '%s %p\n' | sort -n | tail
find . -name '*.py' -newermt '2024-01-01'
find . -name "*.py" 2>/dev/null
find . -type d -name tests
fd
fd -e py
fd foo src
fd -t f README
fd -H config
tree
tree -L 2
tree -a -I node_modules
tree -d src
tree -L 3 -I 'node_modules|dist'
stat README.md
stat -c %s README.md
stat -f src
file README.md
file src/*
file -b --mime-type README.md
du -sh .
du -sh src
du -h --max-depth=1
du -sh * | sort -h
du -sk src
df -h
df
df -h .
ps
ps aux
ps -ef
ps aux | grep node
ps -ef | grep python | head
ps -p 1234 -o pid,cmd
ps -eo pid,ppid,cmd
ps aux --sort=-%mem | head
pgrep -fl node
uname
uname -a
uname -sr
which python
which node npm
which -a python3
command -v git
type ls
whereis gcc
whoami
id
id -u
groups
hostname
date
date +%Y-%m-%d
date -u
date '+%H:%M'
date -d yesterday +%F
uptime
free -h
nproc
arch
lscpu
lsblk
python --version
python3 --version
python -V
node --version
node -v
npm --version
npm -v
pip --version
go version
rustc --version
cargo --version
java -version
ruby --version
gcc --version
make --version
docker --version
kubectl version --client
git --version && node --version
terraform --version
cmake --version
bash --version
jq --version
rg --version
npm ls
npm ls --depth=0
npm list -g --depth=0
npm list --json
npm root -g
npm config get registry
npm prefix
pip list
pip freeze
pip show requests
pip3 list
pip list --format=json
go env
go env GOPATH
docker ps
docker ps -a
docker images
docker version
docker info
docker logs web
docker logs --tail 100 web
docker network ls
docker volume ls
docker ps --format '{{.Names}}'
docker stats --no-stream
docker image ls
kubectl get pods
kubectl get pods -A
kubectl get pods -n default -o wide
kubectl get nodes
kubectl get svc -o yaml
kubectl describe pod web-1
kubectl logs web-1
kubectl logs web-1 --tail=50
kubectl config current-context
kubectl get deployments --all-namespaces
kubectl top pods
helm list
helm list -A
systemctl status nginx
systemctl list-units --type=service
systemctl is-active ssh
dpkg -l
dpkg -l | grep python
apt list --installed
apt-cache policy git
apt show git
brew list
rpm -qa
jq . package.json
jq '.name' package.json
jq -r '.scripts | keys[]' package.json
jq '.dependencies | length' package.json
jq -r '.version' package.json
yq '.services' docker-compose.yml
sed -n '1,20p' src/app.py
sed -n 5p src/app.py
sed -n '10,$p' src/app.py
sed -n '/def main/,/return/p' src/app.py
sed 's/foo/bar/g' README.md
sed -e 's/a/b/' -e 's/c/d/' README.md
sed -n '1,5p;10p' src/app.py
cat src/app.py | sed -n '20,40p'
sed '/^#/d' config.toml
sed 's/[0-9][0-9]*/N/g' README.md
sed -E 's/[[:space:]]+$//' README.md
sed 's/[ \t]*$//' README.md
sed -n '/[Ee]rror/p' log.txt
sed -E 's/(a)(b)/\2\1/' README.md
awk '{print $1}' log.txt
awk -F: '{print $1}' README.md
awk '{print $1, $3}' log.txt | sort | uniq -c
awk 'NR==5' src/app.py
awk 'NR>=5 && NR<=10' src/app.py
awk '/foo/ {print $2}' log.txt
awk '{sum += $1} END {print sum}' log.txt
awk 'END {print NR}' log.txt
awk -F',' '{print $2}' data.csv | head
awk '{ print NF }' log.txt
awk 'length($0) < 80' README.md
sort log.txt
sort -u log.txt
sort -k2 -n log.txt
sort -t, -k2 data.csv
sort -rn log.txt | head
sort log.txt | uniq -c | sort -rn
sort log.txt | uniq -c | sort -rn | head -10
uniq -c log.txt
cut -d, -f1 data.csv
cut -c1-80 log.txt
cut -f2 data.csv | sort -u
tr a-z A-Z < README.md
cat README.md | tr -d '\r'
diff README.md src/app.py
diff -u README.md log.txt
diff -r src tests
diff -q README.md log.txt
cmp README.md log.txt
comm -12 README.md log.txt
paste README.md log.txt
nl src/app.py
tac log.txt
rev log.txt
fold -w 80 README.md
column -t log.txt
md5sum README.md
sha256sum README.md
sha256sum src/*.py
base64 README.md
xxd README.md | head
od -c README.md | head
hexdump -C README.md | head -5
strings src/app.py | head
realpath src
readlink -f src/app.py
basename src/app.py .py
dirname src/app.py
echo hello
echo "hello world"
echo 'single quotes'
echo -n foo
echo "---"
printf '%s\n' hello
true
false
test -f README.md && echo yes
test -d src
[ -f README.md ] && echo yes
seq 1 10
expr 1 + 2
sleep 1
cd src && ls
cd src && git status
cd src; ls -la
cd src && cat app.py | head
ls src | wc -l
ls -la | grep '^d'
git log --oneline | wc -l
git ls-files | xargs wc -l
git ls-files | grep -v test | head
git log --oneline -5 && git status -s
git status; git diff
git branch --show-current && git log -1 --oneline
pwd && ls -la && git status
echo "=== status ===" && git status
ls -la 2>&1 | head
cat missing.txt 2>/dev/null || echo none
cat README.md > /dev/null
LANG=C sort log.txt
LC_ALL=C grep -c foo README.md
NO_COLOR=1 ls
GIT_PAGER=cat git log -3
TZ=UTC date
env LANG=C ls
timeout 10 git status
timeout 5s ls
nice -n 10 grep -rn foo src
time ls
time git status
stdbuf -oL grep foo log.txt
command ls
bash -c 'ls -la'
bash -lc 'git status'
bash -lc "ls -la src"
sh -c 'cat README.md'
tar -tf archive.tar
tar tzf archive.tar.gz
tar -tvf archive.tar | head
unzip -l archive.zip
zcat log.gz | head
lsof -i :3000
ss -tlnp
netstat -tlnp
ip addr
man ls
tput cols
getconf PAGESIZE
locale
printenv PATH
printenv HOME
ls -la src/app.py README.md
top -b -n 1 | head -20
nm -D archive.so
readelf -h archive.so
shellcheck build.sh
tokei
cloc src
file archive.tar
ls docs/*.md
stat src README.md
grep -n "TODO\|FIXME" src/app.py
ls -la ./src/
cat 'src/app.py'
git log --oneline -- 'src/*.py'
git diff HEAD -- README.md src/app.py
git show HEAD --format=fuller
git log -3 --pretty=oneline --abbrev-commit
git log --reverse --oneline | head -1
git diff @{u}
git log @{u}..
git log HEAD@{1}..HEAD
git show stash@{0}
git log --format="%an" | sort | uniq -c | sort -rn
echo $PATH
echo $HOME
echo "$USER"
echo $?
git cherry -v main
git fsck
git --help
ls --help
python --help
docker --help
cat /etc/hosts
awk '{s+=$1} END {print s/NR}' log.txt
awk '$3 > 100' log.txt
awk '!seen[$0]++' log.txt
awk '{print $1/1024}' log.txt
awk '{print ($1+$2)/2}' log.txt
awk '/[0-9]+/ {print $1}' log.txt
awk '$1 ~ /^[A-Z]/ {c++} END {print c}' log.txt
awk '/[[:digit:]]/' log.txt
awk '/\/src\// {print $2}' log.txt
find . -name '*.py' -exec grep -n foo {} +
tar --list -f archive.tar
gunzip -c log.gz | head
xz -l archive.xz
shasum -a 256 README.md
iconv -f latin1 -t utf8 README.md
shuf -n 5 log.txt
objdump -d archive.o | head
npm run
npm config list
last -5
ls **/*.py
lsof -nP -iTCP -sTCP:LISTEN
ls *.json *.md
wc -l *.json
git blame -L '/def main/,+10' src/app.py
find . -name '*.js' -not -path '*/node_modules/*' | xargs cat | wc -l
find . -name '*.py' ! -name '*_test.py' -exec head -5 {} \;
awk '/^def / {print NR": "$0}' src/app.py
df -h / | tail -1
echo $((1+1))
(ls)
{ ls; }
! ls
read x
[[ -f x ]]
for f in src/*.py; do head -5 "$f"; done
for f in README.md log.txt; do wc -l $f; done
for n in 1 2 3; do echo "== $n"; git log -1; done
for d in src tests; do for n in 1 2; do echo "$d $n ${n}"; ls "$d"; done; done
while read -r line; do echo "> $line"; done < README.md
git ls-files | while IFS= read -r f; do printf '%s\n' "$f"; done
if grep -q x README.md; then echo yes; elif ls src; then pwd; else echo no; fi
n=$(wc -l < README.md); echo "$n lines, $(date)"
f=README.md; grep -c x "$f"; head -3 $f
diff <(sort README.md) <(sort log.txt)
while read -r l; do echo "$l"; done < <(git log --oneline)
(cd src && ls) | wc -l
{ ls; pwd; } | sort
[[ -f README.md && ! -d log.txt ]] && echo ok
if [[ -d src ]]; then ls src; fi
! grep -q x README.md || echo found
git diff --name-only | xargs wc -l
grep -rlZ x src | xargs -0 ls -l
"""
