# Sourced by ./ouro for `./ouro extras`; `home` and `caller` are set.
#
# An extra that was added is a link in .ouro-extras to its lock, so that a newer lock is noticed like
# that of the run itself, and every later environment holds it too.

. "$home/requirements/environment.sh"

change_extras() {
    home=$(CDPATH='' cd -- "${home:-/}" && pwd -P) || stop "cannot enter the folder of $self"
    added=$home/.ouro-extras
    wish=${1:-list}
    [ $# = 0 ] || shift
    case $wish in
    list) list_extras ;;
    add | remove)
        [ $# != 0 ] || explain_extras
        for extra; do check_extra "$extra"; done
        "$wish"_extras "$@"
        ;;
    *) explain_extras ;;
    esac
}

explain_extras() {
    say "usage: ./ouro extras [list | add NAME... | remove NAME...]"
    list_extras >&2
    exit 64
}

check_extra() {
    case $1 in
    "" | */*) ;;
    *) [ ! -f "$home/requirements/extra-$1.txt" ] || return 0 ;;
    esac
    say "there is no extra '$1'"
    explain_extras
}

list_extras() {
    for extra in "$home"/requirements/extra-*.txt; do
        state='not added'
        [ ! -e "$added/${extra##*/}" ] || state=added
        extra=${extra##*/extra-}
        printf '%-10s %s\n' "${extra%.txt}" "$state"
    done
}

add_extras() {
    mkdir -p "$added" || stop "cannot write to $home"
    new=
    for extra; do
        [ ! -e "$added/extra-$extra.txt" ] || continue
        link "$extra"
        new="$new $extra"
    done
    (make_environment .venv run) || {
        for extra in $new; do unlink "$extra"; done
        stop "nothing was added; the environment is as it was"
    }
    say "added: $*"
}

remove_extras() {
    old=
    for extra; do
        [ -e "$added/extra-$extra.txt" ] || continue
        unlink "$extra"
        old="$old $extra"
    done
    (make_environment .venv run) || {
        for extra in $old; do link "$extra"; done
        stop "nothing was removed; the environment is as it was"
    }
    say "removed: $*"
}

link() { ln -sf "../requirements/extra-$1.txt" "$added/" || stop "cannot write to $added"; }

unlink() { rm -f "$added/extra-$1.txt"; }
