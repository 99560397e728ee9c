/** `viber tasks`: lists the newest tasks of a home, with and without a running gateway. */

import { viberCommand } from '../lib/invocation.ts';
import { STANDS } from '../runtime/commands/tasks/tasks.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { openHome } from '../workspace/home.ts';
import { openTask, standOf, TaskOrder } from '../workspace/tasks/index.ts';

const SHOWN = 20;

export async function run({ home: root, json, print, messages }: CliContext): Promise<number> {
  const home = await openHome(root);
  const all = await new TaskOrder(home).list();
  const tasks = [];
  for (const { id } of all.slice(0, SHOWN)) {
    const task = openTask(home, id);
    const record = task.record();
    if (!record) continue;
    const { title, viber, updatedAt } = record;
    tasks.push({ id, title, viber, updatedAt, state: standOf(record, (await task.plan.read())?.plan) });
  }
  if (json) {
    print(JSON.stringify({ tasks }));
    return EXIT.ok;
  }
  if (tasks.length === 0)
    print(messages.text('cli.noTasks', { chat: viberCommand('chat'), run: viberCommand('run "GOAL"') }));
  for (const { id, title, state } of tasks) print(`${id}  ${messages.text(STANDS[state])}  ${title}`);
  if (all.length > SHOWN) print(messages.text('cli.olderTasks', { n: all.length - SHOWN }));
  return EXIT.ok;
}
