# Sourced by ./ouro and ./test, which set `home` and `caller`.
#
# make_environment NAME LOCK makes $home/NAME from requirements/LOCK.txt: under another name
# first, then renamed, so that a half-made one is never used. The gate (a folder, because mkdir
# is atomic) only saves work: two builders would each rename a whole environment.

say() { printf '%s: %s\n' "$caller" "$1" >&2; }

stop() {
    say "$1"
    shift
    for hint; do printf '  %s\n' "$hint" >&2; done
    exit 69
}

make_environment() {
    command -v mkdir >/dev/null 2>&1 || PATH=${PATH:+$PATH:}/usr/bin:/bin
    home=$(CDPATH='' cd -- "${home:-/}" && pwd -P) || stop "cannot enter the folder of $self"
    venv=$home/$1
    lock=$home/requirements/$2.txt
    fresh=$venv.tmp.$$
    gate=$home/.ouro-lock
    if is_current; then
        touch "$venv/ready" 2>/dev/null || : # a read-only checkout: only the next start is slower
        return
    fi
    [ -w "$home" ] || stop "cannot write to $home, where the environment $1 is to be made" \
        "make that folder writable, or copy the checkout to one that is"
    trap tidy EXIT
    trap 'exit 130' INT
    trap 'exit 129' HUP
    trap 'exit 143' TERM
    enter_gate
    is_current || build "$1" >&2 # stdout belongs to the program that starts afterwards
    tidy
    trap - EXIT INT HUP TERM
}

is_current() { [ -x "$venv/bin/python" ] && locked | cmp -s - "$venv/ready"; }

# What the environment is to hold: the lock, and for a run those of the extras that were added.
locked() {
    cat "$lock"
    [ "${lock##*/}" = run.txt ] || return 0
    for extra in "$home"/.ouro-extras/*.txt; do
        [ ! -e "$extra" ] || cat "$extra"
    done
}

tidy() {
    rm -rf "$fresh" "$fresh.old" "$fresh.txt" "$home/.tools/uv.tmp.$$"
    [ "$(cat "$gate/pid" 2>/dev/null)" != $$ ] || rm -rf "$gate"
}

enter_gate() {
    waited=0
    until mkdir "$gate" 2>/dev/null; do
        holder=$(cat "$gate/pid" 2>/dev/null) || holder=
        if [ $waited -ge 900 ]; then
            say "waited 15 minutes for process ${holder:-unknown}; going on without it"
            return
        elif [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
            say "process $holder died while making an environment; starting over"
            rm -rf "$gate"
        elif [ -z "$holder" ] && [ $waited -ge 5 ]; then
            rm -rf "$gate" # its maker died before it could write its number
        fi
        [ $waited != 1 ] || say "waiting for process ${holder:-unknown}, which is making an environment"
        waited=$((waited + 1))
        [ ! -d "$gate" ] || sleep 1
    done
    echo $$ >"$gate/pid"
    for leftover in "$home"/.venv*.tmp.* "$home"/.tools/uv.tmp.*; do
        maker=${leftover##*.tmp.}
        kill -0 "${maker%%.*}" 2>/dev/null || rm -rf "$leftover"
    done
}

build() {
    say "making the environment $1 in $home (once; again when requirements/ changes)"
    command -v git >/dev/null 2>&1 ||
        say "git was not found; checkpoints and diffs need it (apt-get install git, or brew install git)"
    find_python
    find_uv || :
    [ -n "$python" ] || find_uv_python
    say "Python: $python"
    locked >"$fresh.txt"
    fill || stop "could not install the packages of requirements/${lock##*/}" \
        "the lines above say why; behind a mirror set UV_DEFAULT_INDEX (uv) or PIP_INDEX_URL (pip)" \
        "another Python may have the wheels this one lacks: OURO_PYTHON=/path/to/python3.12"
    "$fresh/bin/python" -I - "$home" "$fresh.txt" "$fresh" "$venv" <<'PYTHON' || is_current ||
import os, shutil, sys, sysconfig
home, lock, fresh, final = sys.argv[1:]
packages = sysconfig.get_path("purelib")
with open(os.path.join(packages, "ouroboros.pth"), "w", encoding="utf-8") as path:
    path.write(os.path.relpath(os.path.join(home, "src"), packages) + "\n")
