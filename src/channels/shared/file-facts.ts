/** What a platform says of a file, made fit to be shown and kept. */
import { oneLine } from './read.ts';

/** The last component only, on one line: a name from outside is shown, never opened. */
export function fileName(name: string | undefined): string | undefined {
  const last = name?.slice(-1000).split(/[\\/]/).at(-1) ?? '';
  const clean = oneLine(last, 1000);
  if (/^\.*$/.test(clean)) return undefined;
  if (clean.length <= 120) return clean;
  const extension = /\.\w{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, 120 - extension.length).toWellFormed() + extension;
}

/** `text/plain; charset=utf-8` is `text/plain`. */
export function mediaType(type: string | undefined): string | undefined {
  const plain = type?.split(';', 1)[0]?.trim();
  return plain !== undefined && /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(plain) ? plain.toLowerCase() : undefined;
}
