/**
 * Renders one finished run of the session as messages for the model: people's messages, the steps that used tools (with
 * long results and arguments shortened), and the answer as it was shown. Pure: the same entries give the same messages
 * in every later request, so that a provider's prompt cache holds.
 */
import { isJsonRecord } from '../../lib/json.ts';
import type { ArtifactRef, Json, SessionEntry } from '../../workspace/types.ts';
import { ASK_AGENT } from '../contract/question.ts';
import type { InputFile, TaskMessage } from '../contract/task.ts';
import { parseReply } from '../reply/reply.ts';
import { likeness } from './names.ts';
import { bySpeaker, clip, formatFiles } from './turn.ts';

export type MessageEntry = Extract<SessionEntry, { type: 'message' }>;
export type RunEntry = Extract<SessionEntry, { type: 'message' | 'step' | 'result' }>;

/** Characters kept of each tool result or argument (`tool`), and of each message or answer (`text`). */
export interface Room {
  tool: number;
  text: number;
}

type StepEntry = Extract<SessionEntry, { type: 'step' }>;

/** Returns the files of a message or of a tool's result that the model sees directly. */
export type FilesOf = (entry: MessageEntry | StepEntry) => InputFile[];
export const NO_FILES: FilesOf = () => [];

/** Returns the text of a person's message; names the speaker when several people take part. */
export type UserText = (entry: MessageEntry) => string;

/**
 * Returns the messages of a finished run. The model's own final text is not repeated: the `result` holds what people
 * saw of it, without the reply blocks. When `room.tool` is 0, the steps are left out.
 */
export function pastMessages(
  entries: readonly RunEntry[],
  room: Room,
  userText: UserText,
  filesOf: FilesOf = NO_FILES,
): TaskMessage[] {
  const shownIn = (entry: MessageEntry | StepEntry): { files?: InputFile[] } => {
    const files = filesOf(entry);
    return files.length > 0 ? { files } : {};
  };
  const messages: TaskMessage[] = [];
  let answer: string | undefined;
  for (const entry of entries) {
    if (entry.type === 'result') {
      // A steered run continues in the next one, so it has no outcome of its own.
      answer = entry.text.trim() || (entry.error === STEERED ? '' : OUTCOME[entry.state]);
      continue;
    }
    if (entry.type === 'message') {
      messages.push(...(entry.before ?? []).map(({ role, text }) => ({ role, text: clip(text, room.text) })));
      messages.push({ role: 'user', text: clip(userText(entry), room.text), ...shownIn(entry) });
      continue;
    }
    if (usesTools(entry.messages)) {
      if (room.tool > 0)
        messages.push({
          role: 'steps',
          messages: entry.messages.map((m) => shortenMessage(m, room.tool)),
          ...shownIn(entry),
        });
    } else {
      const said = parseReply(joinTexts(entry.messages)).visible.trim();
      if (said) messages.push({ role: 'assistant', text: clip(said, room.text) });
    }
  }
  if (answer) {
    const last = messages.at(-1);
    const shown = clip(answer, room.text);
    // The gateway may have added a notice or a question to the model's last text, so the result contains that text. A
    // block that repeats what others have said was shown unchanged.
    const isSame = (said: string) => shown.includes(said) || parseReply(shown).visible.includes(said);
    if (last?.role === 'assistant' && isSame(last.text)) messages.pop();
    messages.push({ role: 'assistant', text: shown });
  }
  return messages;
}

/** The `error` of a run that ended because people wrote more before it had an answer. */
export const STEERED = 'steered';

/**
 * Returns the names of the tools whose side-effecting calls were cut off: announced since the model's last message, and
 * without a result. The result of one call may be recorded while another call is still running.
 */
export function cutCall(entries: readonly SessionEntry[]): string | undefined {
  const step = entries.findLastIndex((entry) => entry.type === 'step' && entry.messages.some(isAssistantMessage));
  const after = entries.slice(step + 1);
  const results = after.flatMap((entry) => (entry.type === 'step' ? entry.messages.flatMap(messageParts) : []));
  const ended = new Set(results.map((part) => (isPart(part, 'tool-result') ? part.toolCallId : undefined)));
  const cut = after.flatMap((entry) => (entry.type === 'call' && !ended.has(entry.callId) ? [entry.tool] : []));
  return cut.length > 0 ? [...new Set(cut)].join(', ') : undefined;
}

const isAssistantMessage = (message: Json): boolean => isJsonRecord(message) && message.role === 'assistant';

/** Tells later runs that an earlier one was stopped or steered while a tool was running. */
export const cutOffWords = (tool: string): string =>
  `(This run was cut off while using ${tool}: it may or may not have happened. Look before you do it again.)`;

const OUTCOME = {
  completed: '',
  stopped: '(This run was stopped before an answer.)',
  error: '(This run failed before an answer.)',
} as const;

/**
 * Returns a function that labels each message with its speaker: by name alone when it is unique among the speakers,
 * else with their ID.
 */
