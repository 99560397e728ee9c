/**
 * A playbook as it is played in a task. What stands where: the playbook with its placeholders filled in
 * `artifacts/{taskId}/playbook.md`, which steps are done in `task.md` (people may change it at any time), and what came of each
 * step in the session, as a `step` line of the run that played it.
 */
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { formatPlaybook, type Playbook, type PlaybookStep, parsePlaybook } from '../../skills/playbook.ts';
import { readTextSync, writeFileAtomic } from '../../workspace/files.ts';
import type { Home } from '../../workspace/home.ts';
import { type PlanFile, readPlan, writePlan } from '../../workspace/plan.ts';
import { readSessionTail } from '../../workspace/sessions.ts';
import { cutText, plainLine } from '../../workspace/text.ts';
import type { ArtifactRef, Plan, SessionEntry, StepStatus, TaskRecord } from '../../workspace/types.ts';

export interface Played {
  /** Of the message that began it. */
  id: string;
  playbook: Playbook;
  isFinished: boolean;
}

const MAX_TITLE = 200;
const MARK = /^<!-- played by ([\w-]{1,64})( \(finished\))? -->\n/;
const fileOf = (home: Home, taskId: string) => path.join(home.taskDir(taskId), 'playbook.md');

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

export function writePlayed(home: Home, taskId: string, { id, playbook, isFinished }: Played): Promise<void> {
  const mark = `<!-- played by ${id}${isFinished ? ' (finished)' : ''} -->\n`;
  return writeFileAtomic(fileOf(home, taskId), `${mark}${formatPlaybook(playbook)}`);
}

/** As it stands in the plan. */
export const titleOfStep = ({ agent, instruction }: PlaybookStep): string =>
  cutText(plainLine(`${agent === undefined ? '' : `[${agent}] `}${instruction}`), MAX_TITLE);

export const planOf = ({ goal, steps }: Playbook, done: ReadonlySet<string> = new Set()): Plan => {
  const titles = steps.map(titleOfStep);
  return {
    goal,
    steps: titles.map((title, index) => ({
      ...{ id: String(index + 1), title },
      status: done.has(keyOf(titles, index)) ? 'done' : 'pending',
    })),
  };
};

/** A title and, of those that are the same, which one: tells a step from the others wherever a person has moved it. */
const keyOf = (titles: readonly string[], index: number): string =>
  `${titles[index]}#${titles.slice(0, index).filter((title) => title === titles[index]).length + 1}`;

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

/** The first step that is not done; undefined when all are. */
export function openStep({ plan }: PlanFile, playbook: Playbook): CurrentStep | undefined {
  const index = plan.steps.findIndex((step) => step.status !== 'done');
  const found = plan.steps[index];
  if (!found) return undefined;
  const titles = plan.steps.map((step) => step.title);
  const key = keyOf(titles, index);
  const own = playbook.steps.map(titleOfStep);
  const same = own.findIndex((_title, at) => keyOf(own, at) === key);
  const known = playbook.steps[same];
  // A step that a person has put into other words keeps its constraints; one that they have added has none.
  const moved = titles.length === own.length && !own.includes(found.title) ? playbook.steps[index] : undefined;
  const step = known ?? { ...readTitle(found.title), constraints: moved?.constraints ?? [] };
  return { key, title: found.title, index, total: titles.length, isBegun: found.status === 'in_progress', step };
}

function readTitle(title: string): Pick<PlaybookStep, 'agent' | 'instruction'> {
  const [, agent, instruction] =
    /^\[(?:agent:)?\s*([\p{L}\p{N}][\p{L}\p{N} ._-]{0,63})\]\s*(\S.*)$/iu.exec(title) ?? [];
  return agent === undefined || instruction === undefined
    ? { instruction: title }
    : { agent: agent.trim(), instruction };
}

const TRIES = 5;

/** Sets a step's status unless a person has changed the plan just now: then theirs is changed; a step they took away stays away. */
export async function setStep(home: Home, { id, viber }: TaskRecord, key: string, status: StepStatus): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const stored = await readPlan(home, id, viber);
    const titles = stored?.plan.steps.map((step) => step.title) ?? [];
    const at = titles.findIndex((_title, index) => keyOf(titles, index) === key);
    const step = stored?.plan.steps[at];
    if (!stored || !step || step.status === status) return;
    const plan = { ...stored.plan, steps: stored.plan.steps.with(at, { ...step, status }) };
    if ((await writePlan(home, id, plan, { baseHash: stored.hash })).written) return;
  }
  throw new UserError('The plan is being changed again and again: try again when nobody edits it.');
}

/** What came of a step. */
export interface DoneStep {
  key: string;
  summary: string;
  artifactRefs: ArtifactRef[];
  run: string;
}

type StepLine = Extract<SessionEntry, { type: 'step' }>;

const DONE = 'Done: ';

export function doneLine(run: string, index: number, { key, summary, artifactRefs }: Omit<DoneStep, 'run'>): StepLine {
  const text = `${DONE}${key}\n${summary}`;
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
  return first.startsWith(DONE) && /#\d+$/.test(first)
    ? { key: first.slice(DONE.length), summary: rest.join('\n'), artifactRefs, run }
    : undefined;
}

/** How far back the steps of a playbook are looked for. */
const TAIL = { maxBytes: 4 * 1024 * 1024 };

/** What came of the steps done so far, the latest of each, oldest first. */
export async function doneSteps(home: Home, task: TaskRecord, id: string): Promise<DoneStep[]> {
  const tail = await readSessionTail(home, task.viber, task.id, TAIL);
  const from = tail.findIndex((entry) => entry.type === 'message' && entry.id === id);
  const found = new Map<string, DoneStep>();
  for (const entry of tail.slice(from + 1)) {
    const done = entry.type === 'step' ? readDone(entry) : undefined;
    if (!done) continue;
    found.delete(done.key);
    found.set(done.key, done);
  }
  return [...found.values()];
}
