/** The backup format: a gzipped tar archive of the home's files and folders. Its first entry identifies it. */

import { isRecord } from '../../lib/json.ts';
import { say, type Wording } from '../../messages/messages.ts';

export const HEAD = 'openviber-backup.json';
export const FORMAT = 1;

export interface Head {
  format: typeof FORMAT;
  version: string;
  /** ISO 8601. */
  createdAt: string;
  hasSecrets: boolean;
  /** Pending work was on a server and is not in the backup. */
  onServer?: true;
}

/** Returns undefined if the text is not the head of a backup. */
export function readHead(text: string): Head | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(data) || data.format !== FORMAT) return undefined;
  const { version, createdAt, hasSecrets, onServer } = data;
  if (typeof version !== 'string' || typeof createdAt !== 'string' || typeof hasSecrets !== 'boolean') return undefined;
  return { format: FORMAT, version, createdAt, hasSecrets, ...(onServer === true && { onServer }) };
}

const MAX_NAME = 1024;
const MAX_DEPTH = 64;
const MAX_SHOWN = 200;

/** Makes any name safe to print on a terminal. */
export const shownName = (name: string): string => {
  const plain = name.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffd]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}...` : plain;
};

export function listNames(names: readonly string[]): Wording | string {
  const shown = names.slice(0, 10).map(shownName).join(', ');
  return names.length > 10 ? say('backup.andMore', { n: names.length - 10, names: shown }) : shown;
}

/** Returns the name without a trailing slash, or undefined if it points outside the home or is too long or too deep. */
export function safeName(name: string): string | undefined {
  const plain = name.replace(/\/$/, '');
  const parts = plain.split('/');
  if (plain.length > MAX_NAME || parts.length > MAX_DEPTH || plain.includes('\0')) return undefined;
  return parts.every((part) => part !== '' && part !== '.' && part !== '..') ? plain : undefined;
}
