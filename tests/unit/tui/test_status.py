"""The status line: what is left out where there is little room, and a script of the person's own."""

import sys
from pathlib import Path

import msgspec
import pytest

from ouroboros.app.status_script import known, status_of
from ouroboros.core.context import Block, Meter
from ouroboros.core.errors import Misuse
from ouroboros.core.state import Spent, State
from ouroboros.core.state.present import Child
from ouroboros.faces.tui.first import picture
from ouroboros.faces.tui.palette import PALETTES, chosen
from ouroboros.faces.tui.status.branch import branch
from ouroboros.faces.tui.status.line import Facts, line
from ouroboros.faces.tui.themes import style_of, theme
from ouroboros.faces.wording.rows import row_width
from tests.tui.screen_stage import started

pytestmark = pytest.mark.real

METER = Meter(
    model="m",
    blocks=(Block(name="tools", tokens=5),),
    used=84_000,
    source="reported",
    limit=None,
    window=120_000,
)


def state() -> State:
    made = State(model="vendor/model-x", mode="auto-edit", cwd="/home/me/parcel")
    made.spent = Spent(input_tokens=12_000, output_tokens=345, cost=1.5, requests=1)
    made.later = {"a": "next", "b": "then"}
    made.children = {"c": Child(task="t")}
    return made


def shown(columns: int, made: State, **facts: object) -> str:
    found = line(made, msgspec.convert(facts, Facts), columns)
    assert row_width(found) <= columns
    return "".join(span.text for span in found)


@pytest.mark.proves("V07")
def test_with_room_it_says_all() -> None:
    facts = {"seconds": 61.0, "branch": "main", "others": 2, "asks": 1, "below": 7, "own": "mine"}
    text = shown(200, state(), **facts, meter=METER)
    for words in (
        *("1 min 01 s", "7 below", "2 queued", "1 child", "2 others, 1 waiting", "auto-edit"),
        *("vendor/model-x", "parcel", "on main", "context 70 %", "12,345 tokens", "$1.50", "mine"),
    ):
        assert words in text
    assert "1 other," in shown(200, state(), others=1, asks=1)


@pytest.mark.proves("V07")
@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_with_less_room_mode_and_what_runs_stay(columns: int) -> None:
    text = shown(columns, state(), seconds=5.0, branch="main", meter=METER)
    assert "5.0 s" in text
    assert "tokens" not in text or columns > 60
    if columns >= 40:
        assert "auto-edit" in text


def test_a_fallback_is_named_with_what_it_stands_for() -> None:
    made = state()
    made.fallback = "other/model-y"
    assert "other/model-y for vendor/model-x" in shown(200, made)


@pytest.mark.proves("V21")
def test_the_first_screen_names_mode_model_folder_and_branch(tmp_path: Path) -> None:
    start = started(tmp_path, model="echo", mode="plan")
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / ".git" / "HEAD").write_text("ref: refs/heads/topic\n", "utf-8")
    drawn = picture(start, 80, 24)
    assert all(words in drawn for words in ("plan", "echo", "work", "on topic", ">"))
    assert "\x1b[24;1H" in drawn


@pytest.mark.parametrize(
    ("head", "name"),
    [("ref: refs/heads/a/b\n", "a/b"), ("0123456789abcdef\n", "0123456"), ("", "")],
)
def test_a_branch_is_read_from_the_folder_or_one_above(
    tmp_path: Path, head: str, name: str
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head, "utf-8")
    assert branch(inner) == name


def test_a_work_tree_has_its_own_branch(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "HEAD").write_text("ref: refs/heads/mine\n", "utf-8")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".git").write_text("gitdir: ../real\n", "utf-8")
    assert branch(tmp_path / "tree") == "mine"


@pytest.mark.parametrize(
    ("name", "environment", "palette"),
    [
        ("auto", {}, "dark"),
        ("auto", {"COLORFGBG": "0;15"}, "light"),
        ("auto", {"COLORFGBG": "15;0"}, "dark"),
        ("light", {"NO_COLOR": "1"}, "none"),
        ("terminal", {}, "terminal"),
    ],
)
def test_a_theme_is_chosen(name: str, environment: dict[str, str], palette: str) -> None:
    assert chosen(name, environment).name == palette


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.proves("V20")
@pytest.mark.parametrize("name", [name for name, each in PALETTES.items() if each.background])
def test_every_colour_can_be_read_on_every_ground(name: str) -> None:
    each = PALETTES[name]
    inks = (each.foreground, each.faint, each.accent, each.red, each.green, each.yellow)
    inks = (*inks, each.blue, each.magenta, each.cyan)
    for ground in (each.background, each.surface, each.added, each.removed):
        assert min(contrast(ink, ground) for ink in inks) >= 4.5


@pytest.mark.proves("V20")
def test_without_colours_no_style_has_one() -> None:
    for words in (
        "31",
        "1;32",
        "38;5;9",
        "48;2;1;2;3",
        "said",
        "added;33",
        "accent",
        "faint",
        "41",
    ):
        style = style_of(PALETTES["none"], words)
        assert (style.color, style.bgcolor) == (None, None)
    assert theme(PALETTES["none"]).ansi


async def asked(tmp_path: Path, command: str, seconds: float = 20.0) -> str:
    facts = known(state(), METER, branch="main", seconds=2.5)
    environment = {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-secret"}
    return await status_of(
        command, facts, cwd=tmp_path, environment=environment, timeout_seconds=seconds
    )


@pytest.mark.proves("V07")
async def test_a_script_reads_what_is_known_and_its_first_line_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import json, os, sys\n"
        "known = json.load(sys.stdin)\n"
        "print(known['model']['display_name'], known['context_window']['used_percentage'],\n"
        "      known['cost'], os.getcwd(), os.environ.get('OPENAI_API_KEY'))\n"
        "print('another line')\n",
        "utf-8",
    )
    said = await asked(tmp_path, f"{sys.executable} {script}")
    cost = "{'total_cost_usd': 1.5, 'total_duration_ms': 2500}"
    assert said == f"model-x 70.0 {cost} {tmp_path} None"


@pytest.mark.parametrize(
    ("command", "seconds", "why"),
    [
        ("exit 3", 20.0, "ended with 3"),
        ("echo because >&2; exit 1", 20.0, "ended with 1: because"),
        ("sleep 60", 0.1, "took longer than 0.1 s"),
    ],
)
async def test_a_script_that_goes_wrong_is_named(
    tmp_path: Path, command: str, seconds: float, why: str
) -> None:
    with pytest.raises(Misuse, match=why):
        await asked(tmp_path, command, seconds)
