//: drag-box
const [small, large] = await inPage("return ['#draggableSmall', '#draggableLarge'].map((one) => box(document.querySelector(one)))");
await drag(tab, "#draggableSmall", { dx: large.x + (large.w - small.w) / 2 - small.x, dy: large.y + (large.h - small.h) / 2 - small.y });
await submit();

//: drag-circle drag-single-shape
const way = goal.match(/left|right|up|down/)[0];
const [dx, dy] = { left: [-15, 0], right: [15, 0], up: [0, -15], down: [0, 15] }[way];
const shape = await inPage("return path(document.querySelector('#area svg').lastElementChild)");
await drag(tab, shape, { dx, dy });
await submit();

//: drag-items
const names = await inPage("return $$('#sortable li').map((e) => e.innerText.trim())");
const [, name, place] = goal.match(/^Drag (\S+) (.*)\.$/);
const from = names.indexOf(name);
const to = /top/.test(place) ? 0 : /bottom/.test(place) ? names.length - 1 : /down by/.test(place) ? from + 1
  : /up by/.test(place) ? from - 1 : Number(place.match(/\d/)[0]) - 1;
const item = await inPage("return box(document.querySelector('#sortable li'))");
await drag(tab, `#sortable li:nth-child(${from + 1})`, `#sortable li:nth-child(${to + 1})`, { position: [item.w / 2, to > from ? item.h - 2 : 2] });

//: drag-sort-numbers
for (let round = 0; round < 30; round++) {
  const numbers = await inPage("return $$('#sortable li').map((e) => Number(e.innerText))");
  const sorted = [...numbers].sort((a, b) => a - b);
  const wrong = numbers.findIndex((n, at) => n !== sorted[at]);
  if (wrong < 0) break;
  await drag(tab, `#sortable li:nth-child(${numbers.lastIndexOf(sorted[wrong]) + 1})`, `#sortable li:nth-child(${wrong + 1})`, { position: [20, 3] });
}
await submit();

//: drag-shapes
const tag = { rectangles: "rect:not(#shape-container)", circles: "circle", triangles: "polygon" }[goal.match(/all (\w+)/)[1]];
const ways = await inPage(
  "const mid = (e) => { const b = box(e); return [b.x + b.w / 2, b.y + b.h / 2] }; const to = mid(document.querySelector('#shape-container'));" +
    "return $$('#area_svg ' + args[0]).map((e, n) => { const from = mid(e); return { one: path(e), way: { dx: to[0] - from[0] + 14 * (n - 1.5), dy: to[1] - from[1] } } })", tag);
for (const { one, way } of ways) await drag(tab, one, way);
await submit();

//: drag-shapes-2
const kinds = { rectangles: "rect:not(#shape-container)", circles: "circle", triangles: "polygon" };
const group = goal.match(/all (\w+)/)[1];
const left = kinds[group] ?? `[fill=${group}]`;
const moves = await inPage(
  "const mid = (e) => { const b = box(e); return [b.x + b.w / 2, b.y + b.h / 2] }; const boxes = $$('#shape-container').sort((a, b) => box(a).x - box(b).x).map(mid);" +
    "return $$('#area_svg rect:not(#shape-container), #area_svg circle, #area_svg polygon').map((e, n) => { const from = mid(e), to = boxes[e.matches(args[0]) ? 0 : 1]; return { one: path(e), way: { dx: to[0] - from[0] + 6 * (n - 2), dy: to[1] - from[1] } } })", left);
for (const { one, way } of moves) await drag(tab, one, way);
await submit();
