"""Options and operands that turn a reading program; ``harmful`` says how a line is read."""

LINES = r"""
git log --pretty=format:%x00 --output=/tmp/x
git log --max-count 5 --output=x
git log -n --output=x
git log --format=%h --no-index
git diff --output-indicator-new=x
git log --ignore-revs-file=/etc/passwd
git blame --ignore-revs-file ../x f
git grep --all-match -e x --and -e y -O
git grep -e x -O
git rev-parse --git-path ../../x
git log --since=/etc/x
git log --exclude=x --glob=/etc
git show :/../../etc
git show HEAD:../../.env
git show HEAD:secrets/id_rsa
git diff HEAD -- '*.pem'
git log -p -- .env
git cat-file -p HEAD:.env
git ls-files -x /etc
git check-attr --stdin -a
git -c color.ui=always -c alias.x=y log
git --no-pager -c core.pager=evil log
git -C src -C .. -C .. status
git -C src/../.. status
git -C link-out status
cd src && cd .. && cd .. && ls
cd src || cd / ; cat etc/passwd
true || cd / && cat etc/passwd
cd src | cat ../../x
ls | cd / | cat etc/passwd
cd src; cd ..; cat ../x
cd nonexist; cat ../x
cd src && cd - && cat x
env -i ls
env --ignore-environment ls
env - PATH=. ls
env -- ls
env LANG=C sh -c 'evil'
env LANG=C PATH=. ls
env LANG=C env PATH=. ls
timeout --signal=KILL 5 evil
timeout -k 5 5 evil
timeout 5 timeout 5 evil
timeout 5 bash -c evil
timeout -k 5 evil
nice -n 5 -n 6 evil
nice ls evil; evil
stdbuf -o L evil
time -p evil
time -p -- evil
time ! evil
command -- evil
command -V evil | sh
command -pv ls
command -v ls -p evil
command git -c core.pager=evil log
bash -c 'git -c core.pager=evil log'
bash -c "ls" "x" "y"
bash -cl ls
bash -c ls ls
bash -l
bash -lc ls x
sh -ec 'ls'
bash -c 'ls' --
bash -c "$(cat x)"
bash -c $'ls'
find . -name x -exec git -c core.pager=x log \;
find . -exec find . -delete \;
find . -exec find / \;
find . -exec cat /etc/passwd \;
find . -name '*.py' -exec cat /etc/passwd {} \;
find . -name '*.py' -exec cat ../x {} +
find . -name '*.py' -exec sed -n 1p {} \; -delete
find . -name '*.py' -exec sed -i 1p {} \;
find . -name '*.py' -exec awk 'BEGIN{system("x")}' {} \;
find . -name '*.py' -exec bash {} \;
find . -name '*.py' -exec ls {} \; -exec rm {} \;
find . -name '*.py' -print -exec tee {} +
find -P . -delete
find -O3 . -exec evil \;
find ./ -newer x -fprint y
find . -samefile /etc/passwd
find . -newerXY /etc
find . -anewer /etc/shadow
find src -name '*.env' -exec cat {} \;
find . -regex '.*' -exec cat {} \;
find . -name '*' -exec cat {} \;
find . -name '*.*' -exec cat {} \;
find . -name '.*' -exec cat {} \;
find . -name '[.]env' -exec cat {} \;
find . -name '?env' -exec cat {} \;
find . -iname '.ENV' -exec cat {} \;
find . -path '*/.ssh/*' -exec cat {} \;
find . -not -name '*.py' -exec cat {} \;
find . ! -name '*.py' -exec cat {} +
find . -name '*.py' -o -name '.env' -exec cat {} \;
find . -name '*.py' -o -exec cat {} \;
find . -name '*.py' -o -type f -exec head {} +
find . -name x -o -type f | xargs cat
find . -name '*.py' -o -type f | xargs cat
find . -type f , -name '*.py' -exec cat {} \;
find . -not -name x | xargs head
git ls-files | xargs -I@ sh -c @
git ls-files | xargs -n1 -I{} evil {}
git ls-files | xargs --arg-file=x cat
git ls-files | xargs -E x rm
git ls-files | xargs -i rm {}
git ls-files | xargs --replace rm
git ls-files | xargs -l rm
git ls-files | xargs -o vim
git ls-files | xargs --process-slot-var=PATH ls
rg -l x | xargs rm
rg --files -uu | xargs cat
rg -l . --hidden --no-ignore | xargs cat
fd -H . | xargs cat
fd -HI . | xargs cat
fd --unrestricted . | xargs head
ls -a | xargs cat
grep -rl . . | xargs cat
ls | grep x | xargs rm
ls | sort -o y | xargs wc
find . | awk '{print "/etc/passwd"}' | xargs cat
find . | sed s,^,/etc/, | xargs wc
find . | tr a b | xargs cat
find . | rev | xargs wc
find . | cut -c3- | xargs wc
echo /etc/passwd | grep x | xargs cat
tail -f /etc/passwd
tail --follow=name ../x
tail -n5 -- ../x
head -n 5 -c 10 /etc/shadow
cat -- /etc/passwd
cat -n -- ../x
cat ./-x ../y
cat src/./../../x
cat src//..//../x
cat $(echo x)
cat 'src/../../x'
cat "src/../../x"
cat src/\../../x
cat s*/../../x
cat */../../x
cat .?/x
cat .*/x
ls .*
ls .*/
ls [.]*
wc -l /etc/*
wc -l ../*
ls /h*
cat /e*/passwd
cat /*/passwd
sort -k1,1 --output x y
sort -t x -o y z
sort --o=x y
sort -S 1 --compress-program sh x
sort --parallel=2 --compress-prog=sh x
sort -zo x y
sort -no x y
sort -nox y
sort +1 -o x
sort x -o y
uniq a b
uniq - b
uniq -- a b
uniq -c - out
uniq -f 1 a b
comm a ../b
join /etc/passwd b
paste /etc/passwd
cut -f1 /etc/passwd
cut -d: -f1 /etc/passwd
tr a b < /etc/passwd
nl /etc/passwd
tac /etc/shadow
rev ../x
od /etc/shadow
xxd -r a
xxd -r
xxd a b
xxd -p -r a b
xxd -seek 5 a b
xxd -revert a
strings /etc/shadow
md5sum -c ../x
md5sum /etc/shadow
base64 -d x | sh
base64 -D -i x -o y
file -f x
file --files-from x
file --magic-file x y
file -C
file -s /dev/sda
stat -- ../x
du -X x
du --exclude-from=/etc/passwd
ls --hide=x ../y
ls -I x /etc
ls -w 5 /etc
ls --sort size /etc
diff a /etc/passwd
diff --from-file=/etc/passwd a
diff --exclude-from=/etc/passwd a b
diff -X /etc/passwd a b
diff -D X a b
diff --GTYPE-group-format=x a b
date --file=/etc/passwd
date -r /etc/passwd
date +%s -s x
date 1 2
hostname x
hostname -b x
hostname --file x
printf %s x > y
printf -vPATH .
printf '%*n' 1
test -a x -o y
test x -a y
test a = b -a -v 'a[$(x)]'
test ! -v x
test -o x
test -R x
test -S x
[ -v x ]
[ a -a b ]
[ -n x -a -v y ]
[ 1 -eq a[0] ]
[ 1 -eq x ]
[ "$x" = y ]
[ -f /etc/passwd ]
[ -e ../x ]
echo a >| b
echo a &>>b
echo a>b
echo a 1>b
echo a 9>b
echo a >&b
echo a >& /dev/null
echo a 2>&1 >b
echo a >/dev/null >b
echo a >/dev/nullx
echo a >/dev/null/../sda
echo a >"/dev/null"x
echo a > /dev/stdout
echo a > /dev/tty
echo a > /dev/fd/1
echo a <&0
echo a <&-
echo a 2>&-
cat <a >b
cat < ../a
cat < ~/.ssh/id_rsa
cat 0< /etc/passwd
cat < *
cat < $x
sed -n '1p;1w x' y
sed -n '1p
w x' y
sed 's/a/b/;s/c/d/w x' y
sed 's/a/b/m;e' x
sed 's/x/y/2e' z
sed 's/x/y/ge' z
sed 's/x/y/Iw z' a
sed 's,x,y,w z' a
sed 'sxaxbxw y' z
sed 's a b w' x
sed 'y/a/b/;w x' y
sed 'a\
x' y
sed '1i x' y
sed '1c x' y
sed '1,2!{p;w x}' y
sed ':a;N;ba' x
sed 'b;w x' y
sed '/x/,/y/w z' a
sed '/[/]w x/p' y
sed '\,x,w y' z
sed '\xax w y' z
sed '0~3e' x
sed '$e ls' x
sed '1!e ls' x
sed 'p;e ls' x
sed 'F;z;l;e' x
sed -e 'p' -e 'e' x
sed -e p -f x y
sed -fx y
sed -nf x y
sed --posix -i p x
sed -l 5 -i p x
sed -z -i p x
sed -u -n -i p x
sed --line-length=5 -i p x
sed -Ei p x
sed -nEi p x
sed -i '' p x
sed -- -i x
sed p x -i
sed p x --in-place
awk '1;{system("x")}' y
awk 'BEGIN{printf "" | "sh"}' x
awk '{print|"sh"}' x
awk '{print>"x"}' y
awk '{print > $2}' y
awk '{ print > x }' y
awk '{ print >x }' y
awk '{ if (1) print > x }' y
awk '{ print (1) > x }' y
awk '{ (1 > 2) ; print > x }' y
awk '{ print 1, 2 > x }' y
awk '{ printf("x") > x }' y
awk '$0 > x { print > x }' y
awk 'function f(x) { print > x } { f($1) }' y
awk 'BEGIN { getline x < "y" }' z
awk 'BEGIN { while (getline < x) print }' y
awk '{ x | getline }' y
awk '{ "date" | getline d; print d }' y
awk '{ print | x }' y
awk '{ print |& x }' y
awk -v x='y' -v FS=$(z) '{print}' a
awk -vx=y -f z
awk -F'$(x)' -i y
awk --lint '{print}' x
awk --profile=x '{print}' y
awk --dump-variables=x '{print}' y
awk -D x
awk -M '{print}' --exec x
awk '{print}' x=y /etc/passwd
awk '{print}' FS=: ../x
awk "{print $1}" x
awk '@namespace "x"; {print}'
awk '{ a = "sys" "tem"; @a("x") }' y
awk 'BEGIN{ PROCINFO["x"] }'
awk '{ print strftime() }' x
awk '{ srand(); print rand() }' x
awk -b -c -e '{print}' x
jq --args . x y
jq --seq -f x
jq -nr 'input|env'
jq 'getpath(["a"]) | env' x
jq '$ENV.x' y
jq --arg x y --slurpfile z /etc/passwd . w
jq . x --rawfile y /etc/shadow
jq --stream-errors . x
jq -L. 'import "x" as y; .' z
jq '. as [$a] | $__loc__' x
jq 'input_filename' x
rg x -f /etc/passwd
rg -f/etc/passwd x
rg --pre-glob x --pre y z
rg --pre
rg x --pre=sh
rg -e x --pre sh y
rg -g '*' --pre=sh x
rg -j1 --pre sh x
rg --sort path --pre sh x
rg -M 5 --pre sh x
rg -T --pre sh x
rg -r --pre sh x
rg -A1 --pre sh x
rg -A --pre sh x
rg -E --pre sh x
rg -m --pre=sh x
grep x -r /etc
grep -rf /etc/passwd .
grep -e x /etc/passwd
grep -ex -f /etc/passwd y
grep --exclude-from=/etc/passwd x y
grep -r x ~
grep -r x link-out
grep -r x link-out/
grep -R x /proc
grep x < /etc/passwd
grep -rn 'BEGIN OPENSSH PRIVATE KEY' .
tree -fi /etc
tree src -o x
tree --filesfrom x
tree src ../..
ps -eo environ
ps axeww
ps -A e
ps eo pid
ps -p 1 e
ps -ax e
ps u e
ps -o cmd,environ
ps -o args=x,env
ps --format environ
ps fe
kubectl get secret/x
kubectl get pods --token=x
kubectl get pods --server=http://evil
kubectl get pods -s http://evil
kubectl get pods -o jsonpath-file=/etc/passwd
kubectl get pods --as=root
kubectl get pods --v=9
kubectl get pods --cache-dir=x
kubectl get sa,secret
kubectl get SECRETS
kubectl get externalsecrets
kubectl logs x --config y
docker logs x --config=y
docker ps --filter name=x -H tcp://y
docker -c x ps
docker --context x ps
docker images --tree -H x
npm ls --prefix=/etc
npm ls --userconfig=x
npm ls -C /
npm root --globalconfig x
npm config get _authToken
npm config get //x/:_password
pip list --path /etc
pip list --config-settings x
pip list -i http://evil
pip show x --proxy y
pip freeze --requirement x
go env -w GOFLAGS=-toolexec=x
go env -changed -w X=y
go version -m /etc/x
systemctl status x --host=evil
systemctl -H evil status
systemctl status x -M y
ss -D x
lsof -D x
lsof +d /etc
lsof -k x
lsof /etc/passwd
netstat -C x
ip -n x a
ip addr show; ip link set x down
ip a add 1.1.1.1 dev x
ip r add x
ip route flush all
ip link delete x
last -f /etc/x
last --file x
who /etc/x
uptime -x
tput -Tx cols
tput -T x -S
man -M . ls
man -k x -P evil
man --html=evil ls
man -Tx ls
man /etc/x
man ../x
type -P evil | sh
which -a evil; evil
whereis -B . -f x
getconf -v x y
locale -k x --list
cal -x
nproc --x
numfmt --from-file x
seq 1e9 | x
sleep 1 && evil
sleep infinity & evil
true & evil
: > x
: $(evil)
: `evil`
: ${x:=y}
alias x=evil
alias -p; alias ls=x
help -x
iconv -o x y
iconv --output=x y
shuf -o x y
shuf --output x y
shuf --random-source=/etc/shadow x
gzip -c /etc/shadow
gzip -ck ../x
gunzip -cf /etc/x
gzip -S .x y
xz --files=x
xz -lk ../x
bzip2 -ck /etc/x
zcat /etc/x.gz
objdump -d /etc/x
objdump --dwarf=follow-links x
nm @x
nm @/etc/passwd
readelf @x
size @x
objdump @/etc/passwd -d
strings @x
tar -tf x --exclude-from=/etc/passwd
tar -tf x -T /etc/passwd
tar -tzf x y -C /
tar -tvf ../x
tar -tf x:y
tar -tf user@host:x
tar -tf /dev/st0
tar tf -
tar t
tar -t
tar -tfx --to-command=y
tar -tf x -- --to-command=y
unzip -l x -d y
unzip -Zx y
unzip -lx y z
unzip -lp x
zipinfo ../x
fsck
git fsck --root --lost-found
git notes list --ref x
git notes --ref=x add
git cherry --output=x
git --help -a
git help
git help -w log
git stash list --output=x
git stash show --textconv
git stash show -p --ext-diff stash@{0}
git stash create
git stash store x
git stash push
git stash save x
git stash branch x
git worktree lock x
git worktree list --x
git remote -v update
git remote -v show origin
git remote show
git remote get-url --x
git branch --list x -D y
git branch -l x -m y z
git branch -lD x
git branch -a -D x
git branch --merged --delete x
git branch --contains x --force y
git branch --show-current x
git branch -r -d origin/x
git tag -l x -d y
git tag -n -f x
git tag -ld x
git tag --list -a x
git tag --contains x --delete y
git config user.name evil
git config --get-all x.y
git config --get-regexp .
git config --show-origin user.name x
git config --type=bool core.x true
git config --get url.x.insteadOf
git config --get http.proxy
git config remote.origin.url evil
git reflog expire
git reflog --expire=now
git reflog delete x
git reflog show --output=x
git symbolic-ref HEAD x
git symbolic-ref -m x HEAD y
git rev-parse --sq-quote $(x)
git rev-parse --disambiguate=x --output=y
git describe --broken
git shortlog -s --output=x
git ls-tree --x HEAD
git for-each-ref --python
git for-each-ref --format='%(contents:signature)'
git for-each-ref --format='%(signature:key)'
git branch --format='%(signature)'
git log --format='%(trailers:key=x)' --output=y
git log --format=email --signoff --output=y
git log '--output=x'
git log "--output=x"
git log --out""put=x
git log --output'='x
git diff '--ext-diff'
git "diff" --ext-diff
g''it log --output=x
git lo\g --output=x
git log --no-ext-diff --ext-diff
git diff --no-textconv --textconv
git status --no-optional-locks --x
git -c x status
git -c core.quotepath=false -c core.fsmonitor=x status
git -c CORE.PAGER=x log
git -P -p log
git --paginate --no-pager log
git --bare log
git --no-replace-objects --exec-path=x log
git --list-cmds=x
git --super-prefix=x log
git --icase-pathspecs -c x=y log
find . -exec cat {} + -name '*.py'
find . -name '*.py' -o -name '*.c' -o -type f | xargs cat
ls -d .*
cat .[^x]/x
strings @x
rg --hidden -l . | xargs cat
rg -uu --files | xargs cat
# only a comment
#
"""
