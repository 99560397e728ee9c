/** Cleans up what a platform says about a file, so that it can be shown and kept. */
import { tidyLine } from './read.ts';

/** Returns the last path component, on one line. A name from outside is shown, never opened. */
export function fileName(name: string | undefined): string | undefined {
  const last = name?.slice(-1000).split(/[\\/]/).at(-1) ?? '';
  const clean = tidyLine(last, 1000);
  if (/^\.*$/.test(clean)) return undefined;
  if (clean.length <= 120) return clean;
  const extension = /\.\w{1,10}$/.exec(clean)?.[0] ?? '';
  return clean.slice(0, 120 - extension.length).toWellFormed() + extension;
}

/** Returns the media type without parameters: `text/plain; charset=utf-8` becomes `text/plain`. */
export function mediaType(type: string | undefined): string | undefined {
  const plain = type?.split(';', 1)[0]?.trim();
  return plain !== undefined && /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(plain) ? plain.toLowerCase() : undefined;
}
