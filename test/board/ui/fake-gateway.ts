/**
 * A stand-in for the gateway, for tests of the page and for its pictures: it speaks the frames and paths of `viber.v1`, keeps everything in
 * memory, and does what tests ask of it: drops connections, changes files behind the editor's back, refuses.
 */
import fs from 'node:fs/promises';
import type http from 'node:http';
import path from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { PAGE_POLICY } from '../../../src/features/board/page-files.ts';
import { listen, readBody } from '../../emulators/base/http.ts';
import * as data from './data.ts';
import { answer, type Reply } from './fake-pages.ts';

export const CODE = 'right-code';
export const KEY = 'key-of-the-session';

export interface FakeGateway {
  port: number;
  url: string;
  state: FakeState;
  /** Every connection is gone at once, as when the network goes. */
  drop(): void;
  emit(event: { type: string; [field: string]: unknown }): void;
  /** So many messages to tasks, from now on. */
  refuse(times: number): void;
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
  deleted: Map<string, data.FakeTask>;
  /** Files of tasks by their reference, beside those that every task has. */
  artifacts: Map<string, { name: string; type: string; bytes: Buffer }>;
  at: number;
}

export interface FakeOptions {
  tasks?: number;
  paceMs?: number;
  /** The folder with the built page. */
  pages: string;
  /** Absent: any free one. */
  port?: number;
  at?: number;
  /** 'en' if absent. */
  language?: string | undefined;
  /** How many messages to tasks are refused before the first is taken. */
  refuses?: number;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

const HEATING = 'The heating is installed by Bergmann in the first week of August';
const OFFERS = 'Compare the three offers for the new heating';
const REFUSED = 'slack: the token was refused';
const OPEN_QUESTIONS = 'This week 14 questions came in; three are open.';
const CUT_OFF = 'The connection ended before Telegram said that it has it.';
const TRAIN = 'The train at 16:32 has one change.';

function stateOf({ tasks = 40, paceMs = 8, at = Date.now(), ...rest }: FakeOptions): FakeState {
  const list = data.tasksOf(tasks, at);
  const jobs = data.jobsOf(at);
  const ago = (minutes: number) => new Date(at - minutes * data.MINUTE).toISOString();
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
      { id: 's1', section: 'Project Context', text: HEATING, createdAt: ago(40), provenance: OFFERS },
      {
        id: 's2',
        section: 'User Preferences',
        text: '- Tables before long texts\n- Prices without tax',
        createdAt: ago(300),
      },
    ],
    letters: [
      { id: 'l1', kind: 'dead', to: 'slack:C024BE91L', reason: REFUSED, text: OPEN_QUESTIONS, diedAt: ago(90) },
      { id: 'l2', kind: 'unsure', to: 'telegram:1001', reason: CUT_OFF, text: TRAIN, diedAt: ago(400) },
    ],
    pairing: [{ code: 'K7QX2', name: 'Robin', channel: 'telegram', at: ago(6) }],
    sessions: [
      { id: 'se1', createdAt: ago(3000), lastSeenAt: ago(0), isThis: true, agent: 'Firefox on Linux' },
      { id: 'se2', createdAt: ago(9000), lastSeenAt: ago(2000), agent: 'Safari on iPhone' },
    ],
    done: [],
    failing: new Map(),
    paceMs,
    nowTask: '20261122-00000',
    artifacts: new Map(),
    deleted: new Map(),
    at,
  };
}

export async function startFakeGateway(options: FakeOptions): Promise<FakeGateway> {
  const state = stateOf(options);
  const sockets = new WebSocketServer({ noServer: true });
  const open = new Map<WebSocket, { isIn: boolean; live: Set<string> }>();
  const ring: { cursor: number; text: string; taskId: unknown; live: boolean }[] = [];
  const acks = new Map<string, object>();
  let cursor = 0;
  let refuses = options.refuses ?? 0;

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
    if (frame.type === 'task:message' && refuses > 0) {
      refuses -= 1;
      const error = { code: 'busy', message: 'The gateway is busy.' };
      socket.send(JSON.stringify({ type: 'ack', id, ok: false, error }));
      return;
    }
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
      case 'task:submit': {
        const taskId = begin(String(frame.goal));
        return { taskId: say(taskId, String(frame.goal), id(frame)) };
      }
      case 'task:message':
        if (frame.spoken === true) state.done.push(`spoken ${String(frame.files)}`);
        // A command is answered beside the conversation.
        if (/^\/\w/.test(String(frame.message))) {
          state.done.push(String(frame.message));
          return { taskId: frame.taskId, command: String(frame.message).split(' ')[0]?.slice(1) };
        }
        return { taskId: say(String(frame.taskId), String(frame.message), id(frame), frame.again) };
      case 'message': {
        state.nowTask ??= begin(String(frame.content));
        return { taskId: say(state.nowTask, String(frame.content), id(frame)) };
      }
      case 'task:change': {
        const task =
          state.tasks.find(({ taskId }) => taskId === frame.taskId) ?? state.deleted.get(String(frame.taskId));
        if (task === undefined) return { ok: false, error: { code: 'not_found', message: 'gone' } };
        if (typeof frame.title === 'string') task.title = frame.title;
        if (typeof frame.archived === 'boolean') task.archived = frame.archived;
        state.tasks = state.tasks.filter((one) => one !== task);
        if (frame.deleted === true) state.deleted.set(task.taskId, task);
        else state.tasks = [task, ...state.tasks];
        const { taskId, title, archived, deleted } = frame;
        emit({ type: 'task:changed', taskId, title, archived, deleted });
        return { taskId };
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

  function say(taskId: string, text: string, messageId: string, again?: unknown): string {
    const list = state.messages.get(taskId) ?? [];
    state.messages.set(taskId, list);
    const isAgain = typeof again === 'string';
    const runId = `run-${messageId}`;
    list.push({ id: messageId, role: 'user', text, at: new Date().toISOString(), runId, ...(isAgain && { again }) });
    if (state.paceMs >= 0) void run(taskId, isAgain ? `${text} (anew, ${list.length})` : text, runId);
    return taskId;
  }

  async function run(taskId: string, question: string, runId: string): Promise<void> {
    // A model takes its time.
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
    const bytes = await readBody(request);
    const fail = (status: number, code: string, message: string) =>
      reply(response, { status, body: { error: { code, message } } });
    const status = state.failing.get(url.pathname);
    if (status !== undefined) return fail(status, 'failed', 'The disk is full.');
    if (url.pathname === '/board/session') {
      if (JSON.parse(String(bytes)).code !== CODE) return fail(401, 'wrong_code', 'used');
      return reply(response, { body: { key: KEY } });
    }
    if (url.pathname.startsWith('/api/')) {
      if (request.headers['x-viber-key'] !== KEY) return fail(401, 'unauthorized', 'Log in first.');
      const found = await answer({ method: request.method ?? 'GET', url, bytes, state, emit });
      return reply(response, found);
    }
    await page(options.pages, url.pathname.replace(/^\/board\/?/, ''), response);
  }

  const { port, url, close } = await listen(serve, {
    port: options.port ?? 0,
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (web) => {
        open.set(web, { isIn: false, live: new Set() });
        web.on('message', (text) => take(web, JSON.parse(String(text))));
        web.on('close', () => open.delete(web));
      }),
  });
  return {
    ...{ port, url, state, drop, emit },
    refuse: (times) => {
      refuses = times;
    },
    close() {
      drop();
      return close();
    },
  };
}

function reply(response: http.ServerResponse, { status = 200, body, type, bytes, name }: Reply): void {
  response.writeHead(status, {
    ...(name !== undefined && { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}` }),
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
