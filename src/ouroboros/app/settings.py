"""Every setting, its type and its default; where the values come from is ``app.config``'s matter."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ouroboros.app.past.settings import Sessions
from ouroboros.core import limits
from ouroboros.core.commands import Effort, Mode
from ouroboros.llm.auth.plan import OAuthClient
from ouroboros.llm.dialect import Dialect

type Ratio = Annotated[float, Meta(gt=0, le=1)]
type Positive = Annotated[int, Meta(gt=0)]
type Count = Annotated[int, Meta(ge=0)]
type Seconds = Annotated[float, Meta(gt=0)]
type FolderName = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?\Z",
        extra={"words": "a name of letters, digits, dot, dash and underscore, the first no sign"},
    ),
]
"""At most 64 characters that may name a folder, or nothing."""
type HostName = Annotated[
    str,
    Meta(
        pattern=r"^(https?://)?(\*\*?\.)?[A-Za-z0-9\[:\u0080-\U0010ffff][^\s*/@?#\\]*/?\Z",
        extra={"words": "a host such as example.com, *.example.com or **.example.com"},
    ),
]
type ProtocolName = Literal[
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini",
    "ollama-chat",
    "bedrock-converse",
    "bedrock-invoke-stream",
]
type ApprovalName = Literal["untrusted", "on-failure", "on-request", "never", "granular"]
type DialectChanges = Annotated[dict[str, object], Meta(extra={"table": Dialect})]
"""Some members of a ``Dialect``: which ones were given must not be lost."""


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[limits]``: where a run ends by itself; unset means unbounded.

    Attributes:
        actions_per_hour: What may be changed or run without a question; beyond it each is asked about.
    """

    max_turns: Positive | None = None
    max_tokens: Positive | None = None
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    max_time: Seconds | None = None
    actions_per_hour: Positive | None = None


