/** Recognises commands that people write as the text of a message. */
import { randomUUID } from 'node:crypto';
import { nearest } from '../../lib/nearest.ts';
import { MENU_GROUPS } from '../../messages/menu.ts';
import type { Address, CommandSpec, InboundMessage, Sender } from '../channel.ts';

export type Commands = ReadonlyMap<string, CommandSpec>;

/** Returns whether a single word is probably a mistyped command, so that its sender is asked what they mean. */
export const isNearly = (word: string, commands: Commands): boolean =>
  /^[a-z]{3,16}$/i.test(word) && nearest(word, [...commands.keys()]) !== undefined;

/** The word before a goal, however the goal itself begins. */
export const GOAL = 'task';

const UNSEEN = /^[\s\p{Cf}]+/u;
const NAMED = /^([a-z][\w-]{0,31})(?:@\w{1,64})?[.,;:!?…。、！？，：；\p{Cf}]{0,10}(?:\s+([\s\S]*))?$/iu;

/**
 * Splits a text into the name at its start and the words after it. `status?`, `stop!`, `status@bot` and a name beside
 * invisible characters mean the name alone.
 */
function splitName(text: string): { name: string; args: string } | undefined {
  const [, name, rest = ''] = NAMED.exec(text.replace(UNSEEN, '').trimEnd()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: rest.trim() };
}

/** Returns what follows the slash at the start, including the full-width one of Chinese and Japanese keyboards. */
function behindSlash(text: string): string | undefined {
  return /^[/\uff0f](?=\S)([\s\S]*)$/.exec(text.replace(UNSEEN, ''))?.[1];
}

/** Returns the slash command at the start of a text, whether we have a command of that name or not. */
export function anyCommandOf(text: string): InboundMessage['command'] {
  const rest = behindSlash(text);
  return rest === undefined ? undefined : splitName(rest);
}

/**
 * Returns the command that the first word names, whatever follows: a word too many must not turn it into a goal, and so
 * into another task. A goal that begins with such a word is written after `task`. The name may have a slash before it.
 */
export function commandOf(text: string, commands: Commands): InboundMessage['command'] {
  const named = splitName(behindSlash(text) ?? text);
  if (!named) return undefined;
  const { name, args } = named;
  const entry = inGroup(name, args, commands);
  if (entry) return entry;
  if (commands.has(name) || (name === GOAL && args !== '')) return named;
  return args === '' && isNearly(name, commands) ? named : undefined;
}

/**
 * Returns a command by its place in a grouped menu: `settings model fast`, `memory search words`. `task` is reserved
 * for goals.
 */
function inGroup(group: string, text: string, commands: Commands): InboundMessage['command'] {
  if (group === GOAL || !Object.hasOwn(MENU_GROUPS, group)) return undefined;
  const { name = '', args = '' } = splitName(text) ?? {};
  const entries = MENU_GROUPS[group]?.entries ?? {};
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (!entry || !commands.has(entry.command)) return undefined;
  return { name: entry.command, args: [entry.before, args].filter(Boolean).join(' ') };
}

/**
 * Parses `/status`, or `/viber status` if `own` is `/viber`, from text that didn't come as a native command of the
 * platform.
 */
export function slashCommandOf(text: string, own: string, commands: Commands): InboundMessage['command'] {
  const rest = behindSlash(text);
  if (rest === undefined) return undefined;
  const first = splitName(rest);
  if (first?.name !== own.slice(1).toLowerCase()) return commandOf(rest, commands);
  return first.args === '' && commands.has('help') ? { name: 'help', args: '' } : commandOf(first.args, commands);
}

/** Returns what somebody at this machine has said. */
export function saidHere(address: Address, sender: Sender, text: string): InboundMessage {
  const id = randomUUID();
  const command = anyCommandOf(text);
  return {
    id,
    messageId: id,
    address,
    sender,
    text,
    files: [],
    facts: [],
    quotes: [],
    isDirect: true,
    isMention: true,
    sentAt: Date.now(),
    ...(command ? { kind: 'command', command } : { kind: 'message' }),
  };
}
