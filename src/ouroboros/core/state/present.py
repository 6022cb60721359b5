"""What there is to know of a session now: the values that the folds change."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, field

from ouroboros.core.commands import Effort, Mode, Personality
from ouroboros.core.events import PermissionRequested, PermissionsGranted, PlanStep
from ouroboros.core.events.run import Browsing
from ouroboros.core.parts import Message, ToolResult
from ouroboros.core.state.files import Files
from ouroboros.core.state.goals import Goals
from ouroboros.core.state.spent import Spent
from ouroboros.core.state.tree import Held, Tree

_SOURCES = 40

type CallPhase = Literal["made", "started", "attempted"]
type Status = Literal["idle", "running", "waiting", "failed"]


class Child(Struct, kw_only=True):
    """A run that a run started, and how far it is.

    Attributes:
        task: What it was asked, in short.
        kind: ``run`` takes iterations of its own; ``leaf`` and ``pack`` are one plain read.
    """

    task: str
    kind: str = "run"
    iterations: int = 0


class OpenCall(Struct, kw_only=True):
    """A call without a result; ``attempted`` means its effect may have happened.

    Attributes:
        within: The call whose code made this one.
        acted: Its code did something that is not to be done twice.
        is_again: It was begun before, by a program that ended.
        lost: Its children that ended with that program, by name.
    """

    name: str
    arguments: str
    phase: CallPhase = "made"
    within: str = ""
    acted: bool = False
    is_again: bool = False
    lost: dict[str, Child] = field(default_factory=dict[str, Child])


class Present(Struct, kw_only=True):
    """A session's present; each fold takes it in hand for one subject.

    Attributes:
        fallback: The model that is asked in the place of ``model``; empty while that one is.
        acting: The latest mode that was not ``plan``, in which an accepted plan is carried out.
        effort: What the person chose in this session; None while the settings decide.
        service_tier: The same; an empty one leaves it to the vendor.
        history: Messages of the current branch as the model will see them, without tool results.
        queued: Said while a reply was under way; joins the history when the next turn starts.
        results: The answer to each call of the history, by call id.
        measured_tokens: Context size the provider last reported, None before the first report.
        call_ids: Of every call there was, also of those that were summarised away.
        told: What context messages told the model, by block name.
        final: The last words of the latest run; empty until it says some.
        ended: How the latest run ended; empty from the person's words on until it has.
        measured_at: Length of ``history`` when it was reported; what came after is estimated.
        iteration: Of the REPL mind, since the person's words; 0 before its first.
        iterated: Those of them that were made before the latest turn that began by itself.
        goes_on: What is said next begins a turn in the place of the person's words.
        silent: Whole replies in a row that made no call, in the latest run.
        numbers: The iteration of each reply of the latest run, by message id.
        began: Length of ``history`` when the words of the latest run joined it.
        sub_calls: Children that the latest run started.
        children: Those that are at work, by name.
        lost: Those that were when the program ended before, until that is on record.
        variables: What kind of thing each variable of the REPL is, one line each.
        held: The same variables on the disk, as far as they are kept.
        remembered: Rules that the person wrote down in this session, as patterns.
        sources: Where text came from that nobody vouches for and that the model, or its code, has read.
        unread: The same of results that the model reads with its next request.
        asked: Calls that wait for the person's words, by the id of what is asked.
        processes: Commands that went on after their call, by number.
        grants: What the person let the model do beyond the rules and the sandbox.
        tree: All that was ever said; ``history`` is the path to its head.
        moves: How often the conversation went on from elsewhere than its end.
        parent: The session that this one was forked from.
        browser: Which one it has; None where it has none.
        goals: What it works towards; None while there never was anything.
        personality: The manner of speaking that the person chose; None while the settings decide.
        proposed: The plan that waits for the person's yes; empty while there is none.
        later: Words that are said once the run has ended, by the id of the message to be.
        reviewing: What a review is made of, while one is.
        visited: Folders of other workspaces that the person brought in.
        files: The checkpoints of the person's files, and the turns that were taken back.
    """

    session: str = ""
    cwd: str = ""
    model: str = ""
    fallback: str = ""
    effort: Effort | None = None
    service_tier: str | None = None
    mode: Mode = "ask"
    acting: Mode = "ask"
    goes_on: bool = False
    mind: Literal["tools", "rlm"] = "tools"
    title: str = ""
    status: Status = "idle"
    turn: int = 0
    seq: int = 0
    history: list[Message] = field(default_factory=list[Message])
    queued: list[Message] = field(default_factory=list[Message])
    results: dict[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    calls: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    approvals: dict[str, PermissionRequested] = field(
        default_factory=dict[str, PermissionRequested]
    )
    granted: list[str] = field(default_factory=list[str])
    plan: tuple[PlanStep, ...] = ()
    spent: Spent = field(default_factory=Spent)
    measured_tokens: int | None = None
    measured_at: int = 0
    told: dict[str, str] = field(default_factory=dict[str, str])
    final: str = ""
    stop_reason: str = ""
    ended: str = ""
    finished_by_tool: bool = False
    compactions: int = 0
    call_ids: set[str] = field(default_factory=set[str])
    iteration: int = 0
    iterated: int = 0
    silent: int = 0
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    began: int = 0
    sub_calls: int = 0
    children: dict[str, Child] = field(default_factory=dict[str, Child])
    lost: dict[str, Child] = field(default_factory=dict[str, Child])
    variables: str = ""
    held: Held = Held()
    remembered: list[str] = field(default_factory=list[str])
    sources: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    asked: dict[str, str] = field(default_factory=dict[str, str])
    processes: dict[int, str] = field(default_factory=dict[int, str])
    grants: list[PermissionsGranted] = field(default_factory=list[PermissionsGranted])
    tree: Tree = field(default_factory=Tree)
    moves: int = 0
    parent: str = ""
    browser: Browsing | None = None
    files: Files = field(default_factory=Files)
    goals: Goals | None = None
    personality: Personality | None = None
    proposed: str = ""
    later: dict[str, str] = field(default_factory=dict[str, str])
    reviewing: str = ""
    visited: list[str] = field(default_factory=list[str])

    @property
    def is_asking(self) -> bool:
        """Something waits for the person: a yes, or words."""
        return bool(self.approvals or self.asked)

    @property
    def awaited(self) -> set[str]:
        """The calls that it waits for."""
        return {asked.call_id for asked in self.approvals.values()} | {*self.asked.values()}

    def taint(self, sources: Sequence[str]) -> None:
        """Notes where text came from, the latest last; a bounded number of them."""
        kept = [source for source in self.sources if source not in sources]
        self.sources = [*kept, *dict.fromkeys(sources)][-_SOURCES:]
