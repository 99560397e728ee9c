/**
 * The task's messages as the model gets them. Invariants: no system role comes from history (it is people's and tools'
 * text); every tool call has a result right after it and every result a call; a file that cannot be shown is named
 * instead.
 */
import { readFile, stat } from 'node:fs/promises';
import type { ModelMessage } from 'ai';
import { errorCode } from '../../errors.ts';
import type { Json } from '../../workspace/types.ts';
import type { InputFile, TaskMessage } from '../contract/task.ts';

type UserMessage = Extract<ModelMessage, { role: 'user' }>;
type UserPart = Exclude<UserMessage['content'], string>[number];
type Part = { [key: string]: Json };

/** Bytes of one file shown to the model, and of all files of a request together. */
const MAX_FILE = 5_000_000;
const MAX_FILES = 15_000_000;
const SHOWN = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;
const PART_TYPES = new Set(['text', 'reasoning', 'reasoning-file', 'file', 'custom', 'tool-call', 'tool-result']);

/**
 * @param messages The history; files of the messages after the last answer are read and shown, older ones are not.
 * @param resumed Messages of this run's finished steps, which come after the history.
 * @param goal Stands for the person's message if the history has none.
 */
export async function toModelMessages(
  messages: readonly TaskMessage[],
  resumed: readonly Json[],
  goal: string,
): Promise<ModelMessage[]> {
  const newest = messages.findLastIndex((message) => message.role !== 'user') + 1;
  const room = { bytes: MAX_FILES };
  const result: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'steps') appendSteps(result, message.messages);
    else if (message.role === 'user')
      result.push(await toUser(message.text, index >= newest ? message.files : undefined, room));
    else if (message.text.trim() !== '') result.push({ role: 'assistant', content: message.text });
  }
  if (!result.some((message) => message.role === 'user'))
    result.push({ role: 'user', content: goal.trim() || '(no text)' });
  appendSteps(result, resumed);
  return result;
}

async function toUser(
  text: string,
  files: readonly InputFile[] | undefined,
  room: { bytes: number },
): Promise<UserMessage> {
  const words = text.trim() === '' ? '(no text)' : text;
  if (!files?.length) return { role: 'user', content: words };
  const parts: UserPart[] = [{ type: 'text', text: words }];
  for (const file of files) if (SHOWN.test(file.mimeType)) parts.push(await toPart(file, room));
  return { role: 'user', content: parts };
}

async function toPart({ path, name, mimeType }: InputFile, room: { bytes: number }): Promise<UserPart> {
  const note = (why: string): UserPart => ({ type: 'text', text: `[${name.replace(/[\r\n\]]/g, ' ')} ${why}]` });
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE || size > room.bytes) return note('is too large to be shown to you');
    room.bytes -= size;
    return { type: 'file', data: await readFile(path), mediaType: mimeType, filename: name };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return note('is no longer there');
  }
}

/**
 * Takes a model's own messages as they are, but for what no provider would take: other roles, unknown parts, calls
 * without results.
 */
function appendSteps(result: ModelMessage[], messages: readonly Json[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (!isRecord(message) || message.role !== 'assistant') continue;
    if (typeof message.content === 'string') {
      if (message.content) result.push({ role: 'assistant', content: message.content });
      continue;
    }
    const parts = partsOf(message.content);
    const calls = parts.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true);
    const results = new Map<unknown, Part>();
    for (let next = messages[index + 1]; isRecord(next) && next.role === 'tool'; next = messages[index + 1]) {
      for (const part of partsOf(next.content))
        if (part.type === 'tool-result' && isRecord(part.output)) results.set(part.toolCallId, part);
      index += 1;
    }
    const answers = calls.map((call) => results.get(call.toolCallId) ?? interrupted(call));
    push(result, 'assistant', parts);
    push(result, 'tool', answers);
  }
}

function interrupted(call: Part): Part {
  const output = { type: 'error-text', value: 'interrupted: it is not known whether this was done' };
  return { type: 'tool-result', toolCallId: call.toolCallId ?? '', toolName: call.toolName ?? '', output };
}

function push(result: ModelMessage[], role: 'assistant' | 'tool', parts: Part[]): void {
  if (parts.length === 0) return;
  // The parts were written by the SDK as response messages; their types are checked above, the rest is theirs to read.
  result.push({ role, content: parts } as unknown as ModelMessage);
}

function partsOf(content: Json | undefined): Part[] {
  if (!Array.isArray(content)) return [];
  const whole = content
    .filter(isRecord)
    .map((part) => (part.type === 'tool-call' ? { ...part, input: part.input ?? {} } : part));
  return whole.filter((part) => {
    if (!PART_TYPES.has(String(part.type))) return false;
    if (part.type === 'text' || part.type === 'reasoning') return typeof part.text === 'string';
    if (part.type === 'tool-call') return typeof part.toolCallId === 'string' && typeof part.toolName === 'string';
    return true;
  });
}

function isRecord(value: Json | undefined): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
