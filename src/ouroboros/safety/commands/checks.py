"""What options alone do not say: languages inside of words, and operands that change something."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ouroboros.safety.commands.grammar import Word
from ouroboros.safety.commands.operands import Ground
from ouroboros.safety.commands.options import Match
from ouroboros.safety.commands.scripts import check_awk, check_jq, check_sed
from ouroboros.safety.commands.verdict import Doubt
from ouroboros.safety.paths.patterns import alternatives
from ouroboros.safety.paths.secret_names import is_secret_name

type Check = Callable[[str, Match, Sequence[Word], Ground], None]

_VARIABLES = frozenset([
    "HOME",
    "PATH",
    "PWD",
    "SHELL",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TERM",
    "EDITOR",
    "TMPDIR",
    "HOSTNAME",
    "OLDPWD",
    "COLUMNS",
    "LINES",
    "SHLVL",
    "TZ",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NODE_ENV",
    "VIRTUAL_ENV",
    "XDG_CONFIG_HOME",
])
_TESTS = frozenset(["-d", "-e", "-f", "-h", "-L", "-n", "-r", "-s", "-w", "-x", "-z"])
_COMPARES = frozenset(["=", "==", "!=", "-nt", "-ot", "-ef"])
_NUMBERS = frozenset(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])
_BSD = re.compile(r"[aufjlmrTtwx]+")
_DASHED = re.compile(r"-[AadefFjlLHmNTcwyZM]+|-aux[fw]*")
_PS_VALUES = re.compile(
    r"(pid|ppid|pgid|user|uid|comm|cmd|args|command|etime|etimes|time|stat|state|rss|vsz|pcpu|pmem|%cpu|%mem|start|lstart|tty|nlwp|ni|pri|tid|sz|=|,|-|\+)+"
)
_TAR = re.compile(r"-?(?=[a-zA-Z]*t)[tvzjJ]*f")
_UNZIP = re.compile(r"-[lvtqZ1]+")
_YQ = re.compile(r"[\w.\[\]\"'| ,*?-]*", re.ASCII)
_YQ_WORDS = re.compile(r"env|load|system|eval|split_doc|line")
_HUNTED = re.compile(
    r"PRIVATE KEY|AKIA|BEGIN (RSA|OPENSSH|EC|DSA|PGP)|ghp_|sk-ant|xox[bp]-", re.IGNORECASE
)


_STEERED = {
    **dict.fromkeys(
        ("cargo", "rustc", "rustfmt", "rustup"), ("rust-toolchain", "rust-toolchain.toml")
    ),
    "npm": (".npmrc",),
}
"""Files of a project that say which program runs in truth, or whom it tells of itself."""


def check_project(program: str, cwds: Sequence[Path]) -> None:
    """Holds the project not to steer a program that only reads otherwise.

    Raises:
        Doubt: It has a file that does.
    """
    for name in _STEERED.get(program, ()):
        for folder in {each for cwd in cwds for each in (cwd, *cwd.parents)}:
            if (folder / name).exists():
                raise Doubt("ask.project", f"{folder / name} may make {program} run or tell more")


def _sed(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, words, ground
    scripts = match.given.get("-e", []) + match.given.get("--expression", [])
    if not scripts and match.operands:
        scripts = [match.operands[0].text]
    if match.given.get("-e") or match.given.get("--expression"):
        match.paths[:] = match.operands
    _plain(match.operands[:1])
    for script in scripts:
        check_sed(script)


def _awk(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if not match.operands:
        raise Doubt("ask.script", f"{name} without a program")
    _plain(match.operands[:1])
    for value in match.given.get("-v", []):
        if not re.fullmatch(r"[a-z]\w*=[\w./:, -]*", value, re.ASCII):
            raise Doubt("ask.script", "the awk variable is not written plainly")
    check_awk(match.operands[0].text)
    match.paths.extend(match.operands[1:])


def _jq(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, words, ground
    _plain(match.operands[:1])
    for word in match.operands[:1]:
        check_jq(word.text)


def _yq(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, words, ground
    _plain(match.operands[:1])
    for word in match.operands[:1]:
        if not _YQ.fullmatch(word.text) or _YQ_WORDS.search(word.text):
            raise Doubt("ask.script", "the yq expression is not known only to read")
    match.paths.extend(match.operands[:1])


_EVERY_LINE = re.compile(r"[\^$.*+?|()]*")
_INVERTED = frozenset({"-v", "--invert-match", "--passthru"})
_DEEP = frozenset({"-r", "-R", "--recursive", "--dereference-recursive"})
_HIDDEN = frozenset({"-u", "-.", "--hidden", "--unrestricted", "--no-ignore", "--no-ignore-vcs"})
_NO_LINES = frozenset(["-l", "-L", "-c", "-q", "--count", "--count-matches", "--quiet", "--silent", "--files", "--files-with-matches", "--files-without-match", "--type-list"])  # fmt: skip
_GLOBS = ("-g", "--glob", "--iglob", "--include")


def _shows_all(name: str, match: Match) -> bool:
    """Whether a search prints every line of every file below a folder, also of those with keys."""
    given = match.given
    recurses = "recurse" in (*given.get("-d", []), *given.get("--directories", []))
    is_wide = not given.keys().isdisjoint(_HIDDEN if name == "rg" else _DEEP) or recurses
    if not is_wide or given.keys() & _NO_LINES or _is_narrow(match):
        return False
    asked = [*given.get("-e", []), *given.get("--regexp", [])]
    asked = asked or [word.text for word in match.operands[:1]]
    return bool(given.keys() & _INVERTED) or any(map(_EVERY_LINE.fullmatch, asked))


def _is_narrow(match: Match) -> bool:
    """Whether only files of some names are searched; a pattern of nothing but marks is every name."""
    globs = [value for option in _GLOBS for value in match.given.get(option, [])]
    types = [*match.given.get("-t", []), *match.given.get("--type", [])]
    wanted = [one for value in globs if not value.startswith("!") for one in alternatives(value)]
    return bool(wanted or types) and "all" not in types and all(one.strip("*?./") for one in wanted)


def _grep(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del ground
    _plain(match.operands[:1])
    if _shows_all(name, match):
        raise Doubt(
            "ask.secret", f"{name} would print every line of every file, also of those with keys"
        )
    if any(_HUNTED.search(word.text) for word in words):
        raise Doubt("ask.secret", "it looks for keys")
    for option in _GLOBS:
        for value in match.given.get(option, []):
            if any(is_secret_name(one, is_pattern=True) for one in alternatives(value.lower())):
                raise Doubt("ask.secret", f"{value} may be files with keys")


def _plain(words: Sequence[Word]) -> None:
    for word in words:
        if word.is_pattern and "/" in word.text:
            raise Doubt(
                "ask.pattern", f"the shell may put names of files in the place of {word.text}"
            )


def _date(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, words, ground
    if any(not word.text.startswith("+") for word in match.operands):
        raise Doubt("ask.operand", "date with a time may set the clock")


def _printf(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, words, ground
    if any(re.search(r"%[-+ #0-9.*']*n", word.text) for word in match.operands[:1]):
        raise Doubt("ask.operand", "printf with %n sets a variable")


def _printenv(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if not match.operands or any(word.text not in _VARIABLES for word in match.operands):
        raise Doubt("ask.secret", f"{name} may show keys that are in the environment")


def _test(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del match
    texts = [word.text for word in words]
    if name == "[" and texts[-1:] == ["]"]:
        texts.pop()
    match texts:
        case [("!"), *rest] if len(rest) == 2:
            texts = rest
        case _:
            pass
    match texts:
        case [test, operand] if test in _TESTS:
            if test not in {"-n", "-z"}:
                ground.check([Word(text=operand, is_home=words[-1].is_home)])
        case [_, compare, _] if compare in _COMPARES:
            pass
        case [one, compare, two] if compare in _NUMBERS and one.isdecimal() and two.isdecimal():
            pass
        case _:
            raise Doubt("ask.operand", f"{name} may compute, which runs what is inside of brackets")
    if any(word.is_pattern for word in words if word.text != "]"):
        raise Doubt("ask.pattern", f"the shell may change the words of {name}")


def _ps(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del match, ground
    texts = [word.text for word in words]
    while texts:
        text = texts.pop(0)
        if (
            text
            in {
                "-o",
                "-eo",
                "-Ao",
                "o",
                "-axo",
                "axo",
                "--sort",
                "-p",
                "-C",
                "-u",
                "-U",
                "--ppid",
                "--pid",
                "-t",
                "-q",
            }
            and texts
        ):
            value = texts.pop(0)
            is_plain = (
                re.fullmatch(r"[\w,-]+", value)
                if text in {"-p", "-C", "-u", "-U", "--ppid", "--pid", "-t", "-q"}
                else _PS_VALUES.fullmatch(value)
            )
            if not is_plain:
                raise Doubt("ask.operand", f"{name} with {value} may show environments")
        elif text.startswith("--sort="):
            texts.insert(0, text.removeprefix("--sort="))
            texts.insert(0, "--sort")
        elif not (
            _BSD.fullmatch(text)
            or _DASHED.fullmatch(text)
            or re.fullmatch(r"\d+|--no-headers?|--forest|--version", text)
        ):
            raise Doubt("ask.operand", f"{name} with {text} may show environments")


def _tar(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, match
    if len(words) > 2 and [word.text for word in words[:2]] in (["--list", "-f"], ["-t", "-f"]):
        words = (Word(text="-tf"), *words[2:])
    if (
        len(words) < 2
        or not _TAR.fullmatch(words[0].text)
        or any(w.text.startswith("-") for w in words[1:])
    ):
        raise Doubt("ask.option", "tar is only known to read as tar -tf FILE")
    if ":" in words[1].text:
        raise Doubt("ask.operand", "tar would open this on another machine")
    if any(word.is_pattern for word in words[1:]):
        raise Doubt("ask.pattern", "a file may be named like an option of tar")
    ground.check([words[1]])


def _unzip(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del name, match
    is_list = (
        len(words) >= 2 and _UNZIP.fullmatch(words[0].text) and set(words[0].text) & set("lvZ")
    )
    if not is_list or any(w.text.startswith("-") or w.is_pattern for w in words[1:]):
        raise Doubt("ask.option", "unzip is only known to read as unzip -l FILE")
    ground.check([words[1]])


def _stdout(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    given = match.given.keys()
    # The later of two ways to work wins in some of them.
    is_list = given & {"-l", "-t", "--list", "--test"} and not given & {"-d", "--decompress"}
    if not is_list and not given & {"-c", "--stdout"}:
        raise Doubt("ask.option", f"{name} is only known to read with -c or -l")


def _kubectl(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    values = [*match.given.get("-o", []), *match.given.get("--output", [])]
    if any("file" in value for value in values):
        raise Doubt("ask.option", f"{name} would read a template from a file")
    if any(re.search(r"secret|\ball\b,", word.text, re.IGNORECASE) for word in match.operands):
        raise Doubt("ask.secret", f"{name} may show keys")


def _batch(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if "-b" not in match.given:
        raise Doubt("ask.option", f"{name} is only known to read with -b")


def _query(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if not match.given.keys() & {"-q", "--query"}:
        raise Doubt("ask.option", f"{name} is only known to read with -q")


def _bare_names(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if any("/" in word.text or word.is_pattern or word.is_home for word in match.operands):
        raise Doubt("ask.operand", f"{name} may run what is in a file")


def _no_host(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    values = [*match.given.get("-i", []), *(word.text for word in match.operands)]
    if any("@" in value for value in values):
        raise Doubt("ask.operand", f"{name} would ask a name server for a host")


def _no_lists(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if any(word.text.startswith("@") for word in match.operands):
        raise Doubt("ask.operand", f"{name} reads options from a file that begins with @")


def _one(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if len(match.operands) != 1:
        raise Doubt("ask.operand", f"{name} takes one word when it reads")


def _plain_key(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if any(
        re.search(r"auth|token|pass|secret|key|cert|:", word.text, re.IGNORECASE)
        for word in match.operands
    ):
        raise Doubt("ask.secret", f"{name} may show keys")


def _tput(name: str, match: Match, words: Sequence[Word], ground: Ground) -> None:
    del words, ground
    if any(word.text in {"init", "reset"} for word in match.operands):
        raise Doubt("ask.operand", f"{name} may run what the terminal's description names")


CHECKS: dict[str, Check] = {
    "awk": _awk,
    "bare_names": _bare_names,
    "batch": _batch,
    "date": _date,
    "grep": _grep,
    "jq": _jq,
    "kubectl": _kubectl,
    "no_host": _no_host,
    "no_lists": _no_lists,
    "one": _one,
    "plain_key": _plain_key,
    "printf": _printf,
    "ps": _ps,
    "query": _query,
    "sed": _sed,
    "stdout": _stdout,
    "tar": _tar,
    "test": _test,
    "tput": _tput,
    "unzip": _unzip,
    "variables": _printenv,
    "yq": _yq,
}
