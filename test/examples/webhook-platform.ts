/**
 * The other program of the webhook channel, as strict as its protocol says: each event is POSTed in its chat's order until it
 * is answered 200, an answer is taken once for each key, and what breaks the protocol is noted as a problem.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addSource } from '../emulators/base/activity.ts';
import { createFaults } from '../emulators/base/faults.ts';
import { listen, readText, sendJson } from '../emulators/base/http.ts';
import { ask, type Person, type Place, type Platform, type Seen, type SendFault } from '../platforms/platform.ts';

export const PATH = '/webhooks/example';
const MODULE = path.join(import.meta.dirname, '../../examples/webhook-channel/index.ts');
const ROOM: Place = { chat: 'room' };
const AGAIN_MS = 50;
const HEADER = 'x-webhook-secret';

interface Answer {
  key: string;
  chat: string;
  text: string;
  replyTo?: string;
  buttons: { id: string; label: string }[][];
  files: { name: string; type: string; data: string }[];
}

type Event = Record<string, unknown> & { id: string; chat: string };

export interface WebhookPlatform extends Platform {
  settings: { secret: string; callback: string };
  problems: string[];
  /** Where the gateway tells its port; set by whoever starts it. */
  gatewayFile: string;
  /** One POST of raw bytes, with its status. */
  post(body: string, headers?: Record<string, string>): Promise<number>;
}

