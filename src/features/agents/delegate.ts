/**
 * `delegate`: the viber works on up to four parts of a run in parallel, each with its own context and session, and gets
 * their reports. A part only reads unless the run names other tools, asks nobody and delegates nothing. The same part
 * of a run is done only once (mesh.ts): after a crash, finished reports are returned again and the other parts resume.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import { messagesIn } from '../../messages/messages.ts';
import type { DelegationRules, RunBudget } from '../../runtime/contract/order.ts';
import { ASK_AGENT, DELEGATE, runOfQuestion, viberOf } from '../../runtime/contract/question.ts';
import { RunError } from '../../runtime/contract/run-error.ts';
import { defineTool } from '../../runtime/contract/tool.ts';
import { perRun } from '../../runtime/tools/bind.ts';
import { toPeopleUnlessAsked } from '../../runtime/tools/offered.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef } from '../../workspace/types.ts';
import type { FeatureRun } from '../gateway.ts';
import { callKeys, callsOf } from './asked-calls.ts';
import { meshOf } from './mesh/mesh.ts';

const MAX_PARTS = 4;
const MAX_GOAL = 8_000;
const MAX_REPORT = 12_000;
const MAX_WORDS = 2_000;
/** Model calls of one part. With fewer than two it could only guess. */
const [MIN_CALLS, MAX_CALLS] = [2, 30];
/** The share of its model calls that a run keeps for using the reports. */
const KEPT = 0.25;

const part = z.object({
  goal: z
    .string()
    .min(1)
    .max(MAX_GOAL)
    .describe('what to find out or do, and everything it must know: it does not see this conversation'),
  tools: z.array(z.string()).exactOptional().describe('your tools that it may use in addition to those that only read'),
});
const input = z.object({ tasks: z.array(part).min(1).max(MAX_PARTS) });
type Part = z.infer<typeof part>;

const INSTRUCTIONS =
  'You work on one part of a larger task, for another run of yours that reads nothing but your report. Work on the goal alone. You can ask nobody, neither a question nor for consent: what would need it is refused; say in the report what is left to do. End with the report: what you found or did, with evidence (paths with line numbers, addresses, exact words, numbers), and what you could not find. At most 800 words.';

/** The state that the parts of one run share. */
const sharedByParts = perRun(({ order, own, mayUse, budget }: FeatureRun) => {
  const wordsOf = ({ tasks }: z.infer<typeof input>) => hashText(scrub(JSON.stringify(tasks)));
  const asked = (tools: readonly string[]): DelegationRules => ({
    chain: [viberOf(order)],
    root: order.run,
    isAlone: true,
    mode: own.mode ?? 'decide',
    calls: { used: 0 },
    may: (tool) => tool !== ASK_AGENT && tool !== DELEGATE && mayUse(tool),
    part: { tools: new Set(tools), told: budget?.told ?? {} },
  });
  return { asked, keyOf: callKeys(callsOf(order, DELEGATE, input), wordsOf) };
});

export const delegate = defineTool({
  name: DELEGATE,
  describe:
    'Have one to four independent parts of this worked on at the same time, each by yourself with an empty context: for broad searches and comparisons whose details would fill this conversation. You get a report from each. They only read unless you name other tools; anything that needs consent is refused; they share your model calls.',
  doing: 'doing.delegating',
  offered: toPeopleUnlessAsked,
  input,
  effect: 'idempotent',
  consent: 'never',
  isBeside: true,
  isResumable: true,
  keepsCall: true,
  async execute({ tasks }, run: FeatureRun, { signal, callId, onProgress }) {
    const { order } = run;
    const { asked, keyOf } = sharedByParts(run);
    const { key, isBegun } = keyOf({ tasks }, callId);
    const each = reserveCalls(run.budget, tasks.length, isBegun);
    const messages = messagesIn(order.language);
    const tell = (done: number) => onProgress?.(messages.text('live.reports', { done, n: tasks.length }));
    tell(0);
    let done = 0;
    const works = tasks.map(async (task, index) => {
      const report = await reportOn(task, `${key} ${index}`, { run, asked: asked(task.tools ?? []), signal, each });
      done += 1;
      tell(done);
      return report;
    });
    // No part may go on unseen after the call has ended.
    await Promise.allSettled(works);
    return { reports: await Promise.all(works) };
  },
});

