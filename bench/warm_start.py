"""Time to the first token with and without a warm start, over TLS and a line that takes its time.

Usage: python bench/warm_start.py [rounds]

The server is on loopback; between it and the program a line holds every read back for 40 ms, so that
a handshake costs what it costs over a network. Needs openssl, for a certificate of one's own.
"""

import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio
import msgspec
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener

from ouroboros.app.ouroboros import Ouroboros
from ouroboros.app.settings import Settings
from ouroboros.core.events import Envelope, ModelDelta
from ouroboros.llm.turns import Turn
from ouroboros.testing.server import serving

ONE_WAY_SECONDS = 0.04
TYPING_SECONDS = (0.0, 0.5)


def certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 with its key in one file, which is its own authority."""
    key, paper = folder / "key.pem", folder / "paper.pem"
    words = ["openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-days", "2"]
    words += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=bench"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(paper)]
    subprocess.run(words, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes(paper.read_bytes() + key.read_bytes())
    return both


async def carry(source: ByteStream, target: ByteStream, seconds: float) -> None:
    """Hands bytes on, each read so many seconds later."""
    try:
        async for content in source:
            await anyio.sleep(seconds)
            await target.send(content)
        await target.aclose()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        await target.aclose()


async def forward(stream: ByteStream, port: int, seconds: float) -> None:
    """Joins a connection to a port of this machine."""
    async with (
        stream,
        await anyio.connect_tcp("127.0.0.1", port) as there,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(carry, stream, there, seconds)
        await carry(there, stream, seconds)
        tasks.cancel_scope.cancel()


async def once(url: str, paper: Path, typing: float, *, warm: bool) -> float:
    """Seconds from the words to the first token, the words coming ``typing`` after the start."""
    words = {"model": "openai-chat/m", "base_url": url, "network": {"ca_file": str(paper)}}
    settings = msgspec.convert(words, Settings)
    heard: list[float] = []
    asked: list[float] = []

    def listen(envelope: Envelope) -> None:
        if isinstance(envelope.data, ModelDelta) and envelope.data.text:
            heard.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        engine = Ouroboros(settings, home=home, environment={"HOME": name, "PATH": "/bin"})
        async with engine.open(cwd=home) as session, anyio.create_task_group() as tasks:
            session.listen(listen)
            if warm:
                tasks.start_soon(session.warm)
            await anyio.sleep(typing)
            asked.append(time.perf_counter())
            await session.run("Hello")
    return heard[0] - asked[0]


async def main(rounds: int) -> None:
    """Runs every contestant in every round and prints medians."""
    with tempfile.TemporaryDirectory() as name:
        paper = certificate(Path(name))
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(paper)
        async with serving([Turn(text="Hi.")], repeat=True) as server:
            await measure(rounds, int(server.url.rpartition(":")[2]), context, paper)


async def measure(rounds: int, port: int, context: ssl.SSLContext, paper: Path) -> None:
    """Puts TLS and the slow line before the server and goes round."""
    plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
    ciphered = TLSListener(plain, context, standard_compatible=False)
    line = await anyio.create_tcp_listener(local_host="127.0.0.1")
    behind = plain.extra_attributes[SocketAttribute.local_port]()
    url = f"https://127.0.0.1:{line.extra_attributes[SocketAttribute.local_port]()}"
    async with ciphered, line, anyio.create_task_group() as tasks:
        tasks.start_soon(ciphered.serve, partial(forward, port=port, seconds=0.0))
        tasks.start_soon(line.serve, partial(forward, port=behind, seconds=ONE_WAY_SECONDS))
        for typing in TYPING_SECONDS:
            found: dict[bool, list[float]] = {False: [], True: []}
            for _ in range(rounds):
                for warm, times in found.items():
                    times.append(await once(url, paper, typing, warm=warm))
            cold, hot = (statistics.median(times) * 1000 for times in found.values())
            print(f"words after {typing:g} s: first token {cold:.0f} ms cold, {hot:.0f} ms warm")
        tasks.cancel_scope.cancel()


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 7)
