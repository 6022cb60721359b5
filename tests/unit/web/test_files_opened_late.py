"""A file that a thread opens for somebody who has given up waiting is closed."""

import os
import threading
from pathlib import Path

import anyio
import pytest
from anyio import from_thread, to_thread

from ouroboros.faces.web.panels.kept import Handed


def is_open(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


@pytest.mark.proves("interfaces-kept-files")
async def test_what_is_opened_after_the_wait_was_given_up_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"a")
    begun, go, done = anyio.Event(), threading.Event(), threading.Event()
    opened: list[int] = []

    def slow(handed: Handed) -> int:
        from_thread.run_sync(begun.set)
        go.wait(60)
        opened.append(os.open(path, os.O_RDONLY))
        handed.put(opened[0])
        done.set()
        return opened[0]

    async def wait() -> None:
        with Handed() as handed:
            await to_thread.run_sync(slow, handed, abandon_on_cancel=True)

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await begun.wait()
        group.cancel_scope.cancel()
    go.set()
    assert await to_thread.run_sync(done.wait, 30)
    assert not is_open(opened[0], path)


@pytest.mark.proves("interfaces-kept-files")
def test_what_was_opened_is_closed_when_the_answer_breaks_off_and_else_handed_over(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"a")
    broken = [0]
    try:
        with Handed() as handed:
            broken[0] = handed.put(os.open(path, os.O_RDONLY))
            raise TimeoutError
    except TimeoutError:
        pass
    assert not is_open(broken[0], path)
    with Handed() as handed:
        taken = handed.put(os.open(path, os.O_RDONLY))
    assert is_open(taken, path)
    os.close(taken)
