"""The one message of an iteration: the task on top, what changed, what there is, what was done.

Pure: everything in it is bounded, and nothing in it is page text but previews.
"""

from msgspec import Struct

from ouroboros.agent.context.briefing import NOBODY_HERE
from ouroboros.core.parts import Message
from ouroboros.core.state import State
from ouroboros.plugins.hooks.contexts import is_context
from ouroboros.rlm import history
from ouroboros.rlm.progress import Iteration
from ouroboros.rlm.progress import lines as progress

TASK_CHARACTERS = 6_000
_STEER_CHARACTERS = 2_000
_VARIABLES_CHARACTERS = 8_000
_STUB_CHARACTERS = 100
_CHANGES = 20
_EARLIER = 5
_HOOKS = 3
_REMINDER = (
    "When the task is done, call setFinal(value) in a block: nothing else ends the run. "
    "Otherwise go on with ```repl blocks."
)
_LAST = (
    "This was the last iteration. Answer now with the best you have: one ```repl block that calls "
    "setFinal(value), or the answer as plain text if nothing useful is in variables."
)
_DECIDE = "Read it with dialog(tab) and decide with answerDialog: the page stands still until then."
_NO_WORDS = "Work towards the goal of this session."
_HURRY = "Only {left} left: finish now with what you have."


class Page(Struct, frozen=True, kw_only=True):
    """How the browser stands: counts and names, never an address or a title.

    ``changes`` has one line for each tab and field that is another one than before; of these ``driven``
    are a person's, and ``earlier`` those of iterations before: no code tells of them later.
    """

    tabs: int = 0
    active: str = ""
    dialogs: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    driven: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()


class Bounds(Struct, frozen=True, kw_only=True):
    """How far a run may go and how much of its past it is told."""

    iterations: int
    history_tokens: int
    hurry_at: int = 0

    def left(self, state: State) -> int:
        """Iterations that there are, the one that has begun counted; each run has them all."""
        return self.iterations - (state.iteration - state.iterated) + 1


class Setting(Struct, frozen=True, kw_only=True):
    """What a child is told of where it comes from, empty for a run of its own.

    ``attended``: a person or a guardian is there to approve something.
    """

    request: str = ""
    progress: tuple[str, ...] = ()
    data: str = ""
    attended: bool = True


def message(state: State, bounds: Bounds, page: Page | None, setting: Setting | None = None) -> str:
    """The text of the message for the iteration that has begun."""
    past, setting = history.iterations(state), setting or Setting()
    is_last = bounds.left(state) < 1
    sections = [
        _task(state, bounds, past, setting),
        _goal(state),
        _changes(page),
        _environment(state, page, setting),
        _actions(past, bounds),
        _of_hooks(state),
        _nudge(state),
        _LAST if is_last else (_REMINDER if past else ""),
    ]
    return "\n\n".join(section for section in sections if section)


def quoted(text: str, most: int) -> str:
    """A text between quotes, its middle left out when it is too long."""
    if len(text) <= most:
        return f'"""\n{text.strip()}\n"""'
    head = most * 3 // 4
    gone = len(text) - most
    return f'"""\n{text[:head]}\n… {gone:,} characters left out …\n{text[len(text) - most + head :]}\n"""'


def task_of(state: State) -> str:
    """The words that began the latest run."""
    at = state.began - 1
    return state.history[at].text if 0 <= at < len(state.history) else ""


def _task(state: State, bounds: Bounds, past: list[Iteration], setting: Setting) -> str:
    left = bounds.left(state)
    number = bounds.iterations - max(1, left) + 1
    lines = ["# Task", quoted(task_of(state) or _NO_WORDS, TASK_CHARACTERS)]
    if setting.request:
        lines += ["It is part of this larger request, which others work on:", setting.request]
    if setting.progress:
        lines += ["Done there so far:", *setting.progress]
    lines += [setting.data] if setting.data else []
    lines.append(f"Iteration {number} of {bounds.iterations}.")
    if 0 < left <= bounds.hurry_at:
        lines.append(_HURRY.format(left=f"{left} iteration{'s' if left > 1 else ''}"))
    if past:
        lines += ["Progress so far:", *progress(past)]
    for added in _added(state):
        lines.append(f"The user added: {quoted(added.text, _STEER_CHARACTERS)}")
    return "\n".join([*lines, *_earlier(state)])


