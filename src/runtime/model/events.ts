/**
 * Converts streamed events to the form that the providers' libraries accept. Servers that imitate an API write its
 * fields in other forms, or leave them empty; an event without content is left out.
 */
import { isRecord, parseJson } from '../../lib/json.ts';
import { withReadableUsage } from './reported-usage.ts';

/** Chat Completions, Anthropic's Messages, OpenAI's Responses, Google's generateContent. */
export type Shape = 'chat' | 'messages' | 'responses' | 'gemini';

const DONE = '[DONE]';
const ENDED = /"finish_reason"\s*:\s*"[^"]/;
/** Inserted for servers that mark the end of a stream without giving a finish reason. */
const END = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

/**
 * Returns a function that takes the events of one stream in order and returns, for each, the events that its reader
 * accepts.
 */
export function createCarrier(shape: Shape): (data: string) => readonly string[] {
  const isWanted = shape === 'messages' ? createBlocks() : () => true;
  let has: 'nothing' | 'begun' | 'ended' | 'done' = 'nothing';
  return (data) => {
    if (shape !== 'chat') return [carriedBy(shape, data)].filter((event) => event !== undefined).filter(isWanted);
    if (has === 'done') return [];
    if (data.trim() === DONE) {
      const missing = has === 'begun' ? [END] : [];
      has = 'done';
      return [...missing, DONE];
    }
    const event = carriedBy(shape, data);
    if (event === undefined) return [];
    if (ENDED.test(event)) has = 'ended';
    else if (has === 'nothing') has = 'begun';
    return [event];
  };
}

