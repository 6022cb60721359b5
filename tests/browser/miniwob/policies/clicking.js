//: click-test
await click(tab, "#subbtn");

//: click-test-2 click-test-transfer
await pressText("button", goal.match(/button (\w+)/)[1]);

//: click-button unicode-test
await pressText("button", quoted()[0]);

//: click-button-sequence
await pressText("button", "ONE");
await pressText("button", "TWO");

//: click-link
await press("return path($$('.alink').find((e) => e.textContent === args[0]))", quoted()[0]);

//: click-dialog
await click(tab, ".ui-dialog-titlebar-close");

//: click-dialog-2
if (quoted()[0] === "x") await click(tab, ".ui-dialog-titlebar-close");
else await pressText(".ui-dialog-buttonset button", quoted()[0]);

//: click-color
await click(tab, `.color[data-color="${goal.match(/the (\w+) colored/)[1]}"]`);

//: click-widget
await click(tab, `[data-type="${quoted()[0]}"]`);

//: click-option
await pressText("#area label", goal.match(/^Select (.*) and click/)[1]);
await submit();

//: click-checkboxes click-checkboxes-large click-checkboxes-transfer
const wanted = goal.match(/^Select (.*) and click/)[1];
for (const name of wanted === "nothing" ? [] : wanted.split(", ")) await pressText("#area label", name);
await submit();

//: click-collapsible click-collapsible-nodelay
await click(tab, "#area h3");
await waitForSelector(tab, "#subbtn");
await submit();

//: click-collapsible-2 click-collapsible-2-nodelay
const section = await inPage(
  "const e = $$('.alink').find((e) => e.textContent === args[0]);" +
    "const head = e.closest('.ui-accordion-content').previousElementSibling;" +
    "return { head: path(head), link: path(e), open: seen(e) }", quoted()[0]);
if (!section.open) await click(tab, section.head);
await waitForSelector(tab, section.link);
await click(tab, section.link);

//: click-tab
await pressText(".ui-tabs-anchor", goal.match(/Tab #\d+/)[0]);

//: click-tab-2 click-tab-2-easy click-tab-2-medium click-tab-2-hard
const heads = await inPage("return $$('.ui-tabs-anchor').map(path)");
let hit = null;
for (const head of heads) {
  await click(tab, head);
  hit = await inPage("const e = $$('.alink').find((e) => seen(e) && e.textContent === args[0]); return e ? path(e) : null", quoted()[0]);
  if (hit) break;
}
await click(tab, hit);

//: click-menu-2
const item = await inPage(
  "const icon = document.querySelector('#query .ui-icon')?.classList[1];" +
    "const e = $$('#menu .ui-menu-item-wrapper').find((e) => icon ? e.querySelector('.' + icon) : e.textContent.trim() === args[0]);" +
    "const above = e.closest('ul').id === 'menu' ? null : e.closest('ul').parentElement.firstElementChild;" +
    "return { path: path(e), above: above && path(above) }", quoted()[1] ?? "");
await click(tab, "#open-menu");
if (item.above) {
  await hover(tab, item.above);
  await waitForSelector(tab, item.path);
}
await click(tab, item.path);

//: click-shades
const shade = goal.match(/shades of (\w+)/)[1];
for (const one of await inPage("return $$('#area span[data-color=' + args[0] + ']').map(path)", shade)) await click(tab, one);
await click(tab, "#submit");

//: grid-coordinate
await click(tab, `[id="${goal.match(/\(.*\)/)[0]}"]`);

//: focus-text
await click(tab, "#tt");

//: focus-text-2
await click(tab, `#tt${goal.match(/the (\d)/)[1]}`);

//: ascending-numbers
const numbers = await inPage("const all = box(document.querySelector('#area_svg')); return $$('#area_svg text').map((e) => { const b = box(e); return { number: Number(e.textContent), at: [b.x - all.x + b.w / 2, b.y - all.y + b.h / 2] } })");
for (const { at } of numbers.sort((a, b) => a.number - b.number)) await click(tab, "#area_svg", { position: at });

//: odd-or-even
const rows = await inPage("return $$('#numbers .row').map((row) => [Number(row.querySelector('.display-number').textContent), path(row.querySelector('.odd')), path(row.querySelector('.even'))])");
for (const [number, odd, even] of rows) await click(tab, number % 2 ? odd : even);
await click(tab, "#submit");

//: find-greatest
const cards = [];
for (const card of await inPage("return $$('.card').map(path)")) {
  await click(tab, card);
  cards.push([Number((await querySelector(tab, card)).innerText), card]);
}
cards.sort((a, b) => b[0] - a[0]);
await click(tab, cards[0][1]);
await click(tab, "#submit");

//: buy-ticket
const flights = await inPage("return $$('.flight').map((e) => ({ minutes: Number(e.querySelector('.time-duration').dataset.duration), price: Number(e.querySelector('.buy-ticket').textContent.replace(/\\D/g, '')), buy: path(e.querySelector('.buy-ticket')) }))");
const key = /duration/.test(goal) ? "minutes" : "price";
flights.sort((a, b) => a[key] - b[key]);
await click(tab, (/longest|most/.test(goal) ? flights.at(-1) : flights[0]).buy);

//: generate-number
const bound = Number((goal.match(/than (\d+)/) ?? [])[1]);
const fits = (n) => /less/.test(goal) ? n < bound : /greater/.test(goal) ? n > bound : /odd/.test(goal) ? n % 2 === 1 : n % 2 === 0;
for (let tries = 0; tries < 100; tries++) {
  await click(tab, "#generate");
  if (fits(Number(await read("#display-number")))) break;
}
await click(tab, "#submit");

//: identify-shape
await click(tab, await inPage(
  "const e = document.querySelector('#area_svg').lastElementChild;" +
    "const type = { rect: 'rectangle', circle: 'circle', polygon: 'triangle' }[e.localName] ?? (/\\d/.test(e.textContent) ? 'digit' : 'letter');" +
    "return '[data-type=' + type + ']'"));

//: count-shape click-shape
const figures = await inPage("return $$('#area_svg > *').map((e) => ({ path: path(e), tag: e.localName, text: e.textContent, fill: e.getAttribute('fill'), big: (e.localName === 'text' ? parseInt(e.getAttribute('font-size')) : e.getBBox().width) >= 15 }))");
const [, words] = goal.match(/How many (.*?)s? are there/) ?? goal.match(/Click on an? (.*)/);
const kind = (e) => ({ rect: "rectangle", circle: "circle", polygon: "triangle" })[e.tag] ?? (/\d/.test(e.text) ? "digit" : "letter");
const fits = (e, word) => word === "large" ? e.big : word === "small" ? !e.big
  : word === "item" || word === e.fill || word === e.text || word === kind(e) || (word === "shape" && e.tag !== "text");
const matching = figures.filter((e) => words.trim().split(" ").every((word) => fits(e, word)));
if (/How many/.test(goal)) await pressText("#count-buttons button", String(matching.length));
else await click(tab, matching[0].path);
