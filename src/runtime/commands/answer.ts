/** From a command that somebody gave to its answer: who may, in which task, with what at hand. */
import { authoriseAction } from '../../access/authorise.ts';
import { principalText } from '../../access/principal.ts';
import { UserError } from '../../errors.ts';
import type { Home } from '../../workspace/home.ts';
import { listTasks, readTask } from '../../workspace/tasks.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import type { Entry } from '../entry.ts';
import { maySee } from '../visibility.ts';
import type { CommandContext, CommandReply } from './command.ts';
import { commandSpecs, findCommand, HELP_HINT } from './table.ts';

/** What commands may ask of the rest of the gateway. */
export interface CommandDesk extends Pick<CommandContext, 'runOf' | 'waitingFor' | 'stop' | 'pairing'> {
  home: Home;
  modelName: () => string;
}

/** Refusals and what people can mend are answers; anything else is thrown. */
export async function answerCommand(entry: Entry, desk: CommandDesk): Promise<CommandReply> {
  const name = entry.command?.name ?? '';
  const command = findCommand(name);
  if (!command) return { text: `I do not know /${name.slice(0, 32)}. ${HELP_HINT}` };
  const task = await readTask(desk.home, entry.taskId);
  const context = contextFor(entry, task, desk);
  if (!context.mayUse(command.action, task)) return { text: `You may not use /${command.name} here.` };
  try {
    return await command.run(context);
  } catch (error) {
    if (error instanceof UserError) return { text: error.message };
    throw error;
  }
}

function contextFor(entry: Entry, task: TaskRecord | undefined, desk: CommandDesk): CommandContext {
  const { principal, message, viber, taskId } = entry;
  const { home, modelName, ...asked } = desk;
  const self = principalText(principal);
  const { address, isDirect } = message;
  const view = { principal, address, isDirect, viber };
  return {
    ...asked,
    ...{ home, viber, principal, taskId, task, address, isDirect, args: entry.command?.args ?? '', model: modelName() },
    mayUse: (action, target) => authoriseAction(principal, action, target?.people ?? [], self),
    tasks: (limit) => listTasks(home, { limit, match: (record) => maySee(view, record) }),
    list: commandSpecs,
  };
}
