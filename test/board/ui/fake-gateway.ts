/**
 * A stand-in for the gateway, for tests of the page and for its pictures: it speaks the frames and paths of `viber.v1`, keeps everything in
 * memory, and does what tests ask of it: drops connections, changes files behind the editor's back, refuses.
 */
import fs from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { PAGE_POLICY } from '../../../src/features/board/page-files.ts';
import * as data from './data.ts';
import { answer, type Reply } from './fake-pages.ts';

export const CODE = 'right-code';
export const KEY = 'key-of-the-session';

export interface FakeGateway {
  url: string;
  state: FakeState;
  /** Every connection is gone at once, as when the network goes. */
  drop(): void;
  emit(event: { type: string; [field: string]: unknown }): void;
  close(): Promise<void>;
}

export interface FakeState {
  role: string;
  /** The person's language; undefined while the gateway doesn't know it. */
  language: string | undefined;
  tasks: data.FakeTask[];
  messages: Map<string, data.FakeMessage[]>;
  plans: Map<string, string>;
  approvals: Record<string, unknown>[];
  files: Record<string, string>;
  jobs: Record<string, unknown>[];
  jobTexts: Map<string, string>;
  suggestions: Record<string, unknown>[];
  letters: Record<string, unknown>[];
  pairing: Record<string, unknown>[];
  sessions: Record<string, unknown>[];
  /** What was asked with an effect: `POST /api/jobs/morning/run`. */
  done: string[];
  /** Paths that are answered with this status. */
  failing: Map<string, number>;
  /** Milliseconds between the words of an answer; negative: no answer comes by itself. */
  paceMs: number;
  nowTask: string | undefined;
  at: number;
}

