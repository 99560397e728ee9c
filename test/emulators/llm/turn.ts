/** The emulated model's script, and the requests that it saw: the two shapes that tests write and read. */

/** Ways in which a model endpoint fails. Each was seen with real providers. */
export type LlmFault =
  /** The connection is closed before any answer. */
  | 'refuse'
  | 'unauthorized'
  | 'model-not-found'
  /** 429 with `retry-after` (see `Turn.retryAfterSeconds`). */
  | 'rate-limited'
  | 'server-error'
  | 'overloaded'
  /** 400, as a provider answers a request that it can't use; in the words of `Turn.text`, if set. */
  | 'bad-request'
  /** 400: the conversation is longer than the model accepts. */
  | 'too-long'
  /** 429, as a provider answers when the account has run out of money. */
  | 'no-credit'
  /** The request is accepted and nothing ever follows. */
  | 'stall-start'
  /** Half of the text is sent, then nothing, and the connection stays open. */
  | 'stall-middle'
  /** Half of the text is sent and the response ends normally, without a finish event. */
  | 'cut'
  /** Half of the text is sent and the connection breaks. */
  | 'reset'
  /** A tool call whose arguments stop half-way; no finish event. */
  | 'cut-tool-call'
  /** A tool call whose arguments aren't JSON, finished normally. */
  | 'bad-tool-json'
  /** 200 with an HTML page, as a captive portal or a wrong base URL returns. */
  | 'html'
  | 'no-choices'
  | 'empty-text'
  /** The stream holds an error without a status, in the words of `Turn.text`. */
  | 'error-event'
  /** One event of the stream isn't JSON. */
  | 'bad-chunk'
  /** An answer of `Turn.hugeBytes` (16 MB by default). */
  | 'huge';

export interface ToolCall {
  name: string;
  /** Sent as JSON; a string is sent unchanged. */
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
  /** Lines of the stream without content, word for word, written before, between and after the events. */
  noise?: string[];
  /** `finish_reason`; `tool_calls` or `stop` by default. */
  finish?: string;
  usage?: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens: number } };
  /** Replaces `usage`, word for word, as some servers send it if there is none. */
  rawUsage?: unknown;
  /** Milliseconds before the first byte. */
  delayMs?: number;
  /** The answer begins once this has settled, however long the test takes until then. */
  after?: Promise<unknown>;
  /** Milliseconds between stream events. */
  chunkDelayMs?: number;
  fault?: LlmFault;
  retryAfterSeconds?: number;
  /** HTTP status of `overloaded`; 503 by default. */
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
  /** Counts from 1 over the emulator's lifetime. */
  n: number;
  model: string;
  stream: boolean;
  /** Size of the request body. */
  bytes: number;
  authorization: string;
  /** The text of the system messages, joined. */
  system: string;
  /** The text of the newest user message. */
  lastUser: string;
  /** The text of the tool results after it, oldest first. */
  toolResults: string[];
  /** The names of the offered tools. */
  tools: string[];
  messages: WireMessage[];
  body: Record<string, unknown>;
  at: number;
  /** `aborted`: the client closed the connection before the answer was complete. */
  /** What Anthropic's prompt cache has read and written. */
  cache?: { cache_read_input_tokens: number; cache_creation_input_tokens: number; input_tokens: number };
  outcome: 'open' | 'answered' | 'aborted' | 'faulted';
}

/** Returns the text of a message's content: a string, or its text parts joined. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part && typeof part.text === 'string' ? part.text : '')).join('');
}
