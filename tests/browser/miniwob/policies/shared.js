// What all policies use; they know `tab` and `goal` and call the page functions, nothing else.

const quoted = () => [...goal.matchAll(/"([^"]*)"/g)].map((found) => found[1]);
const bare = (text) => text.trim().replace(/[.,]$/, "");

// Runs `body` in the page; there `$$` finds elements, `path` writes a selector for one, `args` is given.
async function inPage(body, ...args) {
  return execInTab(tab, `(() => {
    const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
    const seen = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
    const path = (e) => {
      const steps = [];
      for (; e && e !== document.documentElement; e = e.parentElement)
        steps.unshift(e.localName + ":nth-child(" + ([...e.parentElement.children].indexOf(e) + 1) + ")");
      return steps.length ? "html > " + steps.join(" > ") : null;
    };
    const box = (e) => { const b = e.getBoundingClientRect(); return { x: b.x, y: b.y, w: b.width, h: b.height }; };
    const args = ${JSON.stringify(args)};
    ${body}
  })()`);
}

async function press(body, ...args) {
  const found = await inPage(body, ...args);
  if (!found) throw new Error("nothing to press: " + body);
  return click(tab, found);
}

// Presses the first visible element of `selector` whose text is `text`.
async function pressText(selector, text) {
  return press(
    "const e = $$(args[0]).find((e) => seen(e) && e.textContent.trim().replace(/[.,]$/, '') === args[1]);" +
      "return e ? path(e) : null;", selector, text);
}

// Presses what shows another picture under the mouse, and has no size until that has come.
async function pressPicture(selector) {
  await waitForSelector(tab, selector, 30000);
  await hover(tab, selector);
  await waitForSelector(tab, selector, 30000);
  return click(tab, selector);
}

const submit = () => click(tab, "#subbtn");
const enter = (selector, text) => fill(tab, { [selector]: text });
const read = (selector) => inPage("return document.querySelector(args[0])?.innerText.trim() ?? null", selector);
