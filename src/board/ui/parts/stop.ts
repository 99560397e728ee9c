/** Stops what runs on a task, and says whether an effect of a tool may still come. */
import { sendCommand } from '../net/live.ts';
import { words } from '../words.ts';
import { showNotice, showProblem } from './notices.tsx';

export const stopTask = (taskId: string): void =>
  void sendCommand({ type: 'task:stop', taskId }).then(
    ({ notice }) => showNotice(typeof notice === 'string' ? `${words.task.stopped} ${notice}` : words.task.stopped),
    showProblem,
  );
