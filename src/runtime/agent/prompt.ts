/**
 * Converts the task's messages to the model's prompt. Invariants: no system role comes from the history, which is text
 * by people and tools; every tool call is followed by its result and every result has a call; a file that cannot be
 * shown is named instead.
 */
import { isJsonRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import type { UnseenFile } from '../contract/agent.ts';
import type { Prompt } from '../contract/model.ts';
import { SHOWN_BY_TOOLS, STANDING } from '../contract/standing.ts';
import type { InputFile, TaskMessage } from '../contract/task.ts';
import { mayBeShown, showFile, type UserPart } from './show-file.ts';

type Message = Prompt[number];
type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<Message, { role: 'tool' }>['content'][number];
type ToolResult = Extract<ToolPart, { type: 'tool-result' }>;
type ProviderOptions = NonNullable<Message['providerOptions']>;
type Part = { [key: string]: Json };

/** The limit for all files of a request together, in bytes. */
const MAX_FILES = 15_000_000;
/** The limit for files from earlier messages and results that are shown again. */
const MAX_OLDER = 5;

/** Asks Anthropic's models to cache the prompt up to this point. */
const BREAKPOINT: ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Marks the end of the prompt for the cache: the next step begins with all of it. */
export function withBreakpoint(prompt: Prompt): Message[] {
  const last = prompt.at(-1);
  if (!last || last.role === 'system') return prompt;
  return [...prompt.slice(0, -1), marked(last)];
}

const marked = (message: Message): Message => ({
  ...message,
  providerOptions: { ...message.providerOptions, ...BREAKPOINT },
});

/**
 * Marks for the cache the messages before a person's last message and before the one preceding it, because the current
 * state comes next and will differ next time. The run between the two is rendered in more detail than earlier runs, so
 * the next request may share only what precedes it. Together with the first system part and the end of the prompt,
 * these are the four marks that Anthropic accepts.
 */
function markHistory(prompt: Message[], starts: readonly number[]): void {
  for (const start of new Set(starts.slice(-2))) {
    const last = prompt[start - 1];
    if (last) prompt[start - 1] = marked(last);
  }
}

/** Returns the system parts; the first changes least, so Anthropic's models keep it in their prompt cache. */
export function toInstructions(parts: readonly string[]): Extract<Message, { role: 'system' }>[] {
  const filled = parts.filter((part) => part.trim() !== '');
  return filled.map((content, index) => ({
    role: 'system',
    content,
    ...(index === 0 && { providerOptions: BREAKPOINT }),
  }));
}

export interface Showing {
  /** The current state: a separate message before the person's newest message, which holds only their own words. */
  standing?: string | undefined;
  signal: AbortSignal;
  /** Called for a file that came since the last answer and can't be shown. */
  onUnseen?: ((unseen: UnseenFile) => void) | undefined;
  /** Called for a file that came since the last answer and is shown. */
  onNew?: ((data: Uint8Array) => void) | undefined;
}

/**
 * @param messages The history. Shows the files of messages after the last answer, and the newest ones before.
 * @param resumed Messages of this run's finished steps, which follow the history, and the files that their tools
 * showed.
 * @param goal Replaces the person's message if the history has none.
 */
export async function toPrompt(
  messages: readonly TaskMessage[],
  resumed: { messages: readonly Json[]; files: readonly InputFile[] },
  goal: string,
  { standing = '', signal, onUnseen, onNew }: Showing,
): Promise<Message[]> {
  const shown = await filesToShow(messages, resumed.files, { signal, onUnseen, onNew });
  const partsOfAll = (files: readonly InputFile[] = []): UserPart[] => files.flatMap((file) => shown.get(file) ?? []);
  const prompt: Message[] = [];
  const last = messages.findLast(({ role }) => role === 'user');
  const tell = () => {
    if (standing !== '') prompt.push(toUser(`${STANDING}\n${standing}`, []));
  };
  const starts: number[] = [];
  for (const message of messages) {
    if (message.role === 'user') starts.push(prompt.length);
    if (message === last) tell();
    if (message.role === 'steps') {
      appendSteps(prompt, message.messages);
      appendPictures(prompt, partsOfAll(message.files));
    } else if (message.role === 'user') prompt.push(toUser(message.text, partsOfAll(message.files)));
    else if (message.text.trim() !== '') prompt.push(said(message.text));
  }
  if (!prompt.some((message) => message.role === 'user')) {
    starts.push(prompt.length);
    tell();
    prompt.push(toUser(goal, []));
  }
  markHistory(prompt, starts);
  if (resumed.messages.length > 0) appendSteps(prompt, resumed.messages);
  if (resumed.files.length > 0) appendPictures(prompt, partsOfAll(resumed.files));
  return prompt;
}

/** Appends pictures from tools after their results. */
export async function showPictures(prompt: Message[], files: readonly InputFile[], signal: AbortSignal): Promise<void> {
  const room = { bytes: MAX_FILES };
  const parts: UserPart[] = [];
  for (const file of files) parts.push(...[await showFile(file, room, signal)].flatMap((each) => each?.part ?? []));
  appendPictures(prompt, parts);
}

function appendPictures(prompt: Message[], parts: readonly UserPart[]): void {
  if (parts.length > 0) prompt.push({ role: 'user', content: [{ type: 'text', text: SHOWN_BY_TOOLS }, ...parts] });
}

/**
 * Loads files, newest first, as far as there is room: everything since the last answer, and a few of those discussed
 * before. The history names the files left out, and a tool can show them again.
 */
async function filesToShow(
  messages: readonly TaskMessage[],
  resumed: readonly InputFile[],
  { signal, onUnseen, onNew }: Showing,
): Promise<Map<InputFile, UserPart>> {
  const newest = messages.findLastIndex((message) => message.role === 'assistant') + 1;
  const shown = new Map<InputFile, UserPart>();
  const room = { bytes: MAX_FILES };
  let older = 0;
  const show = async (file: InputFile, isNew: boolean) => {
    const found = await showFile(file, room, signal);
    if (!found) return;
    shown.set(file, found.part);
    if (!isNew) return;
    if (found.unseen) onUnseen?.(found.unseen);
    if (found.part.type === 'file' && 'data' in found.part.data && found.part.data.data instanceof Uint8Array)
      onNew?.(found.part.data.data);
  };
  for (const file of resumed) await show(file, false);
  for (const [index, message] of [...messages.entries()].toReversed()) {
    if (message.role === 'assistant') continue;
    for (const file of message.files ?? []) {
      if (!mayBeShown(file)) continue;
      if (index < newest) older += 1;
      if (index < newest && older > MAX_OLDER) return shown;
      await show(file, index >= newest);
    }
  }
  return shown;
}

const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

function toUser(text: string, files: readonly UserPart[]): Message {
  const words = text.trim() === '' ? '(no text)' : text;
  return { role: 'user', content: [{ type: 'text', text: words }, ...files] };
}

/**
 * Appends a model's own messages to the prompt, except for what providers reject: other roles, unknown parts, calls
 * without results.
 */
export function appendSteps(prompt: Message[], messages: readonly Json[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!isJsonRecord(message) || message.role !== 'assistant') continue;
    if (typeof message.content === 'string') {
      if (message.content) prompt.push(said(message.content));
      continue;
    }
    const content = contentParts(message.content).flatMap(toAssistantPart);
    const results = new Map<string, ToolResult>();
    for (let next = messages[index + 1]; isJsonRecord(next) && next.role === 'tool'; next = messages[index + 1]) {
      for (const result of contentParts(next.content).flatMap(toResult)) results.set(result.toolCallId, result);
      index += 1;
    }
    const calls = content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true ? [part] : [],
    );
    const answers = calls.map((call) => results.get(call.toolCallId) ?? interrupted(call));
    if (content.length > 0) prompt.push({ role: 'assistant', content });
    if (answers.length > 0) prompt.push({ role: 'tool', content: answers });
  }
}

