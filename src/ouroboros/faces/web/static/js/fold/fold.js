// Which fold takes in which event: the page's copy of `core/state/fold.py`, for what people look at.
import * as around from "./around.js";
import * as asked from "./asked.js";
import * as done from "./done.js";
import * as run from "./run.js";
import * as said from "./said.js";

export { say } from "./asked.js";
export { empty } from "./parts.js";
export { tear } from "./said.js";

const FOLDS = {
  "session.ready": run.sessionReady,
  "session.changed": run.sessionChanged,
  "turn.started": run.turnStarted,
  "task.completed": run.taskEnded,
  "task.cancelled": run.taskEnded,
  "session.branched": run.movedTo,
  "session.rollback": run.movedTo,
  "session.forked": run.sessionForked,
  "context.compacted": run.compacted,
  "goal.created": run.goalChanged,
  "goal.updated": run.goalChanged,
  "goal.continued": run.goalChanged,
  "goal.limited": run.goalChanged,
  "user.message": said.userMessage,
  "model.delta": said.delta,
  "agent.message": said.agentMessage,
  "tool.started": done.toolStarted,
  "tool.attempted": done.toolAttempted,
  "tool.progress": done.toolProgress,
  "tool.result": done.toolResulted,
  "iteration.started": done.iterationStarted,
  "code.generated": done.codeGenerated,
  "code.result": done.codeResulted,
  "subagent.started": done.subagentStarted,
  "subagent.replied": done.subagentReplied,
  "subagent.completed": done.subagentCompleted,
  "permission.requested": asked.permissionRequested,
  "permission.answered": asked.permissionAnswered,
  "permission.blocked": asked.permissionBlocked,
  "permission.remembered": asked.permissionRemembered,
  "user.asked": asked.userAsked,
  "user.answered": asked.userAnswered,
  "plan.updated": asked.planUpdated,
  "plan.proposed": asked.planProposed,
  "plan.answered": asked.planAnswered,
  "queue.put": asked.wordsQueued,
  "queue.dropped": asked.wordsDropped,
  "env.updated": around.environmentUpdated,
  "log": around.logged,
  "error": around.errorRaised,
  "diff.turn": around.turnDiffed,
  "artifact.kept": around.artifactKept,
  "browser.changes": around.pageChanged,
  "hook.finished": around.hookFinished,
};

const FAMILIES = {
  tab: around.tabEvent, browser: around.browserEvent, dialog: around.browserEvent, download: around.browserEvent,
  request: around.browserEvent, checkpoint: around.filesMoved, turn: around.filesMoved, review: around.reviewEvent,
  process: around.processEvent,
};

/** Takes in one event; unknown ones change nothing but the number. */
export function apply(s, envelope) {
  if (envelope.id) s.seq = envelope.seq;
  const fold = FOLDS[envelope.type] ?? FAMILIES[envelope.type.split(".")[0]] ?? around.told;
  fold(s, envelope, envelope.data ?? {});
}
