"""Text of models, tools, files and people cannot become anything but text in the page."""

from itertools import islice
from typing import Any

import pytest

from ouroboros.llm.turns import Turn
from tests.markdown_texts import AROUND, FEW, MANY, SEEN, drawn, growing_too_fast, texts
from tests.story.stage import call
from tests.web.conftest import Shown
from tests.web.window import Window

BAD = (
    "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
    '<svg onload="window.pwned = 3"></svg><iframe srcdoc="<script>parent.pwned=4</script>"></iframe>'
)
LINKS = (
    "[a](javascript:window.pwned=5) [b](JaVa\tScRiPt:window.pwned=6) [c](data:text/html,x) "
    "<javascript:window.pwned=7> [d](vbscript:x) [e](https://good.example@evil.example/) "
    "[https://bank.example](https://evil.example/x) ![pixel](https://spy.example/p.png) "
    "[own](/api/v1/state) [f](//evil.example)"
)
TURNED = "safe\u202etxt.exe\u202c and \u200bhidden\u2066 \x1b[31mred\x1b]0;title\x07\x9b2J end"
INTRUDERS = (
    "document.querySelectorAll('.transcript :is(script, iframe, object, embed, form, style, meta, link, base),"
    " .transcript [onerror], .transcript [onload], .transcript img, .rail img').length"
)


async def harmless(window: Window) -> None:
    """Nothing ran, nothing was made, and nothing leads anywhere but to the web."""
    assert await window.run("globalThis.pwned ?? null") is None
    assert await window.run(INTRUDERS) == 0
    links = await window.run("[...document.querySelectorAll('.transcript a')].map((a) => a.href)")
    assert all(each.startswith(("https://", "http://", "mailto:")) for each in links), links
    assert all("good.example" not in each for each in links)
    ways = await window.run(
        "[...document.querySelectorAll('.transcript a')].every((a) => a.target === '_blank'"
        " && a.rel.includes('noopener'))"
    )
    assert ways is True
    hidden = r"/[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0008\u001b\u0080-\u009f]/"
    assert await window.run(f"{hidden}.test(document.body.innerText + document.title)") is False
    assert not [each for each in window.asked if "example" in each]


def _turns_of_words_of_models_tools_and_people_stay_words() -> list[Turn]:
    path = "x<img src=y onerror=window.pwned=8>.txt"
    shout = call("exec_command", cmd=f"printf '%s\\n' \"{BAD[:40]}\"; printf '\\033[2Jcleared\\n'")
    return [
        Turn(
            text=f"{BAD}\n\n{LINKS}\n\n{TURNED}\n\n```js\n{BAD}\n```\n\n| {BAD[:30]} |\n|---|\n| x |"
        ),
        Turn(
            reasoning=BAD,
            text=TURNED,
            tool_calls=(shout, call("write", path=path, content=BAD + TURNED)),
        ),
        Turn(text=f"# {BAD}\n\n> {BAD}\n\n- {BAD}\n"),
    ]


async def words_of_models_tools_and_people_stay_words(window: Window) -> None:
    session = await window.session()
    await window.say(f"{BAD} {TURNED}")
    await window.until("document.querySelectorAll('.ending').length === 1")
    await harmless(window)
    await window.say("Again")
    await window.until("document.querySelectorAll('.ending').length === 2")
    await window.run(
        "document.querySelectorAll('.fold-head[aria-expanded=false]').forEach((each) => each.click())"
    )
    await window.shows("cleared")
    await harmless(window)
    text = await window.text(".transcript")
    assert "<script>window.pwned = 1</script>" in text
    assert "safe\\u{202e}txt.exe\\u{202c}" in text
    assert "(evil.example)" in text
    assert "picture: pixel" in text
    await window.go(f"{session}/timeline")
    await window.until("document.querySelectorAll('.event').length > 5")
    await window.run("document.querySelectorAll('.event')[3].click()")
    await window.until("document.querySelector('.details') !== null")
    await harmless(window)


def _turns_of_what_is_asked_about_is_spelled_out() -> list[Turn]:
    shown = "rm \u202eevas\u202c -rf x\u200by\ufe0f"
    return [Turn(tool_calls=(call("exec_command", cmd=shown),)), Turn(text="No")]


