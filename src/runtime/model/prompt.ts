/** Adapts a prompt to the model that receives it, and a model's tool calls to what providers accept back. Pure. */
import { randomUUID } from 'node:crypto';
import { isJson } from '../../lib/json.ts';
import type { GenerateResult, Prompt } from '../contract/model.ts';
import { takesPdf } from '../contract/providers.ts';

type Message = Prompt[number];

/**
 * Merges the system parts into one message. Only Anthropic's models read them as parts (and cache the first
 * separately); chat templates of local servers refuse a second system message.
 * @param isWords whether `isPlain` has found the prompt to be plain
 */
export function fitPrompt(given: Prompt, provider: string, isWords = isPlain(given)): Prompt {
  const prompt = isWords || takesPdf(provider) ? given : withoutPdfs(given);
  const parts = prompt.filter((message) => message.role === 'system');
  if (parts.length < 2 || provider.startsWith('anthropic')) return prompt;
  const system: Message = { role: 'system', content: parts.map((part) => part.content).join('\n\n') };
  return [system, ...prompt.filter((message) => message.role !== 'system')];
}

const NOT_SHOWN = 'its pages are not shown to you; its text is in the document block, or read_file reads it';

/**
 * Replaces PDFs with notes for a model not known to read their pages, which gets their text instead: a PDF would make
 * it refuse the whole request.
 */
const withoutPdfs = (prompt: Prompt): Prompt =>
  prompt.some((message) => message.role === 'user' && message.content.some(isPdf))
    ? mapUserParts(prompt, (part) => (isPdf(part) ? fileNote(part, NOT_SHOWN) : part))
    : prompt;

type UserPart = Extract<Message, { role: 'user' }>['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;

const isPdf = (part: UserPart): part is FilePart => part.type === 'file' && part.mediaType === 'application/pdf';

const fileNote = ({ filename }: FilePart, why: string): UserPart => ({
  type: 'text',
  text: `[${filename ?? 'a file'}: ${why}]`,
});

const mapUserParts = (prompt: Prompt, change: (part: UserPart) => UserPart): Prompt =>
  prompt.map((message) => (message.role === 'user' ? { ...message, content: message.content.map(change) } : message));

/** Whether a prompt is text alone, and none of it blank: nothing in it has to be changed for any provider. */
export const isPlain = (prompt: Prompt): boolean =>
  prompt.every(({ role, content }) => {
    if (role === 'system') return true;
    if (role === 'tool' || content.length === 0) return false;
    return content.every(
      (part) => part.type === 'text' && part.providerOptions === undefined && part.text.trim() !== '',
    );
  });

export function hasFiles(prompt: Prompt): boolean {
  return prompt.some((message) => message.role === 'user' && message.content.some((part) => part.type === 'file'));
}

/** Returns the files of people's messages whose bytes are available, in order. */
export function promptFiles(prompt: Prompt): { data: Uint8Array; name: string }[] {
  return prompt.flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => dataOf(part) ?? []) : [],
  );
}

function dataOf(part: UserPart): { data: Uint8Array; name: string } | undefined {
  if (part.type !== 'file' || part.data.type !== 'data' || !(part.data.data instanceof Uint8Array)) return undefined;
  return { data: part.data.data, name: part.filename ?? 'a file' };
}

/**
 * Replaces files of people's messages with a line of text each, because not every model can see.
 * @param isOut which files; all by default
 */
export function withoutFiles(prompt: Prompt, isOut: (data: Uint8Array) => boolean = () => true): Prompt {
  return mapUserParts(prompt, (part) => {
    if (part.type !== 'file') return part;
    const known = dataOf(part);
    if (known && !isOut(known.data)) return part;
    return { type: 'text', text: `[${part.filename ?? 'a file'} cannot be shown to you]` };
  });
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_BROKEN_INPUT = 500;

/** Ends arguments that the limit of an answer has cut. */
export const CUT_BY_LIMIT = '\n[cut by the limit of the answer]';

/**
 * Marks all calls of an answer that its limit has cut as cut, so that the model learns it from their results and goes
 * on. Even a call that looks complete may be incomplete.
 */
export function withCutCalls(answer: GenerateResult): GenerateResult {
  const isCall = (part: GenerateResult['content'][number]) =>
    part.type === 'tool-call' && part.providerExecuted !== true;
  const { finishReason, content } = answer;
  if (finishReason.unified !== 'length' || !content.some(isCall)) return answer;
  return {
    ...answer,
    finishReason: { unified: 'tool-calls', raw: finishReason.raw },
    content: content.map((part) =>
      part.type === 'tool-call' && isCall(part)
        ? { ...part, input: `${part.input.slice(0, MAX_BROKEN_INPUT)}${CUT_BY_LIMIT}` }
        : part,
    ),
  };
}

/**
 * Gives calls names and IDs that providers accept in the history: a name of allowed characters, and an ID that no other
 * call of the conversation has. A long input that isn't JSON is cut, since the model only gets it back as an error.
 */
export function tidyCalls(answer: GenerateResult, prompt: Prompt): GenerateResult {
  if (!answer.content.some((part) => part.type === 'tool-call')) return answer;
  const ids = callIds(prompt);
  const content = answer.content.map((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted) return part;
    const toolCallId =
      part.toolCallId && !ids.has(part.toolCallId) ? part.toolCallId : `call_${randomUUID().replaceAll('-', '')}`;
    ids.add(toolCallId);
    const toolName = NAME.test(part.toolName)
      ? part.toolName
      : part.toolName.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
    const isLong = part.input.length > MAX_BROKEN_INPUT && !part.input.endsWith(CUT_BY_LIMIT);
    const broken = isLong && !isJson(part.input);
    // The note at the end keeps the cut text from being valid JSON by chance.
    return {
      ...part,
      toolCallId,
      toolName,
      input: broken ? `${part.input.slice(0, MAX_BROKEN_INPUT)}\n[cut]` : part.input,
    };
  });
  return { ...answer, content };
}

function callIds(prompt: Prompt): Set<string> {
  const ids = new Set<string>();
  for (const message of prompt) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.toolCallId);
  }
  return ids;
}
