/**
 * The task's messages as the model gets them. Invariants: no system role comes from history (it is people's and tools'
 * text); every tool call has a result right after it and every result a call; a file that cannot be shown is named
 * instead.
 */
import { isJsonRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import type { Unseen } from '../contract/agent.ts';
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

/** Bytes of all files of a request together. */
const MAX_FILES = 15_000_000;
/** Files of earlier messages and results that are shown again. */
const MAX_OLDER = 5;

/** What stands between here and the beginning is to be kept in the prompt cache of Anthropic's models. */
const BREAKPOINT: ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** The prompt with its end marked for the cache: the next step begins with all of it. */
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
 * Marks the messages before which a person has written last, and the time before: what stands now comes between, and is another next
 * time. Of the run between the two more is told than of those further back, so that the next request may share no more than what
 * stands before it. With the first system part and the end of the prompt these are the four marks that Anthropic takes.
 */
function markHistory(prompt: Message[], starts: readonly number[]): void {
  for (const start of new Set(starts.slice(-2))) {
    const last = prompt[start - 1];
    if (last) prompt[start - 1] = marked(last);
  }
}

/** System parts, the one that changes least first: Anthropic's models keep it in their prompt cache. */
export function toInstructions(parts: readonly string[]): Extract<Message, { role: 'system' }>[] {
  const filled = parts.filter((part) => part.trim() !== '');
  return filled.map((content, index) => ({
    role: 'system',
    content,
    ...(index === 0 && { providerOptions: BREAKPOINT }),
  }));
}

export interface Showing {
  /** What stands now: a message of its own before the newest one of a person, which is theirs alone. */
  standing?: string | undefined;
  signal: AbortSignal;
  /** One that came since the last answer can't be shown. */
  onUnseen?: ((unseen: Unseen) => void) | undefined;
  /** One that came since the last answer is shown. */
  onNew?: ((data: Uint8Array) => void) | undefined;
}

/**
 * @param messages The history. Files of the messages after the last answer are shown, and the newest of those before.
 * @param resumed Messages of this run's finished steps, which come after the history, and what their tools have shown.
 * @param goal Stands for the person's message if the history has none.
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
  appendSteps(prompt, resumed.messages);
  appendPictures(prompt, partsOfAll(resumed.files));
  return prompt;
}

/** Pictures that tools have given, after their results. */
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
 * The newest first, as far as there is room: all that came since the last answer, and a few of those that were talked about before.
 * What is left out stands in the history by name, and a tool shows it again.
 */
async function filesToShow(
  messages: readonly TaskMessage[],
  resumed: readonly InputFile[],
  { signal, onUnseen, onNew }: Pick<Showing, 'signal' | 'onUnseen' | 'onNew'>,
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
 * Puts a model's own messages behind the prompt, but for what no provider would take: other roles, unknown parts, calls
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
    const content = partsOf(message.content).flatMap(toAssistantPart);
    const results = new Map<string, ToolResult>();
    for (let next = messages[index + 1]; isJsonRecord(next) && next.role === 'tool'; next = messages[index + 1]) {
      for (const result of partsOf(next.content).flatMap(toResult)) results.set(result.toolCallId, result);
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
  const options = optionsOf(part);
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
  return isOutput(output) ? [{ type, toolCallId, toolName, output, ...optionsOf(part) }] : [];
}

const OUTPUTS: readonly unknown[] = ['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content'];

/** What stands in a session was written by this gateway or an earlier version of it. */
const isOutput = (value: Json | undefined): value is ToolResult['output'] & Json =>
  isJsonRecord(value) && OUTPUTS.includes(value.type);

const isKind = (value: Json | undefined): value is `${string}.${string}` =>
  typeof value === 'string' && value.includes('.');

function optionsOf({ providerOptions }: Part): { providerOptions?: ProviderOptions } {
  return isOptions(providerOptions) ? { providerOptions } : {};
}

const isOptions = (value: Json | undefined): value is ProviderOptions & Json =>
  isJsonRecord(value) && Object.values(value).every(isJsonRecord);

const partsOf = (content: Json | undefined): Part[] => (Array.isArray(content) ? content.filter(isJsonRecord) : []);
