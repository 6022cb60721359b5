// Files that a name by @ could mean: those of the folder that is typed, and tabs.
import { filtered } from "../shell/dialog.js";

let known = { key: "", at: 0, entries: [] };

/** Entries whose path fits what is typed, at most 12: {path, isFolder, hint}. */
export async function listed(link, session, typed) {
  const cut = typed.lastIndexOf("/") + 1;
  const folder = typed.slice(0, cut).replace(/\/$/, "");
  const key = `${session.id}:${folder}`;
  if (known.key !== key || Date.now() - known.at > 5000) {
    const query = new URLSearchParams({ path: folder, limit: "500" });
    const answer = await link.get(`/sessions/${encodeURIComponent(session.id)}/files?${query}`);
    known = { key, at: Date.now(), entries: answer.folder?.entries ?? [] };
  }
  const entries = known.entries.map((each) => {
    const isFolder = each.kind === "folder";
    return { label: each.name, path: `${typed.slice(0, cut)}${each.name}${isFolder ? "/" : ""}`, isFolder };
  });
  const tabs = cut ? [] : [...session.state.tabs].map(([id, tab]) => ({ label: id, path: `tab:${id}`, isFolder: false, hint: tab.title || tab.url }));
  return filtered([...tabs, ...entries], typed.slice(cut)).slice(0, 12);
}
