"""What is true of a session now, as a fold over its events.

The state belongs to one run and is changed in place by ``apply`` alone; each event costs amortised
O(1), so that 100,000 of them fold in under a second. Folding the serialised log of a session gives
a state equal to the live one.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, field

from ouroboros.core.commands import Effort, Mode
from ouroboros.core.events import (
    AgentMessage,
    ContextCompacted,
    Envelope,
    Event,
    ModelSwitched,
    PermissionAnswered,
    PermissionRemembered,
    PermissionRequested,
    PermissionsGranted,
    PlanStep,
    PlanUpdated,
    SessionReady,
    SettingsChanged,
    TaskCancelled,
    TaskCompleted,
    ToolAttempted,
    ToolResulted,
    ToolStarted,
    TurnStarted,
    UserMessage,
)
from ouroboros.core.events.code import EnvironmentUpdated, IterationStarted
from ouroboros.core.parts import Message, ToolResult, looked_up
from ouroboros.core.spent import Spent

_SOURCES = 40

type CallPhase = Literal["made", "started", "attempted"]
type Status = Literal["idle", "running", "waiting", "failed"]


class OpenCall(Struct, kw_only=True):
    """A call without a result; ``attempted`` means its effect may have happened.

    One that code made names the call ``within`` which it was made.
    """

    name: str
    arguments: str
    phase: CallPhase = "made"
    within: str = ""


class State(Struct, kw_only=True):
    """A session's present.

    Attributes:
        fallback: The model that is asked in the place of ``model``; empty while that one is.
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
        iteration: Of the REPL mind, in the latest run; 0 before its first.
        silent: Whole replies in a row that made no call, in the latest run.
        numbers: The iteration of each reply of the latest run, by message id.
        began: Length of ``history`` when the words of the latest run joined it.
        sub_calls: Children that the latest run started.
        variables: What kind of thing each variable of the REPL is, one line each.
        remembered: Rules that the person wrote down in this session, as patterns.
        sources: Where text came from that nobody vouches for and that the model, or its code, has read.
        unread: The same of results that the model reads with its next request.
        asked: Calls that wait for the person's words, by the id of what is asked.
        processes: Commands that went on after their call, by number.
        grants: What the person let the model do beyond the rules and the sandbox.
    """

    session: str = ""
    cwd: str = ""
    model: str = ""
    fallback: str = ""
    effort: Effort | None = None
    service_tier: str | None = None
    mode: Mode = "ask"
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
    silent: int = 0
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    began: int = 0
    sub_calls: int = 0
    variables: str = ""
    remembered: list[str] = field(default_factory=list[str])
    sources: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])
    asked: dict[str, str] = field(default_factory=dict[str, str])
    processes: dict[int, str] = field(default_factory=dict[int, str])
    grants: list[PermissionsGranted] = field(default_factory=list[PermissionsGranted])

    def apply(self, envelope: Envelope) -> None:
        """Takes in one durable event; anything else leaves the state as it is."""
        event = envelope.data
        if not event.durable:
            return
        self.seq = envelope.seq
        self.session = envelope.session
        match event:
            case ToolStarted() | ToolAttempted() | ToolResulted():
                self._apply_call(event)
            case UserMessage() | AgentMessage() | TurnStarted() | ContextCompacted():
                self._apply_turn(event)
            case PermissionRequested() | PermissionAnswered() | PermissionRemembered():
                self._apply_approval(event)
            case SessionReady() | SettingsChanged() | TaskCompleted() | TaskCancelled():
                self._apply_run(event)
            case ModelSwitched(new=new):
                self.fallback = "" if new == self.model else new
            case PlanUpdated(steps=steps):
                self.plan = steps
            case PermissionsGranted():
                self.grants.append(event)
            case _:
                self._apply_code(event)

    def _apply_turn(
        self, event: UserMessage | AgentMessage | TurnStarted | ContextCompacted
    ) -> None:
        match event:
            case UserMessage():
                self._apply_words(event)
            case AgentMessage():
                self._apply_reply(event)
            case TurnStarted(turn=turn):
                self.turn = turn
                self._taint(self.unread)
                self.unread.clear()
                self._hear_queued()
                self.status = "running"
                self.final = "" if self.ended else self.final
                self.ended = ""
                self.finished_by_tool = False
            case ContextCompacted(history=history, usage=usage, cost=cost):
                kept = [call.id for message in history for call in message.calls]
                self.results = {id: self.results[id] for id in kept if id in self.results}
                self.history = list(history)
                self.told = dict(event.told)
                self.spent.add(usage, cost)
                self.measured_tokens = None
                self.measured_at = 0
                self.compactions += 1

    def _apply_words(self, event: UserMessage) -> None:
        if event.steered:
            self.queued.append(event.message)
            return
        # What was said earlier and not yet heard comes first.
        self._hear_queued()
        self.history.append(event.message)
        self.told.update(event.told)
        if event.told.get("project"):
            self._taint((event.told["project"],))
        if event.message.kind == "plain":
            self.ended = self.final = self.stop_reason = ""
            self.iteration = self.sub_calls = self.silent = 0
            self.numbers.clear()
            self.began = len(self.history)

    def _hear_queued(self) -> None:
        self.history += self.queued
        self.queued.clear()

    def _apply_reply(self, event: AgentMessage) -> None:
        message = event.message
        if self.history and self.history[-1].id == message.id:
            self.history[-1] = message
        else:
            self.history.append(message)
        self._taint(looked_up(message))
        for call in message.calls:
            self.call_ids.add(call.id)
            if call.id not in self.results and call.id not in self.calls:
                self.calls[call.id] = OpenCall(name=call.name, arguments=call.arguments)
        if not self.finished_by_tool:
            self.final = message.text
        self.stop_reason = event.stop_reason
        if self.iteration:
            self.numbers[message.id] = self.iteration
        if message.calls:
            self.silent = 0
        elif not event.partial:
            self.silent += 1
        if not event.partial or event.usage is not None:
            self.spent.add(event.usage, event.cost)
        # Counts of a reply that broke off do not say how full the context is.
        if event.usage is not None and not event.partial:
            self.measured_tokens = event.usage.total
            self.measured_at = len(self.history)

    def _apply_call(self, event: ToolStarted | ToolAttempted | ToolResulted) -> None:
        match event:
            case ToolStarted(call_id=call_id, name=name, arguments=arguments):
                self.calls[call_id] = OpenCall(
                    name=name, arguments=arguments, phase="started", within=event.within
                )
            case ToolAttempted(call_id=call_id):
                if call_id in self.calls:
                    self.calls[call_id].phase = "attempted"
            case ToolResulted(call_id=call_id, within=within) if within:
                self.calls.pop(call_id, None)
                self._taint(event.sources)
            case ToolResulted(call_id=call_id):
                self.calls.pop(call_id, None)
                self.unread += event.sources
                self.results[call_id] = ToolResult(
                    call_id=call_id, name=event.name, parts=event.parts, ok=event.status == "done"
                )
                if event.final:
                    self.finished_by_tool = True
                    text = self.results[call_id].text
                    self.final = text if event.answer is None else event.answer

    def _taint(self, sources: Sequence[str]) -> None:
        """Notes where text came from, the latest last; a bounded number of them."""
        kept = [source for source in self.sources if source not in sources]
        self.sources = [*kept, *dict.fromkeys(sources)][-_SOURCES:]

    def _apply_code(self, event: Event) -> None:
        match event:
            case IterationStarted(child=""):
                self.iteration = event.iteration
            case EnvironmentUpdated(child=""):
                self.variables = event.metadata
            case _ if event.type.startswith("subagent."):
                self._apply_child(event)
            case _ if event.type in {"user.asked", "user.answered"}:
                self._apply_question(event)
            case _ if event.type.startswith("process."):
                self._apply_process(event)
            case _:
                pass

    def _apply_child(self, event: Event) -> None:
        # Imported here: a run without children never pays for these events.
        from ouroboros.core.events.fleet import SubagentReplied, SubagentStarted

        match event:
            case SubagentStarted():
                self.sub_calls += 1
            case SubagentReplied(usage=usage, cost=cost):
                self.spent.add(usage, cost)
            case _:
                pass

    def _apply_question(self, event: Event) -> None:
        # Imported here: a run that asks nothing never pays for these events.
        from ouroboros.core.events.question import UserAnswered, UserAsked

        match event:
            case UserAsked(request_id=request_id, call_id=call_id):
                self.asked[request_id] = call_id
                self.status = "waiting"
            case UserAnswered(request_id=request_id):
                self.asked.pop(request_id, None)
                self.status = "running"
            case _:
                pass

    def _apply_process(self, event: Event) -> None:
        # Imported here: most runs have no command that outlives its call.
        from ouroboros.core.events.process import ProcessEnded, ProcessKept

        if isinstance(event, ProcessKept):
            self.processes[event.number] = event.command
        elif isinstance(event, ProcessEnded):
            self.processes.pop(event.number, None)

    def _apply_approval(
        self, event: PermissionRequested | PermissionAnswered | PermissionRemembered
    ) -> None:
        match event:
            case PermissionRemembered():
                self.remembered += () if event.problem else event.rules
            case PermissionRequested(request_id=request_id):
                self.approvals[request_id] = event
                self.status = "waiting"
            case PermissionAnswered(request_id=request_id):
                asked = self.approvals.pop(request_id, None)
                if asked and event.allowed and event.scope == "session":
                    self._remember(asked, event)
                if not self.approvals:
                    self.status = "running"

    def _remember(self, asked: PermissionRequested, answer: PermissionAnswered) -> None:
        if answer.rules:
            self.remembered += answer.rules
        elif asked.grant and not answer.input:
            self.granted.append(asked.grant)

    def _apply_run(
        self, event: SessionReady | SettingsChanged | TaskCompleted | TaskCancelled
    ) -> None:
        if not isinstance(event, SettingsChanged):
            self.grants = [grant for grant in self.grants if grant.scope == "session"]
        match event:
            case SessionReady():
                self.cwd, self.model, self.mode = event.cwd, event.model, event.mode
                self.title = event.title or self.title
                self.fallback, self.mind = "", event.mind
                self.processes.clear()
            case SettingsChanged():
                self._apply_settings(event)
            case TaskCompleted(reason=reason):
                self.ended = reason
                self.status = "failed" if reason == "failed" else "idle"
                self.approvals.clear()
            case TaskCancelled():
                self.ended = "cancelled"
                self.status = "idle"
                self.approvals.clear()

    def _apply_settings(self, event: SettingsChanged) -> None:
        self.mode = event.mode or self.mode
        self.fallback = "" if event.model else self.fallback
        self.model = event.model or self.model
        self.effort = event.effort or self.effort
        self.service_tier = self.service_tier if event.service_tier is None else event.service_tier
        self.cwd = event.cwd or self.cwd
        self.title = self.title if event.title is None else event.title


def fold(envelopes: list[Envelope]) -> State:
    """The state after all of these events."""
    state = State()
    for envelope in envelopes:
        state.apply(envelope)
    return state
