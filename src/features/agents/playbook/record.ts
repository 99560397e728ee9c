/**
 * Stores the state of a playbook in a task. `artifacts/{taskId}/playbook.md` is the playbook with its values filled in;
 * finished steps are ticked in `task.md`, which people may change at any time; the results are `step` lines in the
 * run's session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../errors.ts';
import { readTextSync, writeFileAtomic } from '../../../lib/files.ts';
import { cutText, plainLine } from '../../../lib/text.ts';
import { say } from '../../../messages/messages.ts';
import type { Home } from '../../../workspace/home.ts';
import { isToDo, openTask, type PlanFile } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, Plan, SessionEntry, StepStatus, TaskRecord } from '../../../workspace/types.ts';
import {
  formatPlaybook,
  type Playbook,
  type PlaybookStep,
  parsePlaybook,
  survivesFormatting,
} from './read-playbook.ts';
import { inheritedConstraints, type TitledStep } from './reworded.ts';

export interface PlayRecord {
  /** The ID of the message that started it. */
  id: string;
  playbook: Playbook;
  isFinished: boolean;
}

const MAX_TITLE = 200;
const MARK = /^<!-- played by ([\w-]{1,64})( \(finished\))? -->\n/;
const playbookFile = (home: Home, taskId: string) => openTask(home, taskId).fileAt('playbook.md');

