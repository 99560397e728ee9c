/** `viber tasks`: the newest tasks of a home, whether the gateway runs or not. */
import { messagesIn } from '../messages/messages.ts';
import { STANDS } from '../runtime/commands/tasks/tasks.ts';
import { openHome } from '../workspace/home.ts';
import { readPlan, readTask, standOf, TaskOrder } from '../workspace/tasks/index.ts';
import { type CliContext, EXIT } from './command.ts';

const SHOWN = 20;

export async function run({ home: root, json, print }: CliContext): Promise<number> {
  const home = await openHome(root);
  const all = await new TaskOrder(home).list();
  const tasks = [];
  for (const { id } of all.slice(0, SHOWN)) {
    const task = await readTask(home, id);
    if (!task) continue;
    const { title, viber, updatedAt } = task;
    tasks.push({ id, title, viber, updatedAt, state: standOf(task, (await readPlan(home, id, viber))?.plan) });
  }
  if (json) {
    print(JSON.stringify({ tasks }));
    return EXIT.ok;
  }
  const messages = messagesIn('en');
  if (tasks.length === 0) print('There are no tasks yet. Begin one with viber chat, or with viber run "GOAL".');
  for (const { id, title, state } of tasks) print(`${id}  ${messages.text(STANDS[state])}  ${title}`);
  if (all.length > SHOWN) print(`and ${all.length - SHOWN} older ones`);
  return EXIT.ok;
}
