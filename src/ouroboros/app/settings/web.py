"""Where browser, tools and commands may go."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ouroboros.app.settings.kinds import FolderName, HostName, Positive


class Web(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[web]``: the hosts that ``fetch`` and caged commands may reach.

    A host is ``example.com`` (that one), ``*.example.com`` (below it) or ``**.example.com`` (both), with a
    port where that matters. Places of this machine and network are reached only if ``localhost`` or their
    address is listed.

    Attributes:
        allow: What commands reach without a question when ``sandbox.network`` is ``proxy``.
        deny: What is not reached, listed or not.
        only_allowed: The listed hosts are the only ones there are.
        only_reading: Commands may only say GET, HEAD and OPTIONS over plain HTTP.
        first_contact: A command waits for the answer about a new host, or is refused it until then.
    """

    allow: tuple[HostName, ...] = ()
    deny: tuple[HostName, ...] = ()
    only_allowed: bool = False
    only_reading: bool = False
    first_contact: Literal["ask", "defer"] = "ask"


type Risk = Literal["submit", "download", "upload", "payment", "cross-site-post"]
RISKS: tuple[Risk, ...] = ("submit", "download", "upload", "payment", "cross-site-post")


class Browser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[browser]``: which browser is used, how it is started and where it may go.

    Attributes:
        tools: The model that calls tools has those of the browser too.
        mode: A browser of our own, the person's running one, or one at an address.
        profile: Name of the profile of our own; empty means a fresh one that is thrown away.
        program: Its path; found on PATH and in the usual places when empty.
        url: Port or address to attach to; empty means that of the person's own Chrome.
        flags: More switches for the program.
        max_tabs: A tab that a page opens beyond this is closed at once.
        allow_domains: Where it may go without asking after page data was read; ``only_allowed``
            makes it the only places there are.
        block_domains: Where it may not go at all.
        uploads: Folders besides the workspace that files may be sent from.
        download_max: Largest file in bytes.
        confirm: What is asked before it is done in a page.
    """

    tools: bool = False
    mode: Literal["managed", "attach", "remote"] = "managed"
    profile: FolderName = "default"
    program: str = ""
    url: str = ""
    headless: bool = True
    width: Annotated[int, Meta(ge=200, le=7680)] = 1280
    height: Annotated[int, Meta(ge=200, le=4320)] = 720
    flags: tuple[str, ...] = ()
    max_tabs: Annotated[int, Meta(ge=1, le=1000)] = 100
    allow_domains: tuple[str, ...] = ()
    only_allowed: bool = False
    block_domains: tuple[str, ...] = ()
    uploads: tuple[str, ...] = ()
    download_max: Positive = 1_073_741_824
    confirm: tuple[Risk, ...] = RISKS
