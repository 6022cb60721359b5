"""What an editor may say, by the names of the published schema; other fields are passed over."""

from msgspec import Struct

VERSION = 1
"""Of the protocol; the only one that is spoken here."""


class _Said(Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class Files(_Said, frozen=True, kw_only=True):
    """Which files the editor reads and writes for us."""

    read_text_file: bool | None = None
    write_text_file: bool | None = None


class Capabilities(_Said, frozen=True, kw_only=True):
    """What the editor can do for us."""

    fs: Files | None = None
    terminal: bool | None = None


class Initialize(_Said, frozen=True, kw_only=True):
    """The first words."""

    protocol_version: int
    client_capabilities: Capabilities | None = None


class Authenticate(_Said, frozen=True, kw_only=True):
    """One of the ways to log in that were offered."""

    method_id: str


class NewSession(_Said, frozen=True, kw_only=True):
    """A session in a folder; ``mcp_servers`` are tools that the editor brings."""

    cwd: str
    mcp_servers: tuple[object, ...] | None = None


class OldSession(NewSession, frozen=True, kw_only=True):
    """One to go on with."""

    session_id: str


class OfSession(_Said, frozen=True, kw_only=True):
    """Something about one session."""

    session_id: str


class SetMode(OfSession, frozen=True, kw_only=True):
    """Another mode."""

    mode_id: str


class SetOption(OfSession, frozen=True, kw_only=True):
    """Another value of a setting of the session."""

    config_id: str
    value: str


class ListSessions(_Said, frozen=True, kw_only=True):
    """Sessions of a folder or of all; ``cursor`` is where the page before ended."""

    cwd: str | None = None
    cursor: str | None = None


class TextBlock(_Said, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """Words."""

    text: str


class ImageBlock(_Said, frozen=True, kw_only=True, tag_field="type", tag="image"):
    """A picture in base64."""

    data: str
    mime_type: str
    uri: str | None = None


class AudioBlock(_Said, frozen=True, kw_only=True, tag_field="type", tag="audio"):
    """A sound in base64."""

    data: str
    mime_type: str


class LinkBlock(_Said, frozen=True, kw_only=True, tag_field="type", tag="resource_link"):
    """A file or page that is only named."""

    uri: str
    name: str


class Contents(_Said, frozen=True, kw_only=True):
    """What is in a file, as text or in base64."""

    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = None


class ResourceBlock(_Said, frozen=True, kw_only=True, tag_field="type", tag="resource"):
    """A file with what is in it, as the editor has it."""

    resource: Contents


type Block = TextBlock | ImageBlock | AudioBlock | LinkBlock | ResourceBlock


class Prompt(OfSession, frozen=True, kw_only=True):
    """The person's words."""

    prompt: tuple[Block, ...]


class Outcome(_Said, frozen=True, kw_only=True):
    """Which option was chosen, if one was."""

    outcome: str
    option_id: str | None = None


class Permission(_Said, frozen=True, kw_only=True):
    """The answer to a question."""

    outcome: Outcome


class FileText(_Said, frozen=True, kw_only=True):
    """What the editor has of a file."""

    content: str


class CancelRequest(_Said, frozen=True, kw_only=True):
    """A request that nobody wants an answer to any more."""

    request_id: int | str | None
