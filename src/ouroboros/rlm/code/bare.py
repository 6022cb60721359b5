"""JavaScript without a fence: told from prose line by line, in doubt for prose."""

import re

_STRONG = re.compile(
    r"""^(
        (const|let|var)\s+([\w$]+|[\[{].*[\]}])\s*(=[^=].*|;)
      | (export\s+)?(async\s+)?function\b\s*\*?\s*[\w$]*\s*\(.*
      | class\s+[A-Z][\w$]*(\s+extends\s+[\w$.]+)?\s*\{.*
      | (if|while|switch|for|for\s+await)\s*\(.*[{;)]
      | \}?\s*(else|try|finally)\s*\{.*
      | return\b.*;
      | throw\s+new\s+\w+\(.*
      | await\s+[\w$.]+\(.*
      | (setFinal|log|sleep|llm_query|llm_batch|llm_map|openTab|navigate|execInTab|getText|click)\(.*\)\s*;?
      | console\.\w+\(.*\)\s*;?
      | [\w$]+([.\[][\w$.\[\]'"]*)?\s*(=|\+=|-=|\?\?=)\s*[^=].*;
      | env\.[\w$]+\s*=[^=].*
      | [\w$.]+\(.*\)\s*;
      | .*=>\s*\{
    )$""",
    re.VERBOSE,
)
_WEAK = re.compile(
    r"""^(
        [\]})].*
      | //.* | /\*.* | \*.*
      | [.?:+&|].*
      | .*[;{}\[(,]
      | ["'`].*
      | [\w$]+:\s*\S.*
      | [\w$.]+\(.*\)
    )$""",
    re.VERBOSE,
)
_EXPRESSION = re.compile(r"^[\w$]+([.\[(]\S*.*)?$")
_LONGEST_LINE = 2_000


def code(text: str) -> str:
    """The stretch of code in a reply without fences; empty when it is prose."""
    lines = text.split("\n")
    strong = [at for at, line in enumerate(lines) if _is_strong(line)]
    if not strong:
        return ""
    first, last = strong[0], strong[-1]
    while first > 0 and _is_weak(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and _is_weak(lines[last + 1]):
        last += 1
    stretch = lines[first : last + 1]
    if all(not line.strip() or _is_strong(line) or _is_weak(line) for line in stretch):
        return "\n".join(stretch).strip("\n")
    return _longest(lines)


def is_script(text: str) -> bool:
    """Whether a block that does not say its language reads like JavaScript."""
    lines = [line for line in text.split("\n") if line.strip()]
    if any(_is_strong(line) for line in lines):
        return True
    if len(lines) == 1 and _EXPRESSION.match(lines[0].strip()[:_LONGEST_LINE]):
        return " " not in lines[0].strip() or lines[0].strip().endswith((")", "]", ";"))
    return False


def _longest(lines: list[str]) -> str:
    """The longest run of lines that are all code, at least one of them for certain."""
    best: list[str] = []
    run: list[str] = []
    for line in (*lines, "An end of prose."):
        if not line.strip() or _is_strong(line) or _is_weak(line):
            run.append(line)
            continue
        if len(run) > len(best) and any(_is_strong(each) for each in run):
            best = run
        run = []
    return "\n".join(best).strip("\n")


def _is_strong(line: str) -> bool:
    return len(line) <= _LONGEST_LINE and bool(_STRONG.match(line.strip()))


def _is_weak(line: str) -> bool:
    return len(line) <= _LONGEST_LINE and bool(_WEAK.match(line.strip()))