shutil.copyfile(lock, os.path.join(fresh, "ready"))
if os.path.lexists(final):
    os.rename(final, fresh + ".old")
os.rename(fresh, final)
PYTHON
        stop "could not put the environment in place at $venv"
    say "done"
}

fill() {
    # A lock names every package there is to be, so nothing is looked for besides (--no-deps).
    # One development package is published as source alone; nothing else is ever built.
    wheels_only='--only-binary :all:'
    [ "${lock##*/}" != dev.txt ] || wheels_only=
    if [ -n "$uv" ]; then
        say "uv: $uv (keeps what it downloads in $("$uv" cache dir 2>/dev/null))"
        # From $home, so that no uv.toml of the folder the person stands in is read.
        (
            cd "$home" && "$uv" venv --quiet --relocatable --python "$python" "$fresh" &&
                "$uv" pip install --python "$fresh/bin/python" --compile-bytecode \
                    --no-deps --require-hashes $wheels_only -r "$fresh.txt" \
                    --build-constraints requirements/build.txt
        ) && return
        say "uv could not do it; trying pip"
        rm -rf "$fresh"
    fi
    "$python" -I -m venv "$fresh" &&
        "$fresh/bin/python" -I -m pip install --disable-pip-version-check --no-cache-dir \
            --no-deps --require-hashes $wheels_only -r "$fresh.txt"
}

# Candidates are run, not looked up: a pyenv shim exists for versions that are not there.
find_python() {
    python=
    if [ -n "${OURO_PYTHON:-}" ]; then
        is_python 12 "$OURO_PYTHON" ||
            stop "OURO_PYTHON is $OURO_PYTHON, which is not a Python >= 3.12 that runs" \
                "let it name one, or unset it"
        return
    fi
    for candidate in python3.13 python3.12 python3.14 python3 python \
        "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.1[2-9]*/bin/python3 \
        "$home"/.tools/python/*/bin/python3; do
        ! is_python 12 "$candidate" || return 0
    done
}

is_python() {
    python=$("$2" -I -c "import sys
sys.version_info >= (3, $1) or sys.exit(1)
print(sys.executable)" 2>/dev/null) && [ -n "$python" ]
}

find_uv() {
    [ -n "${HOME:-}" ] || {
        UV_CACHE_DIR=$home/.tools/cache
        export UV_CACHE_DIR
    }
    for uv in uv "${HOME:-}/.local/bin/uv" "$home/.tools/uv/bin/uv"; do
        ! "$uv" --version >/dev/null 2>&1 || return 0
    done
    uv=
    helper=$python
    if [ -z "$helper" ]; then
        for candidate in python3 python; do
            ! is_python 8 "$candidate" || break
        done
        helper=$python
        python=
    fi
    [ -n "$helper" ] || return 1
    say "uv was not found; installing it into $home/.tools/uv"
    place=$home/.tools/uv.tmp.$$
    mkdir -p "$home/.tools" && rm -rf "$home/.tools/uv" &&
        "$helper" -I -m venv "$place" &&
        "$place/bin/python" -I -m pip install --disable-pip-version-check --no-cache-dir \
            --require-hashes --only-binary :all: -r "$home/requirements/uv.txt" &&
        mv "$place" "$home/.tools/uv" && uv=$home/.tools/uv/bin/uv
}

find_uv_python() {
    if [ -n "$uv" ]; then
        python=$(cd "$home" && "$uv" python find --python-preference only-managed \
            --no-python-downloads '>=3.12' 2>/dev/null) && [ -n "$python" ] && return
        say "no Python >= 3.12 was found; uv tries to download one into $home/.tools/python"
        (cd "$home" && UV_PYTHON_INSTALL_DIR=$home/.tools/python \
            UV_PYTHON_BIN_DIR=$home/.tools/bin "$uv" python install 3.13) || :
        for candidate in "$home"/.tools/python/*/bin/python3; do
            ! is_python 12 "$candidate" || return 0
        done
    fi
    stop "Python >= 3.12 is needed, and none was found on PATH, among uv's or under ${PYENV_ROOT:-~/.pyenv}" \
        "install one: apt-get install python3.12 (Ubuntu 24.04), apt-get install python3 (Debian 13)," \
        "             dnf install python3.12, brew install python@3.13, or pyenv install 3.13" \
        "or name one: OURO_PYTHON=/path/to/python3.12 ./$caller"
}
