"""One case of a bundle as a file: sections that begin with ``=== ``, the last of them the bundle.

``=== before FLAGS | PATH`` is a file that is there, ``after`` one that must be, ``reference`` one as the
model saw it; flags say how its text stands on the disk. ``=== refused BLOCK LINE WORDS`` is a refusal.
"""

import base64
from pathlib import Path
from typing import NamedTuple


class File(NamedTuple):
    content: bytes
    mode: int = 0o644
    link: str = ""


class Refusal(NamedTuple):
    block: int
    line: int
    words: str


class Case(NamedTuple):
    outcome: str
    options: str
    refused: list[Refusal]
    before: dict[str, File]
    reference: dict[str, bytes]
    after: dict[str, File]
    bundle: bytes


def case_of(path: Path) -> Case:
    head, _, bundle = path.read_bytes().decode().partition("=== bundle\n")
    found = Case("", "", [], {}, {}, {}, b"")
    outcome = options = ""
    for section in head.removeprefix("=== ").split("\n=== "):
        line, _, body = section.partition("\n")
        kind, _, rest = line.partition(" ")
        if kind == "outcome":
            outcome = rest.strip()
        elif kind == "options":
            options = rest.strip()
        elif kind == "refused":
            block, number, words = (rest.strip("\n") + " ").split(" ", 2)
            found.refused.append(Refusal(int(block), int(number), words.strip()))
        else:
            flags, _, name = rest.partition(" | ")
            file = _file(flags, body)
            if kind == "reference":
                found.reference[name] = file.content
            else:
                (found.before if kind == "before" else found.after)[name] = file
    after = found.after if outcome == "applied" else found.before
    content = bundle.removesuffix("\n")
    if "crlf" in options:
        content += "\n"
    return found._replace(outcome=outcome, options=options, after=after, bundle=content.encode())


def _file(flags: str, body: str) -> File:
    mode = int(flags.partition("mode=")[2][:3] or "644", 8)
    words = flags.split()
    body = body.removesuffix("\n")
    if "link" in words:
        return File(b"", mode, body)
    if "base64" in words:
        return File(base64.b64decode(body), mode)
    text = "" if "empty" in words else body if "open" in words else f"{body}\n"
    return File((text.replace("\n", "\r\n") if "crlf" in words else text).encode(), mode)
