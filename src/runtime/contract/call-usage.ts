/** The tokens of one model call: as the provider counts them, else estimated from the texts (about four characters each). */
import type { CallOptions, GenerateResult } from './model.ts';

export interface CallUsage {
  inputTokens: number;
  cachedInputTokens?: number;
  outputTokens: number;
  isEstimate?: true;
  /** Of a recording, where that is what is paid for. */
  seconds?: number;
}

const CHARACTERS = 4;
/** Of a picture or a page, whatever its size in bytes. */
const FILE_TOKENS = 1_000;

type Prompt = CallOptions['prompt'];

/** What an answer has cost. A provider that says nothing must not make it free. */
export function usageOf({ usage, content }: GenerateResult, prompt: Prompt): CallUsage {
  const inputTokens = usage.inputTokens.total ?? 0;
  const outputTokens = usage.outputTokens.total ?? 0;
  if (inputTokens + outputTokens === 0) return estimate(prompt, JSON.stringify(content).length);
  const cachedInputTokens = usage.inputTokens.cacheRead ?? 0;
  return { inputTokens, outputTokens, ...(cachedInputTokens > 0 && { cachedInputTokens }) };
}

/** For a call whose end never came: the provider has read the prompt and charges for what it wrote. */
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

/** Whose run it is that costs something. */
export interface MeteredRun {
  run: string;
  task: string;
  /** Who is charged: a principal as text. */
  person: string;
}
