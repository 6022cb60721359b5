"""What the words of a command say about the harm that it may do."""

import re
from collections.abc import Callable, Sequence

type Finder = Callable[[Sequence[str]], bool]

SYSTEM = r"(/(etc|boot|sys|proc/sys|root|usr|bin|sbin|lib|var/spool/cron)(/|$)|(~|\$HOME|\$\{HOME\}|/home/[^/]+|/Users/[^/]+)/?\.(ssh|bash|zsh|profile|config/(systemd|autostart|fish)|gitconfig|aws|gnupg|kube)|/dev/(?!(?:null|stdout|stderr|tty)\b)\w|(.*/)?\.git/(hooks|config)|.*authorized_keys$)"
_TO_SYSTEM = re.compile(SYSTEM)
_WIDE = re.compile(
    r"/[^/]*/?\*?|/(usr|var|etc|home|opt|Users)/[^/]*/?\*?|~[^/]*/?\*?|\$\{?HOME\}?/?\*?|\.{1,2}/?\*?|\*|\.\*|(\.\./)+\*?|(.*/)?\.git/?|\$\{?\w+.*"
)


def _flags(words: Sequence[str]) -> set[str]:
    return {letter for word in words if re.match(r"-[A-Za-z]", word) for letter in word[1:]} | {
        word.partition("=")[0] for word in words if word.startswith("--")
    }


def _plain(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def deletes_widely(words: Sequence[str]) -> bool:
    """Whether it deletes without asking, or much."""
    flags = _flags(words)
    is_wide = any(_WIDE.fullmatch(word) or _TO_SYSTEM.match(word) for word in _plain(words))
    is_forced = "f" in flags or any(flag.startswith("--f") for flag in flags)
    is_deep = bool(flags & {"r", "R"}) or any(flag.startswith(("--r", "--no-p")) for flag in flags)
    return is_forced or (is_deep and is_wide) or is_wide


def changes_found(words: Sequence[str]) -> bool:
    """Whether it changes every file it finds."""
    return "-delete" in words or any(
        word in {"rm", "shred", "chmod", "chown", "mv"} for word in words
    )


def opens_widely(words: Sequence[str]) -> bool:
    """Whether it changes rights widely."""
    is_deep = bool(_flags(words) & {"R", "--recursive"})
    plain = _plain(words)
    is_open = any(
        re.fullmatch(r"0?[2467]?777|[ao]*\+[rwxst]*w[rwxst]*|[ug]*\+s|0?[46][0-7]{3}", word)
        for word in plain
    )
    is_wide = any(_WIDE.fullmatch(word) or _TO_SYSTEM.match(word) for word in plain)
    return (
        is_wide or (is_deep and is_open) or any("s" in word and "+" in word for word in plain[:1])
    )


def writes_to_system(words: Sequence[str]) -> bool:
    """Whether it writes where the system or a shell reads at start."""
    return any(_TO_SYSTEM.match(word.partition("of=")[2] or word) for word in _plain(words))


def moves_to_system(words: Sequence[str]) -> bool:
    """Whether it moves things there, or where they are lost."""
    plain = _plain(words)
    return bool(plain) and (
        _TO_SYSTEM.match(plain[-1]) is not None
        or plain[-1] == "/dev/null"
        or any(_WIDE.fullmatch(word) and word not in {".", "*", "..", "../"} for word in plain[:-1])
    )


def rewrites(words: Sequence[str]) -> bool:
    """Whether git throws work away, rewrites history or sets up programs."""
    text = " ".join(words)
    return (
        re.search(
            r"\bpush\b.*(\s-\w*[fd]\b|\s--(force|mirror|delete|prune)|\s\+\S|\s:\S)|\breset\b.*--hard|\bclean\b.*\s-\w*[fdxX]|\bfilter-(branch|repo)\b"
            r"|\brebase\b|\breflog (expire|delete)|\bgc\b.*--prune|\bupdate-ref -d|\bbranch\b.*\s(-D|--delete.*--force)|\bstash (drop|clear)"
            r"|\b(checkout|restore)\b.*(\s--?f\b|\s\.$|\s--\s)|\bcommit\b.*--amend|\bworktree remove\b.*-f|\btag (-d|--delete)|\breplace\b"
            r"|\bconfig\b.*(hookspath|alias\.|fsmonitor|sshcommand|credential|pager|editor|external|filter\.|include)|\bcredential\b|\bsubmodule foreach\b|\bbisect run\b"
            r"|(^|\s)-c\s*\S*(hookspath|alias\.|fsmonitor|sshcommand|pager|editor|external|gpg|credential|filter\.)|ext::|--upload-pack|--receive-pack|--exec=",
            text,
            re.IGNORECASE,
        )
        is not None
    )


_CODE = re.compile(
    r"rmtree|os\.(system|remove|unlink|exec|popen|kill|fork)|subprocess|popen|pty\.spawn|socket|urlopen|requests\.|child_process|\bexec\b|system\s*\(|unlink|shell_exec|fs\.(rm|unlink|write)|eval\(|__import__|base64",
    re.IGNORECASE,
)


def runs_code(words: Sequence[str]) -> bool:
    """Whether code in the words may run, delete or send anything."""
    is_inline = any(re.match(r"-\w*[ceEr]", word) for word in words)
    return is_inline and any(_CODE.search(word) for word in words)


def uploads(words: Sequence[str]) -> bool:
    """Whether it carries out files or what a command says."""
    text = " ".join(words)
    return (
        re.search(
            r"(^|\s)(-d|--data[\w-]*|-F|--form[\w-]*|--json)[ =]?\S*@|(^|\s)(-T|--upload-file|--post-file|--body-file)|(^|\s)-X ?(PUT|DELETE)|\$\(|`|\$\{?\w",
            text,
        )
        is not None
    )


def copies_far(words: Sequence[str]) -> bool:
    """Whether it copies to or from another machine."""
    return any(re.fullmatch(r"[\w.@-]+:.*", word) for word in _plain(words))


def gives_shell(words: Sequence[str]) -> bool:
    """Whether it gives a shell away."""
    return bool(_flags(words) & {"e", "c", "l", "--exec", "--sh-exec", "--listen"}) or any(
        re.match(r"(exec|system):", word, re.IGNORECASE) for word in words
    )


def reaches_out(words: Sequence[str]) -> bool:
    """Whether a container reaches the machine around it."""
    text = " ".join(words)
    return (
        re.search(
            r"--privileged|(-v|--volume|--mount)[ =]?\S*?(/(etc|root|home|var|usr|proc|sys|dev)?:|source=/(,|$)|src=/(,|$)|docker\.sock)|--(pid|net|network|userns|ipc)[ =]host|--cap-add|prune|volume rm|\brmi?\b|\bkill\b|--device",
            text,
        )
        is not None
    )


def matches(pattern: str) -> Finder:
    """A finder for a pattern in the words."""
    return lambda words: re.search(pattern, " ".join(words), re.IGNORECASE) is not None


def any_word(words: Sequence[str]) -> bool:
    """Whether there is any word."""
    return bool(words)


def not_listing(words: Sequence[str]) -> bool:
    """Whether it does more than to list."""
    return not any(word in {"-l", "-lf", "-F"} for word in words)
