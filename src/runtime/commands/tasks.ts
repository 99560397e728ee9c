/** /new, /tasks and /open: beginning, finding and continuing tasks. */
import { listArtifacts } from '../../workspace/artifacts.ts';
import { linkCurrentTask, planProgress, readPlan } from '../../workspace/plan.ts';
import { readSessionTail } from '../../workspace/sessions.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { ButtonAction } from '../reply/buttons.ts';
import type { Command } from './command.ts';

const MARK: Record<TaskRecord['state'], string> = {
  pending: '◌',
  running: '▶',
  completed: '✓',
  error: '✗',
  stopped: '■',
};

export const fresh: Command = {
  name: 'new',
  description: 'Begin another task (/new GOAL)',
  action: 'chat',
  binds: true,
  async run() {
    return { text: 'A new task begins with your next message. The old one is kept: /tasks lists it.' };
  },
};

export const tasks: Command = {
  name: 'tasks',
  description: 'List your tasks',
  action: 'look',
  async run({ tasks: list, taskId, runOf }) {
    const found = await list(10);
    if (found.length === 0) return { text: 'There are no tasks yet. Write to me to begin one.' };
    const lines = found.map((task) => {
      const state = runOf(task.id) ? 'running' : task.state;
      return `- ${MARK[state]} \`${task.id}\` ${task.title}${task.id === taskId ? ' (here)' : ''}`;
    });
    const others = found.filter((task) => task.id !== taskId).slice(0, 6);
    const buttons = others.map((task): ButtonAction[] => [
      { label: `Open: ${task.title}`.slice(0, 40), command: 'open', args: task.id },
    ]);
    return {
      text: `Your tasks, the newest first:\n\n${lines.join('\n')}\n\nContinue one here with /open and its id.`,
      buttons,
    };
  },
};

/** The last words of a task, for somebody who comes back to it. */
async function lastAnswer(home: Parameters<typeof readSessionTail>[0], viber: string, taskId: string): Promise<string> {
  const entries = await readSessionTail(home, viber, taskId, { maxEntries: 30 });
  const result = entries.findLast((entry) => entry.type === 'result' && entry.text !== '');
  if (result?.type !== 'result') return '';
  return result.text.length > 600 ? `${result.text.slice(0, 600)}…` : result.text;
}

export const open: Command = {
  name: 'open',
  description: 'Continue another task here (/open ID)',
  action: 'look',
  binds: true,
  async run({ home, viber, args, task, taskId, mayUse }) {
    if (args.trim() === '') return { text: 'Which one? /tasks lists them; then /open and the id.' };
    if (!task || !mayUse('look', task) || !matches(task.id, args)) {
      return { text: `I know no task \`${args.trim().slice(0, 40)}\` of yours. /tasks lists them.` };
    }
    await linkCurrentTask(home, viber, taskId);
    const [plan, files, answer] = await Promise.all([
      readPlan(home, taskId),
      listArtifacts(home, taskId),
      lastAnswer(home, viber, taskId),
    ]);
    const lines = [`We continue **${task.title}** here.`];
    if (plan) {
      const { done, total } = planProgress(plan.plan);
      lines.push(`Plan: ${done}/${total} steps done (/plan).`);
    }
    if (files.length > 0)
      lines.push(
        `Files: ${files
          .slice(-8)
          .map((file) => file.name)
          .join(', ')} (/artifacts).`,
      );
    if (answer !== '') lines.push('', 'I said last:', answer.replace(/^/gm, '> '));
    return { text: lines.join('\n') };
  },
};

function matches(id: string, typed: string): boolean {
  const text = typed.trim().toLowerCase();
  return text !== '' && (id.endsWith(text) || id.startsWith(text));
}
