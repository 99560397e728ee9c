/**
 * A playbook as it is played in a task. What stands where: the playbook with its placeholders filled in
 * `artifacts/{taskId}/playbook.md`, which steps are done in `task.md` (people may change it at any time), and what came of each
 * step in the session, as a `step` line of the run that played it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../errors.ts';
import { readTextSync, writeFileAtomic } from '../../../lib/files.ts';
import { cutText, plainLine } from '../../../lib/text.ts';
import { say } from '../../../messages/messages.ts';
import { formatPlaybook, isSame, type Playbook, type PlaybookStep, parsePlaybook } from '../../../skills/playbook.ts';
import type { Home } from '../../../workspace/home.ts';
import { isToDo, openTask, type PlanFile } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, Plan, SessionEntry, StepStatus, TaskRecord } from '../../../workspace/types.ts';
import { inheritedConstraints, type Titled } from './reworded.ts';

export interface Played {
  /** Of the message that began it. */
  id: string;
  playbook: Playbook;
  isFinished: boolean;
}

const MAX_TITLE = 200;
const MARK = /^<!-- played by ([\w-]{1,64})( \(finished\))? -->\n/;
const fileOf = (home: Home, taskId: string) => openTask(home, taskId).fileAt('playbook.md');

/** What is or was played in the task; undefined when nothing was, or the file was spoiled by hand. */
export function readPlayed(home: Home, taskId: string): Played | undefined {
  const text = readTextSync(fileOf(home, taskId)) ?? '';
  const [mark, id, finished] = MARK.exec(text) ?? [];
  if (mark === undefined || id === undefined) return undefined;
  try {
    return { id, playbook: parsePlaybook(text.slice(mark.length)), isFinished: finished !== undefined };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Whether it can be kept as a file and read back as it is. */
export const isPlayable = (playbook: Playbook): boolean => isSame(playbook);

export function writePlayed(home: Home, taskId: string, { id, playbook, isFinished }: Played): Promise<void> {
  const mark = `<!-- played by ${id}${isFinished ? ' (finished)' : ''} -->\n`;
  return writeFileAtomic(fileOf(home, taskId), `${mark}${formatPlaybook(playbook)}`);
}

/** As it stands in the plan. */
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
      status: came.get(keyOf(titles, index)) ?? 'pending',
    })),
  };
};

/** A title and, of those that are the same, which one: tells a step from the others wherever a person has moved it. */
const keyOf = (titles: readonly string[], index: number): string =>
  `${titles[index]}#${titles.slice(0, index).filter((title) => title === titles[index]).length + 1}`;

export const titledSteps = (titles: readonly string[]): Titled[] =>
  titles.map((title, index) => ({ title, key: keyOf(titles, index) }));

/** A step of the plan as it stands, with what the playbook says about it. */
export interface CurrentStep {
  key: string;
  title: string;
  index: number;
  total: number;
  /** It is marked as in progress. */
  isBegun: boolean;
  step: PlaybookStep;
}

/** The first step that is to be done; undefined when all are. */
export function openStep({ plan }: PlanFile, playbook: Playbook): CurrentStep | undefined {
  const index = plan.steps.findIndex(isToDo);
  const found = plan.steps[index];
  if (!found) return undefined;
  const titles = plan.steps.map((step) => step.title);
  const key = keyOf(titles, index);
  const own = playbook.steps.map(titleOfStep);
  const steps = playbook.steps.map((step, at) => ({ ...step, key: keyOf(own, at), title: own[at] ?? '' }));
  const same = steps.findIndex((each) => each.key === key);
  // A step that a person has put into other words keeps its constraints; one that they have added has none.
  const step = playbook.steps[same] ?? {
    ...readTitle(found.title),
    constraints: inheritedConstraints(key, titledSteps(titles), steps),
  };
  return { key, title: found.title, index, total: titles.length, isBegun: found.status === 'in_progress', step };
}

export function readTitle(title: string): Pick<PlaybookStep, 'agent' | 'instruction'> {
  const [, agent, instruction] =
    /^\[(?:agent:)?\s*([\p{L}\p{N}][\p{L}\p{N} ._-]{0,63})\]\s*(\S.*)$/iu.exec(title) ?? [];
  return agent === undefined || instruction === undefined
    ? { instruction: title }
    : { agent: agent.trim(), instruction };
}

/** An editor that saves in place leaves a file for a moment that is empty or ends early. */
const SAVING_MS = 250;

/** The plan; looked at twice when it is not as it is expected, since half of it means something else. */
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

/** Nothing was taken away from it, or it has something that is to be done. */
export const isWhole = ({ plan: { steps } }: PlanFile, playbook: Playbook): boolean =>
  steps.length >= playbook.steps.length || steps.some(isToDo);

const TRIES = 5;

/** Sets a step's status unless a person has changed the plan just now: then theirs is changed; a step they took away stays away. */
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

/** What came of a step. */
export interface DoneStep {
  key: string;
  summary: string;
  artifactRefs: ArtifactRef[];
  run: string;
  /** The supervisor has left it out; `summary` says why. */
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

/** How far back the steps of a playbook are looked for. */
const TAIL = { maxBytes: 4 * 1024 * 1024 };

/** What came of the steps done so far, the latest of each, oldest first. */
export async function doneSteps(home: Home, task: TaskRecord, id: string): Promise<DoneStep[]> {
  const tail = openTask(home, task).session.tail(TAIL);
  const from = tail.findIndex((entry) => entry.type === 'message' && entry.id === id);
  const found = new Map<string, DoneStep>();
  // What an agent says in its own run is no tick, whatever its words look like.
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
