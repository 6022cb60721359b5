//: drag-box
await drag(tab, "#draggableSmall", "#draggableLarge");
await submit();

//: drag-circle drag-single-shape
const way = goal.match(/left|right|up|down/)[0];
const [dx, dy] = { left: [-15, 0], right: [15, 0], up: [0, -15], down: [0, 15] }[way];
const shape = await inPage("return path(document.querySelector('#area svg').lastElementChild)");
await drag(tab, shape, { dx, dy });
await submit();

//: drag-items
const names = await inPage("return $$('#sortable li').map((e) => e.innerText.trim())");
const [, name, place] = goal.match(/^Drag (\w+) (.*)\.$/);
const from = names.indexOf(name);
const to = /top/.test(place) ? 0 : /bottom/.test(place) ? names.length - 1 : /down by/.test(place) ? from + 1
  : /up by/.test(place) ? from - 1 : Number(place.match(/\d/)[0]) - 1;
await drag(tab, `#sortable li:nth-child(${from + 1})`, `#sortable li:nth-child(${to + 1})`, { nudge: true });

//: drag-items-grid
const tiles = await inPage("return $$('#sortable li').map((e) => e.innerText.trim())");
const [, tile, where] = goal.match(/^Drag (\w+) (.*)\.$/);
const start = tiles.indexOf(tile);
const row = /top/.test(where) ? 0 : /bottom/.test(where) ? 2 : 1, column = /left/.test(where) ? 0 : /right/.test(where) ? 2 : 1;
const end = /by one/.test(where) ? start + { up: -3, down: 3, left: -1, right: 1 }[where.split(" ")[0]] : row * 3 + column;
await drag(tab, `#sortable li:nth-child(${start + 1})`, `#sortable li:nth-child(${end + 1})`);

//: drag-sort-numbers
for (let round = 0; round < 12; round++) {
  const numbers = await inPage("return $$('#sortable li').map((e) => Number(e.innerText))");
  const sorted = [...numbers].sort((a, b) => a - b);
  const wrong = numbers.findIndex((n, at) => n !== sorted[at]);
  if (wrong < 0) break;
  await drag(tab, `#sortable li:nth-child(${numbers.indexOf(sorted[wrong]) + 1})`, `#sortable li:nth-child(${wrong + 1})`);
}
await submit();

//: drag-shapes
const tag = { rectangles: "rect:not(#shape-container)", circles: "circle", triangles: "polygon" }[goal.match(/all (\w+)/)[1]];
for (const one of await inPage("return $$('#area_svg ' + args[0]).map(path)", tag)) await drag(tab, one, "#shape-container");
await submit();
