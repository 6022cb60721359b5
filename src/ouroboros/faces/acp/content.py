"""The blocks of a prompt as words and pictures; pure."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from ouroboros.core.errors import Misuse
from ouroboros.core.parts import Media
from ouroboros.faces.acp.schema import (
    AudioBlock,
    Block,
    Contents,
    ImageBlock,
    LinkBlock,
    ResourceBlock,
    TextBlock,
)

_ATTACHED = ("image/", "application/pdf")


def said(blocks: tuple[Block, ...], cwd: Path) -> tuple[str, tuple[Media, ...]]:
    """The person's words, with the names of what they point at, and what is attached.

    Raises:
        Misuse: A block is of a kind that was not offered.
    """
    words: list[str] = []
    behind: list[str] = []
    media: list[Media] = []
    for block in blocks:
        match block:
            case TextBlock(text=text):
                words.append(text)
            case ImageBlock(data=data, mime_type=kind, uri=uri):
                media.append(Media(media_type=kind, data=data, name=_name(uri or "")))
            case LinkBlock(uri=uri):
                words.append(mention(uri, cwd))
            case ResourceBlock(resource=resource):
                words.append(f"`{_shown(resource.uri, cwd)}`")
                _take(resource, cwd, behind, media)
            case AudioBlock():
                raise Misuse("sounds are not taken", hint="send text, pictures or files")
    return "\n\n".join(filter(None, ["".join(words).strip(), *behind])), tuple(media)


def mention(uri: str, cwd: Path) -> str:
    """How a person's words name a file or page, so that it is read by the session's own rules."""
    if urlsplit(uri).scheme in {"http", "https"}:
        return f"@{uri}"
    shown = _shown(uri, cwd)
    is_bare = all(letter.isalnum() or letter in "/._-:#" for letter in shown)
    return f"@{shown}" if is_bare else f'@"{shown}"'


def path_of(uri: str) -> str:
    """The path of a ``file:`` address, with its lines as ``:FIRST-LAST``; another address as it is."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    lines = parts.fragment.removeprefix("L").replace(":", "-").replace("-L", "-")
    is_range = bool(lines) and all(each.isdecimal() for each in lines.split("-", 1))
    return unquote(parts.path) + (f":{lines}" if is_range else "")


def _take(resource: Contents, cwd: Path, behind: list[str], media: list[Media]) -> None:
    kind = resource.mime_type or ""
    if resource.text is not None:
        # Within a fence nothing counts as the name of another file.
        fence = "~~~" if "```" in resource.text else "```"
        end = "" if resource.text.endswith("\n") else "\n"
        where = _shown(resource.uri, cwd)
        behind.append(f"{where}, as the editor has it:\n{fence}\n{resource.text}{end}{fence}")
    elif resource.blob is not None and kind.startswith(_ATTACHED):
        media.append(Media(media_type=kind, data=resource.blob, name=_name(resource.uri)))
    else:
        raise Misuse(f"{resource.uri!r} is neither text nor a picture", hint="name it with a link")


def _shown(uri: str, cwd: Path) -> str:
    path = path_of(uri).replace("\n", " ").replace("`", "'").replace('"', "'")
    return path.removeprefix(f"{cwd}/")


def _name(uri: str) -> str:
    return path_of(uri).rpartition("/")[2]
