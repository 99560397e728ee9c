/** Recognises commands that people write as the text of a message. */
import { nearest } from '../../lib/nearest.ts';
import { MENU_GROUPS } from '../../messages/menu.ts';
import type { CommandSpec, InboundMessage } from '../channel.ts';

export type Commands = ReadonlyMap<string, CommandSpec>;

/** Returns whether a single word is probably a mistyped command, so that its sender is asked what they mean. */
export const isNearly = (word: string, commands: Commands): boolean =>
  /^[a-z]{3,16}$/i.test(word) && nearest(word, [...commands.keys()]) !== undefined;

/** The word before a goal, however the goal itself begins. */
export const GOAL = 'task';

/**
 * Returns the command that the first word names, whatever follows: a word too many must not turn it into a goal, and so
 * into another task. A goal that begins with such a word is written after `task`.
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

/**
 * Returns a command by its place in a grouped menu: `settings model fast`, `memory search words`. `task` is reserved
 * for goals.
 */
function inGroup(group: string, text: string, commands: Commands): InboundMessage['command'] {
  if (group === GOAL || !Object.hasOwn(MENU_GROUPS, group)) return undefined;
  const [, first = '', rest = ''] = /^(\S{1,32})(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const entries = MENU_GROUPS[group]?.entries ?? {};
  const entry = Object.hasOwn(entries, first.toLowerCase()) ? entries[first.toLowerCase()] : undefined;
  if (!entry || !commands.has(entry.command)) return undefined;
  return { name: entry.command, args: [entry.before, rest.trim()].filter(Boolean).join(' ') };
}

/**
 * Parses `/status`, or `/viber status` if `own` is `/viber`, from text that didn't come as a native command of the
 * platform.
 */
export function slashCommandOf(text: string, own: string, commands: Commands): InboundMessage['command'] {
  if (!text.startsWith('/')) return undefined;
  const isOwn = text.toLowerCase().startsWith(`${own.toLowerCase()} `);
  return commandOf(isOwn ? text.slice(own.length) : text.slice(1), commands);
}
