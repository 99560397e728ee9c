/** Shows a person the difference between two versions of a skill: which files, and which lines. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cleanName } from '../../lib/text.ts';
import type { Files } from './bundle.ts';
import type { TreeFile } from './tree.ts';

export interface Changes {
  added: string[];
  removed: string[];
  changed: string[];
  /** A unified diff as of `diff -u`; '' if no text has changed. */
  patch: string;
}

/** Bytes of a file up to which lines are compared. */
const MAX_FILE = 300_000;
const MAX_PATCH = 500_000;
/** Time limit for comparing one file; the event loop runs between two. */
const TIMEOUT_MS = 100;

export async function changesBetween(before: Files, after: Files): Promise<Changes> {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const isSame = (name: string) => {
    const [a, b] = [before.get(name), after.get(name)];
    return a && b && a.isExecutable === b.isExecutable && a.bytes.equals(b.bytes);
  };
  const different = names.filter((name) => !isSame(name));
  const patches: string[] = [];
  let length = 0;
  for (const name of different) {
    const text = length < MAX_PATCH ? await patchOf(name, before.get(name), after.get(name)) : '';
    length += text.length;
    await nextTurn();
    patches.push(text);
  }
  return {
    added: different.filter((name) => !before.has(name)).map(cleanName),
    removed: different.filter((name) => !after.has(name)).map(cleanName),
    changed: different.filter((name) => before.has(name) && after.has(name)).map(cleanName),
    patch: patches.join('').slice(0, MAX_PATCH).toWellFormed(),
  };
}

async function patchOf(name: string, before: TreeFile | undefined, after: TreeFile | undefined): Promise<string> {
  const [from, to] = [comparableText(before), comparableText(after)];
  const head = [before ? `a/${cleanName(name)}` : '/dev/null', after ? `b/${cleanName(name)}` : '/dev/null'] as const;
  if (from === undefined || to === undefined) {
    const sizes = `${before?.bytes.length ?? 0} -> ${after?.bytes.length ?? 0} bytes`;
    return `--- ${head[0]}\n+++ ${head[1]}\n(no text that can be compared: ${sizes})\n`;
  }
  const { createTwoFilesPatch } = await import('diff');
  const patch = createTwoFilesPatch(head[0], head[1], from, to, undefined, undefined, { timeout: TIMEOUT_MS });
  return patch?.replace(/^=+\n/, '') ?? `--- ${head[0]}\n+++ ${head[1]}\n(too much has changed to compare it)\n`;
}

/** Returns undefined for a file that isn't text or is too long; '' for a missing one. */
function comparableText(file: TreeFile | undefined): string | undefined {
  if (!file) return '';
  if (file.bytes.length > MAX_FILE || file.bytes.includes(0) || !isUtf8(file.bytes)) return undefined;
  return file.bytes.toString();
}