function interrupted({ toolCallId, toolName }: { toolCallId: string; toolName: string }): ToolResult {
  const output = { type: 'error-text' as const, value: 'interrupted: it is not known whether this was done' };
  return { type: 'tool-result', toolCallId, toolName, output };
}

function toAssistantPart(part: Part): AssistantPart[] {
  const { type, text, data, mediaType, kind } = part;
  const options = partOptions(part);
  if (type === 'text' && typeof text === 'string')
    return text === '' && !options.providerOptions ? [] : [{ type, text, ...options }];
  if (type === 'reasoning' && typeof text === 'string') return [{ type, text, ...options }];
  if ((type === 'file' || type === 'reasoning-file') && typeof data === 'string' && typeof mediaType === 'string')
    return [{ type, data: { type: 'data', data }, mediaType, ...options }];
  if (type === 'custom' && isKind(kind)) return [{ type, kind, ...options }];
  if (type === 'tool-result') return toResult(part);
  const { toolCallId, toolName, input = {}, providerExecuted } = part;
  if (type !== 'tool-call' || typeof toolCallId !== 'string' || typeof toolName !== 'string') return [];
  return [{ type, toolCallId, toolName, input, ...(providerExecuted === true && { providerExecuted }), ...options }];
}

function toResult(part: Part): ToolResult[] {
  const { type, toolCallId, toolName = '', output } = part;
  if (type !== 'tool-result' || typeof toolCallId !== 'string' || typeof toolName !== 'string') return [];
  return isOutput(output) ? [{ type, toolCallId, toolName, output, ...partOptions(part) }] : [];
}

const OUTPUTS: readonly unknown[] = ['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content'];

/** Checks no more than the type: this gateway or an earlier version of it wrote the session. */
const isOutput = (value: Json | undefined): value is ToolResult['output'] & Json =>
  isJsonRecord(value) && OUTPUTS.includes(value.type);

const isKind = (value: Json | undefined): value is `${string}.${string}` =>
  typeof value === 'string' && value.includes('.');

function partOptions({ providerOptions }: Part): { providerOptions?: ProviderOptions } {
  return isOptions(providerOptions) ? { providerOptions } : {};
}

const isOptions = (value: Json | undefined): value is ProviderOptions & Json =>
  isJsonRecord(value) && Object.values(value).every(isJsonRecord);

const contentParts = (content: Json | undefined): Part[] =>
  Array.isArray(content) ? content.filter(isJsonRecord) : [];
