/** What the emulated model is told to say, and what it saw: the two shapes a test writes and reads. */

/** Ways in which a model endpoint goes wrong. All of them were seen with real providers. */
export type LlmFault =
  /** The connection is closed before any answer. */
  | 'refuse'
  | 'unauthorized'
  | 'model-not-found'
  /** 429 with `retry-after` (see `Turn.retryAfterSeconds`). */
  | 'rate-limited'
  | 'server-error'
  | 'overloaded'
  /** 400, as a provider answers to a request it cannot use; in the words of `Turn.text`, if there are any. */
  | 'bad-request'
  /** 400: the conversation is longer than the model takes. */
  | 'too-long'
  /** 429, as a provider answers when the account has run out of money. */
  | 'no-credit'
  /** The request is taken and nothing ever comes. */
  | 'stall-start'
  /** Half of the text comes, then nothing, and the connection stays open. */
  | 'stall-middle'
  /** Half of the text comes and the response ends in good order, without a finish event. */
  | 'cut'
  /** Half of the text comes and the connection breaks. */
  | 'reset'
  /** A tool call whose arguments stop half-way; no finish event. */
  | 'cut-tool-call'
  /** A tool call whose arguments are not JSON, finished as if all were well. */
  | 'bad-tool-json'
  /** 200 with a page of HTML, as a captive portal or a wrong base URL gives. */
  | 'html'
  | 'no-choices'
  | 'empty-text'
  /** One event of the stream is not JSON. */
  | 'bad-chunk'
  /** An answer of `Turn.hugeBytes` (16 MB unless told). */
  | 'huge';

export interface ToolCall {
  name: string;
  /** Sent as JSON; a string is sent as it is. */
  arguments: unknown;
  id?: string;
}

/** One answer of the model. */
export interface Turn {
  text?: string;
  /** The text in these pieces, one stream event each. */
  chunks?: string[];
  toolCalls?: ToolCall[];
  reasoning?: string;
  /** Pieces of OpenRouter's blocks of thoughts, one stream event each. */
  details?: Record<string, unknown>[];
  /** Content blocks of Anthropic's own kinds, before the text. */
  blocks?: Record<string, unknown>[];
  /** Lines of the stream that carry nothing, word for word, written before, between and after the events. */
  noise?: string[];
  /** `finish_reason`; `tool_calls` or `stop` unless told. */
  finish?: string;
  usage?: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens: number } };
  /** In place of `usage`, word for word: what some servers say there is none. */
  rawUsage?: unknown;
  /** Milliseconds before the first byte. */
  delayMs?: number;
  /** The answer begins once this is settled, however long a test takes until then. */
  after?: Promise<unknown>;
  /** Milliseconds between stream events. */
  chunkDelayMs?: number;
  fault?: LlmFault;
  retryAfterSeconds?: number;
  /** HTTP status of `overloaded`; 503 unless told. */
  status?: number;
  hugeBytes?: number;
}

export interface WireMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; type?: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** One chat request as the model saw it. */
export interface LlmRequest {
  /** Counts from 1 over the life of the emulator. */
  n: number;
  model: string;
  stream: boolean;
  /** Size of the request body. */
  bytes: number;
  authorization: string;
  /** Text of the system messages, joined. */
  system: string;
  /** Text of the newest user message. */
  lastUser: string;
  /** Text of the tool results that came after it, oldest first. */
  toolResults: string[];
  /** Names of the tools offered. */
  tools: string[];
  messages: WireMessage[];
  body: Record<string, unknown>;
  at: number;
  /** `aborted`: the client closed the connection before the answer was whole. */
  /** What Anthropic's prompt cache has given and taken. */
  cache?: { cache_read_input_tokens: number; cache_creation_input_tokens: number; input_tokens: number };
  outcome: 'open' | 'answered' | 'aborted' | 'faulted';
}

/** The text of a message's content: a string, or its text parts joined. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part && typeof part.text === 'string' ? part.text : '')).join('');
}
