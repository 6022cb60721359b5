"""Rehearses a goal in a session of its own that nothing is kept of, and makes the plan of it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from anyio import CancelScope, to_thread
from msgspec import Struct
from msgspec.structs import replace

from ouroboros.agent.prompts import task
from ouroboros.app.ouroboros import Ouroboros, Outcome
from ouroboros.app.paws.planning.document import Estimate, Plan, Step, shortened, title_of
from ouroboros.app.paws.planning.overlay import Changed, Overlay
from ouroboros.app.paws.planning.rehearsal import Rehearsal, Rehearsed
from ouroboros.app.permission.cages import Grounds, SessionCages
from ouroboros.app.review import git
from ouroboros.app.settings import Settings
from ouroboros.core.clock import Clock
from ouroboros.core.errors import Misuse, OuroborosError
from ouroboros.core.events import Envelope
from ouroboros.core.events.call import ToolResulted, ToolStarted
from ouroboros.core.events.turn import AgentMessage
from ouroboros.core.parts import Message, Text
from ouroboros.fleet.agents.definition import SUFFIX, Definition
from ouroboros.fleet.agents.definition import read as definition_in
from ouroboros.fleet.agents.instance import Instances
from ouroboros.safety.paths import Places
from ouroboros.tools.registry import canonical
from ouroboros.workspace.changes import Side, told

COMMAND_TOKENS = 2_500
"""What a command that was not run may say at most."""

_PLAIN = "The agent as it is, without a role of its own."
_READ = 8


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be planned.

    Attributes:
        agent: The name or file of an agent's definition; empty for none.
        context: A bundle of files that the model reads first; empty for none.
    """

    goal: str
    cwd: Path
    agent: str = ""
    context: str = ""


async def planned(
    wish: Wish,
    engine: Callable[[Settings], Ouroboros],
    settings: Settings,
    *,
    environment: Mapping[str, str],
    home: Path,
    clock: Clock,
    tell: Callable[[str], None],
) -> Plan:
    """Rehearses it; nothing below ``cwd`` and nothing of the home folder is changed.

    Raises:
        Misuse: There is no such agent, or model and key do not fit.
        OuroborosError: The model failed, or a limit was reached.
    """
    root = await to_thread.run_sync(wish.cwd.resolve)
    agent = await to_thread.run_sync(agent_of, root, wish.agent)
    words = await to_thread.run_sync(task, "plan")
    person = Path(environment.get("HOME", "/"))
    places = await to_thread.run_sync(Places(roots=(root,), home=home, person=person).resolved)
    grounds = Grounds(cwd=root, home=home, environment=environment)
    chosen = rehearsing(settings, words.text, agent)
    cages = SessionCages(chosen.sandbox, grounds)
    rehearsal = Rehearsal(Overlay(root), places, partial(cages.within, "plan"))
    record = _Record(rehearsal, tell)
    try:
        opened = engine(chosen).open(
            cwd=root, ephemeral=True, dress=rehearsal.dress, only=_tools(agent)
        )
        async with opened as session:
            session.listen(record.hear)
            outcome = await session.run(_task(wish), typed=0)
            model = session.state.model
        if outcome.reason != "completed":
            why = record.problem or outcome.reason
            raise OuroborosError(f"the plan was not finished: {why}")
        base = ""
        with suppress(OuroborosError):
            base = await (await git.at(root, environment)).commit("HEAD")
        changed = await to_thread.run_sync(tuple, rehearsal.overlay.changed())
        about = _About(
            wish=wish, agent=agent, model=model, base=base, changed=changed, now=clock.now()
        )
        return record.plan(about, outcome)
    finally:
        with CancelScope(shield=True):
            await to_thread.run_sync(rehearsal.overlay.close)


