/** Tokens of a model call: as the provider reports them, else estimated at about four characters each. */
import type { CallOptions, GenerateResult } from './model.ts';

export interface CallUsage {
  inputTokens: number;
  cachedInputTokens?: number;
  outputTokens: number;
  isEstimate?: true;
  /** The length of a recording, if that is billed. */
  seconds?: number;
}

const CHARACTERS = 4;
const FILE_TOKENS = 1_000;

type Prompt = CallOptions['prompt'];

/** More than any call uses: higher counts are ignored. */
const MAX_COUNT = 100_000_000;

/**
 * A provider that reports nothing, or an impossible count, must neither make an answer free nor use up everyone's cap.
 */
export function usageOf({ usage, content }: GenerateResult, prompt: Prompt): CallUsage {
  const inputTokens = countOf(usage.inputTokens.total);
  const outputTokens = countOf(usage.outputTokens.total);
  const isSaid = content.some((part) => part.type !== 'text' || part.text !== '');
  const cached = Math.min(countOf(usage.inputTokens.cacheRead), inputTokens);
  const told = { inputTokens, outputTokens, ...(cached > 0 && { cachedInputTokens: cached }) };
  if (inputTokens > 0 && (outputTokens > 0 || !isSaid)) return told;
  const guess = estimate(prompt, isSaid ? JSON.stringify(content).length : 0);
  return {
    ...told,
    isEstimate: true,
    inputTokens: inputTokens || guess.inputTokens,
    outputTokens: outputTokens || guess.outputTokens,
  };
}

const countOf = (count = 0): number => (count > 0 && count <= MAX_COUNT ? Math.ceil(count) : 0);

/** Estimates a call that never ended: the provider has read the prompt and charges for what it wrote. */
export function estimate(prompt: Prompt, written: number): CallUsage {
  let characters = 0;
  let files = 0;
  for (const { content } of prompt) {
    if (typeof content === 'string') characters += content.length;
    else
      for (const part of content) {
        if (part.type === 'file') files += 1;
        else if (part.type === 'text' || part.type === 'reasoning') characters += part.text.length;
        else characters += JSON.stringify(part).length;
      }
  }
  const inputTokens = Math.ceil(characters / CHARACTERS) + files * FILE_TOKENS;
  return { inputTokens, outputTokens: Math.ceil(written / CHARACTERS), isEstimate: true };
}

export interface MeteredRun {
  run: string;
  task: string;
  person: string;
}
