/**
 * The words of a message as a person would read them: mentions by name, the mention that addresses us taken away. Code is
 * left as it is written. https://discord.com/developers/docs/reference#message-formatting
 */

import { type Fields, list, string } from '../../shared/read.ts';
import { type Context, personName } from './base.ts';
import { id } from './read.ts';

export interface Words {
  text: string;
  /** We, or the role Discord made for us, are mentioned in the text. */
  mentioned: boolean;
}

const TOKENS =
  /(```[\s\S]*?```|``[^`]+``|`[^`\n]+`)|<(@!?|@&|#)(\d{1,20})>|<a?:(\w{1,64}):\d{1,20}>|<t:(-?\d{1,13})(?::\w)?>|<\/([^:<>\n]{1,110}):\d{1,20}>/g;
const LEADING = /^[\s,:;]*<(@!?|@&)(\d{1,20})>[ ,:;]*/;

/** Names are those the message itself brings; whom it does not name stays a number. */
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
        return nameOf(kind, target, message, context) ?? token;
      })
    : rest;
  return { text: text.trim(), mentioned };
}

function nameOf(
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
  const user = list(message, 'mentions').find((mention) => id(mention, 'id') === target);
  return user && `@${personName(user)}`;
}

/** `2026-03-01 09:30 UTC`; undefined for a moment no calendar has. */
function clock(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