export function speakersOf(entries: readonly SessionEntry[]): UserText {
  const names = new Map<string, string>();
  for (const entry of entries) if (entry.type === 'message') names.set(idOf(entry), entry.from.name);
  if (names.size < 2) return plainText;
  // Names that only look the same count as the same.
  const shared = Map.groupBy(names.values(), likeness);
  const labels = new Map(
    [...names].map(([id, name]) => [id, (shared.get(likeness(name))?.length ?? 0) > 1 ? `${name} ${id}` : name]),
  );
  const everyone = [...labels.values()];
  return (entry) => {
    const text = plainText(entry);
    // The gateway stores the speaker's name with the text in a group.
    const stored = bySpeaker('', entry.from.name, []);
    const words = text.startsWith(stored) ? text.slice(stored.length) : text;
    return bySpeaker(words, labels.get(idOf(entry)) ?? entry.from.name, everyone);
  };
}

/** A linked person is one speaker on every channel: the gateway stores them as `person:alex`. */
const idOf = ({ from }: MessageEntry): string => (from.user.includes(':') ? from.user : `${from.channel}:${from.user}`);

/** Returns the stored text, followed by a list of the files that it doesn't name yet. */
export function plainText(entry: MessageEntry): string {
  const unnamed = entry.files.filter(
    ({ id }: ArtifactRef) => !entry.text.includes(`- ${id}: "`) && !entry.spoken?.includes(id),
  );
  if (unnamed.length === 0) return entry.text;
  const list = formatFiles(unnamed.map(({ id, title, type }) => ({ id, name: title, type })));
  return entry.text ? `${entry.text}\n\n${list}` : list;
}

type Fields = { [key: string]: Json };
const messageParts = (message: Json): Json[] =>
  isJsonRecord(message) && Array.isArray(message.content) ? message.content : [];
const isPart = (part: Json, type: string): part is Fields => isJsonRecord(part) && part.type === type;

export const usesTools = (messages: readonly Json[]): boolean =>
  messages.some((m) => messageParts(m).some((part) => isPart(part, 'tool-call') || isPart(part, 'tool-result')));

/** Counts the calls of a tool that did not fail. */
export const usesOf = (entries: readonly SessionEntry[], tool: string): number =>
  entries
    .flatMap((entry) => (entry.type === 'step' ? entry.messages : []))
    .flatMap(messageParts)
    .filter((part) => {
      if (!isPart(part, 'tool-result') || part.toolName !== tool || !isJsonRecord(part.output)) return false;
      return typeof part.output.type === 'string' && !/^(error|execution-denied)/.test(part.output.type);
    }).length;

export function answersOfAgents(messages: readonly Json[]): { agent: string; text: string }[] {
  const parts = messages.flatMap(messageParts).filter(isJsonRecord);
  const asked = parts.filter((part) => isPart(part, 'tool-call') && part.toolName === ASK_AGENT);
  return parts.flatMap((part) => {
    const { output } = part;
    if (!isPart(part, 'tool-result') || part.toolName !== ASK_AGENT || !isJsonRecord(output)) return [];
    // The newest call with that ID: some providers reuse IDs.
    const call = asked.findLast(({ toolCallId }) => toolCallId === part.toolCallId);
    const [agent, said] = [isJsonRecord(call?.input) ? call.input.agent : undefined, output.value];
    const text = isJsonRecord(said) ? said.text : undefined;
    return typeof agent === 'string' && typeof text === 'string' ? [{ agent, text }] : [];
  });
}

/** Returns the values of a run's tool results, undefined for failures. */
export const toolValues = (entries: readonly SessionEntry[]): (Json | undefined)[] =>
  entries
    .flatMap((entry) => (entry.type === 'step' ? entry.messages : []))
    .flatMap(messageParts)
    .flatMap((part) => {
      if (!isPart(part, 'tool-result') || !isJsonRecord(part.output)) return [];
      const { type, value } = part.output;
      return [typeof type === 'string' && /^(error|execution-denied)/.test(type) ? undefined : value];
    });

function joinTexts(messages: readonly Json[]): string {
  return messages
    .flatMap((m) => (isJsonRecord(m) && typeof m.content === 'string' ? [m.content] : messageParts(m)))
    .map((part) =>
      typeof part === 'string' ? part : isPart(part, 'text') && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

/**
 * Shortens only tool arguments and results: other parts (reasoning, signatures) must go back to the provider unchanged.
 */
function shortenMessage(message: Json, room: number): Json {
  if (!isJsonRecord(message) || !Array.isArray(message.content)) return message;
  const content = message.content.map((part): Json => {
    if (isPart(part, 'tool-call') && part.input !== undefined)
      return { ...part, input: shortenStrings(part.input, room) };
    if (!isPart(part, 'tool-result') || !isJsonRecord(part.output)) return part;
    const { type, value } = part.output;
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
    if (text.length <= room) return part;
    const failed = typeof type === 'string' && type.startsWith('error');
    return { ...part, output: { type: failed ? 'error-text' : 'text', value: clip(text, room) } };
  });
  return { ...message, content };
}

/** Keeps the keys of an object, as providers require. */
function shortenStrings(value: Json, room: number): Json {
  if (typeof value === 'string') return clip(value, room);
  if (Array.isArray(value)) return value.map((item) => shortenStrings(item, room));
  if (!isJsonRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenStrings(item, room)]));
}