/** Returns the task's playbook, or undefined if there is none or its file was damaged by hand. */
export function readPlayed(home: Home, taskId: string): PlayRecord | undefined {
  const text = readTextSync(playbookFile(home, taskId)) ?? '';
  const [mark, id, finished] = MARK.exec(text) ?? [];
  if (mark === undefined || id === undefined) return undefined;
  try {
    return { id, playbook: parsePlaybook(text.slice(mark.length)), isFinished: finished !== undefined };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Returns whether it can be written and read back unchanged. */
export const isPlayable = (playbook: Playbook): boolean => survivesFormatting(playbook);

export function writePlayed(home: Home, taskId: string, { id, playbook, isFinished }: PlayRecord): Promise<void> {
  const mark = `<!-- played by ${id}${isFinished ? ' (finished)' : ''} -->\n`;
  return writeFileAtomic(playbookFile(home, taskId), `${mark}${formatPlaybook(playbook)}`);
}

/** Returns the step's title in the plan. */
export const titleOfStep = ({ agent, instruction }: PlaybookStep): string =>
  cutText(plainLine(`${agent === undefined ? '' : `[${agent}] `}${instruction}`), MAX_TITLE);

export const planOf = ({ goal, steps }: Playbook, done: readonly DoneStep[] = []): Plan => {
  const came = new Map(done.map((step) => [step.key, step.isSkipped ? ('skipped' as const) : ('done' as const)]));
  const titles = steps.map(titleOfStep);
  return {
    goal,
    steps: titles.map((title, index) => ({
      id: String(index + 1),
      title,
      status: came.get(stepTitleKey(titles, index)) ?? 'pending',
    })),
  };
};

/** Returns the title and its number among equal titles: together they identify a step wherever a person moves it. */
const stepTitleKey = (titles: readonly string[], index: number): string =>
  `${titles[index]}#${titles.slice(0, index).filter((title) => title === titles[index]).length + 1}`;

export const titledSteps = (titles: readonly string[]): TitledStep[] =>
  titles.map((title, index) => ({ title, key: stepTitleKey(titles, index) }));

/** A step of the current plan, with its entry in the playbook. */
export interface CurrentStep {
  key: string;
  title: string;
  index: number;
  total: number;
  /** True if it is marked as in progress. */
  isBegun: boolean;
  step: PlaybookStep;
}

/** Returns the first pending step; undefined if there is none. */
export function openStep({ plan }: PlanFile, playbook: Playbook): CurrentStep | undefined {
  const index = plan.steps.findIndex(isToDo);
  const found = plan.steps[index];
  if (!found) return undefined;
  const titles = plan.steps.map((step) => step.title);
  const key = stepTitleKey(titles, index);
  const own = playbook.steps.map(titleOfStep);
  const steps = playbook.steps.map((step, at) => ({ ...step, key: stepTitleKey(own, at), title: own[at] ?? '' }));
  const same = steps.findIndex((each) => each.key === key);
  // A step that a person has reworded keeps its constraints; one that a person has added has none.
  const step = playbook.steps[same] ?? {
    ...readTitle(found.title),
    constraints: inheritedConstraints(key, titledSteps(titles), steps),
  };
  return { key, title: found.title, index, total: titles.length, isBegun: found.status === 'in_progress', step };
}

export function readTitle(title: string): { agent?: string; instruction: string } {
  const [, agent, instruction] =
    /^\[(?:agent:)?\s*([\p{L}\p{N}][\p{L}\p{N} ._-]{0,63})\]\s*(\S.*)$/iu.exec(title) ?? [];
  return agent === undefined || instruction === undefined
    ? { instruction: title }
    : { agent: agent.trim(), instruction };
}

/** How long to wait: an editor that saves in place briefly leaves an empty or truncated file. */
const SAVING_MS = 250;

/** Returns the plan. Reads it twice if it is unexpected, because half a plan has another meaning. */
export async function readWholePlan(
  home: Home,
  { id, viber }: TaskRecord,
  isExpected: (plan: PlanFile) => boolean,
): Promise<PlanFile | undefined> {
  const seen = await openTask(home, id, viber).plan.read();
  if (seen && isExpected(seen)) return seen;
  await sleep(SAVING_MS);
  return openTask(home, id, viber).plan.read();
}

/** Returns true if no step is missing, or one is pending. */
export const isWhole = ({ plan: { steps } }: PlanFile, playbook: Playbook): boolean =>
  steps.length >= playbook.steps.length || steps.some(isToDo);

const TRIES = 5;

/**
 * Sets a step's status. If a person has just changed the plan, their version is used; a step that they removed stays
 * removed.
 */
export async function setStep(home: Home, task: TaskRecord, key: string, status: StepStatus): Promise<void> {
  const placeIn = ({ plan }: PlanFile) =>
    titledSteps(plan.steps.map(({ title }) => title)).findIndex((at) => at.key === key);
  for (let tries = 0; tries < TRIES; tries++) {
    const stored = await readWholePlan(home, task, (plan) => placeIn(plan) >= 0);
    const at = stored ? placeIn(stored) : -1;
    const step = stored?.plan.steps[at];
    if (!stored || !step || step.status === status) return;
    const plan = { ...stored.plan, steps: stored.plan.steps.with(at, { ...step, status }) };
    if ((await openTask(home, task).plan.write(plan, { baseHash: stored.hash })).written) return;
  }
  throw new UserError(say('playbooks.changing'));
}

/** The result of a step. */
export interface DoneStep {
  key: string;
  summary: string;
  artifactRefs: ArtifactRef[];
  run: string;
  /** Whether the supervisor has skipped it; `summary` says why. */
  isSkipped?: true;
}

type StepLine = Extract<SessionEntry, { type: 'step' }>;

const DONE = 'Done: ';
const SKIPPED = 'Left out: ';

export function doneLine(run: string, index: number, step: Omit<DoneStep, 'run'>): StepLine {
  const { key, summary, artifactRefs, isSkipped = false } = step;
  const text = `${isSkipped ? SKIPPED : DONE}${key}\n${summary}`;
  const messages = [{ role: 'assistant', content: [{ type: 'text', text }] }];
  const line: StepLine = { type: 'step', run, at: new Date().toISOString(), index, messages };
  return artifactRefs.length > 0 ? { ...line, artifactRefs } : line;
}

export function readDone({ messages: [message], artifactRefs = [], run }: StepLine): DoneStep | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  const [part] = Array.isArray(message.content) ? message.content : [];
  if (typeof part !== 'object' || part === null || Array.isArray(part) || typeof part.text !== 'string')
    return undefined;
  const [first = '', ...rest] = part.text.split('\n');
  const lead = [DONE, SKIPPED].find((each) => first.startsWith(each));
  if (lead === undefined || !/#\d+$/.test(first)) return undefined;
  const summary = rest.join('\n');
  return { key: first.slice(lead.length), summary, artifactRefs, run, ...(lead === SKIPPED && { isSkipped: true }) };
}

/** How far back to search for a playbook's steps. */
const TAIL = { maxBytes: 4 * 1024 * 1024 };

/** Returns the results of the steps so far, the latest for each step, oldest first. */
export async function doneSteps(home: Home, task: TaskRecord, id: string): Promise<DoneStep[]> {
  const tail = openTask(home, task).session.tail(TAIL);
  const from = tail.findIndex((entry) => entry.type === 'message' && entry.id === id);
  const found = new Map<string, DoneStep>();
  // Text in an asked agent's run never counts as a result, whatever it looks like.
  const asked = new Set(
    tail.flatMap((entry) => (entry.type === 'message' && entry.from.channel === 'agent' ? [entry.run] : [])),
  );
  for (const entry of tail.slice(from + 1)) {
    const done = entry.type === 'step' && !asked.has(entry.run) ? readDone(entry) : undefined;
    if (!done) continue;
    found.delete(done.key);
    found.set(done.key, done);
  }
  return [...found.values()];
}
