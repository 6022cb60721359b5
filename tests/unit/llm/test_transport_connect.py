"""Connecting leaves no socket open, whenever it is broken off: one that is left fails the test by its warning."""

import gc

import anyio
import pytest
from anyio import CancelScope, lowlevel
from anyio.abc import SocketAttribute

from ouroboros.llm.transport.channel import connect

pytestmark = pytest.mark.real

STEPS = 40
"""Turns of the event loop in which a connection to this machine is surely made."""


async def test_a_connection_that_is_broken_off_at_any_step_leaves_no_socket() -> None:
    made: list[int] = []

    async def reach(port: int, steps: int) -> None:
        channel = await connect("127.0.0.1", port)
        made.append(steps)
        with CancelScope(shield=True):
            await channel.aclose()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port: int = listener.extra(SocketAttribute.local_port)
        for steps in range(STEPS):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(reach, port, steps)
                for _ in range(steps):
                    await lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
    gc.collect()
    assert made
    assert made[0] > 0
