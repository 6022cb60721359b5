"""The format v1: a head, then a fenced block for each file, whose first line names it; pure.

::

    ```LANGUAGE:PATH [ATTRIBUTE ...]

``PATH`` is a JSON string where it holds a space, a quote or a backtick. Attributes say how the file
differs from UTF-8 with line feeds and one at its end: ``encoding=NAME``, ``encoding=base64`` (the
block is its bytes), ``bom``, ``eol=crlf|cr|mixed``, ``no-final-newline``, ``executable``. In a
``numbered`` block each line has its number and ``| `` before it; an ``outline`` is not the file.
"""

import json
import re
from base64 import b64decode, encodebytes
from typing import TypeGuard, cast

from msgspec import Struct

from ouroboros.workspace.artifacts import frontmatter
from ouroboros.workspace.artifacts.cats.bundle import Bundle, File, Head, Metadata
from ouroboros.workspace.artifacts.cats.languages import language_of
from ouroboros.workspace.artifacts.exact import ENCODINGS, Eol, Shape, Shaped, shaped, unshaped
from ouroboros.workspace.artifacts.faults import Malformed
from ouroboros.workspace.artifacts.fences import closing, fence_for, longest_run
from ouroboros.workspace.artifacts.paths import fault_of

NUMBERED = "numbered"
MOST_RUN = 400
"""A text with a longer run of backticks is written as base64."""

_PLAIN = re.compile(r"[^\s\"`\x7f-\x9f\u2028\u2029]+")
_OPENING = re.compile(rb"^(`{3,})([^`\n]*)$", re.MULTILINE)
_INFO = re.compile(r"([A-Za-z0-9_+.#-]*):(\"(?:[^\"\\]|\\.)*\"|[^\s\"]\S*)((?: +\S+)*) *")
_FILE = re.compile(r"[A-Za-z0-9_+.#-]*:")
_HEAD_END = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)
_OWN_KEY = re.compile(rb"^(?:task_description|[ \t]+curation_method):", re.MULTILINE)
"""What the head of a bundle of files has, and that of an answer has not."""

_NUMBER = re.compile(rb"^ *(\d+)\| ", re.MULTILINE)


def opening(head: Head) -> bytes:
    """What stands before the files."""
    metadata: frontmatter.Head = {
        "source_session": head.metadata.source_session,
        "curation_method": head.metadata.curation_method,
    }
    if head.metadata.ai_curation_confidence is not None:
        metadata["ai_curation_confidence"] = head.metadata.ai_curation_confidence
    written: frontmatter.Head = {
        "version": head.version,
        "task_description": head.task_description,
        "metadata": metadata,
    }
    if head.is_delta_ready:
        written["delta_reference"] = NUMBERED
    text = frontmatter.written(written).encode("utf-8", "replace")
    for name, words in (("persona", head.persona), ("system", head.system)):
        if words:
            fence = fence_for(words)
            end = b"" if words.endswith(b"\n") else b"\n"
            text += b"\n%b%b\n%b%b%b\n" % (fence, name.encode(), words, end, fence)
    return text


def block(file: File, *, is_numbered: bool = False) -> bytes:
    """The block of one file, with an empty line before it."""
    return block_of(file, shaped(file.data), is_numbered=is_numbered)


def block_of(file: File, found: Shaped | None, *, is_numbered: bool = False) -> bytes:
    """The same for whoever has the file's text already."""
    if found is None or longest_run(found.text) > MOST_RUN:
        info = ["encoding=base64"]
        language, body, fence = "binary", encodebytes(file.data), b"```"
    else:
        language, body = language_of(file.path), found.text
        fence, info = fence_for(body), _attributes(found.shape)
        if is_numbered and not file.is_outline and body:
            info.append(NUMBERED)
            body = numbered(body)
    info += ["executable"] if file.is_executable else []
    info += ["outline"] if file.is_outline else []
    words = " ".join([f"{language}:{_path(file.path)}", *info])
    return b"\n%b%b\n%b%b\n" % (fence, words.encode(), body, fence)


def numbered(text: bytes) -> bytes:
    """Each line with its number before it."""
    lines = text.removesuffix(b"\n").split(b"\n")
    width = len(str(len(lines)))
    return b"".join(b"%*d| %b\n" % (width, at, line) for at, line in enumerate(lines, 1))


def _attributes(shape: Shape) -> list[str]:
    found: list[str] = []
    if shape.encoding != "utf-8":
        found.append(f"encoding={shape.encoding}")
    if shape.mark:
        found.append("bom")
    if shape.eol != "lf":
        found.append(f"eol={shape.eol}")
    if not shape.is_ended:
        found.append("no-final-newline")
    return found


def _path(path: str) -> str:
    if _PLAIN.fullmatch(path):
        return path
    return json.dumps(path, ensure_ascii=False).replace("`", "\\u0060")


class _Info(Struct, kw_only=True):
    """The first line of a block, read."""

    path: str
    encoding: str = "utf-8"
    mark: bool = False
    eol: Eol = "lf"
    is_ended: bool = True
    is_executable: bool = False
    is_outline: bool = False
    is_numbered: bool = False


