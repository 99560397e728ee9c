/** /plan: the plan of the task as it stands. */
import { planProgress, readPlan } from '../../workspace/plan.ts';
import { type Command, TASK_ID } from './command.ts';

export const plan: Command = {
  name: 'plan',
  description: 'Show the plan of this task',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'look',
  takesTask: 'any',
  async run({ home, taskId }) {
    const stored = await readPlan(home, taskId);
    if (!stored) return { text: 'This task has no plan yet. Ask me to make one.' };
    const { done, total } = planProgress(stored.plan);
    return { text: `${stored.text.trim()}\n\n${done}/${total} steps done. The file: \`artifacts/${taskId}/task.md\`` };
  },
};