def _goal(state: State) -> str:
    """What the session works towards; a run of it may have begun by itself."""
    if state.goals is None:
        return ""
    from ouroboros.agent.goals import words  # most sessions have no goal

    text = words.now(state.goals)
    return f"# Goal\n{text}" if text else ""


def _added(state: State) -> list[Message]:
    return [
        said
        for said in state.history[state.began :]
        if said.role == "user" and said.kind == "plain" and said.text
    ]


def _earlier(state: State) -> list[str]:
    """The person's words before these, so that "do the same again" can be understood."""
    said = [
        message.text
        for message in state.history[: max(0, state.began - 1)]
        if message.role == "user" and message.kind == "plain"
    ]
    if not said:
        return []
    short = [" ".join(text.split())[:200] for text in said[-_EARLIER:]]
    return ["Earlier in this session, and done:", *(f"- {text}" for text in short)]


def _changes(page: Page | None) -> str:
    if page is None:
        return ""
    shown = page.changes[:_CHANGES]
    more = len(page.changes) - len(shown)
    lines = ["# Page changes since the last iteration"] if shown else []
    lines += [f"- {change}" for change in shown] + ([f"- and {more} more"] if more else [])
    lines += ["# What a person did in tabs before"] if page.earlier else []
    lines += [f"- {change}" for change in page.earlier[-_CHANGES:]]
    return "\n".join(lines)


def _environment(state: State, page: Page | None, setting: Setting) -> str:
    lines = ["# Environment"]
    if page is not None:
        active = f", active {page.active}" if page.active else ""
        lines.append(f"Tabs: {page.tabs}{active}.")
        lines += [f"Dialog waiting: {dialog}" for dialog in page.dialogs[:_CHANGES]]
        lines += [_DECIDE] if page.dialogs else []
    date = state.told.get("environment.current_date", "")
    lines += [f"Date: {date}."] if date else []
    lines.append(f"Permissions: {state.mode}.{'' if setting.attended else f' {NOBODY_HERE}'}")
    variables = _variables(state.variables)
    lines.append(f"Variables:\n{variables}" if variables else "Variables: none yet.")
    return "\n".join(lines)


def _variables(told: str) -> str:
    """All that fits: of very many the newest as they are, and what kind of thing the older ones are."""
    if len(told) <= _VARIABLES_CHARACTERS:
        return told
    whole = told.split("\n")
    short = [
        line if len(line) <= _STUB_CHARACTERS else f"{line[:_STUB_CHARACTERS]}…" for line in whole
    ]
    left, first = _VARIABLES_CHARACTERS, len(whole)
    while first and left >= len(short[first - 1]):
        first -= 1
        left -= len(short[first]) + 1
    shown = short[first:]
    for at in range(len(whole) - 1, first - 1, -1):
        left -= len(whole[at]) - len(short[at])
        if left < 0:
            break
        shown[at - first] = whole[at]
    hidden = [f"({first} older variables)"] if first else []
    return "\n".join([*hidden, *shown])


def _actions(past: list[Iteration], bounds: Bounds) -> str:
    return f"# Actions so far\n{history.told(past, bounds.history_tokens)}" if past else ""


def _of_hooks(state: State) -> str:
    """What programs of the person added, the last of it."""
    found = [
        message.text
        for message in state.history
        if message.kind == "context" and is_context(message.text)
    ]
    return "\n".join(found[-_HOOKS:])


def _nudge(state: State) -> str:
    last = state.history[-1] if state.history else None
    return last.text if last is not None and last.kind == "nudge" else ""
