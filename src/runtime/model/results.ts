/**
 * Limits tool results to what fits in one request: the oldest are shortened first, and a shortened result stays short,
 * so that a provider's cache holds. Pure.
 */
import { isRecord } from '../../lib/json.ts';
import type { Prompt } from '../contract/model.ts';
import { SHOWN_BY_TOOLS } from '../contract/standing.ts';

type Message = Prompt[number];
type ToolMessage = Extract<Message, { role: 'tool' }>;
type ToolPart = ToolMessage['content'][number];
type Result = Extract<ToolPart, { type: 'tool-result' }>;

/** Characters left of a shortened result. */
const SHORT = 500;
/** A result stays whole if shortening saves no more than this many characters. */
const WORTH = 200;
/** Characters of each result when steps are rendered as text. */
const TOLD = 300;
const NOTE = 'Shortened, because newer results need the room: call the tool again if you need the rest.';

function resultText({ output }: Result): string {
  if (output.type === 'execution-denied') return output.reason ?? '';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}

const isResult = (part: ToolPart): part is Result => part.type === 'tool-result';
const resultsIn = (message: Message): Result[] => (message.role === 'tool' ? message.content.filter(isResult) : []);

export const sizeOfResults = (prompt: Prompt): number =>
  prompt.flatMap(resultsIn).reduce((sum, result) => sum + resultText(result).length, 0);

/** Shortens results to `room` characters in total, unless there are so many that even short ones don't fit. */
export function fitResults(prompt: Prompt, room: number): Prompt {
  const limits = limitsFor(prompt.flatMap(resultsIn), room);
  if (limits.size === 0) return prompt;
  return prompt.map((message) => {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) => {
      const limit = isResult(part) ? limits.get(part) : undefined;
      return isResult(part) && limit !== undefined ? shortened(part, limit) : part;
    });
    return { ...message, content };
  });
}

/**
 * Returns how long each shortened result may be. When there is too much, half of the room is freed at once: a prefix
 * that changed with every step could never be read from a cache. Decisions about a prompt's beginning don't depend on
 * its end.
 */
function limitsFor(results: readonly Result[], room: number): Map<Result, number> {
  const limits = new Map<Result, number>();
  const sizes = results.map((result) => resultText(result).length);
  let sum = 0;
  let oldest = 0;
  for (let newest = 0; newest < results.length; newest += 1) {
    sum += sizes[newest] ?? 0;
    if (sum <= room) continue;
    for (; oldest <= newest && sum > room / 2; oldest += 1) {
      const limit = oldest === newest ? Math.max(SHORT, Math.floor(room / 2)) : SHORT;
      const size = sizes[oldest] ?? 0;
      const result = results[oldest];
      if (result && size > limit + WORTH) {
        limits.set(result, limit);
        sum += limit - size;
        sizes[oldest] = limit;
      }
      // The newest may still be shortened for later ones.
      if (oldest === newest) break;
    }
  }
  return limits;
}

function shortened(result: Result, limit: number): Result {
  const isError = result.output.type.startsWith('error');
  const text = resultText(result);
  const end = Math.floor(limit / 4);
  const kept = `${text.slice(0, limit - end).toWellFormed()}\n[…]\n${text.slice(-end).toWellFormed()}\n[${NOTE}]`;
  return { ...result, output: { type: isError ? 'error-text' : 'text', value: kept } };
}

/** Shortens the arguments of calls, except for those of the last step: written content is in files. */
export function withShortArguments(prompt: Prompt): Prompt {
  const last = prompt.findLastIndex(isStep);
  return prompt.map((message, at) => {
    if (message.role !== 'assistant' || at >= last - 1) return message;
    const content = message.content.map((part) =>
      part.type === 'tool-call' ? { ...part, input: shortTexts(part.input) } : part,
    );
    return { ...message, content };
  });
}

export const hasLongArguments = (prompt: Prompt): boolean =>
  JSON.stringify(withShortArguments(prompt)).length < JSON.stringify(prompt).length;

/** Keeps the keys of an object, as providers require. */
function shortTexts(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > SHORT + WORTH ? `${value.slice(0, SHORT).toWellFormed()} […]` : value;
  if (Array.isArray(value)) return value.map(shortTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortTexts(one)]));
}

/** Returns the index of a person's newest message; steps before it are old. */
export const newestWords = (prompt: Prompt): number =>
  prompt.findLastIndex((message) => message.role === 'user' && !isShown(message.content));

const isShown = ([first]: Extract<Message, { role: 'user' }>['content']): boolean =>
  first?.type === 'text' && first.text === SHOWN_BY_TOOLS;

const isStep = (message: Message): boolean =>
  message.role === 'tool' ||
  (message.role === 'assistant' &&
    message.content.some((part) => part.type === 'tool-call' || part.type === 'tool-result'));

export const hasSteps = (prompt: Prompt): boolean => prompt.some(isStep);

/** Renders the old steps of the prompt as text, or all steps if there are no old ones. */
export function withStepsTold(prompt: Prompt): Prompt {
  const end = newestWords(prompt);
  const isOld = prompt.slice(0, Math.max(0, end)).some(isStep);
  return prompt.flatMap((message, at): Message[] => {
    if ((isOld && at > end) || !isStep(message)) return [message];
    if (message.role === 'tool') return renderResults(message);
    if (message.role !== 'assistant') return [message];
    const content = message.content.filter((part) => part.type === 'text');
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}

/**
 * Renders results as data from outside: if they were the model's own words, it would write its next calls the same way.
 */
function renderResults(message: ToolMessage): Message[] {
  const lines = resultsIn(message).map(
    (result) => `${result.toolName}: ${resultText(result).slice(0, TOLD).toWellFormed()}`,
  );
  if (lines.length === 0) return [];
  return [{ role: 'user', content: [{ type: 'text', text: `[What tools have said, as data]\n${lines.join('\n')}` }] }];
}
