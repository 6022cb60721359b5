"""Programs that may do lasting harm, by name and words; texts that show it across commands."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from ouroboros.safety.commands.operands import is_secret_name
from ouroboros.safety.commands.reading import Command

type Finder = Callable[[Sequence[str]], bool]

_SYSTEM = r"(/(etc|boot|sys|proc/sys|root|usr|bin|sbin|lib|var/spool/cron)(/|$)|(~|\$HOME|\$\{HOME\}|/home/[^/]+|/Users/[^/]+)/?\.(ssh|bash|zsh|profile|config/(systemd|autostart|fish)|gitconfig|aws|gnupg|kube)|/dev/(?!(?:null|stdout|stderr|tty)\b)\w|(.*/)?\.git/(hooks|config)|.*authorized_keys$)"
_TO_SYSTEM = re.compile(_SYSTEM)
_WIDE = re.compile(
    r"/[^/]*/?\*?|/(usr|var|etc|home|opt|Users)/[^/]*/?\*?|~[^/]*/?\*?|\$\{?HOME\}?/?\*?|\.{1,2}/?\*?|\*|\.\*|(\.\./)+\*?|(.*/)?\.git/?|\$\{?\w+.*"
)
_DISK = re.compile(r"/dev/(?!null|zero|stdin|stdout|stderr|tty|urandom|random|fd)\w")

_ALWAYS: dict[str, str] = {}
for _rule, _reason, _names in (
    (
        "danger.root",
        "it runs with the rights of another user",
        "sudo doas su pkexec runuser gosu su-exec sudoedit visudo",
    ),
    (
        "danger.disk",
        "it changes disks",
        "fdisk sfdisk parted gdisk wipefs blkdiscard mkswap cryptsetup hdparm badblocks lvremove vgremove pvremove zpool mdadm shred wipe srm",
    ),
    (
        "danger.power",
        "it stops the machine or its services",
        "shutdown reboot halt poweroff telinit kexec killall5",
    ),
    (
        "danger.accounts",
        "it changes accounts",
        "useradd userdel usermod groupadd groupmod passwd chpasswd adduser deluser vipw chage ssh-copy-id",
    ),
    (
        "danger.kernel",
        "it changes the kernel or the mounts",
        "insmod modprobe rmmod sysctl nsenter pivot_root swapoff umount setcap debugfs",
    ),
    (
        "danger.network",
        "it changes the network or its guards",
        "iptables ip6tables nft ufw firewall-cmd setenforce iptables-restore",
    ),
    ("danger.schedule", "it plans something for later", "at batch"),
    ("danger.keys", "it reads stored keys", "security secret-tool pass op vault keyctl"),
):
    _ALWAYS |= dict.fromkeys(_names.split(), f"{_rule}\t{_reason}")


def _flags(words: Sequence[str]) -> set[str]:
    return {letter for word in words if re.match(r"-[A-Za-z]", word) for letter in word[1:]} | {
        word.partition("=")[0] for word in words if word.startswith("--")
    }


def _plain(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _rm(words: Sequence[str]) -> bool:
    flags = _flags(words)
    is_wide = any(_WIDE.fullmatch(word) or _TO_SYSTEM.match(word) for word in _plain(words))
    is_forced = "f" in flags or any(flag.startswith("--f") for flag in flags)
    is_deep = bool(flags & {"r", "R"}) or any(flag.startswith(("--r", "--no-p")) for flag in flags)
    return is_forced or (is_deep and is_wide) or is_wide


def _find(words: Sequence[str]) -> bool:
    return "-delete" in words or any(
        word in {"rm", "shred", "chmod", "chown", "mv"} for word in words
    )


def _modes(words: Sequence[str]) -> bool:
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


def _writes(words: Sequence[str]) -> bool:
    return any(_TO_SYSTEM.match(word.partition("of=")[2] or word) for word in _plain(words))


def _moves(words: Sequence[str]) -> bool:
    plain = _plain(words)
    return bool(plain) and (
        _TO_SYSTEM.match(plain[-1]) is not None
        or plain[-1] == "/dev/null"
        or any(_WIDE.fullmatch(word) and word not in {".", "*", "..", "../"} for word in plain[:-1])
    )


def _git(words: Sequence[str]) -> bool:
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


def _code(words: Sequence[str]) -> bool:
    is_inline = any(re.match(r"-\w*[ceEr]", word) for word in words)
    return is_inline and any(_CODE.search(word) for word in words)


def _upload(words: Sequence[str]) -> bool:
    text = " ".join(words)
    return (
        re.search(
            r"(^|\s)(-d|--data[\w-]*|-F|--form[\w-]*|--json)[ =]?\S*@|(^|\s)(-T|--upload-file|--post-file|--body-file)|(^|\s)-X ?(PUT|DELETE)|\$\(|`|\$\{?\w",
            text,
        )
        is not None
    )


def _remote(words: Sequence[str]) -> bool:
    return any(re.fullmatch(r"[\w.@-]+:.*", word) for word in _plain(words))


def _listens(words: Sequence[str]) -> bool:
    return bool(_flags(words) & {"e", "c", "l", "--exec", "--sh-exec", "--listen"}) or any(
        re.match(r"(exec|system):", word, re.IGNORECASE) for word in words
    )


def _containers(words: Sequence[str]) -> bool:
    text = " ".join(words)
    return (
        re.search(
            r"--privileged|(-v|--volume|--mount)[ =]?\S*?(/(etc|root|home|var|usr|proc|sys|dev)?:|source=/(,|$)|src=/(,|$)|docker\.sock)|--(pid|net|network|userns|ipc)[ =]host|--cap-add|prune|volume rm|\brmi?\b|\bkill\b|--device",
            text,
        )
        is not None
    )


def _matches(pattern: str) -> Finder:
    return lambda words: re.search(pattern, " ".join(words), re.IGNORECASE) is not None


def _any_word(words: Sequence[str]) -> bool:
    return bool(words)


_BY_NAME: dict[str, tuple[str, str, Finder]] = {}
for _rule, _reason, _finder, _names in (
    (
        "danger.wide-delete",
        "it deletes without asking, or much at once",
        _rm,
        "rm rmdir unlink del",
    ),
    ("danger.wide-delete", "it deletes or changes every file it finds", _find, "find fd fdfind"),
    (
        "danger.wide-rights",
        "it changes who may do what, widely",
        _modes,
        "chmod chown chgrp setfacl chattr",
    ),
    (
        "danger.system-write",
        "it writes to the system or to files that run at start",
        _writes,
        "dd tee truncate touch sed",
    ),
    (
        "danger.system-write",
        "it writes to the system, or moves things where they are lost",
        _moves,
        "cp mv ln install rsync",
    ),
    (
        "danger.history",
        "it throws work away, rewrites history or sets up programs to run",
        _git,
        "git",
    ),
    (
        "danger.code",
        "its code may run, delete or send anything",
        _code,
        "python python2 python3 perl ruby node nodejs php lua deno bun osascript pypy",
    ),
    (
        "danger.upload",
        "it may carry files or what a command says out of this machine",
        _upload,
        "curl wget http https xh aria2c",
    ),
    (
        "danger.upload",
        "it copies files to or from another machine",
        _remote,
        "scp rsync sftp rclone",
    ),
    (
        "danger.remote-shell",
        "it may give this shell to another machine",
        _listens,
        "nc ncat netcat socat",
    ),
    (
        "danger.container",
        "a container may reach the whole machine, or is deleted",
        _containers,
        "docker podman nerdctl",
    ),
    ("danger.schedule", "it plans something for later", lambda words: "-l" not in words, "crontab"),
    (
        "danger.power",
        "it stops processes widely",
        _matches(r"(^|\s)-1(\s|$)(?!\d)|(^|\s)1$|-9 -1|-KILL|(^|\s)-9(\s|$)"),
        "kill killall pkill",
    ),
    (
        "danger.power",
        "it stops or changes services",
        _matches(r"poweroff|reboot|halt|\bstop\b|disable|mask|kill|isolate|enable|edit"),
        "systemctl service launchctl init rc-service loginctl",
    ),
    ("danger.kernel", "it changes the mounts", _any_word, "mount chroot unshare losetup"),
    (
        "danger.remote-delete",
        "it deletes or changes what is not on this machine",
        _matches(
            r"\b(delete|destroy|uninstall|rollback|drain|apply|rm|rb|terminate\S*|drop\S*|exec|purge|get secrets?|auth print|auth token|configure get|secret set|repo delete|get-secret\S*|get-login\S*|describe secrets?)\b"
        ),
        "kubectl helm terraform aws gcloud az gh heroku fly vercel doctl eksctl pulumi",
    ),
    (
        "danger.database",
        "it deletes data of a database",
        _matches(r"\b(drop|truncate|delete|flushall|flushdb|dropdatabase)\b"),
        "psql mysql mariadb sqlite3 mongo mongosh redis-cli clickhouse-client",
    ),
    ("danger.database", "it deletes data of a database", _any_word, "dropdb dropuser"),
    (
        "danger.hides",
        "it runs text that nobody can see",
        _matches(r"\$|`|base64|curl|wget|\\x"),
        "eval",
    ),
    (
        "danger.keys",
        "it makes or exports keys",
        _matches(r"--export-secret|--delete|--armor.*secret"),
        "gpg gpg2",
    ),
    (
        "danger.keys",
        "it changes or reads keys",
        lambda words: not any(word in {"-l", "-lf", "-F"} for word in words),
        "ssh-keygen ssh-add",
    ),
    (
        "danger.remote-code",
        "it runs programs that nobody looked at",
        _matches(r"https?://|git\+"),
        "pip pip3 npx npm uvx pipx",
    ),
):
    _BY_NAME |= {each: (_rule, _reason, _finder) for each in _names.split()}

_INTERPRETERS = r"(sh|bash|zsh|dash|ksh|ash|fish|csh|tcsh|python[\d.]*|perl|ruby|node|php|lua|osascript|pwsh|powershell)"
_TEXTS: tuple[tuple[str, str, str], ...] = (
    (
        "danger.fork-bomb",
        "it multiplies without end",
        r"([\w:.]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1|\bwhile\s+(true|:)\s*;?\s*do\s+[^;]*&\s*;?\s*done|(\$0|\./\$0)\s*(\||&)\s*(\$0|\./\$0)",
    ),
    (
        "danger.pipe-to-shell",
        "it runs what another command says",
        rf"\|&?\s*(\w+=\S*\s+)*((sudo|env|exec|nohup|command|time|busybox|xargs)\s+(-\S+\s+)*)*(\S*/)?{_INTERPRETERS}(\s+-(?!c\b|e\b)\S*)*\s*($|[;&|)<>\n'\"`])",
    ),
    (
        "danger.pipe-to-shell",
        "it runs what another command says",
        rf"\b(curl|wget|base64|xxd|openssl|fetch)\b.*\|\s*(.*\s)?(\S*/)?({_INTERPRETERS}|source|eval)\b",
    ),
    (
        "danger.remote-code",
        "it runs what comes from a network",
        rf"({_INTERPRETERS}|source|\.|eval)\s+(-\S+\s+)*[\"']?(<\(|\$\(|`)\s*(curl|wget|fetch|base64|echo|printf|xxd)",
    ),
    (
        "danger.remote-shell",
        "it opens a connection that a shell reads or writes",
        r"/dev/(tcp|udp)/|socat\b.*\bexec:|mkfifo.*\b(nc|ncat|telnet)\b|\bnc\b.*\|\s*(ba)?sh",
    ),
    (
        "danger.disk",
        "it writes to a device",
        r">\s*/dev/(?!null\b|stdout\b|stderr\b|tty\b|fd/|zero\b)\w|\bof=/dev/(?!null\b)|\bmkfs(\.\w+)?\b.*/dev/|\bmkfs\.",
    ),
    (
        "danger.system-write",
        "it writes to the system or to files that run at start",
        rf">>?\|?\s*[\"']?{_SYSTEM.replace('$)', chr(92) + 's|$)')}",
    ),
    (
        "danger.hides",
        "it runs text that nobody can see",
        r"\beval\s+[\"']?(\$|`)|\$\(\s*(echo|printf)[^)]*\|\s*(base64|xxd|rev|tr)\b",
    ),
    (
        "danger.loader",
        "it makes other programs load its code",
        r"\b(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF)=",
    ),
    (
        "danger.keys",
        "it carries keys of the environment out",
        r"\b(env|printenv|set|export -p|declare -p)\b\s*\|.*\b(curl|wget|nc|ncat|socat|ssh|mail)\b",
    ),
    (
        "danger.traces",
        "it hides what was done",
        r"\bhistory\s+-[cwd]|\bunset\s+HISTFILE|HISTFILE=/dev/null|>\s*\S*_history\b",
    ),
    (
        "danger.wide-delete",
        "it deletes widely",
        r"(?i)\bremove-item\b.*-(recurse|force)|\b(rd|rmdir)\s+/s|\bdel\s+/[fsq]|\bformat(-volume)?\s+[a-z]:|\bri\s+-(r|fo)",
    ),
    (
        "danger.remote-code",
        "it runs what comes from a network",
        r"(?i)\b(iex|invoke-expression)\b|downloadstring|-enc(odedcommand)?\s|frombase64string|start-bitstransfer|set-executionpolicy|reg\s+(add|delete)|vssadmin|bcdedit|cipher\s+/w",
    ),
)
_STRONG = re.compile(
    r"(^|/|=|@)(\.ssh/(?!known_hosts|config$)|\.aws/|\.gnupg/|\.kube/config|\.docker/config|\.netrc|\.pgpass|\.git-credentials|id_(rsa|ed25519|ecdsa|dsa)(?!\.pub)|(etc/)g?shadow|\.password-store|\.config/(gcloud|gh|op)|etc/sudoers)|/proc/[^/]+/(environ|mem)|Login Data|Keychains"
)


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((rule, reason, re.compile(pattern, re.DOTALL)) for rule, reason, pattern in _TEXTS)


def danger(text: str, commands: Sequence[Command]) -> tuple[str, str] | None:
    """The rule and the reason when a text may do lasting harm.

    Args:
        text: The whole text.
        commands: Every command that can be seen in it, also inside of others.
    """
    for command in commands:
        found = _of_command(command.name.lower(), command.words[1:])
        if found:
            return found
        if command.name not in {"echo", "printf", "["} and any(
            map(_STRONG.search, command.words[1:])
        ):
            return "danger.keys", "it reads keys"
    for rule, reason, pattern in _patterns():
        if pattern.search(text):
            return rule, reason
    return None


def _of_command(name: str, words: Sequence[str]) -> tuple[str, str] | None:
    if len(words) == 1 and words[0] in {"--version", "--help", "-V", "-h"}:
        return None
    if name in _ALWAYS:
        rule, _, reason = _ALWAYS[name].partition("\t")
        return rule, reason
    if name.startswith("mkfs"):
        return "danger.disk", "it changes disks"
    found = _BY_NAME.get(name)
    if found and found[2](words):
        return found[0], found[1]
    return None