def rehearsing(settings: Settings, words: str, agent: Definition | None) -> Settings:
    """The settings of a rehearsal: it asks nobody, runs what only reads, and keeps nothing."""
    off = (*(name for name in settings.context.off if name != "own"), "permissions", "plan")
    own = agent.system_prompt.strip() if agent is not None else ""
    chosen = replace(
        settings,
        mode="plan",
        approval_policy="",
        system="\n\n".join(filter(None, [own, words])),
        hooks={},
        context=replace(settings.context, off=off),
        tools=replace(
            settings.tools, web_search="off", scripts=False, additional_permissions=False
        ),
        sandbox=replace(settings.sandbox, mode="read-only", network="off"),
        guardian=replace(settings.guardian, enabled=False),
        checkpoints=replace(settings.checkpoints, enabled=False),
    )
    if agent is None:
        return chosen
    engine = agent.engine
    limits = chosen.limits
    return replace(
        chosen,
        model=engine.model or chosen.model,
        temperature=chosen.temperature if engine.temperature is None else engine.temperature,
        limits=replace(limits, max_turns=engine.max_turns or limits.max_turns),
    )


def agent_of(root: Path, name: str) -> Definition | None:
    """The definition that is meant; blocking.

    Raises:
        Misuse: There is none of that name.
        Refused: It is wrong; with the line.
    """
    if not name or name == "default":
        return None
    places = (Path(name), *(root / at / f"{name}{SUFFIX}" for at in (".paws/agents", "agents")))
    for path in places:
        if path.is_file():
            return definition_in(path.read_bytes(), str(path))
    made = root / ".paws" / "agents" / "instances"
    if not (made / Path(name).name).is_dir():
        raise Misuse(
            f"there is no agent {name!r}",
            hint=f"name a file, or put {name}{SUFFIX} into .paws/agents or agents",
        )
    instance = Instances(made).read(name)
    config = instance.config
    return Definition(
        name=config.name,
        description=config.description,
        engine=config.engine,
        tools=config.tools,
        system_prompt=instance.prompt.read_text("utf-8", "replace"),
    )


def _persona(agent: Definition) -> str:
    """Who works, and by which words: a run that follows the plan may be another one's."""
    own = agent.system_prompt.strip().splitlines()
    quoted = "\n".join(f"> {line}".rstrip() for line in own)
    return f"{agent.name}: {agent.description}" + (f"\n\n{quoted}" if quoted else "")


def _tools(agent: Definition | None) -> frozenset[str] | None:
    """The tools that an agent may have; None for all."""
    if agent is None or agent.tools is None:
        return None
    return frozenset(canonical(tool.name) for tool in agent.tools)


class _About(Struct, frozen=True, kw_only=True):
    wish: Wish
    agent: Definition | None
    model: str
    base: str
    changed: tuple[Changed, ...]
    now: float