/** Returns an event's data as its reader accepts it; undefined for an event that carries nothing. */
export function carriedBy(shape: Shape, data: string): string | undefined {
  if (shape === 'chat' && PLAIN.test(data) && !HOLLOW.test(data)) return withReadableUsage(data);
  const text = data.trim();
  if (text === DONE) return data;
  // A word such as `ping`; a torn piece of JSON has at least one of these characters.
  if (!/[[\]{}"]/.test(text)) return undefined;
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return data;
    throw error;
  }
  if (!isRecord(event)) return undefined;
  // The library would take an error without an object for an unreadable answer.
  if (shape === 'chat' && typeof event.error === 'string' && isSaid(event.error))
    return JSON.stringify({ error: { message: event.error } });
  if (isSaid(event.error)) return data;
  const carried = READERS[shape](event);
  if (carried === undefined) return undefined;
  const read = carried === event ? data : JSON.stringify(carried);
  return shape === 'chat' ? withReadableUsage(read) : read;
}

type Event = Record<string, unknown>;

const PLAIN = /"choices"\s*:\s*\[\s*\{/;
/**
 * Matches pieces with empty fields (an error, a finish reason, a call), and pieces that use another form than usual:
 * arguments as an object, a number as text, a text as a number, a message instead of a delta.
 */
const HOLLOW = new RegExp(
  [
    String.raw`"error"\s*:\s*(?:""|\{\s*\})|"finish_reason"\s*:\s*""|"tool_calls"\s*:\s*\[(?![^\]]*"function"\s*:\s*\{)`,
    String.raw`"arguments"\s*:\s*[[{]|"(?:index|created)"\s*:\s*"|"(?:id|model)"\s*:\s*[-\d{[tf]|"message"\s*:\s*\{`,
    String.raw`"role"\s*:\s*"(?!assistant"|")|"(?:content|finish_reason)"\s*:\s*[-\d{tf]|"reasoning(?:_content)?"\s*:\s*[-\d{[tf]`,
  ].join('|'),
);

/** Some servers write `"error": null`, or an empty error, in every piece of a healthy answer. */
const isSaid = (error: unknown): boolean =>
  error !== undefined &&
  error !== null &&
  error !== '' &&
  !(typeof error === 'object' && Object.keys(error).length === 0);

function choiceOf(choice: Event): Event {
  const { delta: piece, message, finish_reason: reason, ...rest } = choice;
  const delta = isRecord(piece) ? piece : message;
  const said = typeof reason === 'string' && reason !== '' ? reason : null;
  if (!isRecord(delta)) return { ...choice, finish_reason: said };
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isRecord) : [];
  const whole = calls.filter((call) => isRecord(call.function)).map(callOf);
  return {
    ...rest,
    finish_reason: said,
    delta: {
      ...spoken(delta),
      ...(delta.tool_calls !== undefined && { tool_calls: whole.length > 0 ? whole : undefined }),
    },
  };
}

/** Returns a piece with its texts as strings and without its role, because only one role answers. */
function spoken({ role: _role, ...delta }: Event): Event {
  const words = ['content', 'reasoning', 'reasoning_content'].flatMap((key) =>
    key in delta && !(key === 'content' && Array.isArray(delta[key])) ? [[key, textOf(delta[key])]] : [],
  );
  return { ...delta, ...Object.fromEntries(words) };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(textOf).join('');
  return isRecord(value) ? textOf(value.text ?? value.content) : null;
}

function callOf(call: Event): Event {
  const { arguments: given, ...named } = isRecord(call.function) ? call.function : {};
  const asText = typeof given === 'object' && given !== null ? JSON.stringify(given) : given;
  const { index, id, ...rest } = call;
  return {
    ...rest,
    ...(index !== undefined && { index: Number(index) }),
    ...(id !== undefined && { id: typeof id === 'number' ? String(id) : id }),
    function: { ...named, ...(given !== undefined && { arguments: asText }) },
  };
}

/** Keeps the fields around the choices that are readable: none of them is worth losing the answer for. */
function headOf({ id, model, created, ...rest }: Event): Event {
  return {
    ...rest,
    ...(id !== undefined && { id: id === null ? null : String(id) }),
    ...(typeof model === 'string' && { model }),
    ...(typeof created === 'number' && { created }),
  };
}

const READERS: Readonly<Record<Shape, (event: Event) => Event | undefined>> = {
  chat(event) {
    // The form in which vLLM reports a failure.
    if (event.object === 'error') return { error: event };
    const given = Array.isArray(event.choices) ? event.choices : [];
    const choices = given.filter(isRecord).map(choiceOf);
    const { error: none, ...rest } = event;
    const kept = none === undefined || none === null ? event : rest;
    return choices.length === 0 && !isRecord(event.usage) ? undefined : { ...headOf(kept), choices };
  },
  // Anthropic's documentation announces events of new types, which readers must ignore.
  messages(event) {
    if (typeof event.type !== 'string' || !MESSAGES.has(event.type)) return undefined;
    if (event.type === 'content_block_delta' && !isRecord(event.delta)) return undefined;
    if (event.type === 'message_start' && isRecord(event.message) && !isRecord(event.message.usage))
      return { ...event, message: { ...event.message, usage: { input_tokens: 0, output_tokens: 0 } } };
    if (event.type !== 'message_delta') return event;
    // A delta without a stop reason would overwrite the one that had it.
    if (!isRecord(event.delta) || !isSaid(event.delta.stop_reason)) return undefined;
    return isRecord(event.usage) ? event : { ...event, usage: { output_tokens: 0 } };
  },
  responses: (event) => (typeof event.type === 'string' ? event : undefined),
  gemini(event) {
    if (event.candidates === undefined || event.candidates === null)
      return isRecord(event.usageMetadata) || isRecord(event.promptFeedback) ? event : undefined;
    if (!Array.isArray(event.candidates)) return event;
    const candidates = event.candidates.filter(isRecord).map((candidate: Event) => {
      const { content } = candidate;
      if (!isRecord(content) || !Array.isArray(content.parts)) return candidate;
      return { ...candidate, content: { ...content, parts: content.parts.filter(isRecord) } };
    });
    return { ...event, candidates };
  },
};

const MESSAGES: ReadonlySet<string> = new Set([
  ...['message_start', 'message_delta', 'message_stop', 'ping', 'error'],
  ...['content_block_start', 'content_block_delta', 'content_block_stop'],
]);

/** The blocks and pieces that the library knows: an unknown one would make it discard the whole answer. */
const BLOCKS: ReadonlySet<string> = new Set([
  ...['text', 'thinking', 'redacted_thinking', 'compaction', 'fallback', 'tool_use', 'server_tool_use', 'mcp_tool_use'],
  ...['mcp_tool_result', 'web_fetch_tool_result', 'web_search_tool_result', 'code_execution_tool_result'],
  ...['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'tool_search_tool_result'],
  'advisor_tool_result',
]);
const PIECES: ReadonlySet<string> = new Set([
  ...['input_json_delta', 'text_delta', 'thinking_delta', 'signature_delta', 'compaction_delta', 'citations_delta'],
]);
const OF_BLOCKS = /"type"\s*:\s*"content_block_/;

/** Returns a function that tells whether an Anthropic event belongs to a known block. */
function createBlocks(): (data: string) => boolean {
  const unknown = new Set<unknown>();
  return (data) => {
    const event = OF_BLOCKS.test(data) ? parseJson(data) : undefined;
    if (!isRecord(event)) return true;
    const { type, index, content_block: block, delta } = event;
    if (type === 'content_block_start' && isRecord(block) && !BLOCKS.has(String(block.type))) unknown.add(index);
    return !unknown.has(index) && (!isRecord(delta) || PIECES.has(String(delta.type)));
  };
}
