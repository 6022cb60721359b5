"""Programs that may do lasting harm, by name and words; texts that show it across commands."""

import re
from collections.abc import Sequence
from functools import cache

from ouroboros.safety.commands.harm_words import (
    SYSTEM,
    Finder,
    any_word,
    changes_found,
    copies_far,
    deletes_widely,
    gives_shell,
    matches,
    moves_to_system,
    not_listing,
    opens_widely,
    reaches_out,
    rewrites,
    runs_code,
    uploads,
    writes_to_system,
)
from ouroboros.safety.commands.reading import Command

_ALWAYS: tuple[tuple[str, str, str], ...] = (
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
)
_ANYWAY = {name: (rule, reason) for rule, reason, names in _ALWAYS for name in names.split()}


_FINDERS: tuple[tuple[str, str, Finder, str], ...] = (
    (
        "danger.wide-delete",
        "it deletes without asking, or much at once",
        deletes_widely,
        "rm rmdir unlink del",
    ),
    (
        "danger.wide-delete",
        "it deletes or changes every file it finds",
        changes_found,
        "find fd fdfind",
    ),
    (
        "danger.wide-rights",
        "it changes who may do what, widely",
        opens_widely,
        "chmod chown chgrp setfacl chattr",
    ),
    (
        "danger.system-write",
        "it writes to the system or to files that run at start",
        writes_to_system,
        "dd tee truncate touch sed",
    ),
    (
        "danger.system-write",
        "it writes to the system, or moves things where they are lost",
        moves_to_system,
        "cp mv ln install rsync",
    ),
    (
        "danger.history",
        "it throws work away, rewrites history or sets up programs to run",
        rewrites,
        "git",
    ),
    (
        "danger.code",
        "its code may run, delete or send anything",
        runs_code,
        "python python2 python3 perl ruby node nodejs php lua deno bun osascript pypy",
    ),
    (
        "danger.upload",
        "it may carry files or what a command says out of this machine",
        uploads,
        "curl wget http https xh aria2c",
    ),
    (
        "danger.upload",
        "it copies files to or from another machine",
        copies_far,
        "scp rsync sftp rclone",
    ),
    (
        "danger.remote-shell",
        "it may give this shell to another machine",
        gives_shell,
        "nc ncat netcat socat",
    ),
    (
        "danger.container",
        "a container may reach the whole machine, or is deleted",
        reaches_out,
        "docker podman nerdctl",
    ),
    ("danger.schedule", "it plans something for later", not_listing, "crontab"),
    (
        "danger.power",
        "it stops processes widely",
        matches(r"(^|\s)-1(\s|$)(?!\d)|(^|\s)1$|-9 -1|-KILL|(^|\s)-9(\s|$)"),
        "kill killall pkill",
    ),
    (
        "danger.power",
        "it stops or changes services",
        matches(r"poweroff|reboot|halt|\bstop\b|disable|mask|kill|isolate|enable|edit"),
        "systemctl service launchctl init rc-service loginctl",
    ),
    ("danger.kernel", "it changes the mounts", any_word, "mount chroot unshare losetup"),
    (
        "danger.remote-delete",
        "it deletes or changes what is not on this machine",
        matches(
            r"\b(delete|destroy|uninstall|rollback|drain|apply|rm|rb|terminate\S*|drop\S*|exec|purge|get secrets?|auth print|auth token|configure get|secret set|repo delete|get-secret\S*|get-login\S*|describe secrets?)\b"
        ),
        "kubectl helm terraform aws gcloud az gh heroku fly vercel doctl eksctl pulumi",
    ),
    (
        "danger.database",
        "it deletes data of a database",
        matches(r"\b(drop|truncate|delete|flushall|flushdb|dropdatabase)\b"),
        "psql mysql mariadb sqlite3 mongo mongosh redis-cli clickhouse-client",
    ),
    ("danger.database", "it deletes data of a database", any_word, "dropdb dropuser"),
    (
        "danger.hides",
        "it runs text that nobody can see",
        matches(r"\$|`|base64|curl|wget|\\x"),
        "eval",
    ),
    (
        "danger.keys",
        "it makes or exports keys",
        matches(r"--export-secret|--delete|--armor.*secret"),
        "gpg gpg2",
    ),
    (
        "danger.keys",
        "it changes or reads keys",
        not_listing,
        "ssh-keygen ssh-add",
    ),
    (
        "danger.remote-code",
        "it runs programs that nobody looked at",
        matches(r"https?://|git\+"),
        "pip pip3 npx npm uvx pipx",
    ),
)
_BY_NAME = {
    name: (rule, reason, finder)
    for rule, reason, finder, names in _FINDERS
    for name in names.split()
}

