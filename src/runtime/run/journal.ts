/** Writes the journal of a run to its session: each side effect before it begins, each result as its call ends. */

import path from 'node:path';
import { crashPoint } from '../../crash-points.ts';
import { scrub } from '../../log.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask, type Session } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, Json, SessionEntry } from '../../workspace/types.ts';
import { answersOfAgents } from '../context/past-run.ts';
import type { AgentHooks, StepPart } from '../contract/agent.ts';
import type { Order, Owner, RunBudget } from '../contract/order.ts';
import type { RunResults } from '../contract/outcome.ts';

type WritingRun = Pick<Order, 'task' | 'viber' | 'run' | 'stored' | 'owner' | 'asked'>;
type StepLine = Extract<SessionEntry, { type: 'step' }>;

export interface Progress {
  made: RunResults;
  /** Files made since the last line. */
  stepRefs: ArtifactRef[];
  /** Pictures shown since the last line, and those of earlier lines that the model hasn't been given yet. */
  stepShown: ArtifactRef[];
  toShow: ArtifactRef[];
  /** The number of pictures from tools in this run so far. */
  shown: number;
  hasSteps: boolean;
  budget: RunBudget;
  /** It has seen memory, files, results of tools, or what another agent knows. */
  isTainted: boolean;
}

export function progressOf({ earlier, asked }: Pick<Order, 'earlier' | 'asked'>): Progress {
  const steps = earlier.filter((entry) => entry.type === 'step');
  return {
    made: {
      refs: steps.flatMap((step) => step.artifactRefs ?? []),
      pending: [],
      plan: undefined,
      sources: [],
      said: steps.length > 0 ? answersOfAgents(steps.flatMap(({ messages }) => messages)) : [],
    },
    stepRefs: [],
    stepShown: [],
    toShow: [],
    budget: { calls: steps.length, maxCalls: 0, ofParts: 0, told: asked?.part?.told ?? {} },
    shown: steps.reduce((sum, step) => sum + (step.shown?.length ?? 0), 0),
    hasSteps: steps.length > 0,
    // The asking agent may have passed on what it has seen.
    isTainted: asked !== undefined || steps.length > 0,
  };
}

/**
 * Returns hooks that resolve once their line is durable in the session.
 * @throws a system error if the disk fails
 */
export function journal(
  order: WritingRun,
  progress: Progress,
  home: Home,
): Pick<AgentHooks, 'onCall' | 'onStep' | 'takeShown'> {
  const { task, run, stored, owner } = order;
  const append = (lines: SessionEntry[]) => sessionOf(order, home).append(lines, { sync: true });
  function lineOf({ index, messages }: StepPart): StepLine {
    progress.hasSteps = true;
    const at = new Date().toISOString();
    const line: StepLine = { type: 'step', run, ...epochOf(owner), at, index, messages: scrubbed(messages) };
    if (progress.stepRefs.length > 0) line.artifactRefs = progress.stepRefs;
    progress.stepRefs = [];
    if (progress.stepShown.length > 0) line.shown = [...progress.stepShown];
    progress.toShow.push(...progress.stepShown.splice(0));
    return line;
  }
  return {
    async onCall({ callId, tool }, said) {
      await stored?.();
      owner?.check();
      const at = new Date().toISOString();
      const line: SessionEntry = { type: 'call', run, ...epochOf(owner), at, callId, tool };
      await append(said ? [lineOf(said), line] : [line]);
      crashPoint('run:call-written');
    },
    async onStep(step) {
      owner?.check();
      await append([lineOf(step)]);
      crashPoint('run:step-written');
    },
    takeShown: () =>
      progress.toShow.splice(0).map(({ title, type, ref }) => ({
        path: openTask(home, task).fileAt(path.posix.basename(ref)),
        name: title,
        mimeType: type,
      })),
  };
}

/** The session that the run reads and writes. */
export function sessionOf({ task, viber, run, asked }: WritingRun, home: Home): Session {
  const stored = openTask(home, task, viber);
  return asked?.part ? stored.partOf(run) : stored.session;
}

export const epochOf = (owner: Owner | undefined): { epoch?: number } =>
  owner?.epoch === undefined ? {} : { epoch: owner.epoch };

/** Removes secrets, which transcripts must not contain. */
function scrubbed(messages: Json[]): Json[] {
  const text = JSON.stringify(messages);
  const clean = scrub(text);
  return clean === text ? messages : (JSON.parse(clean) as Json[]);
}
