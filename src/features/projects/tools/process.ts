/** `process`: checks on a process that `run_command` left in the background, sends it input, or ends it. */
import { UserError } from '../../../errors.ts';
import { hashText } from '../../../lib/files.ts';
import { lines, words } from '../../../messages/messages.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { fenced, spellInvisible } from '../../../runtime/reply/show.ts';
import { oneLine } from '../commands/output.ts';
import { processCall } from '../commands/use.ts';
import type { ProjectRun } from './run.ts';

const NAME = 'process';
function backgroundNamed(id: string, { processes, scope }: ProjectRun): { id: string; command: string } {
  const all = processes.known(scope.taskId);
  const found = all.find((each) => each.id === id.trim());
  if (found) return found;
  const known = all.map((each) => each.id).join(', ');
  throw new UserError(`This task has no process ${id.slice(0, 20)}${known === '' ? '' : `; it has ${known}`}.`);
}

export const processTool = defineTool({
  name: NAME,
  describe:
    'Use a process in the background: get its output (new since the last call), send it input (a line), or stop it. It ends with the task.',
  input: processCall,
  effect: 'external',
  doing: 'doing.process',
  like: 'bash',
  consent: 'each',
  // The input may be a command.
  asksBefore: ({ action }) => action === 'input',
  isOutside: ({ action }) => action === 'input',
  kindOf: (given, run: ProjectRun) =>
    given.action === 'input'
      ? `the same input, word for word (${hashText(JSON.stringify([given.input, backgroundNamed(given.id, run).command])).slice(0, 12)})`
      : given.action,
  asks({ id, input: text = '' }, run, { messages, code }) {
    const command = code(oneLine(backgroundNamed(id, run).command));
    return {
      text: lines(messages.text('consent.writeToProcess', { command }), '', words(fenced(spellInvisible(text)))),
    };
  },
  async execute(call, run, { signal }) {
    const { id } = backgroundNamed(call.id, run);
    return run.processes.use(run.scope.taskId, { ...call, id }, signal);
  },
});
