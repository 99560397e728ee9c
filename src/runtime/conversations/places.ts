/** Names places where a task is, in words that people understand. */

import type { Principal } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { channelKind, channelKinds } from '../../channels/index.ts';
import { UserError } from '../../errors.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { type Messages, say, type Wording } from '../../messages/messages.ts';

const isPersons = (chat: string): boolean =>
  /^(person|terminal|local)-/.test(chat) || channelKinds().some(({ name }) => chat.startsWith(`${name}-`));

/** Some languages distinguish a place in a list from one within a sentence. */
type Form = 'alone' | 'within';

export const channelName = (channel: string, messages: Messages, form: Form = 'within'): string => {
  if (channel === 'terminal' || channel === 'local') return messages.text('tasks.terminal', { form });
  return channelKind(channel)?.label ?? channel;
};

/** Returns, for example, `Telegram group -100123`, from `<channel>@<account>:<chat>[:<thread>]`. */
function placeName(place: string, messages: Messages, form: Form): string {
  const [, channel = place, chat = '', thread] = /^([^@:]+)(?:@[^:]*)?:([^:]*)(?::(.*))?$/.exec(place) ?? [];
  // A person's own conversation on the `api` channel is the Board; any other is a program.
  if (channel === 'api') return messages.text(isPersons(chat) ? 'tasks.board' : 'tasks.program', { form });
  const name = channelName(channel, messages, form);
  const { words, isDirect } = channelKind(channel) ?? {};
  const group = isDirect?.({ chat }) === false ? words?.group : undefined;
  const where = group ? messages.text(group, { name, chat }) : name;
  if (!thread) return where;
  return messages.text(words?.thread ?? 'tasks.thread', { where });
}

export const addressName = (address: Address, messages: Messages): string =>
  placeName(formatAddress(address, { account: true }), messages, 'within');

/** Returns the names of at most three conversations, the latest first. */
export function placesOf(conversations: readonly string[], messages: Messages): string {
  const names = [...new Set(conversations.map((place) => placeName(place, messages, 'alone')))].reverse();
  const more = names.length > 3 ? [messages.text('tasks.morePlaces', { n: names.length - 3 })] : [];
  return [...names.slice(0, 3), ...more].join(', ');
}

export { escapeMarkdown } from '../../lib/text.ts';

export function plainName(name: string): string {
  return cutText(plainLine(name.replace(/[\\`*_{}[\]()<>~|#@]/g, ' ')), 40) || 'somebody';
}

/** A choice for a conversation affects everyone in it. | @throws UserError for a guest in a group */
export function refuseToGuest({ principal, isDirect }: { principal: Principal; isDirect: boolean }): void {
  if (principal.role === 'guest' && !isDirect) throw new UserError(say('commands.membersOnly'));
}

export const shownPerson = (person: string): string => person.replace(/~.*$/, '');

export function unknownTask(typed: string, isDirect: boolean): Wording {
  const id = `\`${typed.trim().slice(0, 40).replaceAll('`', '')}\``;
  return isDirect ? say('commands.unknownTask', { id }) : say('commands.unknownTaskHere', { id });
}
