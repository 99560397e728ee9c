/** Where a task lives, in words a person understands; made from the addresses a record holds. */

import type { Principal } from '../../access/principal.ts';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { channelKinds, kindOf } from '../../channels/index.ts';
import { UserError } from '../../errors.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { type Messages, type Said, say } from '../../messages/messages.ts';

/** Whether a program's conversation is that of a person, whatever they are known by. */
const isPersons = (chat: string): boolean =>
  /^(person|terminal|local)-/.test(chat) || channelKinds().some(({ name }) => chat.startsWith(`${name}-`));

/** Whether a place stands by itself, as in a list, or within a sentence: some languages tell the two apart. */
type Form = 'alone' | 'within';

/** The name that people call a channel by; one without is called by its id. */
export const channelName = (channel: string, messages: Messages, form: Form = 'within'): string => {
  if (channel === 'terminal' || channel === 'local') return messages.text('tasks.terminal', { form });
  return kindOf(channel)?.label ?? channel;
};

/** `Telegram group -100123`, `Slack #C024BE91L thread`, from `<channel>@<account>:<chat>[:<thread>]`. */
function placeName(place: string, messages: Messages, form: Form): string {
  const [, channel = place, chat = '', thread] = /^([^@:]+)(?:@[^:]*)?:([^:]*)(?::(.*))?$/.exec(place) ?? [];
  // A person's own conversation there; programs without one have their names.
  if (channel === 'api') return messages.text(isPersons(chat) ? 'tasks.board' : 'tasks.program', { form });
  const name = channelName(channel, messages, form);
  const { words, isDirect } = kindOf(channel) ?? {};
  const group = isDirect?.({ chat }) === false ? words?.group : undefined;
  const where = group ? messages.text(group, { name, chat }) : name;
  if (!thread) return where;
  return messages.text(words?.thread ?? 'tasks.thread', { where });
}

export const addressName = (address: Address, messages: Messages): string =>
  placeName(formatAddress(address, { account: true }), messages, 'within');

/** Where a task has been, the last places first: at most three, each named once. */
export function placesOf(conversations: readonly string[], messages: Messages): string {
  const names = [...new Set(conversations.map((place) => placeName(place, messages, 'alone')))].reverse();
  const more = names.length > 3 ? [messages.text('tasks.morePlaces', { n: names.length - 3 })] : [];
  return [...names.slice(0, 3), ...more].join(', ');
}

export { escaped } from '../../lib/text.ts';

/** A name from outside as plain words: no marks of Markdown, one line, at most 40 characters. */
export function plainName(name: string): string {
  return cutText(plainLine(name.replace(/[\\`*_{}[\]()<>~|#@]/g, ' ')), 40) || 'somebody';
}

/** What is chosen for a conversation holds for everybody there. Throws UserError for a guest of a group. */
export function refuseToGuest({ principal, isDirect }: { principal: Principal; isDirect: boolean }): void {
  if (principal.role === 'guest' && !isDirect) throw new UserError(say('commands.membersOnly'));
}

/** The name of a linked person without the mark that makes it unique. */
export const shownPerson = (person: string): string => person.replace(/~.*$/, '');

/** What is said about an id that means no task here. */
export function unknownTask(typed: string, isDirect: boolean): Said {
  const id = `\`${typed.trim().slice(0, 40).replaceAll('`', '')}\``;
  return isDirect ? say('commands.unknownTask', { id }) : say('commands.unknownTaskHere', { id });
}
