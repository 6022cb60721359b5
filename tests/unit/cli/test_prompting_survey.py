import pytest

from ouroboros.core.events.question import Choice, Question, UserAsked
from ouroboros.faces.cli.prompting.survey import Survey
from ouroboros.faces.cli.render.cards import survey_rows
from ouroboros.faces.cli.render.screen import Size
from ouroboros.faces.wording.rows import join


def asked(*ids: str) -> UserAsked:
    options = (Choice(label="Red", description="a rose"), Choice(label="Blue", description="sea"))
    return UserAsked(
        request_id="ask_1",
        call_id="call_1",
        questions=tuple(
            Question(id=id, header=id.title(), question=f"Which {id}?", options=options)
            for id in ids
        ),
    )


def test_each_line_answers_the_next_question() -> None:
    survey = Survey(asked("colour", "wall"))
    assert survey.prompt == "Colour (1-2, or your own words): "
    assert survey.take("   ") is None
    assert survey.take("2") is None
    assert survey.prompt.startswith("Wall")
    answer = survey.take(" leave it ")
    assert answer is not None
    assert answer.answers == {"colour": ("Blue",), "wall": ("leave it",)}


def test_a_number_that_no_option_has_is_ones_own_words() -> None:
    for said in ("0", "3", "12", "²", "-1"):
        answer = Survey(asked("colour")).take(said)
        assert answer is not None
        assert answer.answers["colour"] == (said,)


def test_giving_up_answers_nothing() -> None:
    assert Survey(asked("colour")).give_up().answers == {}


@pytest.mark.proves("A25")
def test_the_card_fits_a_narrow_terminal() -> None:
    rows = survey_rows(asked("colour", "wall"), Size(columns=20, lines=10))
    text = join(rows, colour=False).splitlines()
    assert any("1 Red" in line for line in text)
    assert all(len(line) <= 20 for line in text)
