"""The files of the page: small on the way, and asked for again after an update."""

from os import PathLike, stat_result
from pathlib import Path

from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

_SMALLEST = 600


class _Fresh(StaticFiles):
    """Files that a browser keeps, and asks each time whether they still count: all are of one version."""

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers["cache-control"] = "no-cache"
        return answer


def assets(folder: Path) -> ASGIApp:
    """Serves a folder; nothing secret is in it, so that its length under compression tells nothing."""
    return GZipMiddleware(
        _Fresh(directory=folder, html=True, check_dir=False), minimum_size=_SMALLEST
    )
