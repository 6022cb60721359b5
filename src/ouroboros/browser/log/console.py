"""What pages write to their consoles, errors nobody in them caught, and the browser's own complaints.

The last few hundred of each tab. The complaints are such as of an answer 404, or of a script that the
page's own policy forbids. Source: https://chromedevtools.github.io/devtools-protocol/tot/Log/
"""

import re
from collections import deque

from msgspec import Raw, Struct

from ouroboros.browser.connection import Call, Connection
from ouroboros.browser.tabs import TabFacts, Tabs
from ouroboros.browser.targets import Target
from ouroboros.browser.wire import Incoming

KEPT = 500
TEXT_CHARS = 2_000
URL_CHARS = 2_000

_USER = re.compile(r"://[^\s/?#@]*@")


class Message(Struct, frozen=True, kw_only=True):
    """One line; ``text`` is page text.

    Attributes:
        level: ``log``, ``warning``, ``error`` or another word of the browser.
        source: ``console`` of a call of the page's, ``exception`` of an error that nobody caught, or the
            browser's word for its own complaint: ``network``, ``security``, ``deprecation`` and others.
        url: Without user and password.
    """

    level: str
    text: str
    source: str = "console"
    url: str = ""
    line: int = 0


class _Value(Struct, frozen=True, rename="camel"):
    type: str = ""
    value: Raw = Raw(b"")
    description: str = ""


class _Frame(Struct, frozen=True, rename="camel"):
    url: str = ""
    line_number: int = 0


class _Stack(Struct, frozen=True, rename="camel"):
    call_frames: tuple[_Frame, ...] = ()


class _Said(Struct, frozen=True, rename="camel"):
    type: str
    args: tuple[_Value, ...] = ()
    stack_trace: _Stack = _Stack()


class _Details(Struct, frozen=True, rename="camel"):
    text: str = ""
    url: str = ""
    line_number: int = 0
    exception: _Value = _Value()


class _Thrown(Struct, frozen=True, rename="camel"):
    exception_details: _Details


class _Entry(Struct, frozen=True, rename="camel"):
    source: str = "other"
    level: str = "info"
    text: str = ""
    url: str = ""
    line_number: int = -1


class _Complained(Struct, frozen=True):
    entry: _Entry


class ConsoleLog:
    """Keeps what the pages of a browser say, from its start on."""

    def __init__(self) -> None:
        """Empty."""
        self._messages: dict[str, deque[Message]] = {}

    async def begin(self, connection: Connection, tabs: Tabs) -> None:
        """Listens from now on."""
        self._connection, self._tabs = connection, tabs
        connection.listen("Runtime.consoleAPICalled", self._said)
        connection.listen("Runtime.exceptionThrown", self._thrown)
        connection.listen("Log.entryAdded", self._complained)
        tabs.listen(self._moved)
        tabs.on_target(self._meet)
        for target in tuple(tabs.targets.by_session.values()):
            await self._meet(target)

    def of(self, tab: str) -> tuple[Message, ...]:
        """The messages of a tab, oldest first."""
        return tuple(self._messages.get(tab, ()))

    async def _meet(self, target: Target) -> None:
        if target.type in {"page", "iframe"}:
            calls: list[Call] = [("Runtime.enable", {}), ("Log.enable", {})]
            await self._connection.call_many(calls, session=target.session)

    def _moved(self, facts: TabFacts) -> None:
        if facts.status == "closed":
            self._messages.pop(facts.id, None)

    def _keep(self, session: str, message: Message) -> None:
        tab = self._tabs.of_session(session)
        if tab is not None:
            self._messages.setdefault(tab.id, deque(maxlen=KEPT)).append(message)

    def _said(self, happening: Incoming) -> None:
        told = happening.read(_Said)
        text = " ".join(_text(value) for value in told.args)
        top = told.stack_trace.call_frames[0] if told.stack_trace.call_frames else _Frame()
        self._keep(
            happening.session,
            _message(told.type, text, source="console", url=top.url, line=top.line_number),
        )

    def _thrown(self, happening: Incoming) -> None:
        told = happening.read(_Thrown).exception_details
        text = told.exception.description or told.text
        self._keep(
            happening.session,
            _message("error", text, source="exception", url=told.url, line=told.line_number),
        )

    def _complained(self, happening: Incoming) -> None:
        told = happening.read(_Complained).entry
        self._keep(
            happening.session,
            _message(
                told.level, told.text, source=told.source, url=told.url, line=told.line_number
            ),
        )


def _message(level: str, text: str, *, source: str, url: str, line: int) -> Message:
    return Message(
        level=level,
        text=_USER.sub("://", text[: 2 * TEXT_CHARS])[:TEXT_CHARS],
        source=source,
        url=_USER.sub("://", url[: 2 * URL_CHARS])[:URL_CHARS],
        line=line + 1,
    )


def _text(value: _Value) -> str:
    if value.type == "string":
        import msgspec

        return msgspec.json.decode(value.value, type=str)
    raw = bytes(value.value).decode()
    return raw if raw and raw != "null" else value.description or value.type
