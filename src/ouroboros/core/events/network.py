"""Who a command or a tool spoke to on the network, and whom it was kept from."""

from typing import ClassVar, Literal

from ouroboros.core.events.envelope import Event


class NetworkContacted(Event, frozen=True, kw_only=True):
    """A connection was made and has ended, or it was refused; on record once for each.

    Attributes:
        protocol: ``http``, ``https`` (a tunnel) or ``socks5``; ``fetch`` of the tool of that name.
        address: The very address that was connected to; empty where it was not, or by another proxy.
        decision: Whether it might.
        by: What decided: ``list``, ``session``, ``person``, ``policy``, ``method``, ``local``.
        reason: Why it was refused, or could not be made.
        call_id: The call whose doing it was, empty when that is not known.
        sent: Bytes to the server, ``received`` those from it.
    """

    type: ClassVar[str] = "network.contacted"
    host: str
    port: int
    protocol: Literal["http", "https", "socks5", "fetch"]
    decision: Literal["allowed", "denied"]
    by: str = ""
    address: str = ""
    reason: str = ""
    call_id: str = ""
    sent: int = 0
    received: int = 0
