/** /plan: the plan of the task as it stands. */
import { planProgress, readPlan } from '../../workspace/plan.ts';
import type { Command } from './command.ts';

export const plan: Command = {
  name: 'plan',
  description: 'Show the plan of this task',
  action: 'look',
  async run({ home, taskId }) {
    const stored = await readPlan(home, taskId);
    if (!stored) return { text: 'This task has no plan yet. Ask me to make one.' };
    const { done, total } = planProgress(stored.plan);
    return { text: `${stored.text.trim()}\n\n${done}/${total} steps done. The file: \`artifacts/${taskId}/task.md\`` };
  },
};
