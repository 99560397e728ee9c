/**
 * Takes the messages that a server sends on its own stream, apart from any request: ignores what isn't a message, and
 * gives a server up that sends too much.
 */
import type { MCPTransport } from '@ai-sdk/mcp';
import { Tokens } from './progress.ts';
import { makeReadable } from './readable.ts';

export type Message = Parameters<NonNullable<MCPTransport['onmessage']>>[0];

/** The limit for one message in bytes; two pictures of 10 MB fit. */
export const MAX_MESSAGE = 32 * 1024 * 1024;
/** The limit for notifications and stray texts within `NOTES_MS`; nothing useful needs as many. */
const MAX_NOTES = 5_000;
const NOTES_MS = 10_000;

export interface InboxOptions {
  /** Throws for anything that isn't a message. */
  validate(value: unknown): Message;
  /** Called for a message without an answer. */
  onNote(method: string): void;
  onMessage(message: Message): void;
  onFlood(why: Error): void;
}

export class Inbox {
  readonly tokens = new Tokens();
  readonly #options: InboxOptions;
  #notes = { count: 0, since: 0 };

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  take(text: string): void {
    const message = this.#read(text);
    if (message === undefined) {
      this.#noted();
      return;
    }
    if ('method' in message && !('id' in message)) {
      this.#options.onNote(message.method);
      this.tokens.note(message.method, message.params);
      this.#noted();
      return;
    }
    if ('id' in message) this.tokens.end(message.id);
    try {
      this.#options.onMessage(message);
    } catch (error) {
      // The client throws for an answer that nobody waits for any more.
      if (!(error instanceof Error && error.message.startsWith('Protocol error'))) throw error;
      this.#noted();
    }
  }

  #noted(): void {
    const now = performance.now();
    if (now - this.#notes.since > NOTES_MS) this.#notes = { count: 0, since: now };
    if (++this.#notes.count > MAX_NOTES)
      this.#options.onFlood(new Error(`it sent more than ${MAX_NOTES} messages that nobody asked for`));
  }

  /** Returns undefined for a text that isn't a message. */
  #read(text: string): Message | undefined {
    try {
      return this.#options.validate(makeReadable(JSON.parse(text)));
    } catch (error) {
      if (error instanceof Error && /^(SyntaxError|\$?ZodError)$/.test(error.name)) return undefined;
      throw error;
    }
  }
}
