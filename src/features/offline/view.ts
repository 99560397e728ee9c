/**
 * Extracts what the built-in model needs from a prompt: the person's words, plan, memory and files, in the form in
 * which the context contains them. Pure.
 */
import { type Messages, messagesIn } from '../../messages/messages.ts';
import { WITHHELD } from '../../runtime/context/system-prompt.ts';
import type { Prompt } from '../../runtime/contract/model.ts';
import { STANDING } from '../../runtime/contract/standing.ts';
import { parsePlan } from '../../workspace/tasks/index.ts';
import type { Json, Plan } from '../../workspace/types.ts';

export interface SeenFile {
  id: string;
  name: string;
  /** MIME type. */
  type: string;
}

/** A tool call since the person's last message, with its outcome. */
export interface MadeCall {
  tool: string;
  input: unknown;
  /** Absent if the tool failed. */
  value?: Json;
  error?: string;
}

export interface Call {
  tool: string;
  input: { [key: string]: Json };
}

/** The work on one request: yields calls, receives their outcomes, and returns a sentence for the person. */
export type Work = Generator<Call, string, MadeCall>;

export interface View {
  messages: Messages;
  /** The person's own words since the last answer, without quotes, notes and lists of files. */
  text: string;
  plan: Plan;
  /** Lines of memory without headings. */
  memory: string[];
  /** Whether memory exists but is withheld because others can read the conversation. */
  isWithheld: boolean;
  /** Whether a memory in this conversation is pending until somebody accepts it. */
  hasSuggested: boolean;
  /** Oldest first; files of the newest message come last. */
  files: SeenFile[];
  calls: MadeCall[];
  /** The number of messages that the person has written; it makes the IDs of calls differ between turns. */
  turn: number;
  /** The number of characters of text in all messages. */
  length: number;
}

/** The beginning of a memory block that is a separate message. */
const MEMORY_MESSAGE = 'Context from memory:';
/** The beginning of a compaction's summary of earlier messages, which isn't a request. */
const SUMMARY_MESSAGE = 'Summary of what was said before:';

export function readPrompt(given: Prompt, language?: string): View {
  const isMemory = (message: Prompt[number]) =>
    message.role === 'user' && promptText(message).startsWith(MEMORY_MESSAGE);
  const isSummary = (message: Prompt[number]) =>
    message.role === 'user' && promptText(message).startsWith(SUMMARY_MESSAGE);
  const newest = given.findLastIndex((message) => message.role === 'user');
  const before = newest > 0 ? given[newest - 1] : undefined;
  // Only right before the newest message, because anybody may write a message that begins like it.
  const standing = before?.role === 'user' && promptText(before).startsWith(STANDING) ? before : undefined;
  const prompt = given.filter((message) => message !== standing && !isMemory(message) && !isSummary(message));
  const standingText = standing ? promptText(standing) : '';
  const apart = given.filter(isMemory).map((message) => promptText(message).slice(MEMORY_MESSAGE.length));
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
  const end = prompt.findLastIndex((message) => message.role === 'user');
  const begin = prompt.slice(0, end + 1).findLastIndex((message) => message.role !== 'user') + 1;
  const spoken = prompt
    .slice(begin, end + 1)
    .map(promptText)
    .join('\n');
  const older = prompt.slice(0, begin).map((message) => (message.role === 'user' ? promptText(message) : ''));
  const files = [...older, block(standingText, 'artifacts'), spoken].flatMap(listedFiles);
  return {
    messages: messagesIn(language),
    text: spokenWords(spoken),
    plan: parsePlan(block(standingText, 'task')),
    memory: memoryLines([block(system, 'memory'), ...apart].join('\n')),
    isWithheld: system.includes(WITHHELD),
    hasSuggested: callsAfter(prompt).some(({ value }) => isWaiting(value)),
    files: [...new Map(files.map((file) => [file.id, file])).values()],
    calls: callsAfter(prompt.slice(end + 1)),
    turn: prompt.filter((message) => message.role === 'user').length,
    length: prompt.reduce((sum, message) => sum + promptText(message).length, 0),
  };
}

function promptText(message: Prompt[number]): string {
  if (message.role === 'system') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Returns the last block with that name, because text above it may mention the tag. */
function block(text: string, name: string): string {
  const start = text.lastIndexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? '' : text.slice(start + name.length + 2, end);
}

function spokenWords(spoken: string): string {
  const words = withoutQuotes(spoken)
    .replace(/^Attached files[^\n]*(?:\n- [^\n]*)*/gm, '')
    .replace(/^\[[^\]\n]*\]$/gm, '')
    .replace(/^\[[^\]\n]{1,64}\]: /gm, '');
  return words.trim();
}

function withoutQuotes(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = text.indexOf('<quoted'); start >= 0; start = text.indexOf('<quoted', from)) {
    const end = text.indexOf('</quoted>', start);
    if (end < 0) break;
    kept.push(text.slice(from, start));
    from = end + '</quoted>'.length;
  }
  return kept.join('') + text.slice(from);
}

function listedFiles(text: string): SeenFile[] {
  return [...text.matchAll(/^- (\S+): "((?:[^"\\\n]|\\.)*)" \(([^,)\n]+)/gm)].map(
    ([, id = '', name = '', type = '']) => ({
      id,
      name: name.replace(/\\(.)/g, '$1'),
      type,
    }),
  );
}

function memoryLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/^\s*[-*+]\s+/, '').trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('<!--'));
}

function callsAfter(messages: Prompt): MadeCall[] {
  const results = new Map<string, { value?: Json; error?: string }>();
  for (const message of messages) {
    if (message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type !== 'tool-result') continue;
      const { output } = part;
      if (output.type === 'json' || output.type === 'text')
        results.set(part.toolCallId, { value: toJson(output.value) });
      else results.set(part.toolCallId, { error: output.type === 'error-text' ? output.value : "it wasn't done" });
    }
  }
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return message.content.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ tool: part.toolName, input: part.input, ...(results.get(part.toolCallId) ?? { error: 'no result' }) }]
        : [],
    );
  });
}

function toJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value ?? null));
  return json;
}

/** Returns whether a memory is pending until a person accepts it. */
export const isWaiting = (value: Json | undefined): boolean => fieldOf(value, 'status') === 'pending';

export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;
}

export function textField(value: Json | undefined, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : '';
}
