/**
 * The machine's own door: other commands of this program (`run`, `chat`) speak to the gateway through it, over a socket
 * that only the user's own account can open. One request is one message; its answer comes back as lines of JSON.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { errorCode } from '../../errors.ts';
import type {
  AgentStreamEvent,
  Channel,
  ChannelCallbacks,
  ChannelStatus,
  InboundMessage,
  OutboundMessage,
} from '../channel.ts';

/** What the other end reads, one JSON object a line. */
export type LocalLine =
  | { type: 'event'; event: AgentStreamEvent }
  | {
      type: 'answer';
      text: string;
      files: { path: string; name: string; mimeType: string; size: number }[];
      ended?: OutboundMessage['ended'];
    }
  | { type: 'error'; message: string };

export interface LocalOptions {
  /** Path of the socket; an old one of a gateway that was killed is replaced. */
  socket: string;
  user: string;
  /** Language tag of the machine. */
  language?: string | undefined;
}

const MAX_BODY = 1024 * 1024;

interface Waiting {
  write: (line: LocalLine) => void;
  end: () => void;
}

export function createLocal(options: LocalOptions): Channel {
  const waiting = new Map<string, Waiting[]>();
  let status: ChannelStatus = { state: 'off' };
  let server: http.Server | undefined;

  function messageOf(chat: string, text: string): InboundMessage {
    const id = randomUUID();
    const command = /^\/([a-z]\w*)(?:\s+([\s\S]*))?$/i.exec(text);
    return {
      ...{
        id,
        messageId: id,
        text,
        files: [],
        facts: [],
        quotes: [],
        isDirect: true,
        isMention: true,
        sentAt: Date.now(),
      },
      kind: command ? 'command' : 'message',
      address: { channel: 'local', account: 'local', chat },
      sender: {
        ...{ user: options.user, name: options.user, isBot: false },
        ...(options.language !== undefined && { language: options.language }),
      },
      ...(command ? { command: { name: (command[1] ?? '').toLowerCase(), args: command[2] ?? '' } } : {}),
    };
  }

  async function ask(request: http.IncomingMessage, response: http.ServerResponse, callbacks: ChannelCallbacks) {
    const { chat, text } = readQuestion(await readBody(request));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const entry: Waiting = {
      write: (line) => void response.write(`${JSON.stringify(line)}\n`),
      end: () => void response.end(),
    };
    waiting.set(chat, [...(waiting.get(chat) ?? []), entry]);
    response.on('close', () => {
      const left = (waiting.get(chat) ?? []).filter((other) => other !== entry);
      if (left.length > 0) waiting.set(chat, left);
      else waiting.delete(chat);
    });
    try {
      await callbacks.onMessage(messageOf(chat, text), { text });
    } catch (error) {
      entry.write({ type: 'error', message: error instanceof Error ? error.message : String(error) });
      entry.end();
    }
  }

  return {
    id: 'local',
    account: 'local',
    limits: { text: Number.MAX_SAFE_INTEGER, uploadBytes: Number.MAX_SAFE_INTEGER, downloadBytes: 0 },
    status: () => status,
    async connect(callbacks) {
      try {
        fs.unlinkSync(options.socket);
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
      }
      const listening = http.createServer((request, response) => {
        if (request.method !== 'POST' || request.url !== '/ask') return void response.writeHead(404).end();
        ask(request, response, callbacks).catch((error: unknown) => {
          response.writeHead(400).end(error instanceof Error ? error.message : 'bad request');
        });
      });
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject);
        listening.listen(options.socket, resolve);
      });
      fs.chmodSync(options.socket, 0o600);
      server = listening;
      status = { state: 'connected' };
      callbacks.onStatus();
    },
    async disconnect() {
      server?.close();
      status = { state: 'off' };
    },
    async send(message: OutboundMessage, ledger) {
      await ledger.part(0, async () => {
        // Whoever asked may have gone; the answer stands in the session all the same.
        const entry = waiting.get(message.address.chat)?.[0];
        const files = message.files.map(({ path, name, mimeType, size }) => ({ path, name, mimeType, size }));
        const { text, ended } = message;
        entry?.write({ type: 'answer', text, files, ...(ended && { ended }) });
        entry?.end();
        return message.id;
      });
    },
    async stream(event, address) {
      for (const entry of waiting.get(address.chat) ?? []) entry.write({ type: 'event', event });
    },
  };
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > MAX_BODY) throw new Error('the request is too large');
  }
  return body;
}

function readQuestion(body: string): { chat: string; text: string } {
  const data: unknown = JSON.parse(body);
  if (typeof data === 'object' && data !== null && 'chat' in data && 'text' in data) {
    const { chat, text } = data;
    if (typeof chat === 'string' && typeof text === 'string' && text.trim() !== '') return { chat, text };
  }
  throw new Error('expected {"chat": string, "text": string}');
}
