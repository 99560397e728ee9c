/** `viber tasks`: lists the newest tasks of a home, with and without a running gateway. */

import { viberCommand } from '../lib/invocation.ts';
import { messagesIn } from '../messages/messages.ts';
import { STANDS } from '../runtime/commands/tasks/tasks.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { openHome } from '../workspace/home.ts';
import { openTask, standOf, TaskOrder } from '../workspace/tasks/index.ts';

const SHOWN = 20;

export async function run({ home: root, json, print }: CliContext): Promise<number> {
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
  const messages = messagesIn('en');
  if (tasks.length === 0)
    print(`There are no tasks yet. Begin one with ${viberCommand('chat')}, or with ${viberCommand('run "GOAL"')}.`);
  for (const { id, title, state } of tasks) print(`${id}  ${messages.text(STANDS[state])}  ${title}`);
  if (all.length > SHOWN) print(`and ${all.length - SHOWN} older ones`);
  return EXIT.ok;
}