def read(data: bytes, *, is_rewritten: bool = False) -> Bundle:
    """A bundle of this format; ``is_rewritten`` where its own line ends were changed on the way.

    Raises:
        Malformed: Its head, or a block, is broken, cut off, of another version, or names what it may not.
    """
    head, start, line = _head(data)
    files: list[File] = []
    seen: dict[str, int] = {}
    number = 0
    while (found := _OPENING.search(data, start)) is not None:
        line += data.count(b"\n", start, found.start())
        words = found[2].decode("utf-8", "replace").rstrip("\r")
        info = _INFO.fullmatch(words)
        is_file = _FILE.match(words) is not None
        number += is_file
        end = closing(found[1]).search(data, min(found.end() + 1, len(data)))
        if end is None:
            raise Malformed(
                "the bundle is cut off: this block is not closed",
                block=number,
                path=info[2] if info else "",
                line=line,
            )
        if is_file and info is None:
            raise Malformed("its first line names no file", block=number, line=line)
        if info is not None:
            at = File(path="", data=b"", block=number, line=line)
            file = _file(info, data[found.end() + 1 : end.start()], at)
            if is_rewritten and b"eol=mixed" in found[2]:
                raise _broken(
                    at, file.path, "its line ends were changed on the way, and it has several kinds"
                )
            if file.path in seen:
                raise _broken(at, file.path, f"block {seen[file.path]} is of the same file")
            seen[file.path] = number
            files.append(file)
        line += data.count(b"\n", found.start(), end.end())
        start = end.end()
    return Bundle(head=head, files=tuple(files))


def outside(data: bytes) -> bytes | None:
    """The text of a bundle that stands in no block; None where its head is not one of such a bundle."""
    end = _HEAD_END.search(data, 4) if data.startswith(b"---\n") else None
    if end is None or _OWN_KEY.search(data, 0, end.start()) is None:
        return None
    parts: list[bytes] = []
    start = end.end()
    while (found := _OPENING.search(data, start)) is not None:
        words = found[2].strip()
        if not (_FILE.match(words.decode("utf-8", "replace")) or words in {b"persona", b"system"}):
            return None
        last = closing(found[1]).search(data, found.end())
        parts.append(data[start : found.start()])
        start = last.end() if last else len(data)
    return b"".join([*parts, data[start:]])


def _head(data: bytes) -> tuple[Head, int, int]:
    """The head, where it ends, and the number of the line there."""
    if not data.startswith((b"---\n", b"---\r\n")):
        raise Malformed("it begins with no head between lines of '---'", line=1)
    end = _HEAD_END.search(data, 4)
    if end is None or data.count(b"\n", 0, end.start()) > frontmatter.MOST_LINES:
        raise Malformed("its head is not closed by a line of '---'", line=1)
    try:
        lines = data[: end.start()].decode("utf-8").splitlines()[1:]
    except UnicodeDecodeError:
        raise Malformed("its head is no UTF-8", line=1) from None
    said = frontmatter.Reader(lines, 2).read()
    version = frontmatter.supported(said.get("version"), line=1)
    metadata = said.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise Malformed("'metadata' is no table", line=1)
    head = Head(
        version=version,
        task_description=str(said.get("task_description") or ""),
        metadata=_metadata(metadata),
        is_delta_ready=said.get("delta_reference") == NUMBERED,
    )
    return head, end.end(), data.count(b"\n", 0, end.end()) + 1


def _metadata(said: frontmatter.Head) -> Metadata:
    method, session = said.get("curation_method", "manual"), said.get("source_session")
    sure = said.get("ai_curation_confidence")
    if method not in {"manual", "ai_curated"}:
        raise Malformed(f"curation_method {method!r} is neither 'manual' nor 'ai_curated'", line=1)
    if sure is not None and not _is_share(sure):
        raise Malformed("ai_curation_confidence is no number from 0 to 1", line=1)
    return Metadata(
        source_session=None if session is None else str(session),
        curation_method="ai_curated" if method == "ai_curated" else "manual",
        ai_curation_confidence=float(sure) if _is_share(sure) else None,
    )


def _is_share(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _file(found: re.Match[str], body: bytes, at: File) -> File:
    info = _info(found, at)
    if fault := fault_of(info.path):
        raise _broken(at, info.path, f"this path is not taken: {fault}")
    if info.encoding == "base64":
        try:
            data = b64decode(b"".join(body.split()), validate=True)
        except ValueError:
            raise _broken(at, info.path, "it is no base64") from None
    else:
        text = _unnumbered(body, info.path, at) if info.is_numbered else body
        shape = Shape(encoding=info.encoding, mark=info.mark, eol=info.eol, is_ended=info.is_ended)
        try:
            data = unshaped(text, shape)
        except ValueError as wrong:
            raise _broken(at, info.path, f"it cannot be written so: {wrong}") from None
    return File(
        path=info.path,
        data=data,
        is_executable=info.is_executable,
        is_outline=info.is_outline,
        block=at.block,
        line=at.line,
    )


def _info(found: re.Match[str], at: File) -> _Info:
    path = found[2]
    if path.startswith('"'):
        try:
            path = str(json.loads(path))
        except ValueError:
            raise _broken(at, path, "its path in quotes is broken") from None
    info = _Info(path=path)
    for word in found[3].split():
        name, _, value = word.partition("=")
        if name == "encoding" and (value == "base64" or value in ENCODINGS):
            info.encoding = value
        elif name == "eol" and value in {"lf", "crlf", "cr", "mixed"}:
            info.eol = cast("Eol", value)
        elif word in _FLAGS:
            setattr(info, *_FLAGS[word])
        else:
            raise _broken(at, path, f"{word!r} is not known here")
    return info


_FLAGS = {
    "bom": ("mark", True),
    "no-final-newline": ("is_ended", False),
    "executable": ("is_executable", True),
    "outline": ("is_outline", True),
    NUMBERED: ("is_numbered", True),
}


def _unnumbered(body: bytes, path: str, at: File) -> bytes:
    lines = body.removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, 1):
        found = _NUMBER.match(line)
        if found is None or int(found[1]) != number:
            raise _broken(at, path, f"line {number} of it does not have its number before it")
        lines[number - 1] = line[found.end() :]
    return b"\n".join(lines) + b"\n"


def _broken(at: File, path: str, why: str) -> Malformed:
    return Malformed(why, block=at.block, path=path, line=at.line)
