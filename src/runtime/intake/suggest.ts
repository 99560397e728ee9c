/** Suggests values for a command's argument while somebody types it. */
import type { Suggestion, SuggestQuery } from '../../channels/channel.ts';
import { suggest } from '../commands/suggest.ts';
import { bindingKey, taskOf, viberAt } from '../conversations/conversations.ts';
import type { Gateway } from '../run/gateway.ts';
import { authorise } from './gather.ts';

/** Returns [] for people without access. Never rejects. */
export async function suggestFor(query: SuggestQuery, gw: Gateway): Promise<Suggestion[]> {
  const { address, isDirect } = query;
  const { home, log, places, tasks, features } = gw;
  const command = { name: query.command, args: '' };
  const { principal, entry } = authorise({ ...query, kind: 'command', command, isMention: false }, gw);
  if (!entry.allow) return [];
  try {
    const viber = viberAt({ principal, address, isDirect }, places.vibers, tasks.conversations);
    const taskId = taskOf(tasks.conversations.get(bindingKey(principal, address, isDirect)), viber);
    const view = { principal, viber, address, isDirect };
    return await suggest(query, { home, taskId, view, vibers: places.vibers, commands: features.commands });
  } catch (error) {
    log.warn({ err: error }, 'nothing could be suggested');
    return [];
  }
}
