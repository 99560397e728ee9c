/**
 * `use_viber`: the command /use in words, if the person may talk to another viber. The conversation switches with their
 * next message.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { newTaskId } from '../../workspace/tasks/index.ts';
import { defineTool } from '../contract/tool.ts';
import { choosable, chooseViber, type Standing } from '../conversations/conversations.ts';
import { inConversation } from './offered.ts';
import { addressOfRun, type ToolRun } from './run.ts';

const input = z.object({ viber: z.string() });
const MAX_LISTED = 12;
const MAX_ABOUT = 80;
const IN_THREAD = 'Every task has a thread of its own here: the person types /use in it.';

function standingOf(run: ToolRun): Standing {
  const { principal, isDirect = false } = run.order;
  return { principal, address: addressOfRun(run), isDirect };
}

const othersFor = (run: ToolRun): string[] =>
  choosable(standingOf(run), run.gw.places.vibers).filter((id) => id !== run.scope.viber);

export const useViber = defineTool({
  name: 'use_viber',
  async describe(run: ToolRun) {
    const others = othersFor(run);
    if (others.length === 0) return undefined;
    const listed = others.slice(0, MAX_LISTED).map(async (id) => {
      const said = (await run.gw.places.vibers.about(id)) ?? '';
      const about = said.replace(/\s+/g, ' ').trim().slice(0, MAX_ABOUT).toWellFormed();
      return about === '' ? id : `${id} (${about})`;
    });
    return `When they ask to talk to another viber: ${(await Promise.all(listed)).join(', ')}. It answers from their next message on and knows nothing of this.`;
  },
  doing: 'doing.viber',
  offered: inConversation,
  input,
  effect: 'idempotent',
  consent: 'never',
  async execute({ viber: wanted }, run) {
    const standing = standingOf(run);
    if (standing.address.thread !== undefined && !standing.isDirect) throw new UserError(IN_THREAD);
    const id = wanted.trim().toLowerCase();
    const others = othersFor(run);
    if (!others.includes(id)) throw new UserError(`They cannot talk to that one. There is: ${others.join(', ')}.`);
    await chooseViber(standing, id, run.gw.tasks.conversations, () => newTaskId(new Date())).bound;
    return { status: 'ready', message: `Their next message goes to ${id}.` };
  },
});
