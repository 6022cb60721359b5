"""Programs of the core utilities, and builtins of the shell, that read or compute."""

_SUMS = (
    "-bctwz --check --tag --text --binary --quiet --status --warn --strict"
    " --ignore-missing --zero PATHS ANY"
)

READS: dict[str, str] = {
    "[": ":test RAW",
    "alias": "",
    "arch": "",
    "b2sum": _SUMS + " -l= --length=",
    "base32": "-di -w= --decode --ignore-garbage --wrap= PATH?",
    "base64": "-diD -w= --decode --ignore-garbage --wrap= PATH?",
    "basename": "-az -s= --multiple --suffix= --zero WORDS ANY",
    "bc": "-lqsw --mathlib --quiet --standard --warn",
    "cal": "-13jmsy NAMES",
    "cat": (
        "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank"
        " --show-tabs --show-nonprinting PATHS ANY"
    ),
    "cksum": "-a= --algorithm= --untagged PATHS ANY",
    "cmp": "-blsn= -i= --print-bytes --verbose --silent --quiet --bytes= --ignore-initial= PATHS",
    "column": (
        "-tx -s= -c= -o= --table --separator= --columns= --output-separator= --fillrows PATHS"
    ),
    "comm": (
        "-123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated PATHS"
    ),
    "cut": (
        "-nsz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields="
        " --only-delimited --complement --output-delimiter= PATHS"
    ),
    "date": (
        "-uRr=@ -I[=] -d= --date= --utc --universal --rfc-email --iso-8601[=] --rfc-3339="
        " --reference=@ :date WORDS"
    ),
    "df": (
        "-ahHiklPT -t= -x= -B= --all --human-readable --si --inodes --local --portability"
        " --print-type --total --type= --exclude-type= --output[=] --block-size= NAMES"
    ),
    "diff": (
        "-abBcdeEiHnNpqrstTuvwyZ -C= -U= -I= -W= -x= -F= --brief --report-identical-files"
        " --context[=] --unified[=] --ed --normal --rcs --side-by-side --width="
        " --left-column --suppress-common-lines --show-c-function --show-function-line="
        " --label= --expand-tabs --recursive --no-dereference --new-file"
        " --unidirectional-new-file --ignore-file-name-case --exclude= --ignore-case"
        " --ignore-tab-expansion --ignore-trailing-space --ignore-space-change"
        " --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text"
        " --strip-trailing-cr --minimal --color[=] --speed-large-files PATHS"
    ),
    "dirname": "-z --zero WORDS ANY",
    "du": (
        "-0aAbcDhHklmsSx -B= -d= -t= --all --apparent-size --bytes --total"
        " --human-readable --si --summarize --separate-dirs --one-file-system"
        " --max-depth= --threshold= --block-size= --exclude= --time[=] --time-style="
        " --inodes --null PATHS ANY"
    ),
    "echo": ":echo WORDS ANY",
    "expand": "-i -t= --initial --tabs= PATHS",
    "expr": "WORDS",
    "factor": "NAMES",
    "false": "",
    "file": (
        "-bhikLNnr0p -e= --brief --mime --mime-type --mime-encoding --no-dereference"
        " --dereference --exclude= --extension --keep-going --no-pad --separator= PATHS"
    ),
    "fmt": "-cstu -w= -p= -g= -# --width= PATHS",
    "fold": "-bs -w= --bytes --spaces --width= PATHS",
    "free": "-bkmghtlwv --bytes --kilo --mega --giga --human --total --lohi --wide --si",
    "getconf": "-a NAMES",
    "groups": "NAMES",
    "help": "-dms NAMES",
    "iconv": "-f= -t= -c --from-code= --to-code= PATHS",
    "head": (
        "-qvz -c= -n= -# --bytes= --lines= --quiet --silent --verbose --zero-terminated PATHS ANY"
    ),
    "hexdump": "-bcCdovx -n= -s= --canonical PATHS",
    "hostname": "-afisdAI --fqdn --short --ip-address --all-ip-addresses --domain",
    "id": "-aGgnruzZ --group --groups --name --real --user NAMES",
    "join": "-iaz -1= -2= -j= -o= -t= -v= -e= --ignore-case --header PATHS",
    "locale": "-a -m --all-locales --charmaps NAMES",
    "ls": (
        "-1aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ -I= -w= -T= --all --almost-all --author"
        " --block-size= --classify[=] --color[=] --directory --file-type --format="
        " --full-time --group-directories-first --hide= --human-readable --si --inode"
        " --ignore= --indicator-style= --literal --numeric-uid-gid --no-group"
        " --quote-name --quoting-style= --reverse --recursive --size --sort= --time="
        " --time-style= --width= --zero --hyperlink[=] --dereference --escape"
        " --ignore-backups --kibibytes PATHS ANY"
    ),
    "md5sum": _SUMS,
    "nl": (
        "-p -b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering= --number-width="
        " --number-separator= PATHS"
    ),
    "nproc": "--all --ignore=",
    "numfmt": (
        "-z -d= --to= --from= --suffix= --padding= --grouping --header[=] --field="
        " --format= --delimiter= --invalid= --round= --to-unit= --from-unit= WORDS"
    ),
    "od": (
        "-abcdfhilosxv -A= -j= -N= -t= -w[=] -S= --address-radix= --skip-bytes="
        " --read-bytes= --format= --width[=] --output-duplicates PATHS"
    ),
    "paste": "-sz -d= --delimiters= --serial --zero-terminated PATHS",
    "pathchk": "-pP WORDS",
    "pr": "-adfFJmtT -h= -l= -w= -o= -n[=] PATHS",
    "printenv": ":variables WORDS",
    "printf": ":printf WORDS",
    "read": "-r NAMES",
    "pwd": "-LP --logical --physical",
    "readlink": (
        "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing"
        " --no-newline --zero PATHS ANY"
    ),
    "realpath": (
        "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical"
        " --quiet --strip --no-symlinks --zero --relative-to= --relative-base= PATHS ANY"
    ),
    "rev": "PATHS ANY",
    "seq": "-w -f= -s= --equal-width --format= --separator= WORDS",
    "sha1sum": _SUMS,
    "shasum": _SUMS + " -a= --algorithm=",
    "shuf": "-ez -n= -i= --head-count= --input-range= --echo --zero-terminated PATH?",
    "sha224sum": _SUMS,
    "sha256sum": _SUMS,
    "sha384sum": _SUMS,
    "sha512sum": _SUMS,
    "sleep": "NAMES",
    "sort": (
        "-bcCdfghiMmnrRsuVz -k= -t= -S= --ignore-leading-blanks --dictionary-order"
        " --ignore-case --general-numeric-sort --human-numeric-sort --month-sort"
        " --numeric-sort --reverse --sort= --version-sort --key= --field-separator="
        " --stable --unique --zero-terminated --check[=] --merge --parallel="
        " --buffer-size= --debug PATHS"
    ),
    "stat": "-fLtx -c= --dereference --file-system --format= --printf= --terse PATHS ANY",
    "strings": "-afow -n= -t= -e= --all --bytes= --radix= --encoding= :no_lists PATHS",
    "sum": "-rs PATHS",
    "tac": "-br -s= --before --regex --separator= PATHS",
    "tail": (
        "-fFqvrz -c= -n= -# -s= --bytes= --lines= --follow[=] --retry --quiet --silent"
        " --verbose --pid= --sleep-interval= --zero-terminated PATHS ANY"
    ),
    "test": ":test RAW",
    "tr": "-cCdst --complement --delete --squeeze-repeats --truncate-set1 WORDS",
    "true": "",
    "tsort": "PATH?",
    "tty": "-s",
    "type": "-apPtf NAMES",
    "uname": (
        "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version"
        " --machine --processor --operating-system"
    ),
    "unexpand": "-a -t= --all --first-only --tabs= PATHS",
    "uniq": (
        "-cdDiuz -f= -s= -w= --count --repeated --ignore-case --unique --skip-fields="
        " --skip-chars= --check-chars= --all-repeated[=] --group[=] --zero-terminated"
        " PATH?"
    ),
    "uptime": "-ps --pretty --since",
    "users": "",
    "w": "-hsuf --no-header --short NAMES",
    "wc": "-clLmw --bytes --chars --lines --words --max-line-length --total= PATHS ANY",
    "whatis": "NAMES",
    "whereis": "-bms NAMES",
    "which": "-as --all NAMES",
    "who": "-abdHlmpqrstTuw",
    "whoami": "",
    "xxd": "-abeEiupC -c= -g= -l= -s= -o= -n= PATH?",
    ":": "",
}
