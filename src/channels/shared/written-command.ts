/** Commands that people write as words of a message. */
import { nearest } from '../../lib/nearest.ts';
import type { CommandSpec, InboundMessage } from '../channel.ts';

export type Commands = ReadonlyMap<string, CommandSpec>;

/** A word alone that is nearly a command is one that was mistyped: whoever gave it is asked what they mean. */
export const isNearly = (word: string, commands: Commands): boolean =>
  /^[a-z]{3,16}$/i.test(word) && nearest(word, [...commands.keys()]) !== undefined;

/** The command whose name is the first word; not when what follows is none of its arguments: `plan a trip` is a goal. */
export function commandOf(text: string, commands: Commands): InboundMessage['command'] {
  const [, first = '', rest = ''] = /^(\S{1,32})(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const name = first.toLowerCase();
  const args = rest.trim();
  const spec = commands.get(name);
  const pattern = spec?.argument ? (spec.argument.pattern ?? '') : '^$';
  if (spec) return args === '' || new RegExp(pattern, 'i').test(args) ? { name, args } : undefined;
  return args === '' && isNearly(name, commands) ? { name, args } : undefined;
}

/** `/status`, or `/viber status` where `own` is `/viber`: written, where the platform's own way was not taken or is not there. */
export function slashCommandOf(text: string, own: string, commands: Commands): InboundMessage['command'] {
  if (!text.startsWith('/')) return undefined;
  const isOwn = text.toLowerCase().startsWith(`${own.toLowerCase()} `);
  return commandOf(isOwn ? text.slice(own.length) : text.slice(1), commands);
}
