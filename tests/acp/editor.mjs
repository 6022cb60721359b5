// An editor made of the official TypeScript client: runs the program it is told and prints what it saw.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "./vendor/acp_sdk.mjs";

const [cwd, ...command] = process.argv.slice(2);
const agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((done) => agent.on("exit", (code) => done(code)));
const seen = { asked: [], read: [], updates: [] };

const editor = client({ name: "test" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    seen.asked.push(params.toolCall.title);
    const chosen = params.options.find((each) => each.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: chosen.optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
    seen.read.push(params.path);
    return { content: (await readFile(params.path, "utf8")).replace("old", "unsaved") };
  })
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
    await writeFile(params.path, `${params.content}saved\n`);
    return {};
  });

const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
await editor.connectWith(stream, async (peer) => {
  const begun = await peer.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
  });
  seen.version = begun.protocolVersion;
  await peer.buildSession(cwd).withSession(async (session) => {
    seen.modes = session.modes.availableModes.map((each) => each.id);
    const answer = session.prompt("Write it.");
    for (let update = await session.nextUpdate(); update.kind !== "stop"; update = await session.nextUpdate()) {
      seen.updates.push(update.update);
    }
    seen.stopped = (await answer).stopReason;
    const slow = session.prompt("Take your time.");
    while ((await session.nextUpdate()).update?.sessionUpdate !== "agent_message_chunk");
    await peer.notify(methods.agent.session.cancel, { sessionId: session.sessionId });
    seen.cancelled = (await slow).stopReason;
    const listed = await peer.request(methods.agent.session.list, {});
    seen.listed = listed.sessions.map((each) => each.sessionId === session.sessionId);
    try {
      await peer.request(methods.agent.session.setMode, { sessionId: session.sessionId, modeId: "none" });
    } catch (error) {
      seen.refused = error.code;
    }
  });
});
agent.stdin.end();
seen.code = await ended;
console.log(JSON.stringify(seen));
