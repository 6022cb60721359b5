"""Programs that look for text and files, and that read formats."""

_GREP = (
    "-abcEFGHhiIlLnoPqrRsTUvVwxyzZ -A= -B= -C= -D= -d= -e= -f=@ -m= -# --after-context="
    " --before-context= --context= --binary-files= --byte-offset --color[=] --colour[=]"
    " --count --dereference-recursive --devices= --directories= --exclude= --exclude-dir="
    " --exclude-from=@ --extended-regexp --file=@ --files-with-matches"
    " --files-without-match --fixed-strings --basic-regexp --perl-regexp"
    " --group-separator= --no-group-separator --ignore-case --no-ignore-case --include="
    " --initial-tab --invert-match --label= --line-buffered --line-number --line-regexp"
    " --max-count= --no-filename --no-messages --null --null-data --only-matching --quiet"
    " --silent --recursive --regexp= --text --unix-byte-offsets --version --with-filename"
    " --word-regexp PATTERN :grep ANY"
)

READS: dict[str, str] = {
    "ag": (
        "-acCfghHiLlnNoQrRsStuvwz0 -A= -B= -G= -m= --after= --before= --context= --color"
        " --nocolor --column --count --depth= --files-with-matches"
        " --files-without-matches --filename --nofilename --group --nogroup --hidden"
        " --heading --noheading --ignore= --ignore-dir= --ignore-case --literal"
        " --max-count= --numbers --nonumbers --only-matching --silent --smart-case"
        " --stats --vimgrep --word-regexp PATTERN"
    ),
    "awk": "-F= -v= :awk WORDS",
    "bat": (
        "-pPnA -l= -r= -H= --plain --paging= --language= --line-range= --highlight-line="
        " --style= --color= --decorations= --number --show-all --theme= --wrap= --tabs="
        " PATHS"
    ),
    "batcat": (
        "-pPnA -l= -r= --plain --paging= --language= --line-range= --style= --color="
        " --number --show-all PATHS"
    ),
    "bzcat": "-s PATHS",
    "bzip2": "-cdktv --stdout --test --decompress --keep :stdout PATHS",
    "cloc": (
        "--json --csv --md --yaml --quiet --by-file --exclude-dir= --include-lang="
        " --exclude-lang= PATHS"
    ),
    "egrep": _GREP,
    "eza": (
        "-1aAbBdDFghHiIlLmMnrRsStTuUxXGfo@ -L= -s= -I= --all --long --tree --level="
        " --git-ignore --icons[=] --no-icons --sort= --color[=] --colour[=]"
        " --group-directories-first --header --oneline --recurse --time-style= PATHS"
    ),
    "exa": (
        "-1aAbBdDFghHilmnrRStTuUxG -L= -s= -I= --all --long --tree --level= --git-ignore"
        " --icons --sort= --color[=] --group-directories-first --header --oneline"
        " --recurse PATHS"
    ),
    "fd": (
        "-aFgHIipsu01 -c= -d= -e= -E= -t= -S= -j= --absolute-path --fixed-strings --glob"
        " --hidden --no-ignore --no-ignore-vcs --ignore-case --case-sensitive --full-path"
        " --print0 --color= --max-depth= --min-depth= --exact-depth= --extension="
        " --exclude= --type= --size= --changed-within= --changed-before= --max-results="
        " --quiet --show-errors --unrestricted --threads= --prune --strip-cwd-prefix[=]"
        " --one-file-system --and= PATTERN"
    ),
    "fdfind": (
        "-aFgHIipsu01 -c= -d= -e= -E= -t= -S= --absolute-path --fixed-strings --glob"
        " --hidden --no-ignore --ignore-case --case-sensitive --full-path --print0"
        " --color= --max-depth= --min-depth= --extension= --exclude= --type= --size="
        " --changed-within= --max-results= PATTERN"
    ),
    "fgrep": _GREP,
    "gawk": "-F= -v= :awk WORDS",
    "grep": _GREP,
    "gunzip": "-cfklqtv --stdout --list --test --quiet :stdout PATHS",
    "gzip": "-cdfklqtv --stdout --list --test --decompress --quiet :stdout PATHS",
    "jq": (
        "-ceCMnrjRsSa --arg== --argjson== --tab --indent= --compact-output --exit-status"
        " --color-output --monochrome-output --null-input --raw-output --raw-output0"
        " --join-output --raw-input --slurp --sort-keys --ascii-output --unbuffered"
        " --stream --seq PATTERN :jq"
    ),
    "mawk": "-F= -v= :awk WORDS",
    "nm": (
        "-aABCDglnopPrSsuv --demangle[=] --dynamic --defined-only --extern-only"
        " --undefined-only --print-size :no_lists PATHS"
    ),
    "objdump": "-adfhprsStTxC -M= --disassemble --syms --headers :no_lists PATHS",
    "readelf": (
        "-aehlnrsSuVdAWx --all --file-header --program-headers --section-headers"
        " --symbols --dynamic --wide :no_lists PATHS"
    ),
    "rg": (
        "-0abcFHhiIlnNoPpqsSUuvVwx. -A= -B= -C= -d= -e= -E= -f=@ -g= -j= -m= -M= -r= -t="
        " -T= -# --after-context= --before-context= --context= --binary --block-buffered"
        " --line-buffered --byte-offset --case-sensitive --color= --colors= --column"
        " --context-separator= --count --count-matches --crlf --debug --dfa-size-limit="
        " --encoding= --engine= --field-context-separator= --field-match-separator="
        " --file=@ --files --files-with-matches --files-without-match --fixed-strings"
        " --glob= --glob-case-insensitive --heading --no-heading --hidden --no-hidden"
        " --iglob= --ignore-case --ignore-file=@ --include-zero --invert-match --json"
        " --line-number --no-line-number --line-regexp --max-columns="
        " --max-columns-preview --max-count= --max-depth= --max-filesize= --mmap"
        " --no-mmap --multiline --multiline-dotall --no-config --no-ignore"
        " --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot"
        " --no-ignore-exclude --no-messages --null --null-data --one-file-system"
        " --only-matching --passthru --path-separator= --pcre2 --pretty --quiet --regexp="
        " --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text"
        " --threads= --trim --no-trim --type= --type-list --type-not= --unicode"
        " --no-unicode --unrestricted --vimgrep --with-filename --no-filename"
        " --word-regexp --version PATTERN :grep"
    ),
    "scc": "--by-file --no-cocomo --exclude-dir= --include-ext= -f= --format= PATHS",
    "sed": (
        "-nEruszl= -e= --expression= --quiet --silent --regexp-extended --separate"
        " --null-data --unbuffered --posix --debug --sandbox :sed PATTERN"
    ),
    "shellcheck": (
        "-aC -s= -S= -f= -e= -i= -o= --shell= --severity= --format= --exclude= --include="
        " --color[=] PATHS"
    ),
    "size": "-ABdoxt :no_lists PATHS",
    "tar": ":tar RAW",
    "tokei": "-fCs= -t= -e= --files --sort= --type= --exclude= --output= PATHS",
    "tree": (
        "-aACdDfFghJlnNpQrsStuUvxX -I= -L= -P= --charset= --dirsfirst --du --filelimit="
        " --gitignore --noreport --prune --sort= --si --inodes --device --ignore-case"
        " --matchdirs --metafirst --timefmt= PATHS"
    ),
    "unzip": ":unzip RAW",
    "yq": (
        "-eCMPrj -o= -p= --output-format= --input-format= --raw-output --exit-status"
        " --prettyPrint --no-colors --colors PATTERN :yq"
    ),
    "xz": "-cdklqtv --stdout --list --test --decompress --keep :stdout PATHS",
    "xzcat": "-q PATHS",
    "zcat": "-fv PATHS",
    "zipinfo": "-1slmvhtT PATHS",
}
