"""A session to read as Markdown; nothing that was said in it changes what stands around it."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from ouroboros.app.export.cleaning import Clean, visible
from ouroboros.app.export.deeds import (
    answer_of,
    arguments_of,
    diff_of,
    heading_of,
    result_of,
    summary_of,
)
from ouroboros.app.export.passages import Passage, Step, passages
from ouroboros.core.events import (
    ContextCompacted,
    Envelope,
    Event,
    ModelSwitched,
    SessionReady,
    TaskCancelled,
    TaskCompleted,
    ToolResulted,
    ToolStarted,
)
from ouroboros.core.events.changes import TurnDiffed
from ouroboros.core.events.checkpoint import CheckpointRestored
from ouroboros.core.events.run import ErrorRaised

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,3}\s")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_SPANS = re.compile(r"(`+)(?!`)(?:.|\n)*?(?<!`)\1(?!`)|<(?=[A-Za-z/!?])")


def markdown(
    envelopes: Iterable[Envelope],
    title: str,
    *,
    clean: Clean = str,
    contents: bool = False,
    only_active: bool = False,
) -> Iterator[str]:
    """What was said and done; other branches follow the one that goes on.

    Args:
        envelopes: All events of the session.
        title: Its heading.
        clean: What each text goes through first.
        contents: Tell what was in files too, not only their paths.
        only_active: Leave the other branches out.
    """
    clean = visible(clean)
    yield f"# {_line(clean(title)) or 'Session'}\n"
    for passage in passages(envelopes, only_active=only_active):
        if passage.number > 1:
            yield f"\n---\n\n# {branch_title(passage)}\n"
        for step in passage.steps:
            for block in _blocks(step, clean, contents=contents):
                yield f"\n{block}\n"


def branch_title(passage: Passage) -> str:
    """Which branch it is, and where it leaves."""
    where = f"after message {passage.after}" if passage.after else "from the beginning"
    return f"Branch {passage.number}, {where}"


def _blocks(step: Step, clean: Clean, *, contents: bool) -> Iterator[str]:
    message = step.node.message if step.node else None
    if message is not None and message.kind == "plain":
        who = "You" if message.role == "user" else "Ouroboros"
        if text := clean(message.text).strip():
            yield f"## {who}\n\n{closed(text)}"
    for envelope in step.deeds:
        if block := _deed(envelope.data, envelope.ts, clean, contents=contents):
            yield block
    for number in step.parts_into:
        yield f"*The conversation also went on from here in another way: branch {number}.*"


def _deed(event: Event, ts: float, clean: Clean, *, contents: bool) -> str:
    match event:
        case ToolStarted(name=name, title=title):
            told = clean(arguments_of(event, contents=contents))
            return f"### {_line(clean(title or name))}\n\n{_fenced(told, 'json')}"
        case ToolResulted():
            text, kind = result_of(event, contents=contents)
            shown = f"\n\n{_fenced(clean(text), kind)}" if text else ""
            return f"{_line(clean(heading_of(event)))}{shown}{_answer(event, clean)}"
        case ContextCompacted():
            told = clean(summary_of(event))
            return f"*{said_of(event, ts)}*" + (f"\n\n{_fenced(told, '')}" if told else "")
        case TurnDiffed(diff=diff):
            told = diff_of(diff, contents=contents)
            return f"### What was changed\n\n{_fenced(clean(told), 'diff')}"
        case _:
            told = said_of(event, ts)
            return f"*{_line(clean(told))}*" if told else ""


def _answer(event: ToolResulted, clean: Clean) -> str:
    text, is_json = answer_of(event)
    if not text:
        return ""
    told = clean(text).strip()
    return f"\n\n## Answer\n\n{_fenced(told, 'json') if is_json else closed(told)}"


def said_of(event: Event, ts: float) -> str:
    """One sentence on what happened beside words and calls; empty for what readers need not know."""
    match event:
        case SessionReady(cwd=cwd, model=model, mode=mode, resumed=resumed):
            word = "Resumed" if resumed else "Begun"
            return f"{word} {moment(ts)}, {model}, mode {mode}, in {cwd}"
        case ContextCompacted(messages_summarized=count):
            return f"{count} {'message was' if count == 1 else 'messages were'} summarised."
        case ModelSwitched(old=old, new=new, reason=reason):
            return f"{new} answers from here on instead of {old}{f': {reason}' if reason else ''}"
        case ErrorRaised(message=message):
            return f"Error: {message}"
        case CheckpointRestored(paths=paths, changed=count) if count:
            more = ", ..." if count > len(paths) else ""
            return f"Files were brought back, {count} changed: {', '.join(paths)}{more}."
        case CheckpointRestored():
            return "Files were to be brought back; none was changed."
        case TaskCompleted(reason=reason):
            return f"Ended {moment(ts)}: {reason}."
        case TaskCancelled():
            return f"Cancelled {moment(ts)}."
        case _:
            return ""


def moment(ts: float) -> str:
    """A time for readers, in UTC."""
    return datetime.fromtimestamp(ts, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def closed(text: str) -> str:
    """Words that end what they begin: no open fence, comment or tag reaches beyond them.

    Those that cannot be made to, such as fences in lists, are told as they are, in a fence.
    """
    told = _ended(text)
    tokens = _parser().parse(f"{told}\n\n## End")
    is_alone = not any(
        token.type == "html_block"
        or (token.type == "heading_open" and token.tag in {"h1", "h2", "h3"} and not token.level)
        for token in tokens[:-3]
    )
    is_over = [each.type for each in tokens[-3:-2] if not each.level] == ["heading_open"]
    return told if is_over and is_alone else _fenced(text, "")


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # sessions that are told in another form need none

    return MarkdownIt("commonmark")


def _ended(text: str) -> str:
    made: list[str] = []
    words: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            made.append(line)
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            made += _inert(words)
            words, fence = [], found[1]
            made.append(line)
        else:
            words.append(line)
    made += [fence] if fence else _inert(words)
    return "\n".join(made)


def _inert(lines: list[str]) -> list[str]:
    """Lines outside of fences, with tags as text, and headings below those of the document."""
    if not lines:
        return []
    text = _SPANS.sub(lambda found: found[0] if found[1] else "&lt;", "\n".join(lines))
    made: list[str] = []
    for line in text.split("\n"):
        if _UNDERLINE.fullmatch(line) and made and made[-1].strip():
            made += ["", line] if "-" in line else [f"\\{line.lstrip()}"]
        else:
            made.append(f"###{line.lstrip()}" if _HEADING.match(line) else line)
    return made


def _fenced(text: str, kind: str) -> str:
    """A fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")
