//: choose-list
const list = goal.match(/^Select (.*) from the list/)[1];
await select(tab, "#options", list);
await click(tab, "#area button");

//: click-scroll-list
let rest = goal.match(/^Select (.*) from the scroll list/)[1];
const options = await inPage("return $$('#options option').map((e) => e.textContent)");
const picked = [];
while (rest) {
  const next = options.filter((one) => rest === one || rest.startsWith(one + ", ")).sort((a, b) => b.length - a.length)[0];
  picked.push(next);
  rest = rest.slice(next.length).replace(/^, /, "");
}
await select(tab, "#options", picked);
await click(tab, "#area button");

//: form-sequence
const [number, box] = [goal.match(/Select (-?\d+)/)[1], goal.match(/the (\d)\w\w checkbox/)[1]];
await click(tab, "#slider .ui-slider-handle");
for (let steps = 0; steps < 50; steps++) {
  const now = Number(await read("#val"));
  if (now === Number(number)) break;
  await keyPress(tab, now < number ? "ArrowRight" : "ArrowLeft");
}
await check(tab, `#checkbox-${box}`);
await submit();

//: form-sequence-2
const [radio, field] = [goal.match(/the (\d)\w\w radio/)[1], goal.match(/the (\d)\w\w textbox/)[1]];
await click(tab, `input[type=radio][value="${radio}"]`);
await enter(`#input-${field}`, quoted()[0]);
await submit();

//: form-sequence-3
await click(tab, ".selectric");
await waitForSelector(tab, ".selectric-items li.last");
await pressText(".selectric-items li", goal.match(/Choose (.*) from/)[1]);
await pressText("button", quoted()[0]);

//: multi-layouts multi-orderings
const [, genre, director, year] = goal.match(/for (.*) movies directed by (.*) from year (\d+)/);
const fields = await inPage("return $$('#area input').map((e) => { let box = e; while (!box.textContent.trim()) box = box.parentElement; return [path(e), box.textContent] })");
for (const [one, label] of fields)
  await enter(one, /genre/i.test(label) ? genre : /director/i.test(label) ? director : year);
await press("return path($$('#area *').filter((e) => seen(e) && !e.children.length && /^(Submit|Search|Go!)$/.test(e.textContent)).at(-1))");

//: use-slider
const wanted = Number(goal.match(/Select (-?\d+)/)[1]);
await click(tab, "#slider .ui-slider-handle");
for (let steps = 0; steps < 300; steps++) {
  const now = Number(await read("#val"));
  if (now === wanted) break;
  await keyPress(tab, now < wanted ? "ArrowUp" : "ArrowDown");
}
await submit();

//: use-slider-2
const combination = JSON.parse(goal.match(/\[.*\]/)[0]);
for (let n = 1; n <= 3; n++) {
  await click(tab, `#slider-${n} .ui-slider-handle`);
  for (let steps = 0; steps < 50; steps++) {
    const now = Number(await read(`#val-${n}`));
    if (now === combination[n - 1]) break;
    await keyPress(tab, now < combination[n - 1] ? "ArrowRight" : "ArrowLeft");
  }
}
await submit();

//: use-spinner
const spin = Number(goal.match(/Select (-?\d+)/)[1]);
for (let steps = 0; steps < Math.abs(spin); steps++) await click(tab, spin > 0 ? ".ui-spinner-up" : ".ui-spinner-down");
await submit();

//: use-autocomplete use-autocomplete-nodelay
const [start, end = ""] = quoted();
await type(tab, "#tags", start);
await waitForSelector(tab, ".ui-menu-item-wrapper");
let shown = ""; // each key makes the list anew
for (let looks = 0; looks < 50; looks++) {
  await sleep(50);
  const now = await inPage("return $$('.ui-menu-item-wrapper').filter(seen).map((e) => e.id + e.textContent).join()");
  if (now && now === shown) break;
  shown = now;
}
await hover(tab, "#query"); // the list opened under the pointer, and goes by where that was
await press("return path($$('.ui-menu-item-wrapper').find((e) => seen(e) && e.textContent.startsWith(args[0]) && e.textContent.endsWith(args[1])))", start, end);
await waitForSelector(tab, ".ui-menu-item-wrapper", 5000, { state: "hidden" }); // it may cover the button
await submit();

//: choose-date choose-date-easy choose-date-medium choose-date-nodelay
const [month, day] = goal.match(/(\d+)\/(\d+)\/\d+/).slice(1).map(Number);
await click(tab, "#datepicker");
await waitForSelector(tab, ".ui-datepicker-month");
const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
for (let turns = 0; turns < 24; turns++) {
  const now = months.indexOf(await read(".ui-datepicker-month")) + 1;
  if (now === month) break;
  await click(tab, now < month ? ".ui-datepicker-next" : ".ui-datepicker-prev");
}
await pressText(".ui-datepicker-calendar td a", String(day));
await waitForSelector(tab, "#ui-datepicker-div", 30000, { state: "hidden" }); // it fades, over the button
await submit();

//: navigate-tree
const chains = await inPage(
  "return $$('#tree span').filter((e) => e.textContent === args[0]).map((e) => {" +
    "const chain = []; for (let li = e.parentElement.parentElement.closest('li'); li; li = li.parentElement.closest('li')) chain.unshift(path(li.querySelector('.hitarea')));" +
    "return { chain, path: path(e) } }).sort((a, b) => a.chain.length - b.chain.length)", quoted()[0]);
for (const head of chains[0].chain) {
  if (!(await inPage("return document.querySelector(args[0]).parentElement.classList.contains('collapsable')", head))) await click(tab, head);
}
await waitForSelector(tab, chains[0].path);
await click(tab, chains[0].path);

//: sign-agreement
if (/Scroll/.test(goal)) {
  await scroll(tab, "down", 5000, { target: "#text-area" });
  await waitForSelector(tab, "#name:not([disabled])");
  await enter("#name", quoted()[0]);
}
await click(tab, /(Agree)"/.test(goal) ? "#agree" : "#cancel");

//: order-food
const [, amount, sort] = goal.match(/^Order (\d+) items that are (.*)$/) ?? [];
const named = async () => {
  const menu = await inPage("return $$('.food-item .item-name').map((e) => e.textContent.trim())"), found = [];
  for (let rest = goal.split(": ")[1]; rest; rest = rest.slice(found.at(-1).length).replace(/^, /, ""))
    found.push(menu.filter((one) => rest.startsWith(one)).sort((a, b) => b.length - a.length)[0]);
  return found;
};
const dishes = sort ? await inPage("return $$('.food-item').filter((e) => e.querySelector('.types img[alt=\"' + args[0] + '\"]')).map((e) => path(e.querySelector('.add')))", sort)
  : await inPage("return args[0].map((name) => path($$('.food-item').find((e) => e.querySelector('.item-name').textContent.trim() === name).querySelector('.add')))", await named());
for (const add of sort ? dishes.slice(0, Number(amount)) : dishes) await click(tab, add);
for (let more = dishes.length; sort && more < Number(amount); more++) await click(tab, dishes[0]);
await click(tab, "#submit-order button");
