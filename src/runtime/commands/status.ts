/** /status and /stop: what is going on, and an end to it. */
import { principalText } from '../../access/principal.ts';
import { planProgress, readPlan, standOf } from '../../workspace/plan.ts';
import { readSessionTail } from '../../workspace/sessions.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { addUsage } from '../../workspace/usage.ts';
import { addressName } from '../conversations/places.ts';
import { capsText, usageText } from '../costs/words.ts';
import { consentText, revokeButton } from './approve.ts';
import { type Command, type CommandContext, TASK_ID } from './command.ts';

/** `75` seconds as `1 min 15 s`. */
export function duration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const status: Command = {
  name: 'status',
  description: 'What I am doing now',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'look',
  takesTask: 'any',
  async run(context) {
    const { home, task, taskId, model, look } = context;
    if (!task)
      return { text: `Nothing yet: this conversation has no task. Write to me to begin one. (model: ${model})` };
    const { view: run, depth: waiting } = await look(taskId);
    const isWaiting = (context.approvals?.open(taskId) ?? []).length > 0;
    const plan = await readPlan(home, taskId);
    const lines = [`**${task.title}** (\`${task.id}\`)`];
    if (run) {
      const seconds = Math.round((Date.now() - run.startedAt) / 1000);
      lines.push(`- working for ${duration(seconds)}${run.tool ? `, now: ${run.tool}` : ''}`);
    } else
      lines.push(
        `- ${isWaiting ? 'waiting' : standOf(task, plan?.plan)}, ${task.runs} ${task.runs === 1 ? 'run' : 'runs'} so far`,
      );
    if (waiting > 0) lines.push(`- ${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}`);
    if (plan) {
      const { done, total } = planProgress(plan.plan);
      lines.push(`- plan: ${done}/${total} steps done`);
    }
    lines.push(...waitingLines(context));
    const consents = task.always ?? [];
    if (consents.length > 0) lines.push(`- not asked about here: ${consents.map(consentText).join(', ')}`);
    const elsewhere = placesNow(context);
    if (elsewhere !== '') lines.push(`- goes on in: ${elsewhere}`);
    lines.push(...(await costLines(context, task, run?.runId)), `- model: ${model}`);
    const text = lines.join('\n');
    if (!context.mayUse('steer', task) || consents.length === 0) return { text };
    return { text, buttons: consents.slice(0, MAX_BUTTONS).map((consent) => [revokeButton(consent)]) };
  },
};

const MAX_BUTTONS = 6;

/** What the task waits for. */
function waitingLines({ approvals, taskId }: CommandContext): string[] {
  return (approvals?.open(taskId) ?? []).map(({ kind, tool, expiresAt }) => {
    const about =
      kind === 'tool' ? `your consent to \`${tool}\`` : kind === 'plan' ? 'your word on the plan' : 'your answer';
    const minutes = expiresAt === undefined ? 0 : Math.ceil((Date.parse(expiresAt) - Date.now()) / 60_000);
    return `- waits for ${about}${minutes > 0 ? `, ${minutes} min more` : ''}`;
  });
}

/** How far back the last run's result is looked for. */
const TAIL = { maxBytes: 65_536, maxEntries: 20 };

/** What the run at hand or the last one has used, what the task has, and how near the caps are. */
async function costLines(
  { home, costs, principal }: CommandContext,
  task: TaskRecord,
  run?: string,
): Promise<string[]> {
  const lines: string[] = [];
  const current = run === undefined ? undefined : costs?.ofRun(run);
  if (run === undefined) {
    const tail = await readSessionTail(home, task.viber, task.id, TAIL);
    const last = tail.findLast((entry) => entry.type === 'result');
    if (last?.type === 'result' && last.usage) lines.push(`- last run: ${usageText(last.usage)}`);
  } else if (current) lines.push(`- this run: ${usageText(current)}`);
  const total = current ? addUsage(task.usage, current) : task.usage;
  if (total) lines.push(`- all runs: ${usageText(total)}`);
  if (costs) lines.push(...capsText(costs, principalText(principal)).map((text) => `- ${text}`));
  return lines;
}

/** Where the task can be written to now; said to its own people in direct messages only. */
function placesNow({ isDirect, bound, taskId }: CommandContext): string {
  if (!isDirect) return '';
  return [...new Set(bound(taskId).map(({ address }) => addressName(address)))].slice(0, 5).join(', ');
}

export const stop: Command = {
  name: 'stop',
  description: 'Stop what I am doing',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'steer',
  takesTask: 'any',
  async run({ taskId, task, stop: end, look, approvals, principal }) {
    const open = approvals?.open(taskId) ?? [];
    const by = { by: principalText(principal), name: principal.name };
    const isEnded = await end(taskId);
    const { depth: waiting } = await look(taskId);
    for (const { id } of open) await approvals?.decide(id, { verdict: 'stop', ...by });
    if (!isEnded && open.length === 0) return { text: 'There is nothing to stop: no run is under way.' };
    const rest = waiting > 0 ? ` ${waiting} waiting ${waiting === 1 ? 'message comes' : 'messages come'} next.` : '';
    return { text: `Stopped${task ? `: ${task.title}` : ''}.${rest}` };
  },
};
