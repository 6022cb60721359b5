// Every view of the page, in the order of its tabs. A module exports `View({store, link, session, page, rest})`:
// `store` is what is shown (store.js), `link` asks the server (link.js), `session` is the open one (session.js; null
// where `place` is `page`), `page` shows other views (shell/page.js), `rest` is what the address says besides.
// `place`: `main` in the middle, `side` in the pane at the right (on a phone in the middle too), `page` without a session.
// A view is loaded when it is first shown. Draw again on changes by `useWatch(session)` (ui.js).
export const VIEWS = [
  { id: "chat", title: "Chat", icon: "chat", place: "main", key: "1", load: () => import("./chat.js") },
  { id: "timeline", title: "Timeline", icon: "timeline", place: "main", key: "2", load: () => import("./timeline.js") },
  { id: "browser", title: "Browser", icon: "browser", place: "side", key: "3", load: () => import("./browser.js") },
  { id: "files", title: "Files", icon: "files", place: "side", key: "4", load: () => import("./files.js") },
  { id: "review", title: "Changes", icon: "review", place: "side", key: "5", load: () => import("./review.js") },
  { id: "tree", title: "Tree", icon: "tree", place: "side", key: "6", load: () => import("./tree.js") },
  { id: "rewind", title: "Rewind", icon: "rewind", place: "side", key: "7", load: () => import("./rewind.js") },
  { id: "artifacts", title: "Artifacts", icon: "artifacts", place: "side", key: "8", load: () => import("./artifacts.js") },
  { id: "meter", title: "Context", icon: "meter", place: "side", key: "9", load: () => import("./meter.js") },
  { id: "sessions", title: "Sessions", icon: "sessions", place: "page", load: () => import("./sessions.js") },
  { id: "settings", title: "Settings", icon: "settings", place: "page", load: () => import("./settings.js") },
];

export const byId = Object.fromEntries(VIEWS.map((view) => [view.id, view]));
