/**
 * Serves the local channel: other commands of this program (`run`, `chat`) reach the gateway through it, over a socket
 * that only the user's own account can open. `/ask` takes one message and streams its answers as lines of JSON; `/talk`
 * streams a chat for as long as the client listens; `/say` takes its messages, and `/suggest` offers suggestions.
 */
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { z } from 'zod';
import type {
  Address,
  AgentStreamEvent,
  Button,
  Channel,
  ChannelCallbacks,
  ChannelStatus,
  InboundMessage,
  LiveView,
  OutboundMessage,
  PartLedger,
  PendingQuestion,
} from '../channel.ts';
import { RunLines } from '../shared/run-lines.ts';
import { UNLIMITED } from '../shared/stored.ts';
import { saidHere } from '../shared/written-command.ts';
import { LISTEN, QUESTION, readRequest, SAID, SUGGEST } from './requests.ts';

interface LocalFile {
  path: string;
  name: string;
  mimeType: string;
  size: number;
}

/** A line of the response to `/ask`; one JSON object per line. */
export type LocalLine =
  /** `words`: the current activity, for people. */
  | { type: 'event'; event: AgentStreamEvent; words: string }
  | {
      type: 'answer';
      text: string;
      files: LocalFile[];
      buttons?: Button[][];
      ended?: OutboundMessage['ended'];
      result?: OutboundMessage['result'];
    }
  /** Everything was answered; nothing follows. */
  | { type: 'settled' }
  | { type: 'error'; message: string };

/** A line of the response to `/talk`. */
export type TalkLine =
  /** `edits`: the earlier message whose question is decided. */
  | {
      type: 'answer';
      text: string;
      files: LocalFile[];
      buttons: Button[][];
      messageId: string;
      edits?: string | undefined;
    }
  | { type: 'unanswered'; questions: PendingQuestion[] }
  /** The viber that answers from now on. */
  | { type: 'named'; name: string }
  | { type: 'wrote'; runId: string; text: string }
  | { type: 'steps' | 'again'; runId: string }
  | { type: 'works'; runId: string; line: string }
  | { type: 'over'; runId: string; isAnswered: boolean };

export interface LocalOptions {
  /** Path of the socket; one left by a killed gateway is replaced. */
  socket: string;
  user: string;
  /** The machine's language tag. */
  language?: string | undefined;
  /** Returns the name of the viber that answers in a chat. */
  nameAt?: ((address: Address, user: string) => Promise<string>) | undefined;
  /** Resolves when every message of a chat is answered, or the signal aborts. */
  settled: (address: Address, signal: AbortSignal) => Promise<void>;
  /** Returns the questions that were asked in a chat before the call and have no answer yet. */
  pending?: ((address: Address) => Promise<PendingQuestion[]>) | undefined;
  /** Answers commands of `viber`, by the path that they post to; each throws what went wrong. */
  requests?: ReadonlyMap<string, (asked: unknown) => Promise<object>>;
}

/** A client with more unread bytes than this is disconnected. */
const MAX_UNREAD = 8 * 1024 * 1024;

export const createLocal = (options: LocalOptions): Channel => new Local(options);