class Context(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[context]``: when the history is summarised and what is kept.

    Attributes:
        scope: What counts against the limit: all, or only what came after the first request.
        notes: The file that ``# text`` in a chat adds to; empty asks for it once a chat.
    """

    threshold: Ratio = 0.8
    fixed_limit: Positive | None = None
    scope: Literal["total", "body_after_prefix"] = "total"
    keep_user_tokens: Count = limits.KEEP_USER_TOKENS
    keep_messages: Count = 0
    window: Positive | None = None
    image_tokens: Count = limits.IMAGES_TOKENS
    instruction_bytes: Count = limits.INSTRUCTION_BYTES
    notes: Literal["", "project", "local", "user"] = ""
    off: tuple[str, ...] = ()


class Tools(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[tools]``: what the tools may do and how much of it the model sees.

    Attributes:
        python: The interpreter that runs a model's Python; empty means the one that runs us.
        additional_permissions: A model may ask to give one command more: the network, or folders.
        login_shell: Commands have the aliases and functions of the person's shell.
        scripts: Adds tools that run JavaScript over files and over the other tools.
        web_search: The vendor may look things up on the web, if it can; ``cached`` in what it has stored.
    """

    output_bytes: Annotated[int, Meta(ge=1, le=limits.TOOL_OUTPUT_BYTES)] = limits.TOOL_OUTPUT_BYTES
    shell_timeout: Seconds = limits.SHELL_TIMEOUT_SECONDS
    shell_timeout_cap: Seconds = limits.SHELL_TIMEOUT_CAP_SECONDS
    python: str = ""
    login_shell: bool = True
    additional_permissions: bool = False
    write_max: Positive = limits.WRITE_BYTES
    scripts: bool = False
    web_search: Literal["off", "cached", "live"] = "off"
    disabled: tuple[str, ...] = ()


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A permission rule in its long spelling; ``"Tool(content)"`` is the short one."""

    tool_name: str
    rule_content: str = "*"


class Permissions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[permissions]``: lists of rules; deny from any layer wins."""

    allow: tuple[str | Rule, ...] = ()
    ask: tuple[str | Rule, ...] = ()
    deny: tuple[str | Rule, ...] = ()


class Approval(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[approval]``: which questions ``approval_policy = "granular"`` lets through.

    Attributes:
        sandbox_approval: Of commands and files that the sandbox would stop, or that may do harm.
        rules: Of commands that a policy file wants to be asked about.
        request_permissions: Of the model's wish to be allowed more for a time.
    """

    sandbox_approval: bool = True
    rules: bool = True
    request_permissions: bool = True


class Guardian(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[guardian]``: a model that answers in the person's place what would be asked.

    Attributes:
        strict: It also reviews what would happen unasked: every command, and all that changes something.
        model: Empty means the session's own.
        timeout: Seconds a review may take; then the action does not run.
    """

    enabled: bool = False
    strict: bool = False
    model: str = ""
    effort: Effort = "low"
    timeout: Seconds = 90.0


class Sandbox(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[sandbox]``: what commands may reach; a cage of the operating system holds them to it.

    Attributes:
        mode: ``plan`` makes it ``read-only`` whatever is said here.
        network: Whether commands may talk to anybody; with ``proxy`` to the hosts of ``[web]`` and those
            that are allowed when asked, which needs bubblewrap.
        writable: Folders besides the workspace.
        exclude_tmp: ``/tmp`` and ``$TMPDIR`` may not be written.
        hide: Places that may not be read, besides the usual ones of keys.
        reveal: Of the usual ones, those that may be read after all.
        bubblewrap: Use it where it works, or leave it at Landlock.
        landlock_alone: Landlock cannot leave ``.git`` out of a folder. ``strict`` lets commands make and
            remove nothing beside it; ``loose`` lets them change it too.
        processes: The most that the user may have at once while a command runs; 0 for no bound.
        local_sockets: With the network ``on``: of Docker, of agents that hold keys, but of databases too.
    """

    mode: Literal["read-only", "workspace-write", "danger-full-access"] = "workspace-write"
    network: Literal["off", "proxy", "on"] = "off"
    writable: tuple[str, ...] = ()
    exclude_tmp: bool = False
    hide: tuple[str, ...] = ()
    reveal: tuple[str, ...] = ()
    bubblewrap: Literal["auto", "off"] = "auto"
    landlock_alone: Literal["strict", "loose"] = "strict"
    processes: Count = 16_384
    local_sockets: Literal["closed", "open"] = "closed"


class Checkpoints(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[checkpoints]``: the person's files are kept before a call may change them.

    Attributes:
        on_failure: Where they cannot be kept the person is asked, or only told; told in full-auto.
        max_file: Larger files in bytes are not kept, and stay as they are when files are brought back.
        max_entries: A folder with more names is not kept.
        max_bytes: Of the checkpoints of one folder; beyond it the oldest go.
        keep: The latest checkpoints of a session that are kept.
        timeout: Seconds that one may take.
        include: What is kept though a ``.gitignore`` leaves it out, as lines of one.
        exclude: What is left out though no ``.gitignore`` says so.
        undo_depth: Turns that can be taken back one after the other.
    """

    enabled: bool = True
    on_failure: Literal["ask", "warn"] = "ask"
    max_file: Positive = 33_554_432
    max_entries: Positive = 200_000
    max_bytes: Positive = 2_147_483_648
    keep: Positive = 500
    timeout: Seconds = 60.0
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = (
        *("node_modules/", ".venv/", "venv/", "__pycache__/", ".mypy_cache/", ".pytest_cache/"),
        *(".hg/", ".svn/"),
    )
    undo_depth: Positive = 20


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


class Network(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[network]``: how patient the model connection is, whom it trusts and what it shows."""

    request_retries: Annotated[int, Meta(ge=0, le=100)] = 4
    stream_retries: Annotated[int, Meta(ge=0, le=100)] = 5
    connect_timeout: Seconds = 5.0
    idle_timeout: Seconds = 120.0
    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""


class Provider(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[providers.NAME]``: a vendor of the person's own, or what differs at a known one.

    Attributes:
        base_url: Needed unless NAME is a known vendor.
        protocol: Empty means the known vendor's, or ``openai-chat``.
        auth: Empty means the known vendor's, or what is usual for the wire format.
        models: Names to list besides those that the vendor lists itself.
        variables: What stands for each ``{name}`` in a known vendor's address.
        dialect: Habits, over those of the known vendor.
    """

    base_url: str = ""
    protocol: ProtocolName | Literal[""] = ""
    key_env: str = ""
    auth: Literal[
        "", "bearer", "x-api-key", "api-key", "x-goog-api-key", "aws", "none", "command", "oauth"
    ] = ""
    command: str | tuple[str, ...] = ()
    command_ttl: Seconds = 300.0
    command_timeout: Seconds = 30.0
    oauth: OAuthClient = field(default_factory=OAuthClient)
    headers: dict[str, str] = field(default_factory=dict[str, str])
    models: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])
    dialect: DialectChanges = field(default_factory=dict[str, object])


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[models."NAME"]``: what the catalogue does not know; prices per million tokens.

    A model with ``tools = false`` is told to write its calls as fenced blocks, one with
    ``images = false`` is shown no picture files.
    """

    window: Positive | None = None
    max_output: Positive | None = None
    input: Annotated[float, Meta(ge=0)] | None = None
    cached: Annotated[float, Meta(ge=0)] | None = None
    cache_write: Annotated[float, Meta(ge=0)] | None = None
    output: Annotated[float, Meta(ge=0)] | None = None
    tools: bool | None = None
    images: bool | None = None


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


class Safety(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[safety]``: what is looked for in what comes in, is called and goes out.

    Attributes:
        enabled: Turning it off needs ``confirm_disable`` too.
        confirm_disable: The person knows that secrets are then kept, shown and sent as they are.
        actions: What becomes of an output with a kind of secret; unnamed kinds are redacted.
    """

    enabled: bool = True
    confirm_disable: bool = False
    actions: dict[str, Literal["redact", "warn", "block"]] = field(
        default_factory=dict[str, Literal["redact", "warn", "block"]]
    )


class Rlm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[rlm]``: the bounds of a run that writes code against data it does not see.

    Attributes:
        max_iterations: Then it answers with what it has.
        child_iterations: The same for a run that ``llm_query`` started.
        max_sub_calls: Calls of ``llm_query`` in one run, its children's counted with them.
        depth: How deep children may have children.
        concurrency: Children at one time.
        leaf_tokens: Largest data that goes to one plain model call; more starts a child run.
        child_model: A cheaper model for children; empty means the run's own.
        block_timeout: Seconds a block may run, host calls not counted.
        history_tokens: Code and metadata of earlier iterations in one request.
        script_timeout: Seconds a script of the ``js`` tool may run.
        data_max: Largest file or stream of ``--data`` in bytes, and all of them together.
    """

    max_iterations: Annotated[int, Meta(ge=1, le=1000)] = limits.RLM_ITERATIONS
    child_iterations: Annotated[int, Meta(ge=1, le=1000)] = limits.CHILD_ITERATIONS
    max_sub_calls: Count = limits.SUB_CALLS
    depth: Annotated[int, Meta(ge=0, le=2)] = 1
    concurrency: Annotated[int, Meta(ge=1, le=32)] = 4
    leaf_tokens: Positive = limits.LEAF_TOKENS
    child_model: str = ""
    block_timeout: Seconds = limits.BLOCK_SECONDS
    history_tokens: Positive = limits.RLM_HISTORY_TOKENS
    script_timeout: Annotated[float, Meta(gt=0, le=3600)] = 300.0
    data_max: Positive = 67_108_864


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of a run, after the layers were joined."""

    model: str = ""
    fallback: tuple[str, ...] = ()
    mode: Mode = "ask"
    approval_policy: ApprovalName | Literal[""] = ""
    effort: Effort | None = None
    service_tier: str = ""
    system: str = ""
    base_url: str = ""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    max_output_tokens: Positive | None = None
    cache_replies: bool = False
    limits: Limits = field(default_factory=Limits)
    context: Context = field(default_factory=Context)
    tools: Tools = field(default_factory=Tools)
    permissions: Permissions = field(default_factory=Permissions)
    approval: Approval = field(default_factory=Approval)
    guardian: Guardian = field(default_factory=Guardian)
    sandbox: Sandbox = field(default_factory=Sandbox)
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    network: Network = field(default_factory=Network)
    sessions: Sessions = Sessions()
    web: Web = field(default_factory=Web)
    browser: Browser = field(default_factory=Browser)
    rlm: Rlm = field(default_factory=Rlm)
    safety: Safety = field(default_factory=Safety)
    providers: dict[str, Provider] = field(default_factory=dict[str, Provider])
    models: dict[str, Price] = field(default_factory=dict[str, Price])
