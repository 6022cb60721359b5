"""The pages of a shop as HTML, and an invoice as a PDF."""

from html import escape
from urllib.parse import urlencode

from ouroboros.app.demo.site.goods import Item

PAGE_ITEMS = 20

_STYLE = """
body { font: 15px system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; color: #223 }
table { border-collapse: collapse; width: 100% } td { padding: .3rem .6rem; border-top: 1px solid #ccd }
.price { text-align: right } label { display: block; margin: .6rem 0 } nav a { margin-right: .6rem }
"""


def page(title: str, body: str) -> bytes:
    """A whole page."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>{body}</html>"
    ).encode()


def listing(shop: str, items: list[Item], words: str, number: int) -> bytes:
    """One page of what was found, with links to the others."""
    last = max((len(items) - 1) // PAGE_ITEMS + 1, 1)
    number = min(max(number, 1), last)
    shown = items[(number - 1) * PAGE_ITEMS : number * PAGE_ITEMS]
    rows = "".join(
        f'<tr class="item"><td class="name"><a href="/item/{item.number}">{escape(item.name)}</a>'
        f'<td class="stock">{"in stock" if item.stock else "sold out"}'
        f'<td class="price">{item.price}'
        for item in shown
    )
    pages = "".join(
        f'<a href="/?{urlencode({"q": words, "page": other})}">{other}</a>'
        for other in range(1, last + 1)
    )
    query = escape(words, quote=True)
    return page(
        shop,
        f'<form action="/"><input name="q" value="{query}" placeholder="Search">'
        f'<button id="search">Search</button></form><p id="count">{len(items)} items, '
        f'page {number} of {last}</p><table>{rows}</table><nav id="pages">{pages}</nav>',
    )


def detail(shop: str, item: Item) -> bytes:
    """One item with the form that orders it."""
    fields = "".join(
        f'<label>{label} <input name="{name}" type="{kind}" required></label>'
        for name, label, kind in (
            ("name", "Name", "text"),
            ("street", "Street", "text"),
            ("city", "City", "text"),
            ("email", "E-mail", "email"),
        )
    )
    order = (
        f'<form method="post" action="/order/{item.number}">{fields}<label>Delivery '
        '<select name="delivery"><option>standard<option>express</select></label><label>'
        '<input type="checkbox" name="terms" value="yes" required> I accept the terms</label>'
        '<button id="order">Order</button></form>'
    )
    return page(
        f"{item.name} at {shop}",
        f'<p class="price">{item.price}</p>' + (order if item.stock else "<p>Sold out.</p>"),
    )


def thanks(shop: str, item: Item, order: int, name: str) -> bytes:
    """What is shown after an order."""
    return page(
        "Order confirmed",
        f'<p id="order-number">{order}</p><p>{escape(name)}, thank you for ordering '
        f'{escape(item.name)} at {escape(shop)} for <span class="price">{item.price}</span>.</p>'
        f'<p><a id="invoice" href="/invoice/{order}.pdf" download>Invoice</a></p>',
    )


def invoice(shop: str, item: Item, order: int, name: str) -> bytes:
    """A PDF of one page."""
    price = f"EUR {item.cents // 100}.{item.cents % 100:02}"
    lines = (f"{shop}: invoice {order}", item.name, f"Total {price}", f"For {name}")
    shown = "".join(
        f"BT /F1 14 Tf 72 {740 - 24 * number} Td ({_printable(line)}) Tj ET\n"
        for number, line in enumerate(lines)
    )
    bodies = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        " /Resources << /Font << /F1 4 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}endstream",
    )
    out, places = "%PDF-1.4\n", list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    start = len(out)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(bodies) + 1
    out += (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    return out.encode("ascii")


def _printable(text: str) -> str:
    plain = text.encode("ascii", "replace").decode()
    return plain.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
