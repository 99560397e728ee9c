/**
 * The cost of model calls: `usage/YYYY-MM-DD.jsonl` (UTC), one line at the end of each call, so that a killed gateway
 * loses nothing it knew. An unreadable line loses only itself.
 */
import path from 'node:path';
import { appendInFolder } from '../lib/files.ts';
import { parseJson, readJsonLines } from '../lib/json.ts';
import { isCount, isText, objectOf, oneOf, optional, shape } from '../lib/shape.ts';
import type { Home } from './home.ts';
import type { TaskRecord, Usage } from './types.ts';

export interface UsageCall extends Usage {
  type: 'call';
  /** ISO 8601, when the call ended. */
  at: string;
  /** Until the end of the answer. */
  ms: number;
  run: string;
  task: string;
  person: string;
  /** `provider/model`. */
  model: string;
  /** Estimated from the length of the texts. */
  isEstimate?: true;
  seconds?: number;
}

export type UsageLine =
  | UsageCall
  /** The answer of this run said that a cap is reached. */
  | { type: 'notice'; at: string; run: string; who: string; setting: string };

const DAY_MS = 86_400_000;
let latest = { number: Number.NaN, name: '' };

/** Each call asks several times, mostly about the same day. */
export function usageDay(ms: number): string {
  const number = Math.floor(ms / DAY_MS);
  if (number !== latest.number) latest = { number, name: new Date(ms).toISOString().slice(0, 10) };
  return latest.name;
}

export const usageFile = (home: { root: string }, day: string): string => path.join(home.root, 'usage', `${day}.jsonl`);

/** Survives a crash of the process; a power cut may lose the last lines. */
export function appendUsage(home: Home, line: UsageLine): void {
  appendInFolder(usageFile(home, line.at.slice(0, 10)), [JSON.stringify(line)]);
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

/** Two currencies aren't added: what `a` cost in another one counts as unpriced tokens. */
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

/** Repeated calls count the run once. */
export function withRun(record: TaskRecord, run: string, used: Usage): TaskRecord {
  const before = record.counted?.run === run ? record.counted.before : record.usage;
  return { ...record, usage: addUsage(before, used), counted: { run, ...(before && { before }) } };
}
