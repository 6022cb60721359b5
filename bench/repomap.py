"""Repo maps: how long one takes, and whether it names what people know of three libraries.

The lists were written by hand, from knowledge of the libraries, before any map of them was made.

    python -m bench.repomap [--files 10000]
"""

import argparse
import asyncio
import os
import random
import resource
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from ouroboros.workspace.repomap.mapping import mapped
from ouroboros.workspace.repomap.worker import Map, Wish

KNOWN = {
    "click": (
        *("Context", "Command", "Group", "Parameter", "Option", "Argument", "ParamType", "Choice"),
        *("Path", "File", "Tuple", "IntRange", "ClickException", "UsageError", "BadParameter"),
        *("MissingParameter", "Abort", "Exit", "echo", "style", "prompt", "confirm", "secho"),
        *("HelpFormatter", "get_current_context", "command", "option", "CompletionItem"),
        *("CliRunner", "convert_type"),
    ),
    "requests": (
        *("Session", "Request", "PreparedRequest", "Response", "HTTPAdapter", "BaseAdapter"),
        *("request", "AuthBase", "HTTPBasicAuth", "HTTPDigestAuth", "RequestsCookieJar"),
        *("CaseInsensitiveDict", "LookupDict", "codes", "RequestException", "HTTPError"),
        *("ConnectionError", "Timeout", "InvalidURL", "SSLError", "TooManyRedirects"),
        *("to_native_string", "requote_uri", "get_auth_from_url", "cookiejar_from_dict"),
        *("extract_cookies_to_jar", "merge_cookies", "dispatch_hook", "should_bypass_proxies"),
        "to_key_val_list",
    ),
    "httpx": (
        *("Client", "AsyncClient", "BaseClient", "Request", "Response", "URL", "Headers"),
        *("QueryParams", "Cookies", "BaseTransport", "AsyncBaseTransport", "HTTPTransport"),
        *("Timeout", "Limits", "Proxy", "Auth", "BasicAuth", "DigestAuth", "HTTPError"),
        *("RequestError", "TransportError", "HTTPStatusError", "SyncByteStream"),
        *("AsyncByteStream", "ByteStream", "request", "encode_request", "create_ssl_context"),
        *("USE_CLIENT_DEFAULT", "InvalidURL"),
    ),
}


def _map(root: Path, home: Path, tokens: int = 1000) -> tuple[Map, float]:
    begun = time.perf_counter()
    wish = Wish(root=str(root), home=str(home), most_chars=tokens * 4)
    found = asyncio.run(mapped(wish, os.environ))
    return found, time.perf_counter() - begun


def _cpu() -> float:
    """Seconds of work of processes that have ended; a busy machine does not change them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def libraries(home: Path) -> bool:
    """Prints how many of the top 20 symbols stand in each list."""
    is_good = True
    for name, known in KNOWN.items():
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            print(f"{name}: not installed")
            continue
        found, seconds = _map(Path(spec.origin).parent, home)
        top = list(dict.fromkeys(symbol.name for symbol in found.symbols))[:20]
        hits = [each for each in top if each in known]
        print(f"{name}: {len(hits)} of the top {len(top)} in {seconds:.2f} s, {found.files} files")
        print(f"  not in the list: {', '.join(each for each in top if each not in known)}")
        is_good = is_good and len(hits) >= 15
    return is_good


def large(home: Path, folder: Path, files: int) -> None:
    """Times the first, the second and a changed map of many files."""
    chance = random.Random(7)
    names = [f"make_thing_{number}" for number in range(files)]
    for number in range(files):
        path = folder / f"pkg{number % 100}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_source(number, names, chance), encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.rglob("*.py"))
    print(f"{files:,} files, {size / 1e6:.0f} MB")
    for what in ("first", "again", "again, 10 files changed"):
        if what.endswith("changed"):
            for number in range(10):
                path = folder / f"pkg{number}" / f"module_{number}.py"
                path.write_text(path.read_text("utf-8") + "\n\ndef added(): ...\n", "utf-8")
        before = _cpu()
        found, seconds = _map(folder, home)
        busy = _cpu() - before
        print(
            f"  {what}: {seconds:.2f} s ({busy:.2f} s of a core), {found.read:,} files read, {found.shown} symbols shown"
        )


def _source(number: int, names: list[str], chance: random.Random) -> str:
    used = chance.choices(names, k=12)
    calls = "\n".join(
        f"        self.state.append({name}(value, {at}))" for at, name in enumerate(used)
    )
    methods = "\n\n".join(
        f"    def method_{number}_{at}(self, value: int, *more: str) -> list[int]:\n"
        f'        """Does a thing with what is given, and says so."""\n{calls}\n        return self.state'
        for at in range(3)
    )
    return (
        f'"""Module {number}."""\n\nfrom pkg import {", ".join(used)}\n\n\n'
        f"def {names[number]}(value: int, other: int) -> int:\n    return value * other\n\n\n"
        f"class Holder{number}:\n    def __init__(self) -> None:\n        self.state = []\n\n{methods}\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        is_good = libraries(Path(scratch) / "home")
        large(Path(scratch) / "home", Path(scratch) / "many", chosen.files)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
