/**
 * The cost of model calls: `usage/YYYY-MM-DD.jsonl` (UTC), one line per call, written when the call ends, so that a
 * killed gateway loses nothing it knew. One writer. An unreadable line loses only itself.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { appendLinesSync } from '../lib/files.ts';
import { parseJson, readJsonLines } from '../lib/json.ts';
import { isCount, isText, objectOf, oneOf, optional, shape } from '../lib/shape.ts';
import type { Home } from './home.ts';
import type { TaskRecord, Usage } from './types.ts';

export interface UsageCall extends Usage {
  type: 'call';
  /** ISO 8601, when the call ended. */
  at: string;
  /** Milliseconds from the request to the end of the answer. */
  ms: number;
  run: string;
  task: string;
  /** The person charged: a principal as text. */
  person: string;
  /** `provider/model`. */
  model: string;
  /** The provider didn't report usage, so it was estimated from the length of the texts. */
  isEstimate?: true;
  /** Length of a transcribed recording, in seconds. */
  seconds?: number;
}

export type UsageLine =
  | UsageCall
  /** Somebody was notified today that a cap is reached, in the answer of this run. */
  | { type: 'notice'; at: string; run: string; who: string; setting: string };

export const usageDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const usageFile = (home: { root: string }, day: string): string => path.join(home.root, 'usage', `${day}.jsonl`);

/** Appends one line to the day of its `at`. Survives a crash of the process; a power cut may lose the last lines. */
export function appendUsage(home: Home, line: UsageLine): void {
  const file = usageFile(home, line.at.slice(0, 10));
  const text = JSON.stringify(line);
  try {
    appendLinesSync(file, [text]);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    appendLinesSync(file, [text]);
  }
}

const optionalCount = optional(isCount);
const isNotice = objectOf({ type: oneOf('notice'), at: isText, run: isText, who: isText, setting: isText });
const isCall = objectOf({
  type: oneOf('call'),
  at: isText,
  run: isText,
  task: isText,
  person: isText,
  model: isText,
  inputTokens: isCount,
  outputTokens: isCount,
  cachedInputTokens: optionalCount,
  cost: optionalCount,
  unpricedTokens: optionalCount,
});
const ABOUT = {
  lost: 'what model calls of a day have used',
  next: 'The daily limits are counted without it.',
  tell: true,
};

const usageShape = shape<UsageLine>((line) => isCall(line) || isNotice(line));

/** Parses one line of a day; returns undefined for a damaged one. */
export function usageLineOf(text: string): UsageLine | undefined {
  const { success, data } = usageShape.safeParse(parseJson(text));
  return success ? (data as UsageLine) : undefined;
}

/** Returns the lines of a day (`YYYY-MM-DD`, UTC) in the order they were written; [] when there are none. */
export function readUsage(home: { root: string }, day: string): UsageLine[] {
  return readJsonLines(usageFile(home, day), usageShape, ABOUT);
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

export const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

/** Adds two usages. Two currencies aren't added: what `a` cost in another one counts as unpriced tokens. */
export function addUsage(a: Usage | undefined, b: Usage): Usage {
  const before = a ?? NO_USAGE;
  const isForeign = before.cost !== undefined && b.cost !== undefined && before.currency !== b.currency;
  const known = isForeign ? { ...before, cost: undefined, unpricedTokens: tokensOf(before) } : before;
  const cost = known.cost === undefined && b.cost === undefined ? undefined : (known.cost ?? 0) + (b.cost ?? 0);
  const cached = (known.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  const unpriced = (known.unpricedTokens ?? 0) + (b.unpricedTokens ?? 0);
  const currency = b.currency ?? known.currency;
  return {
    inputTokens: known.inputTokens + b.inputTokens,
    outputTokens: known.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(cost !== undefined && { cost }),
    ...(cost !== undefined && currency !== undefined && { currency }),
    ...(unpriced > 0 && { unpricedTokens: unpriced }),
  };
}

/** Returns the record with everything that a run has used so far. Repeated calls count the run once. */
export function withRun(record: TaskRecord, run: string, used: Usage): TaskRecord {
  const before = record.counted?.run === run ? record.counted.before : record.usage;
  return { ...record, usage: addUsage(before, used), counted: { run, ...(before && { before }) } };
}
