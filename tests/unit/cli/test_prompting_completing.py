"""What Tab makes of a name that was begun."""

from pathlib import Path

import pytest

from ouroboros.faces.cli.prompting.completing import Completing, longest
from ouroboros.faces.cli.prompting.keys import Key
from ouroboros.faces.cli.prompting.line import Line
from ouroboros.faces.cli.render.late import LateFace
from ouroboros.faces.cli.render.outlet import Outlet
from ouroboros.faces.cli.render.screen import USUAL
from ouroboros.faces.wording.mentions import begun_in, spelled
from tests.unit.cli.render_stage import StillClock, carried, pipe

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    ("before", "begun"),
    [
        ("see @src/m", (5, "src/m")),
        ("@", (1, "")),
        ('(@"my fi', (2, "my fi")),
        ("me@x.org", None),
        ("@a.py and", None),
        ("nothing", None),
        ("", None),
    ],
)
def test_a_name_is_begun_where_a_word_begins_with_the_sign(
    before: str, begun: tuple[int, str] | None
) -> None:
    assert begun_in(before) == begun


def test_it_goes_on_as_far_as_there_is_one_way() -> None:
    assert longest("ma", ["src/main.py"]) == "src/main.py"
    assert longest("src/m", ["src/main.py", "src/mail.py"]) == "src/mai"
    assert longest("m", ["main.py", "src/mail.py"]) == "main.py"
    assert longest("m", ["src/main.py", "a/mail.py"]) == "m"
    assert longest("src/", ["src/", "src/a"]) == "src/"
    assert longest("x", []) == "x"


async def test_names_that_are_not_shown_count_as_well(tmp_path: Path) -> None:
    for name in (*(f"te_a{number}" for number in range(9)), "te_bcdef.py"):
        (tmp_path / name).touch()
    line = Line([])
    line.set("see @t")
    with pipe() as (written, read):
        out = Outlet(written)
        face = LateFace(out, out, clock=StillClock(), size=USUAL, streaming=False)
        complete = Completing(face, {}, tmp_path)
        await complete(line)
        assert line.text == "see @te_"
        await complete(line)
        assert line.text == "see @te_"
        await carried(out)
        assert read().count("te_a") == 8


def test_names_with_blanks_are_quoted_and_folders_stay_open() -> None:
    assert spelled("a.py", is_all=True) == "a.py "
    assert spelled("src/", is_all=True) == "src/"
    assert spelled("my fi", is_all=False) == '"my fi'
    assert spelled("my file.md", is_all=True) == '"my file.md" '


def test_a_text_is_put_in_the_place_of_what_was_typed() -> None:
    line = Line([])
    line.set("see @ma please")
    line.cursor = 7
    line.put(5, "src/main.py ")
    assert (line.text, line.cursor) == ("see @src/main.py  please", 17)
    line.press(Key("text", "x"))
    assert line.text == "see @src/main.py x please"
