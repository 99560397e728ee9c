/**
 * Determines whom a message notifies. Without `allowed_mentions`, everybody named in the text is notified, and the
 * author of the message that it answers. https://discord.com/developers/docs/resources/message#allowed-mentions-object
 */
import type { APIAllowedMentions } from 'discord-api-types/v10';
import { invalid, tooLong, wrongChoice } from './errors.ts';
import { type Fields, isObject } from './fields.ts';
import type { Mentions } from './world.ts';

const CODE = /```[\s\S]*?```|(`+)[^`][\s\S]*?\1/g;
const KINDS = ['users', 'roles', 'everyone'];

function ids(fields: Fields, key: string): string[] | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  const path = `allowed_mentions.${key}`;
  if (!Array.isArray(value)) throw invalid(path, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  if (value.length > 100) throw tooLong(path, 100);
  return value.map(String);
}

/** Parses the field of a body. Throws 50035 if Discord would refuse it. */
export function allowedMentions(fields: Fields): APIAllowedMentions | undefined {
  const value = fields.allowed_mentions;
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) {
    throw invalid('allowed_mentions', 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType');
  }
  const parse = ids(value, 'parse');
  for (const [index, kind] of (parse ?? []).entries()) {
    if (!KINDS.includes(kind)) throw wrongChoice(`allowed_mentions.parse.${index}`, KINDS);
  }
  for (const kind of ['users', 'roles']) {
    if (!ids(value, kind)?.length || !parse?.includes(kind)) continue;
    const reason = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
    throw invalid('allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', reason);
  }
  return value;
}

/** Returns everybody whom the text names, outside code. */
export function named(content: string): Mentions {
  if (!content.includes('@')) return { users: [], roles: [], everyone: false };
  const plain = content.replaceAll(CODE, ' ');
  const all = (pattern: RegExp) => [...new Set([...plain.matchAll(pattern)].map((match) => match[1] ?? ''))];
  return { users: all(/<@!?(\d+)>/g), roles: all(/<@&(\d+)>/g), everyone: /@(?:everyone|here)/.test(plain) };
}

/**
 * Returns who of those named is notified. `repliedTo` is the author of the answered message; `mayEveryone` tells
 * whether the author may mention everyone.
 */
export function notified(
  content: string,
  allowed: APIAllowedMentions | undefined,
  repliedTo: string | null,
  mayEveryone: boolean,
): Mentions {
  const all = named(content);
  const lets = (kind: 'users' | 'roles', id: string) =>
    !allowed || allowed.parse?.some((each) => each === kind) || allowed[kind]?.includes(id);
  const users = new Set(all.users.filter((id) => lets('users', id)));
  if (repliedTo && (allowed ? allowed.replied_user : true)) users.add(repliedTo);
  return {
    users: [...users],
    roles: all.roles.filter((id) => lets('roles', id)),
    everyone:
      all.everyone && mayEveryone && (!allowed || (allowed.parse?.some((each) => each === 'everyone') ?? false)),
  };
}