async def what_is_asked_about_is_spelled_out(window: Window) -> None:
    await window.session(mode="ask")
    await window.say("Go")
    await window.until("document.querySelector('.ask .exact') !== null")
    spelled = r"rm \u{202e}evas\u{202c} -rf x\u{200b}y\u{fe0f}"
    assert await window.text(".ask .exact") == spelled
    await harmless(window)


LINES: list[tuple[str, list[Any]]] = [
    ("a *b* **c** `d`", ["a ", ["em", "b"], " ", ["strong", "c"], " ", ["code", "d"]]),
    ("snake_case_name and 2*3*4", ["snake_case_name and 2", ["em", "3"], "4"]),
    ("\\*not\\*", ["*not*"]),
    ("see https://a.example/x(y), ok", ["see ", ["link", "https://a.example/x(y)"], ", ok"]),
    ("**open", ["**open"]),
    ("`` a`b ``", [["code", "a`b"]]),
    ("[x](javascript:alert(1))", [["span", "x (javascript:alert(1))"]]),
    ("[x](JaVa&#x53;cript:y)", [["span", "x (JaVaScript:y)"]]),
    ("<javascript:x> <https://a.b/>", [["span", "<javascript:x>"], " ", ["link", "https://a.b/"]]),
    (
        "[x](https://good.example@evil.example/)",
        [["span", "x (https://good.example@evil.example/)"]],
    ),
    ("![p](https://spy.example/p.png)", [["link", "picture: p"]]),
    ("[a ![p](https://x.y/) b](https://z.y)", [["link", "a picture: p b"]]),
    ("[x](https://a.b/" + "c" * 3000 + ")", [["span", "x (https://a.b/" + "c" * 68 + "…)"]]),
    ("a@b.example www.b.example ftp://b.example", ["a@b.example www.b.example ftp://b.example"]),
    ("&#x202e;&#27;[2J&lt;b&gt; &rlm;", ["\\u{202e}\ufffd[2J<b> \\u{200f}"]),
    ("`&#x202e;` ~~x~~", [["code", "&#x202e;"], " ", ["del", "x"]]),
    ("<b>x</b> <!-- y -->", ["<b>x</b> <!-- y -->"]),
]


@pytest.mark.deep
@pytest.mark.proves("V22")
async def test_marks_within_a_line_and_words_that_lie_deep(written: Any) -> None:
    for source, expected in LINES:
        assert await written("inline", source) == expected, source
    for source in SEEN:
        assert "inmost" in str(await written("all", source)), source[:60]


@pytest.mark.proves("V22")
@pytest.mark.deep
async def test_no_text_costs_more_than_its_length(written: Any) -> None:
    async def spent(text: str) -> float:
        return await written("spent", text)

    pairs = zip(texts(FEW), texts(MANY), strict=True)
    assert await growing_too_fast(spent, pairs) == []


@pytest.mark.parametrize(
    "step", [pytest.param(3, marks=pytest.mark.deep), pytest.param(1, marks=pytest.mark.soak)]
)
async def test_no_text_among_others_costs_more_than_its_length(written: Any, step: int) -> None:
    async def spent(text: str) -> float:
        return await written("spent", text)

    pairs = zip(texts(FEW, AROUND[1:]), texts(MANY, AROUND[1:]), strict=True)
    assert await growing_too_fast(spent, islice(pairs, 0, None, step)) == []


@pytest.mark.soak
async def test_no_text_of_chance_costs_more_than_its_length(written: Any) -> None:
    async def spent(text: str) -> float:
        return await written("spent", text)

    pairs = ((drawn(seed, FEW), drawn(seed, MANY)) for seed in range(2000))
    assert await growing_too_fast(spent, pairs) == []


@pytest.mark.proves("V22")
async def test_nothing_that_is_shown_becomes_more_than_text(page: Shown) -> None:
    async with page([
        *_turns_of_words_of_models_tools_and_people_stay_words(),
        *_turns_of_what_is_asked_about_is_spelled_out(),
    ]) as window:
        await words_of_models_tools_and_people_stay_words(window)
        await what_is_asked_about_is_spelled_out(window)
