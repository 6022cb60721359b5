"""Hooks as lines for a person."""

import pytest

from ouroboros.core.events import Event
from ouroboros.core.events.hooks import HookFinished, HookStarted
from ouroboros.faces.wording.notices import notice

END = HookFinished(run_id="h", event="Stop", origin="/x/hooks.json")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            HookStarted(run_id="h", event="Stop", origin="o", message="Running tests"),
            "Running tests",
        ),
        (HookStarted(run_id="h", event="Stop", origin="o"), None),
        (END, None),
        (
            HookFinished(
                run_id="h", event="Stop", origin="o", status="failed", text="code 1\x1b[2J"
            ),
            "Hook Stop of o failed: code 1",
        ),
        (
            HookFinished(
                run_id="h", event="Stop", origin="o", status="blocked", text="run the tests"
            ),
            "Hook Stop of o refused: run the tests",
        ),
        (
            HookFinished(
                run_id="h", event="PostToolUse", origin="o", status="stopped", text="enough"
            ),
            "Hook PostToolUse of o stopped it: enough",
        ),
        (HookFinished(run_id="h", event="Stop", origin="o", message="hi"), "Hook Stop of o: hi"),
    ],
)
def test_what_a_person_reads_of_a_hook(event: Event, text: str | None):
    found = notice(event)
    assert (found.text if found else None) == text
