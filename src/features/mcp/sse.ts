/**
 * The transport of servers from 2024: one stream for everything the server says, and POST requests to an address that the
 * stream names first. Replaces the library's, which reads without limit and reports each stray message as a failure.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { MCPTransport } from '@ai-sdk/mcp';
import { Inbox, MAX_MESSAGE, type Message } from './inbox.ts';
import { linesOf } from './lines.ts';

export interface SseOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  send: typeof fetch;
  /** Called for a message without an answer. */
  onNote(method: string): void;
  /** Called once, if the stream ends without having been closed. */
  onEnd(why: Error): void;
}

/** Thrown for an answer with another status, or with something other than a stream. */
class SseError extends Error {
  override name = 'SseError';
  readonly statusCode: number;

  constructor(message: string, statusCode: number) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** The limit for the address that the server names first, in ms. */
const ENDPOINT_MS = 15_000;
const MAX_WORDS = 300;

export async function openSse(options: SseOptions): Promise<MCPTransport> {
  const { validateJSONRPCMessage } = await import('@ai-sdk/mcp');
  return new SseTransport(options, validateJSONRPCMessage);
}

class SseTransport implements MCPTransport {
  onmessage?: NonNullable<MCPTransport['onmessage']>;
  onclose?: NonNullable<MCPTransport['onclose']>;
  onerror?: NonNullable<MCPTransport['onerror']>;
  protocolVersion?: string;
  readonly #options: SseOptions;
  readonly #inbox: Inbox;
  readonly #closing = new AbortController();
  readonly #endpoint = Promise.withResolvers<URL>();

  constructor(options: SseOptions, validate: (value: unknown) => Message) {
    this.#options = options;
    this.#inbox = new Inbox({
      validate,
      onNote: options.onNote,
      onMessage: (message) => this.onmessage?.(message),
      onFlood: (why) => this.#ended(why),
    });
    // It may fail before anybody waits for it.
    this.#endpoint.promise.catch(() => undefined);
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
  }

  async start(): Promise<void> {
    const { url, send } = this.#options;
    const headers = { ...this.#headers(), accept: 'text/event-stream' };
    const response = await send(url, { headers, signal: this.#closing.signal, redirect: 'error' });
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok) throw new SseError(`(HTTP ${response.status}): ${await errorWords(response)}`, response.status);
    if (!response.body || !type.includes('text/event-stream')) {
      await response.body?.cancel();
      throw new SseError(`Unexpected content type: ${type}`, response.status);
    }
    void this.#read(response.body).catch((error: unknown) =>
      this.#ended(error instanceof Error ? error : new Error(String(error))),
    );
    const late = setTimeout(() => this.#ended(new Error('it never named the address for calls')), ENDPOINT_MS);
    await this.#endpoint.promise.finally(() => clearTimeout(late));
  }

  async send(message: Message, options?: { signal?: AbortSignal }): Promise<void> {
    const endpoint = await this.#endpoint.promise;
    const response = await this.#options.send(endpoint, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(this.#inbox.tokens.ask(message)),
      signal: options?.signal ? AbortSignal.any([this.#closing.signal, options.signal]) : this.#closing.signal,
      redirect: 'error',
    });
    if (!response.ok) throw new SseError(`(HTTP ${response.status}): ${await errorWords(response)}`, response.status);
    await response.body?.cancel();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.onclose?.();
  }

  #headers(): Record<string, string> {
    const version = this.protocolVersion;
    return { ...this.#options.headers, ...(version !== undefined && { 'mcp-protocol-version': version }) };
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let event = '';
    let data: string[] = [];
    let size = 0;
    const bound = (open: number) => {
      if (size + open > MAX_MESSAGE) throw new Error(`it sent a message larger than ${MAX_MESSAGE / 1024 / 1024} MB`);
    };
    for await (const line of linesOf(body, bound)) {
      if (line.startsWith('event:')) event = line.slice(6).trim();
      if (line.startsWith('data:')) {
        data.push(line.slice(5).replace(/^ /, ''));
        size += line.length;
        bound(0);
      }
      if (line !== '') continue;
      if (data.length > 0) this.#take(event, data.join('\n'));
      [event, data, size] = ['', [], 0];
    }
    throw new Error('it ended its stream');
  }

  #take(event: string, data: string): void {
    if (event === 'endpoint') this.#endpoint.resolve(endpointOf(data, this.#options.url));
    else if (event === '' || event === 'message') this.#inbox.take(data);
  }

  #ended(why: Error): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#endpoint.reject(why);
    this.#options.onEnd(why);
    this.onclose?.();
  }
}

/** @throws for an address on another host: our headers and what people ask must not go there */
function endpointOf(data: string, base: string): URL {
  const endpoint = URL.parse(data, base);
  if (endpoint?.origin !== new URL(base).origin) throw new Error('it names another host for its calls');
  return endpoint;
}

async function errorWords(response: Response): Promise<string> {
  for await (const chunk of response.body ?? []) return Buffer.from(chunk).toString().slice(0, MAX_WORDS);
  return '';
}
