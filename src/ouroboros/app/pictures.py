"""Pictures that a person pastes or drops: kept as files of the session, so that words can name them."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from urllib.parse import unquote, urlsplit

from anyio import to_thread

from ouroboros.core.errors import ToolFailed
from ouroboros.safety.environment import apart
from ouroboros.safety.private_file import OWNER_ONLY, replacing
from ouroboros.safety.spawn import run
from ouroboros.tools.builtin.image import FILE_BYTES
from ouroboros.tools.pictures.measure import BadPicture, measured

CLIPBOARD_SECONDS = 3.0
_PROGRAMS = (
    ("WAYLAND_DISPLAY", ("wl-paste", "--no-newline", "--type", "image/png")),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-t", "image/png", "-o")),
    ("", ("pngpaste", "-")),
)
"""Who reads a picture from the clipboard, and the variable that says that it can be asked."""

_DATA_URL = re.compile(r"\s*data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/=\s]+)", re.ASCII)
_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_ENDINGS = (".gif", ".jpeg", ".jpg", ".png", ".webp")
_LONGEST = 4_096


async def of_clipboard(environment: Mapping[str, str], cwd: Path) -> bytes:
    """The picture in the clipboard.

    Raises:
        ToolFailed: There is none, or no program here can read it.
    """
    environment = await to_thread.run_sync(apart, environment, cwd)
    search = environment["PATH"]
    found = [
        (program, words)
        for variable, words in _PROGRAMS
        if (not variable or environment.get(variable))
        and (program := await to_thread.run_sync(which, words[0], 1, search))
    ]
    if not found:
        raise ToolFailed("wl-paste, xclip or pngpaste is needed to read the clipboard")
    for program, words in found:
        try:
            ended = await run(
                (program, *words[1:]),
                cwd=cwd,
                environment=environment,
                timeout_seconds=CLIPBOARD_SECONDS,
                limit=FILE_BYTES,
            )
        except OSError:
            continue
        if ended.exit_code == 0 and ended.stdout:
            return ended.stdout
    raise ToolFailed("there is no picture in the clipboard")


def of_data_url(text: str) -> bytes | None:
    """The bytes of a ``data:`` URL that is all of the text; None where it is none.

    Raises:
        ToolFailed: It is too large, or no base64.
    """
    from base64 import b64decode
    from binascii import Error

    match = _DATA_URL.fullmatch(text)
    if match is None:
        return None
    if len(match[2]) > FILE_BYTES * 4 // 3:
        raise ToolFailed(f"the picture is larger than {FILE_BYTES // 1_048_576} MB")
    try:
        return b64decode("".join(match[2].split()), validate=True)
    except Error as broken:
        raise ToolFailed(f"the picture cannot be read: {broken}") from broken


def dropped(text: str, cwd: Path) -> list[Path]:
    """The picture files whose paths are all of the text; none where anything else stands in it.

    Blocking. Paths as a terminal gives what is dropped on it: plain, quoted, escaped, ``file://``.
    """
    if len(text) > _LONGEST or not text.strip() or "\n" in text.strip():
        return []
    whole = _path(text.strip(), cwd)
    if whole is not None:
        return [whole]
    try:
        words = shlex.split(text)
    except ValueError:
        return []
    paths = [_path(word, cwd) for word in words]
    return [path for path in paths if path is not None] if all(paths) else []


def keep(data: bytes, folder: Path) -> Path:
    """Puts a picture into a file of its own; blocking.

    Raises:
        ToolFailed: It is no picture that a model could be shown, or cannot be kept.
    """
    try:
        kind = _SUFFIXES[measured(data).media_type]
    except BadPicture as broken:
        raise ToolFailed(f"what was pasted {broken}") from broken
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names = (path.stem.removeprefix("pasted-") for path in folder.glob("pasted-*"))
        last = max((int(name) for name in names if name.isdecimal()), default=0)
        path = folder / f"pasted-{last + 1}.{kind}"
        with replacing(path, OWNER_ONLY) as file:
            file.write(data)
    except OSError as failed:
        raise ToolFailed(f"what was pasted cannot be kept: {failed.strerror}") from failed
    return path


def mention(path: Path) -> str:
    """How words name a file."""
    name = str(path)
    quote = '"' if '"' not in name else "'"
    return f"@{quote}{name}{quote}"


class Pasted:
    """Makes names of what is pasted, where it is a picture."""

    def __init__(self, environment: Mapping[str, str], cwd: Path, folder: Path) -> None:
        """``folder`` is the session's own."""
        self._environment, self._cwd, self._folder = environment, cwd, folder

    async def named(self, text: str) -> str:
        """What stands in the words for a pasted text; the text itself where it is no picture.

        Raises:
            OuroborosError: It is one, and cannot be had.
        """
        if not text:
            return await self.clipped()
        data = of_data_url(text)
        if data is not None:
            return mention(await to_thread.run_sync(keep, data, self._folder))
        paths = await to_thread.run_sync(dropped, text, self._cwd)
        return " ".join(map(mention, paths)) or text

    async def clipped(self) -> str:
        """The name of the picture in the clipboard; raises ``OuroborosError`` where there is none."""
        data = await of_clipboard(self._environment, self._cwd)
        return mention(await to_thread.run_sync(keep, data, self._folder))


def _path(word: str, cwd: Path) -> Path | None:
    if word.startswith("file://"):
        read = urlsplit(word)
        if read.netloc not in {"", "localhost"}:
            return None
        word = unquote(read.path)
    if not word.lower().endswith(_ENDINGS):
        return None
    try:
        path = cwd / Path(word).expanduser()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None
