/**
 * `use_viber`: what /use does, for those who say it in words. Offered where there is another viber that this person may talk to;
 * the conversation is with it from their next message on.
 */
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { newTaskId } from '../../workspace/tasks.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { choosable, choose, type Standing, type ViberRules } from '../conversations/vibers.ts';

export interface UseViberDeps {
  vibers: ViberRules;
  conversations: Pick<Conversations, 'get' | 'bind'>;
  aboutViber: (id: string) => Promise<string | undefined>;
}

const input = z.object({ viber: z.string() });
const MAX_LISTED = 12;
const MAX_ABOUT = 80;
const IN_THREAD = 'Every task has a thread of its own here: the person types /use in it.';

export async function useViberTools(
  { viber }: ToolScope,
  standing: Standing,
  { vibers, conversations, aboutViber }: UseViberDeps,
): Promise<RuntimeTool[]> {
  const others = choosable(standing, vibers).filter((id) => id !== viber);
  if (others.length === 0) return [];
  const listed = others.slice(0, MAX_LISTED).map(async (id) => {
    const about = ((await aboutViber(id)) ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_ABOUT).toWellFormed();
    return about === '' ? id : `${id} (${about})`;
  });
  return [
    defineTool({
      name: 'use_viber',
      description: `When they ask to talk to another viber: ${(await Promise.all(listed)).join(', ')}. It answers from their next message on and knows nothing of this.`,
      input,
      effect: 'idempotent',
      consent: 'never',
      async execute({ viber: wanted }) {
        if (standing.address.thread !== undefined && !standing.isDirect) throw new UserError(IN_THREAD);
        const id = wanted.trim().toLowerCase();
        if (!others.includes(id)) throw new UserError(`They cannot talk to that one. There is: ${others.join(', ')}.`);
        await choose(standing, id, conversations, () => newTaskId(new Date())).bound;
        return { status: 'ready', message: `Their next message goes to ${id}.` };
      },
    }),
  ];
}