/** Returns how many model calls each part may make, and reserves them. */
function reserveCalls(budget: RunBudget | undefined, parts: number, isBegun: boolean): number {
  if (!budget) return MAX_CALLS;
  const left = budget.maxCalls - budget.calls - budget.ofParts;
  const share = Math.min(MAX_CALLS, Math.floor((left * (1 - KEPT)) / parts));
  if (share < MIN_CALLS && !isBegun)
    throw new UserError(
      `This run has ${Math.max(0, left)} model calls left (maxSteps), too few for that: do it yourself.`,
    );
  const each = Math.max(MIN_CALLS, share);
  budget.ofParts += each * parts;
  return each;
}

interface Working {
  run: FeatureRun;
  asked: DelegationRules;
  signal: AbortSignal;
  /** Model calls. */
  each: number;
}

type Report = { goal: string; files?: { id: string; title: string; type: string }[] } & (
  | { report: string }
  | { failed: string }
);

async function reportOn({ goal, tools = [] }: Part, key: string, working: Working): Promise<Report> {
  const { run, asked, signal, each } = working;
  const { order, gw, scope } = run;
  const agent = viberOf(order);
  const shown = goal.slice(0, 200).toWellFormed();
  // The run may have chosen a project since it began.
  const task = openTask(gw.home, order.task.id).record() ?? order.task;
  const question = { agent, message: goalMessage(goal, run), key, order: { ...order, task }, signal, asked };
  try {
    const none = tools.find((name) => name === ASK_AGENT || name === DELEGATE);
    if (none !== undefined) throw new UserError(`A part can't use ${none}: leave it out.`);
    const answer = await meshOf(gw).ask({ ...question, maxSteps: each, instructions: INSTRUCTIONS });
    if ('waiting' in answer) throw new UserError('It waited for a person, but nobody can be asked.');
    for (const ref of answer.artifactRefs) scope.onArtifact(ref);
    return { goal: shown, report: clipped(answer.text), ...filesOf(answer.artifactRefs) };
  } catch (error) {
    if (signal.aborted || !(error instanceof RunError || error instanceof UserError)) throw error;
    const why = error instanceof RunError ? error.userMessage || error.kind : error.message;
    return { goal: shown, failed: clipped(why) };
  } finally {
    if (run.budget) run.budget.ofParts += callsMade(key, run) - each;
  }
}

/**
 * Returns how many model calls a part has made, including before a restart: one for each step, and one for the report.
 */
function callsMade(key: string, { order, gw }: FeatureRun): number {
  const viber = viberOf(order);
  const run = runOfQuestion(order.run, viber, key);
  const lines = openTask(gw.home, order.task, viber).partOf(run).run(run);
  return new Set(lines.flatMap((line) => (line.type === 'step' || line.type === 'result' ? [line.at] : []))).size;
}

/** Returns the goal together with the person's request. */
function goalMessage(goal: string, { order }: FeatureRun): string {
  const words = order.words.join('\n\n').slice(0, MAX_WORDS).toWellFormed().trim();
  const whole = words === '' ? order.task.goal.slice(0, MAX_WORDS).toWellFormed() : words;
  return `${goal.trim()}\n\nThe whole request, for context only:\n${whole.replace(/^/gm, '> ')}`;
}

const filesOf = (refs: readonly ArtifactRef[]) =>
  refs.length > 0 ? { files: refs.map(({ id, title, type }) => ({ id, title, type })) } : {};

const clipped = (text: string): string =>
  (text.length > MAX_REPORT ? `${text.slice(0, MAX_REPORT)} [cut]` : text).toWellFormed();
