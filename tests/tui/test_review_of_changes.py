"""The review of a bundle: what is shown, what each key says, and what comes of it, also where it is small."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from ouroboros.app.paws.dogs.choosing import Offer, offer_of
from ouroboros.faces.tui.review.app import ReviewApp
from ouroboros.workspace.artifacts.dogs import FilePlan, Snapshot
from tests.tui.calm import Calm

OLD = "".join(f"line {number}\n" for number in range(60)).encode()
NEW = OLD.replace(b"line 3\n", b"line three\n").replace(b"line 50\n", b"fifty\nmore\n")

type Taken = tuple[frozenset[int], ...]


def offers() -> list[Offer]:
    evil = "docs/\x1b[31mred\u202eevil.md"
    return [
        offer_of(file)
        for file in (
            FilePlan(
                path="src/app.py",
                action="change",
                before=Snapshot(content=OLD),
                after=Snapshot(content=NEW),
            ),
            FilePlan(path=evil, action="add", before=None, after=Snapshot(content=b"\x1b[2Jhi\n")),
            FilePlan(
                path="picture.bin", action="delete", before=Snapshot(content=b"\0"), after=None
            ),
        )
    ]


@asynccontextmanager
async def review(
    columns: int = 80, lines: int = 24
) -> AsyncGenerator[tuple[ReviewApp, Pilot[Taken]]]:
    app = ReviewApp(offers(), "answer.md", environment={})
    async with app.run_test(size=(columns, lines)):
        pilot = Calm(app)
        await pilot.pause()
        yield app, pilot


def shown(app: ReviewApp) -> list[str]:
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in strips]


KEYS: list[tuple[list[str], list[set[int]] | None]] = [
    (["a", "a", "a", "q"], [{0, 1}, {0}, {0}]),
    (["r", "a", "s", "q"], [set(), {0}, set()]),
    (["A", "q"], [{0, 1}, {0}, {0}]),
    (["A", "r", "q"], [set(), {0}, {0}]),
    (["r", "A", "R", "q"], [set(), {0}, {0}]),
    (["enter", "r", "a", "q"], [{1}, set(), set()]),
    (["right", "a", "left", "down", "down", "a", "q"], [{0}, set(), {0}]),
    (["enter", "down", "a", "down", "a", "q"], [{1}, set(), {0}]),
    (["up", "a", "q"], [{0, 1}, set(), set()]),
    (["q"], [set(), set(), set()]),
    (["A", "ctrl+c"], None),
]


@pytest.mark.deep
@pytest.mark.proves("M16", "M17")
async def test_keys_say_what_is_taken() -> None:
    wrong: list[tuple[list[str], Taken | None]] = []
    for keys, taken in KEYS:
        async with review() as (app, pilot):
            await pilot.press(*keys)
        if app.return_value != (None if taken is None else tuple(map(frozenset, taken))):
            wrong.append((keys, app.return_value))
    assert wrong == []


@pytest.mark.proves("M16", "M17")
async def test_a_wide_screen_has_files_and_both_sides_beside_them() -> None:
    async with review(140, 30) as (app, pilot):
        lines = shown(app)
        assert lines[0].startswith("0 of 3 accepted  +4 -2  answer.md")
        assert "[ ] M src/app.py" in lines[1]
        assert "+3 -2" in lines[1]
        assert any("line 3" in line and "line three" in line for line in lines)
        await pilot.press("v")
        assert not any("- line 3" in line and "+ line three" in line for line in shown(app))
        await pilot.press("q")


@pytest.mark.proves("M16", "M17")
async def test_a_small_terminal_shows_one_thing_at_a_time() -> None:
    async with review(40, 10) as (app, pilot):
        assert shown(app)[1].startswith("[ ] M src/app.py")
        assert not any("line three" in line for line in shown(app))
        assert shown(app)[-1] == "a accept  r reject  s skip  q write"
        await pilot.press("enter")
        lines = shown(app)
        assert lines[0].startswith("0 of 3 accepted  +4 -2  src/app.py")
        assert lines[1] == "[ ] hunk 1 of 2"
        assert any("line three" in line for line in lines)
        await pilot.press("a")
        assert shown(app)[1] == "[ ] hunk 2 of 2"
        await pilot.press("escape", "q")
    assert app.return_value is not None
    assert app.return_value[0] == {0}


@pytest.mark.deep
@pytest.mark.proves("M16", "M17")
async def test_what_a_bundle_says_cannot_command_the_terminal() -> None:
    async with review() as (app, pilot):
        await pilot.press("down")
        text = "\n".join(shown(app))
        assert "\x1b" not in text
        assert "\u202e" not in text
        await pilot.press("down")
        assert any("taken or left as a whole" in line for line in shown(app))
        await pilot.press("q")


@pytest.mark.deep
@pytest.mark.proves("M16", "permissions-steering")
async def test_what_steers_later_runs_is_marked_and_no_yes_to_the_rest_is_one_to_it() -> None:
    new = Snapshot(content=b"x\n")
    files = [
        FilePlan(path=path, action="add", before=None, after=new) for path in ("a.py", "AGENTS.md")
    ]
    found = [offer_of(files[0]), offer_of(files[1], "what agents are told and may do")]
    taken: list[tuple[frozenset[int], ...] | None] = []
    for keys in (["A", "q"], ["A", "down", "a", "q"], ["a", "R", "q"]):
        app = ReviewApp(found, "answer.md", environment={})
        async with app.run_test(size=(80, 24)):
            pilot = Calm(app)
            await pilot.pause()
            assert shown(app)[2].startswith("[ ] A ! AGENTS.md")
            await pilot.press("down")
            assert "steers later runs: what agents are told and may do" in "\n".join(shown(app))
            await pilot.press("up", *keys)
        taken.append(app.return_value)
    both, none = frozenset({0}), frozenset[int]()
    assert taken == [(both, none), (both, both), (both, none)]
