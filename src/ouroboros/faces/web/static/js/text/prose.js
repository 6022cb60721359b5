// Markdown on the page: text nodes only, blocks that did not change are not drawn again.
import { Component, CopyButton, h, html, useMemo } from "../ui.js";
import { coloured } from "./code.js";
import { blocks, inline } from "./markdown.js";
import { plain } from "./safe.js";

/** A text of a model's or a page's, as prose. */
export function Prose({ text, open = false }) {
  const found = useMemo(() => blocks(plain(text)), [text]);
  return html`<div class=${`prose foreign${open ? " open" : ""}`}>${found.map((block, n) => html`<${Block} key=${n} block=${block} />`)}</div>`;
}

class Block extends Component {
  shouldComponentUpdate({ block }) {
    return block.src !== this.props.block.src || block.type !== this.props.block.type;
  }

  render({ block }) {
    return drawn(block);
  }
}

function drawn(block) {
  switch (block.type) {
    case "heading":
      // The page has its own headings over these.
      return h(`h${Math.min(6, block.level + 2)}`, { class: `h${block.level}` }, line(block.text));
    case "rule":
      return html`<hr />`;
    case "code":
      return html`<${Code} language=${block.language} text=${block.text} />`;
    case "quote":
      return html`<blockquote>${block.blocks.map(drawn)}</blockquote>`;
    case "table":
      return html`<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${block.head.map((cell, n) => html`<th scope="col" class=${block.align[n]}>${line(cell)}</th>`)}</tr></thead>
        <tbody>${block.rows.map((row) => html`<tr>${row.map((cell, n) => html`<td class=${block.align[n]}>${line(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
    case "list":
      return h(block.ordered ? "ol" : "ul", { start: block.start === 1 ? undefined : block.start, class: block.loose ? "loose" : undefined },
        block.items.map((each) => html`<li class=${each.checked === null ? undefined : "task"}>${each.checked !== null && html`<span class="check">${each.checked ? "☑" : "☐"}<span class="sr">${each.checked ? "done: " : "to do: "}</span></span>`}${each.blocks.map(drawn)}</li>`));
    default:
      return block.tight ? line(block.text) : html`<p>${line(block.text)}</p>`;
  }
}

const line = (text) => inline(text).map(pieceDrawn);

function pieceDrawn(piece) {
  if (typeof piece === "string") return piece;
  switch (piece.type) {
    case "code":
      return html`<code>${piece.text}</code>`;
    case "break":
      return html`<br />`;
    case "link":
      return html`<a href=${piece.href} target="_blank" rel="noopener noreferrer">${piece.pieces.map(pieceDrawn)}</a>${!piece.plain && html`<span class="to"> (${piece.host})</span>`}`;
    default:
      return h(piece.type, null, piece.pieces.map(pieceDrawn));
  }
}

export function Code({ text, language = "", label }) {
  return html`<figure class="code"><figcaption><span>${label ?? (language || "text")}</span><${CopyButton} text=${text} /></figcaption>
    <pre tabindex="0"><code>${coloured(text, language)}</code></pre></figure>`;
}
