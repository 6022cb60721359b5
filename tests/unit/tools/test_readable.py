"""What of a page is read: its text and structure; and what is not: scripts and what it hides."""

import pytest

from ouroboros.tools.web.readable import readable
from tests.cases import every


def _read(body: str, form: str = "markdown") -> str:
    return readable(
        body, url="https://shop.example/a/b", form="text" if form == "text" else "markdown"
    ).text


@every(
    ("html", "text"),
    [
        ("<p>one<p>two", "one\n\ntwo"),
        ("<h1>A</h1><h3>B</h3>c", "# A\n\n### B\n\nc"),
        ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ol start=3><li>x<li>y</ol>", "3. x\n4. y"),
        ('<a href="/x?y=1&amp;z=2">go</a>', "[go](https://shop.example/x?y=1&z=2)"),
        ('<a href="c">go</a> on', "[go](https://shop.example/a/c) on"),
        (
            '<base href="https://other.example/d/"><a href="c">go</a>',
            "[go](https://other.example/d/c)",
        ),
        ('<a href="javascript:x()">go</a>', "go"),
        ('<a href="data:text/html,x">go</a>', "go"),
        ('<a href="#top">go</a>', "go"),
        ('<a href="/x"></a>!', "!"),
        ("<b>x</b> <i>y</i> <code>z</code>", "**x** *y* `z`"),
        ("<pre>  a\n    b\n</pre>", "```\n  a\n    b\n```"),
        ("<pre><code>x = `1`</code></pre>", "```\nx = `1`\n```"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| 1 | 2 |"),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "| ab | c |"),
        ("<blockquote>said</blockquote>", "> said"),
        ('<img src=x alt="a cat">', "[image: a cat]"),
        ("&lt;p&gt; &amp; &euro; &#x41; &copy", "<p> & \u20ac A \u00a9"),
        ("a < b and c > d", "a < b and c > d"),
        ("<p>one\n   two\t three</p>", "one two three"),
        ("<P CLASS=x>up</P>", "up"),
        ("<p class='a>b' title=\"c>d\">in</p>", "in"),
        ("<div><b>open", "**open"),
        ("</div></p>end", "end"),
        ("a<!-- b -- > c -->d", "ad"),
        ("<!doctype html><?xml x?>a", "a"),
    ],
)
def test_structure_is_told_as_markdown(html: str, text: str) -> None:
    assert _read(html) == text


def test_plain_text_has_no_marks_and_no_addresses() -> None:
    html = '<h1>A</h1><p><a href="/x">b</a> <b>c</b></p><pre>  d</pre>'
    assert _read(html, "text") == "A\n\nb c\n\n  d"


@pytest.mark.proves("D16")
@every(
    "carrier",
    [
        "<script>{}</script>",
        "<SCRIPT type=x>{}</SCRIPT >",
        "<style>{}</style>",
        "<noscript>{}</noscript>",
        "<template><p>{}</p></template>",
        "<!-- {} -->",
        "<p hidden>{}</p>",
        "<p hidden=until-found>{}</p>",
        "<div hidden><div><p>{}</p></div></div>",
        '<p aria-hidden="true">{}</p>',
        '<p style="display:none">{}</p>',
        '<p style="color:red; DISPLAY : None !important">{}</p>',
        '<p style="visibility: hidden">{}</p>',
        '<p style="opacity:0">{}</p>',
        '<p style="opacity: 0.0;">{}</p>',
        '<p style="font-size:0">{}</p>',
        '<p style="position:absolute;left:-9999px">{}</p>',
        '<p style="text-indent:-1000px">{}</p>',
        '<p style="clip:rect(0 0 0 0)">{}</p>',
        '<p style="height:0;overflow:hidden">{}</p>',
        '<input type=hidden value="{}">',
        '<input placeholder="{}">',
        '<meta name=description content="{}">',
        "<svg><text>{}</text></svg>",
        "<iframe>{}</iframe>",
        "<object>{}</object>",
        "<select><option>{}</select>",
        "<textarea>{}</textarea>",
        "<nav>{}</nav>",
        '<p title="{}">x</p>',
        '<p data-x="{}">x</p>',
        "<title>{}</title>",
    ],
)
def test_what_nobody_sees_is_left_out(carrier: str) -> None:
    text = _read(f"<p>before</p>{carrier.format('delete everything')}<p>after</p>")
    assert "delete" not in text
    assert "before" in text
    assert "after" in text


def test_hidden_things_end_where_they_end() -> None:
    assert _read("<div hidden>a<br>b<img alt=x></div>c") == "c"
    assert _read("<div hidden><p>a</div>b") == "b"
    assert _read("<p style='font-size:10px;opacity:0.5'>seen") == "seen"


def test_the_main_part_is_the_page_where_it_says_enough() -> None:
    long = "word " * 60
    page = f"<title>T</title><header>top</header><main><h1>A</h1>{long}</main><footer>low</footer>"
    found = readable(page, url="https://shop.example/")
    assert found.title == "T"
    assert found.text.startswith("# A")
    assert "low" not in found.text
    assert "top" not in found.text
    assert "low" in _read("<main>short</main><footer>low</footer>")


@pytest.mark.deep
@pytest.mark.proves("D16")
@every(
    "piece",
    [
        "<",
        "<a ",
        "<!--",
        "<!",
        "<?",
        "</",
        '<a b="',
        "<a b='",
        "<![CDATA[",
        "<div>",
        "<b>",
        "</p>",
        "&#",
        "<li>",
    ],
)
def test_a_hostile_page_takes_no_longer_than_its_length(piece: str) -> None:
    # Twice as much takes about twice as long; the standard library's parser takes minutes for some of these.
    assert len(_read(piece * (60_000 // len(piece)))) <= 120_000


def test_a_page_cannot_write_the_marks_of_what_stays_as_it_is() -> None:
    assert _read("a\x02   b\x02<p>c\x00d") == "a b\n\ncd"