export interface FakeOptions {
  tasks?: number;
  paceMs?: number;
  /** The folder with the built page. */
  pages: string;
  at?: number;
  /** 'en' if absent. */
  language?: string | undefined;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
function stateOf({ tasks = 40, paceMs = 8, at = Date.now(), ...rest }: FakeOptions): FakeState {
  const list = data.tasksOf(tasks, at);
  const jobs = data.jobsOf(at);
  const language = 'language' in rest ? rest.language : 'en';
  return {
    role: 'owner',
    language,
    tasks: list,
    messages: new Map([['20261122-00000', data.messagesOf(at)]]),
    plans: new Map([['20261122-00000', data.PLAN]]),
    approvals: data.approvalsOf(at),
    files: { ...data.FILES },
    jobs,
    jobTexts: new Map(jobs.map((job) => [String(job.id), data.jobText(String(job.name), String(job.schedule))])),
    suggestions: [
      {
        id: 's1',
        section: 'Project Context',
        text: 'The heating is installed by Bergmann in the first week of August',
        createdAt: new Date(at - 40 * data.MINUTE).toISOString(),
        provenance: 'Compare the three offers for the new heating',
      },
      {
        id: 's2',
        section: 'User Preferences',
        text: '- Tables before long texts\n- Prices without tax',
        createdAt: new Date(at - 300 * data.MINUTE).toISOString(),
      },
    ],
    letters: [
      {
        id: 'l1',
        kind: 'dead',
        to: 'slack:C024BE91L',
        reason: 'slack: the token was refused',
        text: 'This week 14 questions came in; three are open.',
        diedAt: new Date(at - 90 * data.MINUTE).toISOString(),
      },
      {
        id: 'l2',
        kind: 'unsure',
        to: 'telegram:1001',
        reason: 'The connection ended before Telegram said that it has it.',
        text: 'The train at 16:32 has one change.',
        diedAt: new Date(at - 400 * data.MINUTE).toISOString(),
      },
    ],
    pairing: [{ code: 'K7QX2', name: 'Robin', channel: 'telegram', at: new Date(at - 6 * data.MINUTE).toISOString() }],
    sessions: [
      {
        id: 'se1',
        createdAt: new Date(at - 3000 * data.MINUTE).toISOString(),
        lastSeenAt: new Date(at).toISOString(),
        isThis: true,
        agent: 'Firefox on Linux',
      },
      {
        id: 'se2',
        createdAt: new Date(at - 9000 * data.MINUTE).toISOString(),
        lastSeenAt: new Date(at - 2000 * data.MINUTE).toISOString(),
        agent: 'Safari on iPhone',
      },
    ],
    done: [],
    failing: new Map(),
    paceMs,
    nowTask: '20261122-00000',
    at,
  };
}

export async function startFakeGateway(options: FakeOptions): Promise<FakeGateway> {
  const state = stateOf(options);
  const server = http.createServer((request, response) => void serve(request, response));
  const sockets = new WebSocketServer({ noServer: true });
  const open = new Map<WebSocket, { isIn: boolean; live: Set<string> }>();
  const ring: { cursor: number; text: string; taskId: unknown; live: boolean }[] = [];
  const acks = new Map<string, object>();
  let cursor = 0;

  function emit(event: { type: string; [field: string]: unknown }): void {
    cursor += 1;
    const live = event.type === 'task:progress';
    const entry = { cursor, text: JSON.stringify({ ...event, cursor: String(cursor) }), taskId: event.taskId, live };
    ring.push(entry);
    if (ring.length > 10_000) ring.shift();
    for (const [socket, { isIn, live: followed }] of open)
      if (isIn && (!live || followed.has(String(event.taskId)))) socket.send(entry.text);
  }

  function drop(): void {
    for (const socket of open.keys()) socket.terminate();
  }

  function take(socket: WebSocket, frame: Record<string, unknown>): void {
    const known = open.get(socket);
    if (known === undefined) return;
    if (!known.isIn) {
      if (frame.type !== 'auth' || frame.key !== KEY) {
        socket.close(4401);
        return;
      }
      known.isIn = true;
      const viber = { id: 'default', version: '0.1.0', runningTasks: [] };
      socket.send(JSON.stringify({ type: 'connected', protocol: 1, viber, cursor: String(cursor) }));
      return;
    }
    const id = String(frame.id);
    const done = acks.get(id) ?? { type: 'ack', id, ok: true, ...command(known, socket, frame) };
    acks.set(id, done);
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(done));
  }

  function command(known: { live: Set<string> }, socket: WebSocket, frame: Record<string, unknown>): object {
    switch (frame.type) {
      case 'task:subscribe': {
        if (frame.live !== undefined && Array.isArray(frame.taskIds))
          for (const taskId of frame.taskIds) known.live.add(String(taskId));
        if (frame.after !== undefined)
          for (const entry of ring) if (entry.cursor > Number(frame.after) && !entry.live) socket.send(entry.text);
        return {};
      }
      case 'task:unsubscribe':
        if (Array.isArray(frame.taskIds)) for (const taskId of frame.taskIds) known.live.delete(String(taskId));
        return {};
      case 'task:message':
        return { taskId: say(String(frame.taskId), String(frame.message), id(frame)) };
      case 'message': {
        state.nowTask ??= begin(String(frame.content));
        return { taskId: say(state.nowTask, String(frame.content), id(frame)) };
      }
      case 'task:stop':
        setState(String(frame.taskId), 'stopped');
        emit({ type: 'task:state', taskId: frame.taskId, state: 'stopped' });
        return { state: 'stopped' };
      default:
        return { ok: false, error: { code: 'unknown_type', message: `${String(frame.type)} is not known` } };
    }
  }
  const id = (frame: Record<string, unknown>): string => `srv-${String(frame.id)}`;

  function setState(taskId: string, to: string): void {
    const task = state.tasks.find((one) => one.taskId === taskId);
    if (task === undefined) return;
    task.state = to;
    task.updatedAt = new Date().toISOString();
    state.tasks = [task, ...state.tasks.filter((one) => one !== task)];
  }

