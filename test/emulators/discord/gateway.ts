/**
 * The gateway socket: HELLO, IDENTIFY, heartbeats, dispatch, RESUME with replay. A session outlives its socket for a
 * while and keeps the events that are dispatched in between. https://discord.com/developers/docs/events/gateway
 */
import { EventEmitter } from 'node:events';
import { type WebSocket, WebSocketServer } from 'ws';
import { isObject } from './fields.ts';
import { createGatewayCounts } from './gateway-counts.ts';
import type { Gateway, GatewayOptions } from './gateway-types.ts';
import { identifyRefusal, type Refusal, readFrame } from './identify.ts';
import { createSession, type GatewayEvent, type Session } from './session.ts';

interface Line {
  socket: WebSocket;
  session: Session | undefined;
  isStalled: boolean;
  lastBeat: number;
  timer: NodeJS.Timeout;
  sent: number[];
}

const ALREADY: Refusal = [4005, 'Already authenticated.'];
/** Counts connections that were broken off before there was a close code. */
const NO_CONNECTION = 0;
/** Close codes that end the session. */
const FAREWELLS = new Set([1000, 1001]);

export function createGateway(options: GatewayOptions): Gateway {
  const wss = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  const changes = new EventEmitter().setMaxListeners(0);
  const lines = new Set<Line>();
  const sessions = new Map<string, Session>();
  const counts = createGatewayCounts();
  const view = () => counts.view(sessions.values());
  let refusing = 0;
  let refusingResumes = 0;
  let lastIdentify = 0;
  let left = options.identifiesLeft;
  let held: GatewayEvent[] | undefined;
  let presence: object | null = null;

  const send = (line: Line, op: number, d: unknown) => line.socket.send(JSON.stringify({ op, d, s: null, t: null }));

  function refuseLine(line: Line, [code, reason]: Refusal) {
    counts.refused(code);
    line.socket.close(code, reason);
  }

  function endSession(session: Session): void {
    counts.lost(session.waiting());
    session.end();
    sessions.delete(session.id);
  }

  function invalidSession(line: Line, isResumable = false) {
    counts.refused(9);
    send(line, 9, isResumable);
  }

  function identify(line: Line, d: Record<string, unknown>) {
    const refusal = line.session ? ALREADY : identifyRefusal(d, options.token, options.messageContent());
    if (refusal) return refuseLine(line, refusal);
    if (options.identifyMs > 0 && Date.now() - lastIdentify < options.identifyMs) return invalidSession(line);
    lastIdentify = Date.now();
    if (left <= 0) return refuseLine(line, [4004, 'Authentication failed.']);
    left -= 1;
    counts.add('identifies');
    // Nobody will resume a session that was left behind.
    for (const old of [...sessions.values()]) if (!old.isAttached()) endSession(old);
    if (isObject(d.presence)) presence = d.presence;
    const session = createSession(Number(d.intents), options.resumeMs, endSession, counts.dispatched);
    sessions.set(session.id, session);
    line.session = session;
    session.attach(line.socket);
    const { ready, guilds } = options.welcome();
    const facts = { session_id: session.id, resume_gateway_url: `${options.url()}/resume`, shard: d.shard ?? [0, 1] };
    session.take({ name: 'READY', intents: 0, data: JSON.stringify({ ...ready, ...facts }) });
    for (const guild of guilds) session.take(guild);
    changes.emit('ready', view());
  }

  function resume(line: Line, d: Record<string, unknown>) {
    if (line.session) return refuseLine(line, ALREADY);
    if (d.token !== options.token) return refuseLine(line, [4004, 'Authentication failed.']);
    const session = sessions.get(String(d.session_id));
    const seq = Number(d.seq);
    if (session && seq > session.seq()) return refuseLine(line, [4007, 'Invalid seq.']);
    if (refusingResumes > 0 || !session?.canReplay(seq)) {
      refusingResumes = Math.max(0, refusingResumes - 1);
      if (session) endSession(session);
      return invalidSession(line);
    }
    counts.add('resumes');
    line.session = session;
    session.attach(line.socket, seq);
    session.take({ name: 'RESUMED', intents: 0, data: '{"_trace":[]}' });
    changes.emit('ready', view());
  }

  function take(line: Line, text: string) {
    const frame = readFrame(text, line.sent);
    if ('refusal' in frame) return refuseLine(line, frame.refusal);
    const { op, d } = frame;
    if (op === 1) {
      counts.add('heartbeats');
      line.lastBeat = Date.now();
      if (line.isStalled) return;
      if (typeof d === 'number') line.session?.received(d);
      send(line, 11, undefined);
    } else if (op === 2 && isObject(d)) identify(line, d);
    else if (op === 6 && isObject(d)) resume(line, d);
    else if (op === 3 || op === 4 || op === 8 || op === 31) {
      if (!line.session) return refuseLine(line, [4003, 'Not authenticated.']);
      if (op === 3 && isObject(d)) presence = d;
    } else refuseLine(line, [4001, 'Unknown opcode.']);
  }

  function open(socket: WebSocket): void {
    counts.add('connections');
    const check = () => {
      // A client that never sends a heartbeat is disconnected, as on the platform.
      if (!line.isStalled && Date.now() - line.lastBeat > options.heartbeatMs * 2)
        refuseLine(line, [4009, 'Session timed out.']);
    };
    const timer = setInterval(check, options.heartbeatMs).unref();
    const line: Line = { socket, session: undefined, isStalled: false, lastBeat: Date.now(), timer, sent: [] };
    lines.add(line);
    socket.on('message', (data) => take(line, String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', (code) => {
      clearInterval(timer);
      lines.delete(line);
      const { session } = line;
      // A client that closes with 1000 or 1001 ends its session; after any other close it may resume.
      if (session?.detach(socket) && FAREWELLS.has(code)) endSession(session);
    });
    send(line, 10, { heartbeat_interval: options.heartbeatMs, _trace: ['["gateway-emulator"]'] });
  }

  function dispatch(event: GatewayEvent): void {
    if (held) {
      held.push(event);
      return;
    }
    if (sessions.size === 0) counts.lost(1);
    for (const session of sessions.values()) session.take(event);
  }

  return {
    upgrade(request, socket, head) {
      const query = new URL(request.url ?? '/', 'http://gateway').searchParams;
      if (refusing > 0) {
        refusing -= 1;
        counts.refused(NO_CONNECTION);
        socket.destroy();
        return;
      }
      wss.handleUpgrade(request, socket, head, (ws) => {
        const isKnown = (query.get('v') ?? '10') === '10' && (query.get('encoding') ?? 'json') === 'json';
        if (isKnown) open(ws);
        else ws.close(4012, 'Invalid API version.');
      });
    },
    dispatch,
    force: (name, data) => dispatch({ name, intents: 0, data: JSON.stringify(data) }),
    view,
    unconfirmed: () =>
      [...sessions.values()].reduce(
        (sum, session) => sum + (session.isAttached() ? session.unconfirmed() : session.waiting()),
        0,
      ),
    identifiesLeft: () => left,
    changes,
    presence: () => presence,
    drop({ resumable = true, code } = {}) {
      for (const { session } of lines) if (session && !resumable) endSession(session);
      for (const { socket, session } of lines) {
        // From now on, not from when the socket notices.
        session?.detach(socket);
        if (code === undefined) socket.terminate();
        else socket.close(code);
      }
    },
    refuse(n) {
      refusing = n;
    },
    refuseResumes(n) {
      refusingResumes = n;
    },
    send: (op, d) => lines.forEach((line) => void send(line, op, d)),
    invalidate(isResumable) {
      for (const line of lines) {
        // The client may identify or resume on the same connection.
        if (isResumable) line.session?.detach(line.socket);
        else if (line.session) endSession(line.session);
        line.session = undefined;
        invalidSession(line, isResumable);
      }
    },
    stall(isStalled) {
      for (const line of lines) {
        line.isStalled = isStalled;
        line.session?.stall(isStalled);
      }
    },
    hold() {
      held ??= [];
    },
    release(order) {
      const events = held ?? [];
      held = undefined;
      const sorted = order === 'reversed' ? events.toReversed() : (order?.map((n) => events[n]) ?? events);
      for (const event of sorted) if (event) dispatch(event);
    },
    resetCounts() {
      counts.reset();
      held = undefined;
    },
    close() {
      for (const { socket } of lines) socket.terminate();
      for (const session of sessions.values()) session.end();
      wss.close();
    },
  };
}
