"""Commands in which something hides behind a loop, a condition, a variable or a substitution."""

TRICKS = r"""
command read -r PATH < README.md; ls
time read -r PATH < README.md; ls
nice read -r PATH < README.md; ls
builtin read -r PATH < README.md; ls
command read -r IFS < README.md; ls
command read -r GIT_DIR < README.md; git status
command read -r name < README.md; cat "$name"
bash -c 'command read -r PATH < README.md; ls'
find . -name x -exec read -r PATH ';'
ls | xargs read -r
while read -r l; do cat README.md; cd ..; done < README.md
while read -r l; do cat README.md; cd docs; done < README.md
while read -r l; do for f in a; do cat README.md; cd docs; done; done < README.md
while read -r l; do if true; then cd docs && cat evil; fi; done < README.md
while read -r l; do cat README.md; command cd docs; done < README.md
ls nope && cd docs && ls; cat evil
(ls && cd docs && ls); cat evil
{ ls nope && cd docs && ls; }; cat evil
if ls && cd docs && ls; then ls; fi; cat evil
for f in evil; do cat "$f"; done
for f in README.md evil; do cat "$f"; done
for f in *; do cat "$f"; done
for f in ~/.ssh/id_rsa; do cat "$f"; done
for f in /etc/shadow; do cat $f; done
for f in src/*; do rm "$f"; done
for f in src/*; do cat $f; done
for c in rm; do $c README.md; done
for c in rm ls; do "$c" README.md; done
for f in src; do for g in /etc/shadow; do cat "$g"; done; done
for f in a; do for f in /etc/shadow; do :; done; cat "$f"; done
for PATH in ./bin; do ls; done
for path in ./bin; do ls; done
for IFS in x; do ls; done
for f in a; do f=/etc/shadow; cat "$f"; done
f=/etc/shadow; cat "$f"
f=README.md; f=/etc/shadow; cat "$f"
f=README.md; read -r f < src/a.py; cat "$f"
f=README.md; for i in 1 2; do cat "$f"; read -r f; done
f=README.md && cat "$f"
false || f=README.md; cat "$f"
(f=README.md); cat "$f"
if true; then f=README.md; fi; cat "$f"
ls | f=README.md; cat "$f"
f=src; cat "$f"/../evil
f=-f; ls | xargs "$f"
f='-o out'; sort $f README.md
f=-oout; sort "$f" README.md
f=$(cat README.md); cat "$f"
f=$(cat README.md); $f
f=$(rm README.md); echo "$f"
echo "$(rm README.md)"
echo "$(cat ~/.ssh/id_rsa)"
echo "$(cat evil)"
echo "`rm README.md`"
echo "a $(ls; rm README.md) b"
echo "$(ls)" > out
echo "$(bash x.sh)"
echo "$(< ~/.ssh/id_rsa)"
echo "$((a[$(rm x)]))"
echo $((x=1))
echo $((RANDOM))
cat <(rm README.md)
cat <(cat ~/.ssh/id_rsa)
cat <(cat evil)
bash <(cat src/a.py)
source <(cat src/a.py)
xargs -a <(echo /etc/shadow) cat
echo /etc/shadow | xargs cat
{ echo /etc/shadow; git ls-files; } | xargs cat
(echo /etc/shadow; git ls-files) | xargs cat
for f in /etc/shadow; do echo "$f"; git ls-files; done | xargs wc -l
if true; then git ls-files; fi | xargs wc -l
git ls-files | { cat; echo /etc/shadow; } | xargs cat
ls > >(sh)
tee <(ls) < README.md
diff <(ls) >(rm README.md)
awk -f <(echo x) README.md
sed -f <(echo x) README.md
while read -r l; do $l; done < README.md
while read -r l; do cat "$l"; done < README.md
while read -r l; do eval "$l"; done < README.md
while read -r l; do echo "$l" | sh; done < README.md
while read -r l; do echo "$l" | xargs cat; done < README.md
while read -r l; do printf "$l"; done < README.md
while read -r l; do printf -v "$l" x; done < README.md
while read -r l; do printf -- "$l" x; done < README.md
while read -r l; do test "$l" -eq 1; done < README.md
while read -r l; do [ "$l" -eq 1 ]; done < README.md
while read -r l; do [[ "$l" -eq 1 ]]; done < README.md
while read -r l; do echo "${l@P}"; done < README.md
while read -r l; do echo "${l:=x}"; done < README.md
while read -r l; do cd "$l"; cat README.md; done < README.md
while read -r l; do git "$l"; done < README.md
while read -r PATH; do ls; done < README.md
while read -r 'a[$(rm x)]'; do ls; done < README.md
while read -r l; do ls; done < /etc/shadow
while read -r l; do echo "$l"; done < ~/.netrc
while read -r l; do echo "$l" > "$l"; done < README.md
while IFS=/ read -r l; do ls; done < README.md
while LD_PRELOAD=./x read -r l; do ls; done < README.md
while rm README.md; do ls; done
until rm README.md; do ls; done
if rm README.md; then ls; fi
if ls; then rm README.md; fi
if ls; then ls; elif rm README.md; then ls; fi
if ls; then ls; else rm README.md; fi
{ ls; rm README.md; }
(ls; rm README.md)
( ls ) & rm README.md
{ ls; } > out
(ls) > out
for f in a; do ls; done > out
while read -r l; do echo "$l"; done < README.md > out
if ls; then ls; fi 2> out
! rm README.md
[[ -f x ]] && rm README.md
[[ -v a[$(rm\ x)] ]]
[[ -v x ]]
[[ x -ef y && -o z ]]
[[ $(rm x) ]]
[[ a =~ $(rm x) ]]
[[ -f ~/.ssh/id_rsa ]] && cat ~/.ssh/id_rsa
for f in {a,b}; do rm "$f"; done
for f in $(cat README.md); do cat "$f"; done
for f; do cat "$f"; done
for f in "$@"; do cat "$f"; done
for ((i=0;i<3;i++)); do rm x; done
for f in a; do cat "$f" & rm x; done
select f in a; do rm x; done
case x in x) rm y;; esac
ls() { rm x; }; ls
for f in git; do "$f" push; done
for c in push; do git "$c"; done
for c in log; do git "$c"; done
for c in 'rm README.md'; do sh -c "$c"; done
for c in 'rm README.md'; do bash -c $c; done
s='rm README.md'; sh -c "$s"
s='BEGIN{system("id")}'; awk "$s" README.md
for s in 'BEGIN{system("id")}'; do awk "$s" README.md; done
for s in '1e id'; do sed "$s" README.md; done
for s in 'w out'; do sed -n "$s" README.md; done
for o in --pre=./x; do rg "$o" x; done
for o in -delete; do find . "$o"; done
for o in -delete; do find . $o; done
for o in -o; do sort "$o" out README.md; done
o=-exec; find . "$o" rm {} +
x=src/; cat "${x}../evil"
x=README; cat "$x"*
http_proxy=http://evil; kubectl get pods
for f in docs/keys; do ls "$f"; done
for d in docs; do cd "$d"; done; cat keys/id_rsa
for d in docs docs/keys; do cd $d; cat id_rsa; done
pushd docs; cat keys/x
cd docs; cat keys/x
a=docs; cd "$a" && cat keys/id_rsa
rg -rl x . | xargs cat
grep -h . -- -l README.md | xargs cat
git diff --name-only -p | xargs cat
git diff --name-only --no-index /etc/shadow x | xargs cat
git -C /tmp diff --name-only | xargs cat
git diff --name-only | xargs rm
git diff --name-only | xargs sort -o
bc -l x > out
bc README.md > README.md
rm --help x
rm "$(echo --help)"
then rm README.md
do rm README.md
} rm README.md
"if" rm README.md
if\ rm README.md
time rm README.md
time { rm README.md; }
{ ls; } ; { rm README.md; }
f=README.md
cat "$f" <<< "$(rm README.md)"
echo "$(echo "$(rm x)")"
echo "$(echo $(rm x))"
cat <(cat <(rm x))
for f in <(rm x); do ls; done
for f in "$(rm x)"; do ls; done
ls "$(git push)"
echo ${x:-$(rm y)}
echo "${x:-$(rm y)}"
x=$(rm y)
x=`rm y`; echo "$x"
x="$(rm y)"; echo "$x"
x=a$(rm y); echo "$x"
x+=$(rm y); echo "$x"
x[0]=$(rm y); echo "$x"
x=(a b); echo "$x"
for f in src/*; do rm < "$f"; done
for f in evil; do wc -l < "$f"; done
for f in *; do wc -l < "$f"; done
for f in README.md; do ls > "$f"; done
for f in src/*.py; do ls >> "$f"; done
IFS=, ls; IFS=/ ls
while IFS=/ read -r a; do ls; done < README.md
for f in ~/.ssh/*; do wc -l < "$f"; done
while read -r f; do wc -l < "$f"; done < README.md
f=~/.netrc; wc -l < "$f"
"""