class _Record:
    """What the session said and did, in order."""

    def __init__(self, rehearsal: Rehearsal, tell: Callable[[str], None]) -> None:
        self._rehearsal, self._tell = rehearsal, tell
        self._messages: dict[str, Message] = {}
        self._started: dict[str, ToolStarted] = {}
        self._results: dict[str, ToolResulted] = {}
        self.problem = ""

    def hear(self, envelope: Envelope) -> None:
        match envelope.data:
            case AgentMessage(message=message):
                self._messages[message.id] = message
            case ToolStarted() as started:
                self._started[started.call_id] = started
            case ToolResulted() as result:
                self._results[result.call_id] = result
                call = self._rehearsal.calls.get(result.call_id)
                if call is not None:
                    self._tell(f"{call.kind}: {call.action}")
            case _:
                pass

    def plan(self, about: _About, outcome: Outcome) -> Plan:
        phases: list[str] = []
        steps: list[Step] = []
        for message in self._messages.values():
            if not message.calls:
                continue
            if (title := title_of(message.text)) or not phases:
                phases.append(title or "Look around")
            for call in message.calls:
                if step := self._step(call.id, len(steps) + 1, len(phases)):
                    steps.append(step)
        agent = about.agent
        return Plan(
            goal=about.wish.goal,
            agent=agent.name if agent else "default",
            persona=_persona(agent) if agent else _PLAIN,
            model=about.model,
            base=about.base,
            made_at=about.now,
            context=self._context(about, steps),
            phases=tuple(phases),
            steps=tuple(steps),
            summary=outcome.final,
            diff=_diff(about.changed),
            estimate=self._estimate(outcome),
            risks=tuple(self._risks(about, steps)),
        )

    def _step(self, call_id: str, number: int, phase: int) -> Step | None:
        started, result = self._started.get(call_id), self._results.get(call_id)
        if started is None or result is None:
            return None
        call = self._rehearsal.calls.get(call_id) or Rehearsed(kind="read", action=started.title)
        text = "".join(part.text for part in result.parts if isinstance(part, Text))
        if call.command:
            text = text.partition("\nOutput:\n")[2] or text  # how long it took is no part of a plan
        return Step(
            number=number,
            phase=phase,
            tool=started.name,
            action=call.action or started.title or started.name,
            status=call.kind if result.status == "done" else "failed",
            paths=call.paths,
            command=call.command,
            result="" if call.kind == "not run" else shortened(text.strip()),
        )

    def _context(self, about: _About, steps: list[Step]) -> tuple[str, ...]:
        all_read = (path for step in steps if step.status == "read" for path in step.paths)
        read = [path for path in dict.fromkeys(all_read) if path != "."]
        more = f" and {len(read) - _READ} more" if len(read) > _READ else ""
        lines = [f"folder: {about.wish.cwd}", f"commit: {about.base[:12] or 'none'}"]
        if about.wish.context:
            lines.append("a bundle of files was read first")
        if read:
            lines.append(f"files read: {', '.join(read[:_READ])}{more}")
        return tuple(lines)

    def _estimate(self, outcome: Outcome) -> Estimate:
        tokens = outcome.spent.input_tokens + outcome.spent.output_tokens
        # What a command says is read again in every turn after it.
        turns = [message for message in self._messages.values() if message.calls]
        more = 0
        for number, message in enumerate(turns):
            not_run = sum(
                1
                for call in message.calls
                if (known := self._rehearsal.calls.get(call.id)) and known.kind == "not run"
            )
            more += not_run * COMMAND_TOKENS * (len(turns) - number)
        return Estimate(
            turns=outcome.turns,
            tokens=tokens,
            most_tokens=tokens + more,
            cost=outcome.spent.cost,
        )

    def _risks(self, about: _About, steps: list[Step]) -> list[str]:
        found: list[str] = []
        for call in self._rehearsal.calls.values():
            verdict = call.verdict
            if call.kind != "not run":
                continue
            if verdict is None:
                found.append(f"not tried: {call.action}")
                continue
            odd = [
                verdict.reason if verdict.kind == "dangerous" else "",
                "it may send data" if verdict.sends and not verdict.is_unseen else "",
                "nobody can see all that it runs" if verdict.is_unseen else "",
                "it publishes" if verdict.pushes else "",
            ]
            why = "; ".join(filter(None, odd))
            found.append(f"not tried: {call.action}{f' ({why})' if why else ''}")
        gone = [name for name, _, after in about.changed if after is None]
        found += [f"removes {name}" for name in gone]
        found += [
            f"step {step.number} failed in the rehearsal"
            for number, step in enumerate(steps)
            if step.status == "failed" and not _is_made_good(step, steps[number + 1 :])
        ]
        return list(dict.fromkeys(found))


def _is_made_good(failed: Step, later: Sequence[Step]) -> bool:
    """Whether the same was tried again and went well: by the same tool, or by one that writes there."""
    return any(
        step.status != "failed"
        and set(failed.paths) <= set(step.paths)
        and failed.command == step.command
        and (step.tool == failed.tool or (bool(failed.paths) and step.status == "planned"))
        for step in later
    )


def _task(wish: Wish) -> str:
    context = f"\n\n<files>\n{wish.context}\n</files>" if wish.context else ""
    return f"{wish.goal}{context}"


def _diff(files: Sequence[Changed]) -> str:
    changed = {Path(name): (_side(before), _side(after)) for name, before, after in files}
    return told(changed, lambda path: path.as_posix())


def _side(data: bytes | None) -> Side | None:
    return None if data is None else Side(mode="100644", data=data, size=len(data))
