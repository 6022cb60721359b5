"""Putting a picture before the model."""

from base64 import b64encode
from collections.abc import AsyncGenerator
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from ouroboros.core.errors import ToolFailed
from ouroboros.core.parts import Media, Text
from ouroboros.tools.builtin.location import located, shown
from ouroboros.tools.exposure import Exposure
from ouroboros.tools.tool import Effect, Result, ToolContext
from ouroboros.workspace.files import opened

VIEW_IMAGE = "view_image"

IMAGE_BYTES = 5 * 1_048_576
"""Largest picture that is shown to a model; vendors take no larger ones."""

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class ViewFileArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which file."""

    path: str


class ViewFileTool:
    """Puts one picture file before the model; a session with a browser has a tool that sees more."""

    name = VIEW_IMAGE
    description = "See an image file: PNG, JPEG, GIF or WebP."
    arguments = ViewFileArguments
    parallel_safe = False
    exposure: Exposure = "deferred"

    def effect(self, arguments: ViewFileArguments, cwd: Path) -> Effect:
        """Reads the file."""
        path = located(arguments.path, cwd)
        return Effect(kind="read", action=f"View {shown(path, cwd)}", paths=(path,))

    async def run(
        self, arguments: ViewFileArguments, context: ToolContext
    ) -> AsyncGenerator[Result]:
        """The picture."""
        path = located(arguments.path, context.cwd)
        data, kind = await to_thread.run_sync(picture, path)
        yield shown_to_model(path.name, data, kind)


def shown_to_model(name: str, data: bytes, kind: str) -> Result:
    """A picture as a result, with a line of what it is."""
    said = f"{name}: {kind}, {len(data):,} bytes"
    media = Media(media_type=kind, data=b64encode(data).decode())
    return Result(parts=(Text(text=said), media))


def picture(path: Path) -> tuple[bytes, str]:
    """A picture's bytes and media type; raises ``ToolFailed`` for anything else."""
    try:
        if not path.exists():
            raise ToolFailed(f"{path} does not exist")
        with opened(path) as file:
            data = file.read(IMAGE_BYTES + 1)
    except OSError as error:
        raise ToolFailed(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > IMAGE_BYTES:
        raise ToolFailed(f"{path} is larger than {IMAGE_BYTES // 1_048_576} MB: make it smaller")
    kind = next((kind for start, kind in _KINDS if data.startswith(start)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "image/webp"
    if not kind:
        raise ToolFailed(f"{path} is no PNG, JPEG, GIF or WebP image")
    return data, kind
