/** Undoes a change of a text exactly, if the text is still as the change left it. Pure. */
import { hashText } from '../../../lib/files.ts';

/** Replaces `from` to `to` (UTF-16 units) with `text`, in the text that has this hash. */
export interface Reversal {
  hash: string;
  from: number;
  to: number;
  text: string;
}

export function reversalOf(before: string, after: string): Reversal {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (
    end < shorter - from &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  return { hash: hashText(after), from, to: after.length - end, text: before.slice(from, before.length - end) };
}

/** Returns the text before the change; undefined if the current text isn't the result of the change. */
export function reversed(current: string, reversal: Reversal | undefined): string | undefined {
  if (reversal === undefined || hashText(current) !== reversal.hash) return undefined;
  return current.slice(0, reversal.from) + reversal.text + current.slice(reversal.to);
}

export function isReversal(value: unknown): value is Reversal {
  if (typeof value !== 'object' || value === null) return false;
  const { hash, from, to, text }: { [key: string]: unknown } = { ...value };
  return typeof hash === 'string' && Number.isInteger(from) && Number.isInteger(to) && typeof text === 'string';
}