_INTERPRETERS = r"(sh|bash|zsh|dash|ksh|ash|fish|csh|tcsh|python[\d.]*|perl|ruby|node|php|lua|osascript|pwsh|powershell)"
_TEXTS: tuple[tuple[str, str, str], ...] = (
    (
        "danger.fork-bomb",
        "it multiplies without end",
        r"(?<![\w:.])([\w:.]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1|\bwhile\s+(true|:)\s*;?\s*do\s+[^;]*&\s*;?\s*done|(\$0|\./\$0)\s*(\||&)\s*(\$0|\./\$0)",
    ),
    (
        "danger.pipe-to-shell",
        "it runs what another command says",
        rf"\|&?\s*(\w+=\S*\s+)*((sudo|env|exec|nohup|command|time|busybox|xargs)\s+(-\S+\s+)*)*(\S*/)?{_INTERPRETERS}(\s+-(?!c\b|e\b)\S*)*\s*($|[;&|)<>\n'\"`])",
    ),
    (
        "danger.pipe-to-shell",
        "it runs what another command says",
        rf"\b(curl|wget|base64|xxd|openssl|fetch)\b[^|]*\|[^|]{{0,80}}\b({_INTERPRETERS}|source|eval)\b",
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
        rf">>?\|?\s*[\"']?{SYSTEM.replace('$)', chr(92) + 's|$)')}",
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
_MARKS = (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".netrc", ".pgpass", ".git-c", "id_", "shadow", ".password-s", ".config/", "sudoers", "/proc/", "Login D", "Keychains")  # fmt: skip
"""One of these is in whatever the next expression finds, which is slow where there is nothing."""

_STRONG = re.compile(
    r"(^|/|=|@)(\.ssh/(?!known_hosts|config$)|\.aws/|\.gnupg/|\.kube/config|\.docker/config|\.netrc|\.pgpass|\.git-credentials|id_(rsa|ed25519|ecdsa|dsa)(?!\.pub)|(etc/)g?shadow|\.password-store|\.config/(gcloud|gh|op)|etc/sudoers)|/proc/[^/]+/(environ|mem)|Login Data|Keychains"
)


_LONGEST = 600
"""What is looked at of a longer text: its beginning and its end, so that a look stays short."""


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((rule, reason, re.compile(pattern, re.DOTALL)) for rule, reason, pattern in _TEXTS)


def is_harmful_name(name: str) -> bool:
    """Whether a program of this name does lasting harm, always or by what it is told."""
    return name in _ANYWAY or name in _BY_NAME or name.startswith("mkfs")


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
        if command.name not in {"echo", "printf", "["} and _reads_keys(command.words[1:]):
            return "danger.keys", "it reads keys"
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    for rule, reason, pattern in _patterns():
        if pattern.search(text):
            return rule, reason
    return None


def _reads_keys(words: Sequence[str]) -> bool:
    whole = "\n".join(words)
    return any(mark in whole for mark in _MARKS) and any(map(_STRONG.search, words))


def _of_command(name: str, words: Sequence[str]) -> tuple[str, str] | None:
    if len(words) == 1 and words[0] in {"--version", "--help", "-V", "-h"}:
        return None
    if name in _ANYWAY:
        return _ANYWAY[name]
    if name.startswith("mkfs"):
        return "danger.disk", "it changes disks"
    found = _BY_NAME.get(name)
    if found and found[2](words):
        return found[0], found[1]
    return None
