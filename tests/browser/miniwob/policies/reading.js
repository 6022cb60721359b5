//: scroll-text
const words = (await getInputs(tab)).find((one) => one.id === "text-area").value.trim().split(/\s+/);
await enter("#answer-input", bare(words.at(-1)));
await submit();

//: scroll-text-2
await scroll(tab, /bottom/.test(goal) ? "down" : "up", 20000, { target: "#text-area" });
await submit();

//: search-engine
await enter("#search-text", quoted()[0]);
await click(tab, "#search");
await waitForSelector(tab, ".search-title");
const place = Number(goal.match(/the (\d+)\w\w search/)[1]) - 1;
const page = Math.floor(place / 3) + 1;
if (page > 1) await pressText("#pagination a", String(page));
await press("return path($$('.search-title')[args[0]])", place % 3);

//: phone-book
const [, person, what] = goal.match(/Find (.*) in the contact book and click on their (\w+)/);
for (let turns = 0; turns < 30; turns++) {
  if ((await getText(tab, "#contact .name")).trim() === person) break;
  await press("return path(document.querySelector('#pagination .next a'))");
}
await click(tab, `#contact a.${what === "address" ? "address" : what === "email" ? "email" : "phone"}`);

//: email-inbox email-inbox-delete email-inbox-forward email-inbox-important email-inbox-reply email-inbox-noscroll email-inbox-star-reply
const sender = goal.match(/email by (\S+)/)[1];
const thread = await inPage("return path($$('#main .email-thread').find((e) => e.querySelector('.email-sender').textContent === args[0]))", sender);
if (/trash/.test(goal)) await click(tab, `${thread} .trash`);
else if (/star icon/.test(goal)) await click(tab, `${thread} .star`);
else {
  await click(tab, `${thread} .email-body`);
  if (/forward/.test(goal)) {
    await click(tab, "#email .email-forward");
    await type(tab, "#forward .forward-sender", goal.match(/to (\S+?)\.?$/)[1]);
    await click(tab, "#send-forward");
  } else {
    await click(tab, "#email .email-reply");
    await type(tab, "#reply-text", quoted()[0]);
    await click(tab, "#send-reply");
  }
}

//: social-media
const [user, action] = [goal.match(/user (@\w+)/)[1], quoted()[0]];
const post = await inPage("return path($$('.media').find((e) => e.querySelector('.username').textContent === args[0]))", user);
if (["Reply", "Retweet", "Like"].includes(action)) await pressPicture(`${post} .${action.toLowerCase()}`);
else {
  await pressPicture(`${post} .more`);
  await press("return path($$('ul li', document.querySelector(args[0])).find((e) => e.textContent.startsWith(args[1])))", post, action);
}

//: social-media-all social-media-some
const [author, deed] = [goal.match(/by (@\w+)/)[1], quoted()[0].toLowerCase()];
const posts = await inPage("return $$('.media').filter((e) => e.querySelector('.username').textContent === args[0]).map((e) => path(e.querySelector('.' + args[1])))", author, deed);
const count = Number((goal.match(/on (\d+) post/) ?? [0, posts.length])[1]);
for (const button of posts.slice(0, count)) await pressPicture(button);
await click(tab, "#submitRow button");

//: stock-market
const limit = Number(goal.match(/\$([\d.]+)\.$/)[1]);
for (let turn = 0; turn < 400; turn++) {
  const price = Number((await read("#stock-price")).replace("$", ""));
  // Before the last third it is left room for one move up while the click is on its way.
  if (price > 0 && price < (turn < 100 ? limit - 1.6 : limit)) break;
  await sleep(50);
}
await click(tab, "#buy");