class Local implements Channel {
  readonly id = 'local';
  readonly account = 'local';
  readonly takesResults = true;
  readonly limits = { ...UNLIMITED, downloadBytes: 0 };
  readonly #options: LocalOptions;
  /** Clients that wait for the answers to a message, in order, and clients that listen; both by chat. */
  readonly #waiting = new Map<string, http.ServerResponse[]>();
  readonly #listening = new Map<string, http.ServerResponse[]>();
  /** The chats that a run's progress is sent to, by run. */
  readonly #chats = new Map<string, Set<string>>();
  readonly #lines = new RunLines((runId, line) => {
    for (const chat of this.#chats.get(runId) ?? []) this.#broadcast(chat, { type: 'works', runId, line });
  });
  #status: ChannelStatus = { state: 'off' };
  #server: http.Server | undefined;

  constructor(options: LocalOptions) {
    this.#options = options;
  }

  status(): ChannelStatus {
    return this.#status;
  }

  async connect(callbacks: ChannelCallbacks, { sendOnly = false } = {}): Promise<void> {
    if (sendOnly) {
      this.#status = { state: 'connected' };
      return callbacks.onStatus();
    }
    const { socket } = this.#options;
    fs.rmSync(socket, { force: true });
    const server = http.createServer((request, response) => {
      this.#serve(request, response, callbacks).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(400);
        response.end(error instanceof Error ? error.message : 'bad request');
      });
    });
    // A client may listen for days.
    server.requestTimeout = 0;
    server.listen(socket);
    await once(server, 'listening');
    fs.chmodSync(socket, 0o600);
    this.#server = server;
    this.#status = { state: 'connected' };
    callbacks.onStatus();
  }

  async disconnect(): Promise<void> {
    this.#server?.close();
    this.#lines.close();
    for (const response of [...this.#listening.values()].flat()) response.end();
    this.#status = { state: 'off' };
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    await ledger.part(0, async () => {
      const files = message.files.map(({ path, name, mimeType, size }) => ({ path, name, mimeType, size }));
      const { text, result, buttons = [], isUnknown } = message;
      const ended = isUnknown ? 'error' : message.ended;
      const { chat } = message.address;
      const waiting = (this.#waiting.get(chat) ?? []).filter((response) => !response.writableEnded);
      // The client may be gone; the answer is in the session anyway. An edited question answers nobody.
      const asked = message.edits ? undefined : waiting[0];
      const more = { ...(buttons.length > 0 && { buttons }), ...(ended && { ended }), ...(result && { result }) };
      if (asked) sendLine(asked, { type: 'answer', text, files, ...more });
      // Nothing says which of several clients a later answer is for, so each of them gets one.
      if (waiting.length > 1) asked?.end();
      if (this.#listening.has(chat)) await this.#name(chat);
      this.#broadcast(chat, {
        type: 'answer',
        text,
        files,
        buttons,
        messageId: message.id,
        edits: message.edits?.messageId,
      });
      if (message.buttons && !message.edits) ledger.hasButtons?.(message.id);
      return message.id;
    });
  }

  async stream(event: AgentStreamEvent, { chat }: Address, view: LiveView): Promise<void> {
    for (const asked of this.#waiting.get(chat) ?? []) sendLine(asked, { type: 'event', event, words: view.words });
    if (!this.#listening.has(chat) || view.mode === 'off') return;
    const { runId, type } = event;
    if (!this.#chats.has(runId)) await this.#name(chat);
    if (type === 'text-delta' && view.mode !== 'status')
      this.#broadcast(chat, { type: 'wrote', runId, text: event.content });
    if (type === 'tool-call') this.#broadcast(chat, { type: 'steps', runId });
    if (type === 'state-change' && event.state === 'thinking') this.#broadcast(chat, { type: 'again', runId });
    this.#chats.set(runId, (this.#chats.get(runId) ?? new Set()).add(chat));
    this.#lines.follow(runId, view);
  }

  livePace({ chat }: Address): { key: string; gapMs: number } {
    return { key: chat, gapMs: 200 };
  }

  async endStream(runId: string, { chat }: Address, isAnswered: boolean): Promise<undefined> {
    this.#lines.end(runId);
    this.#chats.delete(runId);
    this.#broadcast(chat, { type: 'over', runId, isAnswered });
  }

  async #serve(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    callbacks: ChannelCallbacks,
  ): Promise<void> {
    switch (request.method === 'POST' ? request.url : undefined) {
      case '/ask': {
        const asked = await readRequest(request, QUESTION);
        holdResponse(this.#waiting, asked.chat, response);
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        const given = 'given' in asked && asked.given ? { given: asked.given } : {};
        return this.#ask({ ...this.#message(asked), ...given }, response, callbacks);
      }
      case '/talk': {
        const { chat } = await readRequest(request, LISTEN);
        holdResponse(this.#listening, chat, response);
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.flushHeaders();
        const questions = (await this.#options.pending?.(localAddress(chat))) ?? [];
        await this.#name(chat);
        if (questions.length > 0) sendLine(response, { type: 'unanswered', questions });
        return;
      }
      case '/say': {
        const said = await readRequest(request, SAID);
        await callbacks.onMessage(this.#message(said), said);
        response.writeHead(204).end();
        return;
      }
      case '/suggest': {
        const { chat, command, text } = await readRequest(request, SUGGEST);
        const { address, sender } = this.#messageFrom({ chat }, text);
        const found = await callbacks.onSuggest({ address, sender, isDirect: true, command, text });
        response.end(JSON.stringify(found));
        return;
      }
      default: {
        const answer = request.method === 'POST' ? this.#options.requests?.get(request.url ?? '') : undefined;
        if (!answer) return void response.writeHead(404).end();
        response.end(JSON.stringify(await answer(await readRequest(request, z.unknown()))));
        return;
      }
    }
  }

  async #ask(message: InboundMessage, response: http.ServerResponse, callbacks: ChannelCallbacks): Promise<void> {
    const { settled } = this.#options;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      await callbacks.onMessage(message, { text: message.text });
      await settled(message.address, gone.signal);
      if (!response.writableEnded) sendLine(response, { type: 'settled' });
    } catch (error) {
      sendLine(response, { type: 'error', message: error instanceof Error ? error.message : String(error) });
    }
    response.end();
  }

  async #name(chat: string): Promise<void> {
    const { nameAt, user } = this.#options;
    if (nameAt) this.#broadcast(chat, { type: 'named', name: await nameAt(localAddress(chat), user) });
  }

  #broadcast(chat: string, line: TalkLine): void {
    for (const response of this.#listening.get(chat) ?? []) sendLine(response, line);
  }

  #messageFrom(from: { chat: string; language?: string }, text: string, viber?: string): InboundMessage {
    const { user } = this.#options;
    const { chat, language = this.#options.language } = from;
    const sender = { user, name: user, isBot: false, ...(language !== undefined && { language }) };
    return { ...saidHere(localAddress(chat), sender, text), ...(viber !== undefined && { viber }) };
  }

  #message(said: z.infer<typeof SAID>): InboundMessage {
    if ('text' in said) return this.#messageFrom(said, said.text, said.viber);
    return { ...this.#messageFrom(said, ''), kind: 'button', button: { id: said.button } };
  }
}

const localAddress = (chat: string): Address => ({ channel: 'local', account: 'local', chat });

const escapedSeparator = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`;

function sendLine(response: http.ServerResponse, line: LocalLine | TalkLine): void {
  if (response.writableLength > MAX_UNREAD) response.destroy();
  // Readers take these two characters for the end of a line.
  else response.write(`${JSON.stringify(line).replace(/[\u2028\u2029]/g, escapedSeparator)}\n`);
}

/** Keeps a response under its chat until the client disconnects. */
function holdResponse(all: Map<string, http.ServerResponse[]>, chat: string, response: http.ServerResponse): void {
  all.set(chat, [...(all.get(chat) ?? []), response]);
  response.on('close', () => {
    const left = (all.get(chat) ?? []).filter((other) => other !== response);
    if (left.length > 0) all.set(chat, left);
    else all.delete(chat);
  });
}
