/**
 * The faults that were once fixed: each a patch in `regressions/` that brings one back, with what a person would meet
 * and the tests that must find it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Regression {
  /** The patch's name, without its extension. */
  name: string;
  /** What a person would meet, in one sentence. */
  meets: string;
  /** A test file, and the words that select tests in it; all of them without. */
  foundBy: { file: string; words?: string }[];
  changes: FileChange[];
}

export interface FileChange {
  /** Relative to the repository. */
  file: string;
  hunks: { before: string; after: string }[];
}

export const REGRESSIONS = join(import.meta.dirname, 'regressions');

const MEETS = /^# What a person would meet: (.+)$/m;
const FOUND_BY = /^# Found by: (\S+)(?: -t "(.+)")?$/gm;

/** Returns all of them, in the order of their names. */
export function readRegressions(): Regression[] {
  return readdirSync(REGRESSIONS)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => parsePatch(name.slice(0, -'.patch'.length), readFileSync(join(REGRESSIONS, name), 'utf8')));
}

export function parsePatch(name: string, text: string): Regression {
  const [head = '', ...parts] = text.split(/^--- [ab]\//m);
  const foundBy = [...head.matchAll(FOUND_BY)].map(([, file = '', words]) => ({
    file,
    ...(words !== undefined && { words }),
  }));
  return { name, meets: MEETS.exec(head)?.[1] ?? '', foundBy, changes: parts.map(parseFile) };
}

function parseFile(part: string): FileChange {
  const [head = '', ...hunks] = part.split(/^@@ .*\n/m);
  const side = (hunk: string, signs: string) =>
    hunk
      .split('\n')
      .filter((line) => line !== '' && signs.includes(line.charAt(0)))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return {
    file: head.split('\n', 1)[0]?.trim() ?? '',
    hunks: hunks.map((hunk) => ({ before: side(hunk, ' -'), after: side(hunk, ' +') })),
  };
}

/** Returns the source with the fault; undefined unless the lines that each hunk changes are there exactly once. */
export function withFault(source: string, { hunks }: FileChange): string | undefined {
  let text = `\n${source}`;
  for (const { before, after } of hunks) {
    const at = text.indexOf(`\n${before}`) + 1;
    if (at === 0 || text.includes(`\n${before}`, at) || before === after) return undefined;
    text = text.slice(0, at) + after + text.slice(at + before.length);
  }
  return text.slice(1);
}
