"""What goes on beside the words, told to a model whose history was replaced by a summary."""

from ouroboros.core.state import State
from ouroboros.core.state.files import Back
from ouroboros.core.state.present import Child

_WORDS = 200


def blocks(state: State, handed: dict[str, str]) -> dict[str, str]:
    """Texts by block name, empty ones left out.

    Args:
        state: Knows what waits for the person, and which commands and children go on.
        handed: Of what the session does not know itself: ``goal``, ``tabs``.
    """
    found = {
        "goal": handed.get("goal", ""),
        "pending": "\n".join(_pending(state)),
        "commands": "\n".join(
            f"[session_id {number}] {clipped(command, _WORDS)}"
            for number, command in state.processes.items()
        ),
        "children": "\n".join(
            f"{name}: {child_line(child)}" for name, child in state.children.items()
        ),
        "tabs": handed.get("tabs", ""),
    }
    return {name: f"<{tag}>\n{found[name]}\n</{tag}>" for name, tag in _TAGS.items() if found[name]}


_TAGS = {
    "goal": "goal",
    "pending": "waits_for_the_person",
    "commands": "running_commands",
    "children": "running_children",
    "tabs": "open_tabs",
}


def child_line(child: Child) -> str:
    """What a child was asked, and how far it is."""
    far = f"in iteration {child.iterations}" if child.iterations else "begun"
    return f"{clipped(child.task, _WORDS)} ({far if child.kind == 'run' else 'a plain read'})"


def clipped(text: str, most: int) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def brought_back(state: State) -> str:
    """Which files the person had back that a model knows otherwise; empty where there are none."""
    back = state.files.back
    if back is None or not state.history:
        return ""
    paths = ", ".join(clipped(path, _WORDS) for path in back.paths)
    is_here = _is_here(back, state)
    then = "they were then" if is_here else "they were before or after this point"
    came = "went back or forth to this point of the conversation, and " if is_here else ""
    return (
        f"The person {came}had files brought back to what {then}: {paths}"
        f"{' and more' if back.is_more else ''}. Read them again before you rely on what they held."
    )


def _is_here(back: Back, state: State) -> bool:
    """Whether the files are as they were where the conversation stands now."""
    if back.head is not None:
        return back.head == state.tree.head
    tree, id = state.tree, back.message_id
    return id in tree.nodes and tree.before(id) == tree.head


def _pending(state: State) -> list[str]:
    lines = [
        f"a yes to {asked.tool}: {clipped(asked.action, _WORDS)}"
        for asked in state.approvals.values()
    ]
    return [*lines, *("an answer to a question" for _ in state.asked)]
