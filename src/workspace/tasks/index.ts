/** The only way to the files of a task: no code outside of this folder imports another file of it. */
export type { ArtifactMeta } from './artifact-index.ts';
export { cleanType, extensionOf, safeName } from './artifact-names.ts';
export {
  adoptArtifact,
  artifactPath,
  createArtifact,
  findArtifact,
  hasFile,
  isLink,
  keepLink,
  listArtifacts,
} from './artifacts.ts';
export { type Change, hearChanges, tellChange } from './changes.ts';
export { linkCurrentTask } from './current.ts';
export { byChange, type ListedTask, TaskOrder } from './order.ts';
export {
  changePlan,
  type PlanFile,
  type PlanWrite,
  readImplementationPlan,
  readNamedPlan,
  readPlan,
  standOf,
  writePlan,
} from './plan.ts';
export { hearAdoptions, type ToldAdoption } from './plan-edits.ts';
export { formatPlan, isToDo, nextStep, parsePlan, planNotes, planProgress, stepAtWork } from './plan-markdown.ts';
export { dropProposal, keepProposal, readProposal } from './plan-proposal.ts';
export { standsAt } from './plan-steps.ts';
export { PlanWatch } from './plan-watch.ts';
export {
  listTasks,
  newTaskId,
  readTask,
  readTaskSync,
  resolveTaskId,
  saveTask,
  saysNothing,
  syncTask,
  taskIdFor,
  titleOf,
  updateTask,
} from './record.ts';
export { appendSession, findRun, readSessionEnd, readSessionTail } from './session.ts';
export { parseEntry } from './session-lines.ts';
export { findCompaction, readSpan, uncoveredFrom } from './session-span.ts';
export type { SessionLine } from './session-window.ts';
export { limitSpace, roomIn, type SpaceBudget } from './space.ts';
export { sweepTranscripts, type TranscriptFile, writeTranscript } from './transcript.ts';
