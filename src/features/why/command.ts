/** /why: explains the last answer in this conversation, as far as this person may know what led to it. */
import { type Command, isPrivate, mayUse, TASK_ID } from '../../runtime/commands/command.ts';

export const why: Command = {
  name: 'why',
  help: { group: 'tasks', does: 'does.why' },
  description: 'Explain my last answer',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'look',
  takesTask: 'any',
  async run({ gw, task, principal, message, isDirect, messages }) {
    if (!task) return { text: messages.text('why.nothing') };
    const { explainLast } = await import('./explain.ts');
    const isAlone = isDirect || isPrivate(message);
    const tellsHere = isAlone || (await gw.places.tellsMemory({ principal, answered: [message], job: undefined }));
    const tellsMemory = tellsHere && mayUse(principal, 'memory', task);
    return {
      text: await explainLast(
        task,
        {
          principal,
          messages,
          isAlone,
          tellsMemory,
          seesResults: isAlone && mayUse(principal, 'steer', task),
          shown: 5,
        },
        gw,
      ),
    };
  },
};