  function begin(goal: string): string {
    const taskId = `20261123-${String(state.tasks.length).padStart(5, '0')}`;
    const task = {
      ...{ taskId, title: goal.slice(0, 60), goal, state: 'pending', channel: 'api' },
      person: 'person:alex',
      viberId: 'default',
      updatedAt: new Date().toISOString(),
    };
    state.tasks = [task, ...state.tasks];
    return taskId;
  }

  function say(taskId: string, text: string, messageId: string): string {
    const list = state.messages.get(taskId) ?? [];
    state.messages.set(taskId, list);
    list.push({ id: messageId, role: 'user', text, at: new Date().toISOString() });
    if (state.paceMs >= 0) void run(taskId, text, `run-${messageId}`);
    return taskId;
  }

  async function run(taskId: string, question: string, runId: string): Promise<void> {
    const pause = () => new Promise((resolve) => setTimeout(resolve, state.paceMs));
    const of = { taskId, runId };
    const progress = (event: object) =>
      emit({ type: 'task:progress', ...of, event: { agentId: 'default', ...of, ...event } });
    setState(taskId, 'running');
    emit({ type: 'task:started', ...of });
    await pause();
    progress({ type: 'tool-call', tool: 'read_file', callId: `${runId}-1`, args: {} });
    await pause();
    progress({ type: 'tool-result', tool: 'read_file', callId: `${runId}-1`, result: {} });
    const text = `You said: ${question}`;
    for (const word of text.split(/(?<= )/)) {
      progress({ type: 'text-delta', content: word });
      await pause();
    }
    state.messages
      .get(taskId)
      ?.push({ id: `a-${runId}`, role: 'assistant', runId, text, at: new Date().toISOString(), artifactRefs: [] });
    setState(taskId, 'completed');
    emit({ type: 'task:completed', ...of, result: { text, summary: text, artifactRefs: [] } });
  }

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const status = state.failing.get(url.pathname);
    if (status !== undefined)
      return reply(response, { status, body: { error: { code: 'failed', message: 'The disk is full.' } } });
    if (url.pathname === '/board/session') {
      const isRight = JSON.parse(String(bytes)).code === CODE;
      return reply(
        response,
        isRight ? { body: { key: KEY } } : { status: 401, body: { error: { code: 'bad_code', message: 'used' } } },
      );
    }
    if (url.pathname.startsWith('/api/')) {
      if (request.headers['x-viber-key'] !== KEY)
        return reply(response, { status: 401, body: { error: { code: 'unauthorized', message: 'Log in first.' } } });
      const found = await answer({ method: request.method ?? 'GET', url, bytes, state, emit });
      return reply(response, found);
    }
    await page(options.pages, url.pathname.replace(/^\/board\/?/, ''), response);
  }

  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (web) => {
      open.set(web, { isIn: false, live: new Set() });
      web.on('message', (text) => take(web, JSON.parse(String(text))));
      web.on('close', () => open.delete(web));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    ...{ url: `http://127.0.0.1:${port}`, state, drop, emit },
    close: () =>
      new Promise((resolve) => {
        drop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: http.ServerResponse, { status = 200, body, type, bytes }: Reply): void {
  response.writeHead(status, {
    'content-type': type ?? 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(bytes ?? JSON.stringify(body ?? {}));
}

async function page(folder: string, name: string, response: http.ServerResponse): Promise<void> {
  const isFile = path.extname(name) !== '';
  const file = path.join(folder, isFile ? name : 'index.html');
  const read = await fs.readFile(file).catch(() => undefined);
  const bytes = isFile ? read : read && Buffer.from(read.toString().replace('%PROGRAM%', 'viber'));
  if (bytes === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
    'content-security-policy': PAGE_POLICY,
    'cache-control': isFile ? 'max-age=600' : 'no-cache',
  });
  response.end(bytes);
}
