/**
 * Reads a message's text as a person would: mentions by name, without the mention that addresses the bot. Code is left
 * as written. https://discord.com/developers/docs/reference#message-formatting
 */

import { type Fields, fieldsList, string } from '../../shared/read.ts';
import { type Context, personName } from './base.ts';
import { id } from './read.ts';

export interface Words {
  text: string;
  /** Whether the text mentions the bot, or the role Discord made for it. */
  mentioned: boolean;
}

const TOKENS =
  /(```[\s\S]*?```|``[^`]+``|`[^`\n]+`)|<(@!?|@&|#)(\d{1,20})>|<a?:(\w{1,64}):\d{1,20}>|<t:(-?\d{1,13})(?::\w)?>|<\/([^:<>\n]{1,110}):\d{1,20}>/g;
const LEADING = /^[\s,:;]*<(@!?|@&)(\d{1,20})>[ ,:;]*/;

/** Reads the text. Names come from the message itself; a person it doesn't name stays a number. */
export function readWords(message: Fields, context: Context): Words {
  const content = string(message, 'content') ?? '';
  const isUs = (kind: string, target: string) =>
    kind === '@&'
      ? context.places.role(target)?.bot === context.bot.account
      : kind !== '#' && target === context.bot.account;
  let rest = content;
  let mentioned = false;
  for (let lead = LEADING.exec(rest); lead && isUs(lead[1] ?? '', lead[2] ?? ''); lead = LEADING.exec(rest)) {
    mentioned = true;
    rest = rest.slice(lead[0].length);
  }
  const text = rest.includes('<')
    ? rest.replace(TOKENS, (token, code, kind, target, emoji, time, command) => {
        if (code !== undefined) return token;
        if (emoji !== undefined) return `:${emoji}:`;
        if (time !== undefined) return clock(Number(time)) ?? token;
        if (command !== undefined) return `/${command}`;
        mentioned ||= isUs(kind, target);
        return mentionedName(kind, target, message, context) ?? token;
      })
    : rest;
  return { text: text.trim(), mentioned };
}

function mentionedName(
  kind: string,
  target: string,
  message: Fields,
  { bot, places, nameOf: configured }: Context,
): string | undefined {
  if (kind === '#') {
    const place = places.get(target);
    return place?.name ? `#${place.name}` : undefined;
  }
  if (kind === '@&') {
    const role = places.role(target);
    return role?.name ? `@${role.name}` : undefined;
  }
  if (target === bot.account) return `@${bot.name}`;
  const name = configured?.(target);
  if (name !== undefined) return `@${name}`;
  const user = fieldsList(message, 'mentions').find((mention) => id(mention, 'id') === target);
  return user && `@${personName(user)}`;
}

/** Formats `2026-03-01 09:30 UTC`; undefined for an invalid date. */
function clock(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
