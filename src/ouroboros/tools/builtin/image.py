"""Putting a picture before the model.

Source of the parameters and of the order of failures: codex, section 3.2.
"""

from base64 import b64encode
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Literal

from anyio import to_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.parts import Media, Text
from ouroboros.tools.builtin.location import located, shown
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.pictures.measure import BadPicture, Measured, measured
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.files import opened

VIEW_IMAGE = "view_image"

IMAGE_BYTES = 5 * 1_048_576
"""Largest picture that is shown to a model; vendors take no larger ones."""

FILE_BYTES = 64 * 1_048_576
"""Largest picture file that is read at all."""

MOST_PIXELS = 50_000_000
"""More pixels than that are not decoded: a small file can claim any number."""

HIGH, ORIGINAL = 2_048, 8_000
"""The longest side in pixels. Source: codex, and the largest that Anthropic's API takes."""

type Detail = Literal["high", "original"]
type Blind = Callable[[], str]
"""Says why the model that is asked now sees no pictures; empty where it does, or may."""


class ViewFileArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which file; ``original`` keeps every pixel that a model can be shown."""

    path: str
    detail: Detail = "high"


def sees() -> str:
    """Nothing is known against it."""
    return ""


class ViewFileTool:
    """Puts one picture file before the model; a session with a browser has a tool that sees more."""

    name = VIEW_IMAGE
    description = (
        "See an image file: PNG, JPEG, GIF or WebP. A large one is made smaller; detail=original "
        "keeps it as large as can be."
    )
    arguments = ViewFileArguments
    parallel_safe = False
    exposure: Exposure = "deferred"

    def __init__(self, blind: Blind = sees) -> None:
        """``blind`` is asked before anything is read."""
        self._blind = blind

    def effect(self, arguments: ViewFileArguments, cwd: Path) -> Effect:
        """Reads the file.

        Raises:
            ToolFailed: The model takes no pictures.
        """
        refuse(self._blind)
        path = located(arguments.path, cwd)
        return Effect(kind="read", action=f"View {shown(path, cwd)}", paths=(path,))

    async def run(
        self, arguments: ViewFileArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The picture."""
        path = located(arguments.path, context.cwd)
        data, found = await to_thread.run_sync(picture, path)
        yield await shown_to_model(path.name, data, found, detail=arguments.detail, context=context)


def refuse(blind: Blind) -> None:
    """Raises ``ToolFailed`` where the model would see nothing."""
    why = blind()
    if why:
        raise ToolFailed(why)


async def shown_to_model(
    name: str, data: bytes, found: Measured, *, detail: Detail, context: ToolContext
) -> Result:
    """A picture as a result, made small enough, with a line of what it is.

    Raises:
        ToolFailed: It is too large, and nobody here can make it smaller.
    """
    longest = HIGH if detail == "high" else ORIGINAL
    said = f"{name}: {found.media_type}, {found.width} x {found.height} pixels, {len(data):,} bytes"
    if found.pixels > MOST_PIXELS:
        raise ToolFailed(f"{said}: more than {MOST_PIXELS:,} pixels; make it smaller first")
    if found.longest > longest or len(data) > IMAGE_BYTES:
        if found.media_type == "image/png":
            from ouroboros.tools.pictures.shrink import shrunk

            try:
                data = await shrunk(data, longest=longest, most=IMAGE_BYTES, context=context)
                small = measured(data)
            except BadPicture as broken:
                raise ToolFailed(f"{name} {broken}") from broken
            said += f"; you see it with {small.width} x {small.height}"
        elif found.longest > ORIGINAL or len(data) > IMAGE_BYTES:
            raise ToolFailed(
                f"{said}: more than {ORIGINAL:,} pixels a side, or {IMAGE_BYTES // 1_048_576} MB, "
                "cannot be shown; save it smaller, or as PNG, which is made smaller here"
            )
    said += "; it moves, and you see its first frame" if found.moves else ""
    media = Media(media_type=found.media_type, data=b64encode(data).decode())
    return Result(parts=(Text(text=said), media))


def picture(path: Path) -> tuple[bytes, Measured]:
    """A picture's bytes and what they say of it; raises ``ToolFailed`` for anything else."""
    try:
        if not path.exists():
            raise ToolFailed(f"{path} does not exist")
        if not path.is_file():
            raise ToolFailed(f"{path} is not a file")
        with opened(path) as file:
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise ToolFailed(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > FILE_BYTES:
        raise ToolFailed(f"{path} is larger than {FILE_BYTES // 1_048_576} MB: make it smaller")
    try:
        return data, measured(data)
    except BadPicture as broken:
        raise ToolFailed(f"{path} {broken}") from broken
