/** Commands that people write as words of a message. */
import { nearest } from '../../lib/nearest.ts';
import { MENU_GROUPS } from '../../messages/menu.ts';
import type { CommandSpec, InboundMessage } from '../channel.ts';

export type Commands = ReadonlyMap<string, CommandSpec>;

/** A word alone that is nearly a command is one that was mistyped: whoever gave it is asked what they mean. */
export const isNearly = (word: string, commands: Commands): boolean =>
  /^[a-z]{3,16}$/i.test(word) && nearest(word, [...commands.keys()]) !== undefined;

/** Before the words of a goal, whatever these begin with. */
export const GOAL = 'task';

/**
 * The command whose name is the first word, whatever follows: a word too many never makes a goal of it, and so another task. A goal that
 * begins with such a word stands behind `task`.
 */
export function commandOf(text: string, commands: Commands): InboundMessage['command'] {
  const [, first = '', rest = ''] = /^(\S{1,32})(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const name = first.toLowerCase();
  const args = rest.trim();
  const entry = inGroup(name, args, commands);
  if (entry) return entry;
  if (commands.has(name) || (name === GOAL && args !== '')) return { name, args };
  return args === '' && isNearly(name, commands) ? { name, args } : undefined;
}

/** `settings model fast`, `memory search words`: a command by its place in a menu with groups. Goals alone stand behind `task`. */
function inGroup(group: string, text: string, commands: Commands): InboundMessage['command'] {
  if (group === GOAL || !Object.hasOwn(MENU_GROUPS, group)) return undefined;
  const [, first = '', rest = ''] = /^(\S{1,32})(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const entries = MENU_GROUPS[group]?.entries ?? {};
  const entry = Object.hasOwn(entries, first.toLowerCase()) ? entries[first.toLowerCase()] : undefined;
  if (!entry || !commands.has(entry.command)) return undefined;
  return { name: entry.command, args: [entry.before, rest.trim()].filter(Boolean).join(' ') };
}

/** `/status`, or `/viber status` where `own` is `/viber`: written, where the platform's own way was not taken or is not there. */
export function slashCommandOf(text: string, own: string, commands: Commands): InboundMessage['command'] {
  if (!text.startsWith('/')) return undefined;
  const isOwn = text.toLowerCase().startsWith(`${own.toLowerCase()} `);
  return commandOf(isOwn ? text.slice(own.length) : text.slice(1), commands);
}
