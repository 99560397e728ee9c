/** The entry point to a task's files: code outside this folder imports nothing else from it. */
export { cleanType, extensionOf, safeName, withoutNumber } from './artifact-names.ts';
export { type ArtifactMeta, isLink } from './artifacts.ts';
export { type Change, hearChanges, type PlanEdit, tellChange } from './changes.ts';
export {
  type DeletedTask,
  deletedTask,
  deletedTasks,
  forgetDeleted,
  hasDeleted,
  moveFromDeleted,
  moveToDeleted,
  recordDeletion,
} from './deleted.ts';
export { byChange, type ListedTask, TaskOrder } from './order.ts';
export { type PlanFile, type PlanWrite, standOf } from './plan.ts';
export { formatPlan, isToDo, nextStep, parsePlan, planNotes, planProgress, stepAtWork } from './plan-markdown.ts';
export { standsAt } from './plan-steps.ts';
export { PlanWatch } from './plan-watch.ts';
export { listTasks, newTaskId, resolveTaskId, saveTask, saysNothing, taskIdFor, taskIds, titleOf } from './record.ts';
export type { Session, SessionTail } from './session.ts';
export { parseEntry, type SessionLine } from './session-lines.ts';
export { recentSessions } from './session-window.ts';
export { hasRoomForWords, limitSpace, type SpaceBudget, takeRoom, takeRoomAt } from './space.ts';
export { openTask, type Task } from './task.ts';
export { sweepTranscripts, type TranscriptFile, writeTranscript } from './transcript.ts';
