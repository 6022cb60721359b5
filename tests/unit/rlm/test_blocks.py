"""Which code of a reply is run: four readings, and the traps of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.rlm.code.blocks import MOST_BLOCKS, blocks
from tests.cases import every


def codes(text: str) -> list[str]:
    return [block.code for block in blocks(text)]


type Table = dict[str, tuple[str, list[str]]]

FENCED: Table = {
    "one block": ("```repl\nsetFinal(1)\n```", ["setFinal(1)"]),
    "two blocks": ("A\n```repl\na()\n```\nB\n```repl\nb()\n```\n", ["a()", "b()"]),
    "prose around": ("I look.\n\n```repl\ntabs\n```\n\nThen I go on.", ["tabs"]),
    "capital mark": ("```REPL\na()\n```", ["a()"]),
    "space before the mark": ("``` repl\na()\n```", ["a()"]),
    "words behind the mark": ("```repl title=one\na()\n```", ["a()"]),
    "code behind the mark": ("```repl const a = 1;\na\n```", ["const a = 1;\na"]),
    "one line": ("```repl setFinal(1)```", ["setFinal(1)"]),
    "tildes": ("~~~repl\na()\n~~~", ["a()"]),
    "tildes hold backticks": ("~~~repl\nconst a = `x`;\n```\n~~~", ["const a = `x`;\n```"]),
    "longer fence": ("````repl\na()\n````", ["a()"]),
    "longer fence holds a shorter": ("````repl\n/*\n```\n*/\na()\n````", ["/*\n```\n*/\na()"]),
    "end longer than the beginning": ("```repl\na()\n`````", ["a()"]),
    "Windows line ends": ("```repl\r\na()\r\nb()\r\n```\r\n", ["a()\nb()"]),
    "old Mac line ends": ("```repl\ra()\r```", ["a()"]),
    "byte order mark": ("\ufeff```repl\na()\n```", ["a()"]),
    "indented in a list": ("1. So:\n   ```repl\n   a()\n     b()\n   ```", ["a()\n  b()"]),
    "indented by a tab": ("\t```repl\n\ta()\n\t```", ["a()"]),
    "deeply indented": ("        ```repl\n        a()\n        ```", ["a()"]),
    "quoted": ("> ```repl\n> a()\n> ```", ["a()"]),
    "begins behind words": ("Here: ```repl\na()\n```", ["a()"]),
    "never ended": ("```repl\na()\nb()", ["a()\nb()"]),
    "second never ended": ("```repl\na()\n```\n```repl\nb()", ["a()", "b()"]),
    "next begins without an end": ("```repl\na()\n```repl\nb()\n```", ["a()", "b()"]),
    "end with words behind it": ("```repl\na()\n``` that was it\nmore prose", ["a()"]),
    "empty": ("```repl\n\n```", []),
    "empty one beside a full one": ("```repl\n```\n```repl\na()\n```", ["a()"]),
    "blank lines stay": ("```repl\na()\n\n\nb()\n```", ["a()\n\n\nb()"]),
}

TRAPS: Table = {
    "fence in a template": (
        "```repl\nconst md = `\n```js\nx\n```\n`;\nsetFinal(md)\n```",
        ["const md = `\n\\`\\`\\`js\nx\n\\`\\`\\`\n`;\nsetFinal(md)"],
    ),
    "escaped fence in a template": (
        "```repl\nconst md = `\n\\`\\`\\`js\n`;\nsetFinal(md)\n```",
        ["const md = `\n\\`\\`\\`js\n`;\nsetFinal(md)"],
    ),
    "template that is never closed": ("```repl\nconst a = `x\n```\nDone.", ["const a = `x"]),
    "template that is never closed, then a block": (
        "```repl\nconst a = `x\n```\n```repl\nb()\n```",
        ["const a = `x", "b()"],
    ),
    "backtick in a string": ("```repl\nconst a = '`';\n```\nMore.", ["const a = '`';"]),
    "backtick in a comment": ("```repl\n// a ` here\na()\n```\nMore.", ["// a ` here\na()"]),
    "backtick in a long comment": ("```repl\n/* ` */ a()\n```\nMore.", ["/* ` */ a()"]),
    "backtick in an expression": ("```repl\nx.match(/`/g)\n```\nMore.", ["x.match(/`/g)"]),
    "backtick in a class of one": ("```repl\nx.split(/[/`]/)\n```\nMore.", ["x.split(/[/`]/)"]),
    "division is no expression": (
        "```repl\na = b / c; d = `/`;\n```\nMore.",
        ["a = b / c; d = `/`;"],
    ),
    "template within a template": (
        "```repl\nconst a = `${b.map(x => `<${x}>`).join()}\n`;\n```\nMore.",
        ["const a = `${b.map(x => `<${x}>`).join()}\n`;"],
    ),
    "braces within a template": (
        "```repl\nconst a = `${{ b: 1 }.b}`;\n```\nMore.",
        ["const a = `${{ b: 1 }.b}`;"],
    ),
    "apostrophe in a comment": ("```repl\n// don't\na()\n```\nMore.", ["// don't\na()"]),
    "tilde fence in a template": (
        "~~~repl\nconst a = `\n~~~\n`;\n~~~\nMore.",
        ["const a = `\n~~~\n`;"],
    ),
    "repl beside python": ("```python\nprint(1)\n```\n```repl\na()\n```", ["a()"]),
    "repl beside javascript": ("```js\nexample()\n```\n```repl\na()\n```", ["a()"]),
    "javascript beside python": ("```python\nprint(1)\n```\n```js\na()\n```", ["a()"]),
    "javascript beside its output": ("```js\na();\n```\n```\nfoo();\n```", ["a();"]),
    "python alone": ("```python\nimport os\nprint(1)\n```", []),
    "shell alone": ("```bash\nls -l\n```", []),
    "python that reads like JavaScript": ("```python\nfoo = bar(1);\nbaz(foo);\n```", []),
    "python on one line": ("```python foo = bar(1); baz(foo);```", []),
    "bare code beside python": ("const a = 1;\nsetFinal(a);\n~~~python\nprint(1)\n~~~", []),
    "html alone": ("```html\n<script>a();</script>\n```", []),
    "json that is no call": ('```json\n{"a": 1}\n```', []),
    "code that writes a fence of another language": (
        "```repl\nawait write('a.md', '```' + 'py');\n```",
        ["await write('a.md', '```' + 'py');"],
    ),
}

OTHER_FENCES: Table = {
    "js": ("```js\na()\n```", ["a()"]),
    "javascript": ("```javascript\na()\n```", ["a()"]),
    "typescript": ("```typescript\nconst a: number = 1;\n```", ["const a: number = 1;"]),
    "no mark": ("```\nconst a = 1;\n```", ["const a = 1;"]),
    "no mark, one expression": ("```\ntabs.length\n```", ["tabs.length"]),
    "no mark, prose": ("```\nThe page says hello.\n```", []),
    "no mark, a list of words": ("```\nred\ngreen\nblue\n```", []),
    "a mark nobody knows": ("```execute\nawait openTab('x');\n```", ["await openTab('x');"]),
    "a mark nobody knows, prose": ("```thoughts\nI will look at the page.\n```", []),
}

CALLS: Table = {
    "the whole reply": ('{"code": "a()"}', ["a()"]),
    "with a name": ('{"name": "repl", "arguments": {"code": "a()"}}', ["a()"]),
    "arguments as text": ('{"name": "repl", "arguments": "{\\"code\\": \\"a()\\"}"}', ["a()"]),
    "a list": ('[{"code": "a()"}, {"code": "b()"}]', ["a()", "b()"]),
    "a list of statements": ('[{"code": "a();"}, {"code": "b();"}]', ["a();", "b();"]),
    "embedded": ('I call {"tool": "repl", "input": {"code": "a();"}} now.', ["a();"]),
    "in a fence": ('```json\n{"code": "const a = 1;"}\n```', ["const a = 1;"]),
    "in tags": ('<tool_call>{"name":"repl","arguments":{"code":"a();"}}</tool_call>', ["a();"]),
    "line ends in the text": ('{"code": "a();\nb();"}', ["a();\nb();"]),
    "escaped line ends": ('{"code": "a();\\nb();"}', ["a();\nb();"]),
    "an error that has a code": ('The server said {"code": "E_404", "message": "gone"}.', []),
    "a number": ('{"code": 404}', []),
    "broken": ('{"code": "a()', []),
    "a call of another thing": ('{"zip code": "12345"}', []),
}

BARE: Table = {
    "one call": ("setFinal(42)", ["setFinal(42)"]),
    "lines": (
        "const a = await getText(tab);\nsetFinal(a.length);",
        ["const a = await getText(tab);\nsetFinal(a.length);"],
    ),
    "prose before": (
        "Let me look at the page.\n\nconst a = await openTab('x');\na",
        ["const a = await openTab('x');"],
    ),
    "prose after": ("const a = 1;\nsetFinal(a);\n\nThat is all.", ["const a = 1;\nsetFinal(a);"]),
    "an arrow function": (
        "const f = (x) => {\n  return x + 1;\n};\nf(1);",
        ["const f = (x) => {\n  return x + 1;\n};\nf(1);"],
    ),
    "prose": ("The answer is 42.", []),
    "prose that names a function": ("I will call setFinal(42) next.", []),
    "prose about const": ("const is a keyword of JavaScript.", []),
    "prose with let": ("Let me check the page (tab_0) first.", []),
    "prose with if": ("If (and only if) the page loads, I go on.", []),
    "prose with for": ("for example (see above)", []),
    "prose with return": ("return to the page", []),
    "a list": ("- open the page\n- read it\n- answer", []),
    "python": ("import os\nfor x in range(3):\n    print(x)", []),
    "a question": ("Which page do you mean?", []),
    "nothing": ("", []),
    "blank": (" \n\n ", []),
}


TABLES: dict[str, Table] = {
    "fenced": FENCED,
    "trap": TRAPS,
    "other": OTHER_FENCES,
    "call": CALLS,
    "bare": BARE,
}


@pytest.mark.proves("B12", "B13")
@every("text, wanted", [case for table in TABLES.values() for case in table.values()])
def test_the_code_of_a_reply(text: str, wanted: list[str]) -> None:
    assert codes(text) == wanted


@pytest.mark.proves("B13")
def test_a_block_knows_whether_it_was_ended() -> None:
    assert [block.closed for block in blocks("```repl\na()\n```\n```repl\nb()")] == [True, False]


@pytest.mark.proves("B12")
def test_a_reply_of_nothing_but_blocks_is_bounded() -> None:
    assert len(blocks("```repl\na()\n```\n" * 500)) == MOST_BLOCKS


PIECES = st.sampled_from([
    *(
        "```",
        "````",
        "~~~",
        "`",
        "repl",
        "js",
        "\n",
        "\r\n",
        "${",
        "}",
        "{",
        "'",
        '"',
        "/",
        "*/",
        "//",
    ),
    *(
        "\\",
        "a()",
        "const a = 1;",
        '{"code": "',
        '"}',
        "code",
        "Prose.",
        " ",
        "\t",
        "> ",
        "\0",
        "[",
        "]",
    ),
])


@pytest.mark.deep
@pytest.mark.proves("B13", "B29")
@given(st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join)))
def test_no_reply_breaks_the_parser(text: str) -> None:
    for block in blocks(text):
        assert block.code.strip()


@pytest.mark.deep
@pytest.mark.proves("B13")
@given(
    st.lists(
        st
        .text(st.characters(blacklist_characters="`\r", blacklist_categories=("Cs",)), min_size=1)
        .filter(str.strip)
        .filter(lambda code: "'" not in code and '"' not in code and "/" not in code),
        min_size=1,
        max_size=5,
    )
)
def test_what_stands_in_fences_comes_out_whole(code: list[str]) -> None:
    text = "Words.\n" + "\nMore words.\n".join(f"```repl\n{each}\n```" for each in code)
    assert codes(text) == code


DRAFTED: Table = {
    "a draft before": ("<think>\n```repl\na()\n```\n</think>\n```repl\nb()\n```", ["b()"]),
    "nothing but a draft": ("<thinking>\n```repl\na()\n```\n</thinking>\nDone.", []),
    "a draft behind": ("```repl\nb()\n```\n<reasoning>\n```repl\na()\n```\n</reasoning>", ["b()"]),
    "in capitals": ("<THINK>\n```repl\na()\n```\n</THINK>\n```repl\nb()\n```", ["b()"]),
    "in one line": ("<think>x</think>\n```repl\nb()\n```", ["b()"]),
    "words behind the tag": ("<think>\nx\n</think> Now:\n```repl\nb()\n```", ["b()"]),
    "two drafts": (
        "<think>\nx\n</think>\n<think>\n```repl\na()\n```\n</think>\n```repl\nb()\n```",
        ["b()"],
    ),
    "a draft with an end tag in a fence": (
        "<think>\n```html\n</think>\n```\n```repl\na()\n```\n</think>\n```repl\nb()\n```",
        ["b()"],
    ),
    "tags in code": ("```repl\nx = `<think>\n`\nb()\n```", ["x = `<think>\n`\nb()"]),
    "tags in a line of words": ("I <think> so.\n```repl\nb()\n```\n`</think>`", ["b()"]),
    "one that nothing ends": ("<think>\n```repl\nb()\n```", ["b()"]),
    "bare code in a draft": ("<think>\nsetFinal(1)\n</think>\nNothing to run.", []),
}


@pytest.mark.proves("B13")
@every("name", DRAFTED)
def test_code_of_a_draft_is_not_run(name: str) -> None:
    text, wanted = DRAFTED[name]
    assert codes(text) == wanted


@pytest.mark.deep
@pytest.mark.proves("B13")
@every(
    "text",
    [
        "[" * 100_000,
        '{"code":' * 20_000,
        "```" * 50_000,
        "`" * 200_000,
        "{code" * 50_000,
        "<think>\n" * 50_000,
    ],
)
def test_a_flood_is_read_in_bounded_time(text: str) -> None:
    assert len(blocks(text)) <= MOST_BLOCKS
