(() => {
  const shown = ["reward-display", "click-canvas", "sync-task-cover"];
  const away = new Map();
  const hide = () => {
    document.body.removeEventListener("click", core.canvasDrawClick);
    for (const id of shown) {
      const element = document.getElementById(id);
      if (element) { away.set(id, element); element.remove(); }
    }
  };
  const restore = () => { for (const element of away.values()) document.body.append(element); };
  const end = core.endEpisode, start = core.startEpisodeReal, judged = { stacks: [] };
  core.endEpisode = function ouroJudge(...words) {
    const by = window.event && !window.event.isTrusted ? "a made-up event" : "ended";
    judged.stacks.push(new Error(by).stack);
    restore();
    try { return end.apply(core, words); } finally { hide(); }
  };
  const reset = (seed, milliseconds) => {
    restore();
    core.EPISODE_MAX_TIME = milliseconds;
    end.call(core, 0);
    Math.seedrandom(seed);
    core.setDataMode("train");
    start.call(core);
    core.clearTimer();
    hide();
    judged.stacks.length = 0;
  };
  // Some show another picture under the mouse, and have no size until it has come.
  const urls = (sheet) => [...sheet.cssRules].flatMap((rule) => [...rule.cssText.matchAll(/url\("([^"]+)"\)/g)]
    .map((found) => new URL(found[1], sheet.href ?? document.baseURI).href));
  const pictures = [...document.styleSheets].flatMap(urls).map((src) => Object.assign(new Image(), { src }));
  const goal = () => {
    const said = core.getUtterance();
    return typeof said === "string" ? said : said.utterance;
  };
  const verdict = () => ({
    ready: WOB_TASK_READY && pictures.every((each) => each.complete), done: WOB_DONE_GLOBAL, raw: WOB_RAW_REWARD_GLOBAL,
    reason: String(WOB_REWARD_REASON ?? ""), stacks: judged.stacks,
  });
  return { reset, goal, verdict };
})()
//# sourceURL=ouro-judge.js
