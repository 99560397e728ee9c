/** /status and /stop: what is going on, and an end to it. */
import { planProgress, readPlan } from '../../workspace/plan.ts';
import { type Command, type CommandContext, TASK_ID } from './command.ts';
import { addressName } from './places.ts';

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
    const { home, task, taskId, model, runOf, waitingFor } = context;
    if (!task)
      return { text: `Nothing yet: this conversation has no task. Write to me to begin one. (model: ${model})` };
    const run = runOf(taskId);
    const plan = await readPlan(home, taskId);
    const lines = [`**${task.title}** (\`${task.id}\`)`];
    if (run) {
      const seconds = Math.round((Date.now() - run.startedAt) / 1000);
      lines.push(`- working for ${duration(seconds)}${run.tool ? `, now: ${run.tool}` : ''}`);
    } else lines.push(`- ${task.state}, ${task.runs} ${task.runs === 1 ? 'run' : 'runs'} so far`);
    const waiting = waitingFor(taskId);
    if (waiting > 0) lines.push(`- ${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}`);
    if (plan) {
      const { done, total } = planProgress(plan.plan);
      lines.push(`- plan: ${done}/${total} steps done`);
    }
    const elsewhere = placesNow(context);
    if (elsewhere !== '') lines.push(`- goes on in: ${elsewhere}`);
    lines.push(`- model: ${model}`);
    return { text: lines.join('\n') };
  },
};

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
  async run({ taskId, task, stop: end, waitingFor }) {
    if (!end(taskId)) return { text: 'There is nothing to stop: no run is under way.' };
    const waiting = waitingFor(taskId);
    const rest = waiting > 0 ? ` ${waiting} waiting ${waiting === 1 ? 'message comes' : 'messages come'} next.` : '';
    return { text: `Stopped${task ? `: ${task.title}` : ''}.${rest}` };
  },
};
