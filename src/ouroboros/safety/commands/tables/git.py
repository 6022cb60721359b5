"""Commands of git that read, with the options they may have."""

_WHERE = (
    "--all --branches[=] --tags[=] --remotes[=] --glob= --exclude= --first-parent"
    " --merges --no-merges --since= --after= --until= --before= --author= --committer="
    " --grep= -i -E -F -P --all-match --invert-grep --regexp-ignore-case"
    " --extended-regexp --fixed-strings --max-count= -n= -# --skip= --reverse"
    " --topo-order --date-order --author-date-order --boundary --left-right --cherry-pick"
    " --cherry-mark --cherry --left-only --right-only --ancestry-path --full-history"
    " --simplify-merges --simplify-by-decoration --dense --sparse --not --reflog -g"
    " --walk-reflogs --no-walk --do-walk --min-parents= --max-parents= --no-min-parents"
    " --no-max-parents"
)
_FORMAT = (
    "--oneline --pretty[=] --format= --date= --abbrev[=] --abbrev-commit"
    " --no-abbrev-commit --graph --no-graph --decorate[=] --no-decorate --decorate-refs="
    " --decorate-refs-exclude= --source --relative-date --parents --children --notes[=]"
    " --no-notes --no-expand-tabs --encoding= --show-pulls --mailmap --no-mailmap"
    " --use-mailmap --log-size --clear-decorations"
)
_DIFF = (
    "-pu -s --patch --no-patch -U[=] --unified[=] --raw --patch-with-raw --stat[=]"
    " --numstat --shortstat --dirstat[=] --summary --name-only --name-status"
    " --compact-summary --stat-width= --stat-count= --submodule[=] --color[=] --no-color"
    " --color-moved[=] --no-color-moved --color-words[=] --word-diff[=]"
    " --word-diff-regex= --no-renames --rename-empty --check --full-index --binary -B[=]"
    " -M[=] -C[=] --find-renames[=] --find-copies[=] --find-copies-harder"
    " --break-rewrites[=] -D -l= --diff-filter= -S= -G= --pickaxe-all --pickaxe-regex -R"
    " --relative[=] --no-relative -a --text --ignore-space-at-eol -b -w"
    " --ignore-space-change --ignore-all-space --ignore-blank-lines -I="
    " --inter-hunk-context= -W --function-context --exit-code --no-ext-diff --no-textconv"
    " --src-prefix= --dst-prefix= --no-prefix --minimal --patience"
    " --histogram --diff-algorithm= --anchored= --indent-heuristic --no-indent-heuristic"
    " -z -m -c --cc --combined-all-paths --full-diff -t -r --irreversible-delete"
    " --ita-visible-in-index"
)

_LOG = f"{_WHERE} {_FORMAT} {_DIFF} -L= --follow --no-show-signature PATHS"
_REFS = (
    "--sort= --format= --contains[=] --no-contains[=] --merged[=] --no-merged[=]"
    " --points-at= --color[=] --no-color --column[=] --no-column -i --ignore-case"
    " --omit-empty"
)

