"""AWS as far as credentials go: a server on loopback, files of a home, and signatures worked out again."""

import hashlib
import hmac
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
REGION = "eu-west-1"
LATER = "2099-01-01T00:00:00Z"


class Sent(NamedTuple):
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


type Answer = tuple[int, str, bytes]


class World:
    """Answers every path by the longest beginning that is known, and keeps what was asked."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.answers: dict[str, Callable[[Sent], Answer]] = {}
        world = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                sent = Sent(self.command, self.path, headers, self.rfile.read(length))
                world.sent.append(sent)
                known = [start for start in world.answers if self.path.startswith(start)]
                status, kind, body = (
                    world.answers[max(known, key=len)](sent) if known else (404, "text/plain", b"")
                )
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = handle_any  # noqa: N815 - the names are the library's

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def says(self, path: str, body: object, status: int = 200) -> None:
        """Answers this path with JSON, or with text as it is."""
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/xml" if isinstance(body, str) else "application/json"
        self.answers[path] = lambda sent: (status, kind, raw)


def keys(key: str, *, expires: str = LATER) -> dict[str, str]:
    """Credentials as a container and a program give them."""
    return {
        "AccessKeyId": key,
        "SecretAccessKey": SECRET,
        "Token": f"token-{key}",
        "SessionToken": f"token-{key}",
        "Expiration": expires,
    }


def sts(operation: str, key: str) -> str:
    """An answer of the token service."""
    return (
        f'<{operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
        f"<{operation}Result><Credentials><AccessKeyId>{key}</AccessKeyId>"
        f"<SecretAccessKey>{SECRET}</SecretAccessKey><SessionToken>token-{key}</SessionToken>"
        f"<Expiration>{LATER}</Expiration></Credentials></{operation}Result></{operation}Response>"
    )


def program(folder: Path, text: str) -> str:
    """A program that gives credentials, as the line of a configuration file that names it."""
    script = folder / "give.py"
    script.write_text(text)
    return f"{sys.executable} {script}"


class Link(NamedTuple):
    """A link of the chain, and the variables that the links before it had."""

    key: str
    variables: tuple[str, ...] = ()


class Chain:
    """Every way to credentials at once; ``links`` takes them away from the first to the last."""

    def __init__(self, world: World, folder: Path) -> None:
        self._folder = folder
        given = json.dumps({"Version": 1, **keys("AKIDPROGRAM")})
        self._default = {
            "role_arn": "arn:aws:iam::1:role/assumed",
            "source_profile": "base",
            "sso_start_url": "https://start",
            "sso_region": REGION,
            "sso_account_id": "1",
            "sso_role_name": "r",
            "credential_process": program(folder, f"print({given!r})"),
            "aws_access_key_id": "AKIDCONFIG",
            "aws_secret_access_key": SECRET,
        }
        shared = f"[default]\naws_access_key_id=AKIDSHARED\naws_secret_access_key={SECRET}\n"
        (folder / "credentials").write_text(shared)
        (folder / "identity").write_text("a.jwt.of.mine")
        token = folder / "sso" / "cache" / f"{hashlib.sha1(b'https://start').hexdigest()}.json"
        token.parent.mkdir(parents=True)
        token.write_text(json.dumps({"accessToken": "at", "expiresAt": LATER}))
        self.environment = {
            "AWS_ACCESS_KEY_ID": "AKIDENV",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL_STS": f"{world.url}/sts",
            "AWS_ENDPOINT_URL_SSO": f"{world.url}/sso",
            "AWS_ROLE_ARN": "arn:aws:iam::1:role/web",
            "AWS_WEB_IDENTITY_TOKEN_FILE": str(folder / "identity"),
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{world.url}/box",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": f"{world.url}/imds/",
        }
        role = {
            "accessKeyId": "AKIDSSO",
            "secretAccessKey": SECRET,
            "sessionToken": "t",
            "expiration": 4_000_000_000_000,
        }
        world.answers["/sts"] = _token_service
        world.says("/sso/federation/credentials", {"roleCredentials": role})
        world.says("/box", keys("AKIDBOX"))
        instance = "/imds/latest/meta-data/iam/security-credentials/"
        world.says("/imds/latest/api/token", "token")
        world.says(instance, "role")
        world.says(f"{instance}role", {"Code": "Success", **keys("AKIDINSTANCE")})

    def links(self) -> Iterator[Link]:
        """Each link while it is the first one left."""
        self._write()
        yield Link("AKIDENV")
        yield Link("AKIDASSUMED", self._forget("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"))
        self._write("role_arn", "source_profile")
        yield Link("AKIDWEB")
        gone = self._forget("AWS_WEB_IDENTITY_TOKEN_FILE")
        yield Link("AKIDSSO", gone)
        self._write("sso_start_url", "sso_region", "sso_account_id", "sso_role_name")
        yield Link("AKIDSHARED")
        (self._folder / "credentials").unlink()
        yield Link("AKIDPROGRAM")
        self._write("credential_process")
        yield Link("AKIDCONFIG")
        self._write("aws_access_key_id", "aws_secret_access_key")
        yield Link("AKIDBOX")
        gone = self._forget("AWS_CONTAINER_CREDENTIALS_FULL_URI")
        yield Link("AKIDINSTANCE", gone)

    def _forget(self, *names: str) -> tuple[str, ...]:
        for name in names:
            del self.environment[name]
        return names

    def _write(self, *without: str) -> None:
        for name in without:
            del self._default[name]
        base = {"aws_access_key_id": "AKIDBASE", "aws_secret_access_key": SECRET}
        text = ""
        for section, members in {"default": self._default, "profile base": base}.items():
            text += f"[{section}]\n" + "".join(f"{key} = {members[key]}\n" for key in members)
        (self._folder / "config").write_text(text)


def _token_service(sent: Sent) -> Answer:
    is_web = b"WithWebIdentity" in sent.body
    if not is_web and key_in(sent.headers) != "AKIDBASE":
        return 403, "text/xml", b"<ErrorResponse/>"
    operation = "AssumeRoleWithWebIdentity" if is_web else "AssumeRole"
    return 200, "text/xml", sts(operation, "AKIDWEB" if is_web else "AKIDASSUMED").encode()


def key_in(headers: Mapping[str, str]) -> str:
    """The access key that a signed request names."""
    return headers["authorization"].partition("Credential=")[2].partition("/")[0]


def proof(sent: Sent, *, secret: str = SECRET) -> str:
    """The ``authorization`` that these bytes must carry, by the published steps of version 4.

    The path is encoded once more, as every service but S3 wants it.
    """
    given = sent.headers["authorization"]
    fields = dict(
        part.strip().split("=", 1) for part in given.removeprefix("AWS4-HMAC-SHA256 ").split(",")
    )
    _, date, region, service, _ = fields["Credential"].split("/")
    signed = fields["SignedHeaders"].split(";")
    path, _, query = sent.path.partition("?")
    canonical = "\n".join([
        sent.method,
        quote(path or "/", safe="/-_.~"),
        "&".join(sorted(query.split("&"))) if query else "",
        *(f"{name}:{' '.join(sent.headers[name].split())}" for name in signed),
        "",
        ";".join(signed),
        hashlib.sha256(sent.body).hexdigest(),
    ])
    scope = f"{date}/{region}/{service}/aws4_request"
    text = "\n".join([
        "AWS4-HMAC-SHA256",
        sent.headers["x-amz-date"],
        scope,
        hashlib.sha256(canonical.encode()).hexdigest(),
    ])
    key = f"AWS4{secret}".encode()
    for word in (date, region, service, "aws4_request"):
        key = hmac.digest(key, word.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return (
        f"AWS4-HMAC-SHA256 Credential={fields['Credential']}, "
        f"SignedHeaders={fields['SignedHeaders']}, Signature={signature}"
    )