export async function webhookPlatform(): Promise<WebhookPlatform> {
  const secret = 'a-secret-of-both-sides';
  const events = new Map<string, Event>();
  const uploads = new Map<string, string>();
  const chains = new Map<string, Promise<void>>();
  const pending = new Set<Event>();
  const removeSource = addSource({
    open: () => [...pending].map(({ id }) => `${id} of the platform`),
    count: () => events.size,
  });
  const seen: (Seen & { chat: string; key: string; given: Answer['buttons'] })[] = [];
  const bytes = new Map<string, Buffer>();
  const faults = createFaults<SendFault, []>(() => true);
  let count = 0;
  let isAway = false;
  let isClosed = false;
  let drops = 0;
  let hasNoFiles = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isAway) return void request.socket.destroy();
    if (request.headers[HEADER] !== secret) throw new Error(`a request to ${request.url} without the secret`);
    if (request.method === 'GET') {
      const text = uploads.get((request.url ?? '').split('/files/')[1] ?? '');
      return void response.writeHead(text === undefined ? 404 : 200).end(text);
    }
    const body = await readText(request);
    const given: Answer = JSON.parse(body);
    if (!given.key || !given.chat || (given.text === '' && given.files.length === 0)) throw new Error(`empty: ${body}`);
    if (given.text.length > 4000) throw new Error(`a text of ${given.text.length} characters`);
    const fault = faults.take();
    if (fault?.kind === 'rate-limit')
      return void response.writeHead(429, { 'retry-after': String(fault.seconds) }).end();
    if (fault?.kind === 'server-error') return void response.writeHead(502).end();
    if (hasNoFiles && given.chat === ROOM.chat && given.files.length > 0) return void response.writeHead(403).end();
    const id = take(given);
    if (fault) return void request.socket.destroy();
    sendJson(response, 200, { id });
  }

  function take({ key, chat, text, replyTo, buttons, files }: Answer): string {
    const known = seen.find((each) => each.key === key);
    if (known) return known.id;
    const id = `answer-${++count}`;
    const kept = files.map((file, n) => {
      const content = Buffer.from(file.data, 'base64');
      bytes.set(`${id}-${n}`, content);
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { id: `${id}-${n}`, name: file.name, size: content.length, sha256 };
    });
    const labels = buttons.flat().map(({ label }) => label);
    seen.push({
      ...{ id, key, chat, text, files: kept, buttons: labels, given: buttons },
      ...(replyTo && { replyTo }),
    });
    return id;
  }

  async function post(body: string, headers: Record<string, string> = {}): Promise<number> {
    const { port } = JSON.parse(fs.readFileSync(platform.gatewayFile, 'utf8'));
    const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
      ...{ method: 'POST', body, headers: { [HEADER]: secret, ...headers } },
    });
    await response.text();
    return response.status;
  }

  /** Until it is taken; the next event of the chat waits. */
  async function deliver(event: Event): Promise<void> {
    // It tries again after a pause.
    for (; !isClosed; await sleep(AGAIN_MS)) {
      if (isAway) continue;
      // The gateway may be down.
      const status = await post(JSON.stringify(event)).catch(() => 0);
      if (status === 400 || status === 401) platform.problems.push(`an event was answered ${status}`);
      // A connection that breaks before the answer is read: nobody knows, so it is sent again.
      if (drops > 0) drops--;
      else if (status === 200) return;
    }
  }

  function send(event: Event): string {
    events.set(event.id, event);
    pending.add(event);
    chains.set(
      event.chat,
      (chains.get(event.chat) ?? Promise.resolve()).then(() => deliver(event)).finally(() => pending.delete(event)),
    );
    return event.id;
  }

  const fresh = (place: Place, by: Person | 'bot', more: Record<string, unknown>): Event => ({
    ...{ id: `event-${++count}`, chat: place.chat, direct: place.chat !== ROOM.chat, at: Date.now() },
    ...{ from: { id: by, name: by, bot: by === 'bot' }, ...more },
  });

  const server = await listen(answer, {
    failed(error, response) {
      platform.problems.push(String(error));
      response.destroy();
    },
  });
  const callback = `${server.url}/answers`;
  // biome-ignore format: a row is a line
  const platform: WebhookPlatform = {
    ...{ name: 'webhook', section: { module: MODULE, secret, callback, injection: 'followup' }, account: 'webhook', room: ROOM, hasThreads: false },
    ...{ settings: { secret, callback }, problems: [], gatewayFile: '', post },
    startsAt(home) {
      platform.gatewayFile = path.join(home, 'run/gateway.json');
    },
    identity: (person) => `webhook:${person}`,
    dm: (person) => ({ chat: `dm-${person}` }),
    say(place, text, { by = 'alex', mention = false, files = [], replyTo } = {}) {
      const given = files.map(({ name, text: content = '' }) => {
        const id = `file-${++count}`;
        uploads.set(id, content);
        return { id, name, type: 'text/plain', size: Buffer.byteLength(content) };
      });
      return send(fresh(place, by, { text, mention, files: given, ...(replyTo && { replyTo }) }));
    },
    edit: (place, id, text) => void send(fresh(place, 'alex', { text, editOf: id })),
    botSays: (place, text) => void send(fresh(place, 'bot', { text, mention: true })),
    answerPlace: () => ROOM,
    command: (place, name, args = '', by = 'alex') => ask(platform, place, `/${name} ${args}`.trim(), { by, mention: true }),
    begin: () => Promise.reject(new Error('there are no threads')),
    threads: () => [],
    async press(place, label, by = 'alex') {
      const shown = seen.filter(({ chat }) => chat === place.chat).flatMap(({ given }) => given.flat());
      const button = shown.findLast((each) => each.label === label);
      if (!button) throw new Error(`there is no button ${label}`);
      send(fresh(place, by, { text: '', button: button.id, mention: true }));
    },
    answers: (place) => seen.filter(({ chat }) => chat === place.chat),
    bytes: (file) => bytes.get(file.id) ?? Buffer.alloc(0),
    // It shows words as they are: nobody is notified, and nothing is fetched.
    pings: () => [],
    fetched: () => [],
    fault: faults.add,
    withholdFiles: () => {
      hasNoFiles = true;
    },
    async outage(away) {
      isAway = away;
      if (away) server.breakAll();
    },
    drop: () => {
      drops++;
    },
    redeliver(id) {
      const event = events.get(id);
      if (event) send(event);
    },
    async close() {
      isClosed = true;
      removeSource();
      await server.close();
    },
  };
  return platform;
}
