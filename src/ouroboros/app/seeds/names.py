"""The names under which what was handed in stands in the REPL."""

import re
from collections.abc import Collection
from pathlib import Path

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_RESERVED = re.compile(
    r"arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|"
    r"else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|"
    r"instanceof|interface|let|new|null|package|private|protected|public|return|static|"
    r"super|switch|this|throw|true|try|typeof|var|void|while|with|yield|undefined|NaN|"
    r"Infinity|globalThis|Object|Array|String|Number|Math|JSON|Date|Map|Set|Promise|"
    r"Symbol|Error|RegExp|Function|Boolean|Proxy|Reflect|BigInt|env|log|console|sleep|"
    r"setFinal|store|retrieve|tabs|activeTab|read|grep|find|listFiles|write|recipe|llm_\w+|"
    r"click|dblclick|type|fill|focus|scroll|hover|select|check|drag|keyPress|handle|upload|"
    r"downloads|dialog|answerDialog|frames|observe|outline|screenshot|pdf|cdp|querySelector|"
    r"querySelectorAll|execInTab|openTab|closeTab|switchTab|navigate|reload|goBack|goForward|"
    r"recover|setViewport|setCookie|setStorage|network(Requests|Body)|consoleMessages|"
    r"get(Text|DOM|Links|Inputs|Cookies|Storage)|(get|create|update)_goal|"
    r"waitFor(Load|Selector|Text|NetworkIdle|Download)"
)
"""Words of the language and of the REPL that a variable would hide."""


def split(word: str, cwd: Path) -> tuple[str, str]:
    """``NAME=FILE`` in two; the name is empty where there is none, or a file is called so."""
    name, sign, rest = word.partition("=")
    is_named = bool(sign and rest and _NAME.fullmatch(name)) and not _RESERVED.fullmatch(name)
    if not is_named or (cwd / word).exists():
        return "", word
    return name, rest


def trouble(word: str, cwd: Path) -> str:
    """What is wrong with the name in ``NAME=FILE`` where there is such a file; empty where that is not it."""
    name, sign, rest = word.partition("=")
    if not (sign and rest and (cwd / Path(rest)).exists()):
        return ""
    return f"{name!r} can be no name of a variable: letters, digits and _, and no word of the REPL"


def of_file(word: str) -> str:
    """A JavaScript name like the file's."""
    stem = Path(word).stem if word != "-" else "stdin"
    name = re.sub(r"[^A-Za-z0-9_$]+", "_", stem).strip("_") or "data"
    return f"_{name}" if name[0].isdigit() else name


def fresh(name: str, taken: Collection[str]) -> str:
    """The name, or one like it that is neither taken nor a word of the language."""
    if _RESERVED.fullmatch(name):
        name = f"{name}_data"
    number, free = 2, name
    while free in taken:
        free = f"{name}_{number}"
        number += 1
    return free
