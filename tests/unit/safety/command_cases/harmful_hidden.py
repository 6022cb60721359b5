"""Small languages that read on where a reader would stop, and names that a search puts in; ``harmful`` says how a line is read."""

LINES = r"""
awk '/[/]!/{print|$1};/x/' x
awk '/[/]!/{print > $1};/x/' x
awk '/[^/]{/{print|$0};/x/' x
awk '/[[:space:]/],/{print|$0};/x/' x
awk '/[]/]!/{print|$0};/x/' x
awk '{print /a!/;print|$1;print/x/}' x
awk '{if(x)/a!/;print>$1;/x/}' x
awk '{while(x)/a!/;print|$1;print/x/}' x
awk '{for(i in a)/a!/;print|$1;print/x/}' x
awk '{if(x)n;else/a!/;print|$1;print/x/}' x
awk '{exit/a!/;print|$1;print/x/}' x
awk '{x=/a!/;print|$1;x=/x/}' x
awk '{x=1?/a!/:0;print|$1;print/x/}' x
awk '{x=1+/a!/;print|$1;print/x/}' x
awk '{print length/a!/;print|$1;print/x/}' x
awk 'BEGIN/a!/;{print|$1};/x/' x
awk '{print 1,/[/]!/;print|$1;print/x/}' x
gawk '{x[1]in/a!/;print|$1;print/x/}' x
sed 's/[/]/p;/w a/p' x
sed 's/[^/]/p;/w a/p' x
sed 's/[]/]/p;/w a/p' x
sed 's/[[:alpha:]/]/p;/w a/p' x
sed 's/a[/]/p;/e id/p' x
sed -n '/[/]/p;/w a/p' x
sed 's|[|]|p;s|w a|p|' x
sed 's,[,],p;s,w a,p,' x
sed -E 's/[\/]/p;/w a/p' x
bzip2 -t -d x.bz2
bzip2 -td x.bz2
bzip2 --test --decompress x.bz2
xz -t -d x.xz
xz -ld x.xz
xz --list --decompress x.xz
find . -type d -exec git -C {} status \;
find src -type d -exec git -C {} log -p \;
find . -name 'x*' -exec git log {} \;
find . -name 'x*' -exec sed -n '/{}/p' README.md \;
find . -name 'x*' -exec sed -n {} README.md \;
find . -name 'x*' -exec sed -e '/{}/p' README.md \;
find src -name 'x*' -exec awk {} README.md \;
find src -name 'x*' -exec awk '/{}/' README.md \;
find . -name 'x*' -exec jq '{}' README.md \;
find . -name 'x*' -exec cat src/{} \;
find . -name 'x*' -exec bash -c 'cat {}' \;
find . -name 'x*' -exec timeout {} ls \;
awk '/a/ /!/{print|$1}/x/' x
awk '/a/  /!/{print|$1}/x/' x
lsof -i tcp@data.example.com
lsof -i@data.example.com
lsof -nP -iTCP@data.example.com:80
tput init
tput reset
tput -T x init
rg KEY -g .env --hidden
rg KEY --hidden --glob='.env*'
rg . -uu --iglob '.ENV'
grep -r . . --include=.env
grep -r '' --include='*' .
grep -r '' --include='*.*' .
rg -uu -g '*' ''
rg -uu -g '!x' ''
rg -uu -g '*.py' -g '*' ''
rg -uu -g '{*,x}' ''
rg -uu -t all ''
rg KEY --hidden -g '{.env,x}'
grep -r . . --include='*.pem'
git log -L1,2:.env
git log -L :x:.env
git log -L '/a/,/b/:secrets/id_rsa'
git blame -L :x:.env a
git ls-files -o | xargs cat
git ls-files --others -i | xargs head
git ls-files -o --ignored --exclude-standard | xargs cat
cat .env~
cat .env-prod
cat .env_local
cat id_rsa~
cat id_rsa.bak
cat server.key.old
cat ~/.netrc.orig
cat credentials.json.save
"""
