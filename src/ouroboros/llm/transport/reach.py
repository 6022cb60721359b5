"""Servers by name, whom to trust, and why one could not be reached."""

from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import SplitResult

from msgspec import Struct

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.transport.http import port_of, unreachable

if TYPE_CHECKING:
    from ssl import SSLContext


class Server(NamedTuple):
    """Who a connection leads to."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, parts: SplitResult) -> "Server":
        """The server of an address."""
        return cls(parts.scheme, parts.hostname or "", port_of(parts))

    @property
    def name(self) -> str:
        """Readable, and without any credentials the address may hold."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == (443 if self.scheme == "https" else 80)
        return f"{self.scheme}://{host}" if usual else f"{self.scheme}://{host}:{self.port}"


class Tls(Struct, frozen=True, kw_only=True):
    """Whom to trust besides the system's store, and what to show to a server that asks who we are.

    Each is the path of a PEM file; ``client_cert`` may hold the key too.
    """

    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""


SYSTEM = Tls()
"""The system's store alone, and no certificate of our own."""


def trusting(tls: Tls) -> "SSLContext":
    """A context with the system's store; takes tens of milliseconds, so run it in a thread."""
    import ssl  # costs start-up time, and plain HTTP does not need it

    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if tls.ca_file:
        try:
            context.load_verify_locations(tls.ca_file)
        except OSError as error:  # also what is no certificate: SSLError is one
            raise Misuse(
                f"The certificates in {tls.ca_file!r} cannot be used: {error.strerror or error}.",
                hint="network.ca_file or SSL_CERT_FILE names a file of certificates in PEM form.",
            ) from error
    if tls.client_cert or tls.client_key:
        _show(context, tls)
    return context


def _show(context: "SSLContext", tls: Tls) -> None:
    """Loads the client's certificate and key."""
    import ssl

    locked = False

    def password() -> str:  # without one OpenSSL would ask on the terminal
        nonlocal locked
        locked = True
        return ""

    named = " and ".join(repr(path) for path in (tls.client_cert, tls.client_key) if path)
    try:
        context.load_cert_chain(tls.client_cert, tls.client_key or None, password)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, ssl.SSLError) and error.reason:
            reason = error.reason.replace("_", " ").lower()
        raise Misuse(
            f"The client certificate in {named} cannot be used: "
            f"{'its key has a password' if locked else reason or 'it is not in PEM form'}.",
            hint="network.client_cert and network.client_key name PEM files without a password.",
        ) from error


def refused(server: Server, error: BaseException) -> ModelFailed:
    """Why a connection could not be made, and what to do about it."""
    import socket
    import ssl

    for cause in _causes(error):
        match cause:
            case ConnectionRefusedError():
                return unreachable(
                    f"Nothing answers at {server.name}: the connection was refused.",
                    hint="Is the server running? Check the base URL.",
                )
            case socket.gaierror():
                return unreachable(
                    f"The host name {server.host!r} was not found.",
                    hint="Check the base URL and the network connection.",
                )
            case ssl.SSLCertVerificationError(verify_message=reason):
                return unreachable(
                    f"The certificate of {server.name} is not trusted: {reason}.",
                    hint="If the server is your own, name its CA in network.ca_file or SSL_CERT_FILE.",
                    retryable=False,
                )
            case ssl.SSLError():
                return _no_tls(server, cause.reason or str(cause))
            case _:
                pass
    return unreachable(
        f"{server.name} cannot be reached: {error}.",
        hint="Check the network connection and the base URL.",
    )


def broken_off(server: Server, error: BaseException) -> ModelFailed:
    """Why a connection that stood has ended; with TLS 1.3 a server refuses our side only then."""
    import ssl

    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError) and "ALERT" in (cause.reason or ""):
            return _no_tls(server, cause.reason)
    return unreachable(f"The connection to {server.name} broke off.")


def _no_tls(server: Server, reason: str) -> ModelFailed:
    wants_certificate = "CERTIFICATE" in reason or reason.endswith("UNKNOWN_CA")
    if "ALERT" in reason and (wants_certificate or reason.endswith("HANDSHAKE_FAILURE")):
        said = reason.partition("ALERT_")[2].replace("_", " ").lower()
        return unreachable(
            f"{server.name} refuses us for our client certificate, or for having none: {said}.",
            hint="Name one that the server accepts in network.client_cert and network.client_key.",
            retryable=False,
        )
    return unreachable(
        f"{server.name} does not speak TLS as expected: {reason}.",
        hint="Check whether the base URL should begin with http:// instead.",
        retryable=False,
    )


def _causes(error: BaseException) -> list[BaseException]:
    """The error, what it groups and what it came from."""
    found: list[BaseException] = [error]
    for one in found:
        if isinstance(one, BaseExceptionGroup):
            found.extend(cast("BaseExceptionGroup[BaseException]", one).exceptions)
        origin = one.__cause__ or one.__context__
        if origin is not None and origin not in found:
            found.append(origin)
    return found