READS: dict[str, str] = {
    "--help": "",
    "--version": "--build-options",
    "-v": "",
    "annotate": (
        "-L= -M[=] -C[=] -w -l -t -s -e -b -f -n --root --show-stats --date= --since="
        " --porcelain --line-porcelain PATHS"
    ),
    "blame": (
        "-L= -M[=] -C[=] -w -l -t -s -e -b -c -f -n -p --root --show-stats --show-name"
        " --show-number --show-email --date= --since= --reverse --first-parent"
        " --porcelain --line-porcelain --incremental --abbrev= --color-lines"
        " --color-by-age --ignore-rev= --ignore-revs-file=@ --encoding= --no-progress"
        " PATHS"
    ),
    "branch": "-avrq -l --list --all --remotes --verbose --show-current --abbrev= --no-abbrev "
    + _REFS
    + " :git_branch WORDS",
    "cat-file": (
        "-t -s -e -p --batch-check[=] --batch-all-objects --allow-unknown-type --unordered PATHS"
    ),
    "cherry": "-v --abbrev= WORDS",
    "check-attr": "-a --all -z --cached PATHS",
    "check-ignore": "-v -n -q --verbose --non-matching --quiet --no-index PATHS",
    "check-ref-format": "--branch --allow-onelevel --normalize WORDS",
    "config --get": (
        "--local --global --show-origin --show-scope --type= --bool --int --path --null"
        " :git_key WORDS"
    ),
    "config get": (
        "--local --global --show-origin --show-scope --type= --all --null --default= :git_key WORDS"
    ),
    "config": "--local --global --show-origin --type= :one :git_key WORDS",
    "count-objects": "-vH --verbose --human-readable",
    "describe": (
        "--all --tags --contains --long --always --abbrev= --candidates= --exact-match"
        " --match= --exclude= --first-parent WORDS"
    ),
    "diff": _DIFF + " --cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3 -# PATHS",
    "diff-files": _DIFF + " -q PATHS",
    "diff-index": _DIFF + " --cached PATHS",
    "diff-tree": _DIFF + " --root --no-commit-id --pretty[=] --format= --always -v --stdin PATHS",
    "for-each-ref": "--count= " + _REFS + " --exclude= PATHS",
    "fsck": (
        "--full --no-full --no-dangling --connectivity-only --no-progress --strict --unreachable"
    ),
    "grep": (
        "-n -i -I -w -v -h -H -E -G -F -P -l -L -z -o -c -p -q -W -a -# -A= -B= -C= -e="
        " -m= --line-number --ignore-case --word-regexp --invert-match --extended-regexp"
        " --basic-regexp --perl-regexp --fixed-strings --name-only --files-with-matches"
        " --files-without-match --null --only-matching --count --color[=] --no-color"
        " --break --heading --show-function --function-context --context="
        " --after-context= --before-context= --max-depth= --recursive --no-recursive"
        " --and --or --not --all-match --quiet --cached --untracked --column --full-name"
        " --text --threads= --max-count= --exclude-standard PATTERN"
    ),
    "log": _LOG,
    "ls-files": (
        "-c -d -m -o -i -s -u -k -z -t -v -f -x= --cached --deleted --modified --others"
        " --ignored --stage --directory --no-empty-directory --unmerged --killed"
        " --exclude= --exclude-standard --error-unmatch --full-name --abbrev[=] --debug"
        " --eol --deduplicate --sparse --format= PATHS"
    ),
    "ls-tree": (
        "-d -r -t -l -z --name-only --name-status --object-only --full-name --full-tree"
        " --abbrev[=] --long --format= PATHS"
    ),
    "merge-base": "-a --all --octopus --independent --is-ancestor --fork-point WORDS",
    "name-rev": "--tags --refs= --exclude= --all --name-only --no-undefined --always WORDS",
    "notes list": "WORDS",
    "reflog": (
        "--all -n= -# --date= --oneline --format= --pretty[=] --no-color --color[=]"
        " --abbrev-commit --max-count= --relative-date :git_reflog WORDS"
    ),
    "remote": "-v --verbose",
    "remote get-url": "--push --all NAMES",
    "rev-list": (
        f"{_WHERE} --count --objects --oneline --pretty[=] --format= --abbrev-commit"
        f" --parents --timestamp --disk-usage[=] --header --date= PATHS"
    ),
    "rev-parse": (
        "--abbrev-ref[=] --short[=] --verify --quiet -q --show-toplevel --show-prefix"
        " --show-cdup --show-superproject-working-tree --git-dir --git-common-dir"
        " --absolute-git-dir --is-inside-work-tree --is-inside-git-dir"
        " --is-bare-repository --is-shallow-repository --symbolic --symbolic-full-name"
        " --all --branches[=] --tags[=] --remotes[=] --show-object-format --path-format="
        " --git-path= --revs-only --no-revs --flags --no-flags --default= --not"
        " --local-env-vars WORDS"
    ),
    "shortlog": (
        "-nse -c --numbered --summary --email --committer --group= --format= --no-merges"
        " --merges --since= --until= --after= --before= --author= --all WORDS"
    ),
    "show": _LOG,
    "show-branch": (
        "-a -r --all --remotes --current --topo-order --sparse --list --more= --color[=]"
        " --no-color --sha1-name --no-name WORDS"
    ),
    "show-ref": (
        "-d -s[=] -q --head --heads --branches --tags --dereference --hash[=] --abbrev[=]"
        " --verify --quiet --exists WORDS"
    ),
    "stash list": f"{_FORMAT} --stat[=] --name-only --name-status -# -n= --no-color",
    "stash show": _DIFF + " --include-untracked --only-untracked -u WORDS",
    "status": (
        "-s -b -v -u[=] -z --short --branch --show-stash --porcelain[=] --long --verbose"
        " --untracked-files[=] --ignored[=] --column[=]"
        " --no-column --ahead-behind --no-ahead-behind --renames --no-renames"
        " --find-renames[=] PATHS"
    ),
    "symbolic-ref": "-q --quiet --short --recurse --no-recurse :one WORDS",
    "tag": "-l -n[=] --list " + _REFS + " :git_tag WORDS",
    "var": "NAMES",
    "verify-pack": "-vs --verbose --stat-only PATHS",
    "version": "--build-options",
    "worktree list": "-v --verbose --porcelain -z",
}

BUILTINS = frozenset({
    *("add", "am", "annotate", "apply", "archive", "bisect", "blame", "branch", "bundle"),
    *("cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format"),
    *("checkout", "checkout-index", "cherry", "cherry-pick", "clean", "clone", "column"),
    *("commit", "commit-graph", "commit-tree", "config", "count-objects", "credential"),
    *("credential-cache", "credential-store", "describe", "diff", "diff-files", "diff-index"),
    *("diff-tree", "difftool", "fast-export", "fast-import", "fetch", "fetch-pack"),
    *("fmt-merge-msg", "for-each-ref", "format-patch", "fsck", "fsck-objects", "gc"),
    *("get-tar-commit-id", "grep", "hash-object", "help", "index-pack", "init", "init-db"),
    *("interpret-trailers", "log", "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit"),
    *("merge", "merge-base", "merge-file", "merge-index", "merge-ours", "merge-recursive"),
    *("merge-recursive-ours", "merge-recursive-theirs", "merge-subtree", "merge-tree", "mktag"),
    *("mktree", "multi-pack-index", "mv", "name-rev", "notes", "pack-objects", "pack-refs"),
    *("patch-id", "prune", "prune-packed", "pull", "push", "range-diff", "read-tree", "rebase"),
    *("receive-pack", "reflog", "remote", "remote-ext", "remote-fd", "repack", "replace"),
    *("rerere", "reset", "restore", "rev-list", "rev-parse", "revert", "rm", "send-pack"),
    *("shortlog", "show", "show-branch", "show-index", "show-ref", "sparse-checkout", "stage"),
    *("stash", "status", "stripspace", "submodule", "switch", "symbolic-ref", "tag"),
    *("unpack-file", "unpack-objects", "update-index", "update-ref", "update-server-info"),
    *("upload-archive", "upload-pack", "var", "verify-commit", "verify-pack", "verify-tag"),
    *("version", "worktree", "write-tree"),
})
"""Commands that git has had for years: no alias hides them. A newer or deprecated one may be an alias elsewhere."""
