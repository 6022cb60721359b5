"""Servers by name, whom to trust, and why one could not be reached."""

from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import SplitResult

from ouroboros.core.errors import Misuse, ModelFailed
from ouroboros.llm.transport import port_of, unreachable

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


def trusting(ca_file: str) -> "SSLContext":
    """A context with the system's store; takes tens of milliseconds, so run it in a thread."""
    import ssl  # costs start-up time, and plain HTTP does not need it

    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if ca_file:
        try:
            context.load_verify_locations(ca_file)
        except OSError as error:  # also what is no certificate: SSLError is one
            raise Misuse(
                f"The certificates in {ca_file!r} cannot be used: {error.strerror or error}.",
                hint="SSL_CERT_FILE names a file with certificates in PEM form.",
            ) from error
    return context


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
                    hint="If the server is your own, put the path of its CA into SSL_CERT_FILE.",
                    retryable=False,
                )
            case ssl.SSLError():
                return unreachable(
                    f"{server.name} does not speak TLS as expected: {cause.reason or cause}.",
                    hint="Check whether the base URL should begin with http:// instead.",
                    retryable=False,
                )
            case _:
                pass
    return unreachable(
        f"{server.name} cannot be reached: {error}.",
        hint="Check the network connection and the base URL.",
    )


def _causes(error: BaseException) -> list[BaseException]:
    """The error, what it groups and what caused it."""
    found: list[BaseException] = [error]
    for one in found:
        if isinstance(one, BaseExceptionGroup):
            found.extend(cast("BaseExceptionGroup[BaseException]", one).exceptions)
        if one.__cause__ is not None and one.__cause__ not in found:
            found.append(one.__cause__)
    return found
