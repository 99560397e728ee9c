/**
 * A homeserver of one bot, written from the specification and as strict as a real one: unknown tokens and paths, keys of
 * transactions, power to send, sizes, invitations, gaps. What breaks the rules of clients is noted as a problem.
 * https://spec.matrix.org/latest/client-server-api/
 */
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { checkEvent, FILES } from './checks.ts';
import { type Answer, jsonOf, mediaAnswer, type Request, readAll } from './request.ts';
import { contentIn, createStore, type Json, Refused, type Store, shownUser } from './store.ts';
import { messages, shown, sync } from './sync.ts';

export type Fault =
  | { kind: 'lost-answer'; times: number }
  | { kind: 'rate-limit'; times: number; seconds: number }
  | { kind: 'server-error'; times: number };

export interface Homeserver {
  url: string;
  token: string;
  bot: string;
  store: Store;
  problems: string[];
  /** `METHOD /path` of every request. */
  requests: string[];
  /** What the next messages of the bot meet. */
  fault(fault: Fault): void;
  /** Paths that match answer with this status until it is given again without one. */
  break(path: RegExp, status?: number): void;
  /** The room takes words of the bot, and no files. */
  withhold(room: string): void;
  /** Forgets the keys of transactions, as a homeserver does in time. */
  forget(): void;
  /** The token is no longer accepted. */
  revoke(): void;
  outage(isAway: boolean): Promise<void>;
  /** Breaks the pending polls. */
  drop(): void;
  close(): Promise<void>;
}

export async function startHomeserver(local = 'viber_test_bot', name = 'Viber'): Promise<Homeserver> {
  const store = createStore();
  const bot = store.addUser(local, name).id;
  const token = `syt_${Buffer.from(local).toString('base64url')}_secret`;
  /** Answers to what was sent, by the path with its key. */
  const done = new Map<string, { status?: number; json: Json }>();
  const faults: Fault[] = [];
  const broken: { path: RegExp; status: number }[] = [];
  const withheld = new Set<string>();
  const problems: string[] = [];
  const requests: string[] = [];
  const polls = new Set<Socket>();
  let isAway = false;
  let isRevoked = false;

  function authorise({ headers, query }: Request): void {
    if (query.has('access_token')) problems.push('the token stands in an address');
    const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    if (given === undefined) throw new Refused(401, 'M_MISSING_TOKEN', 'Missing access token');
    if (given !== token || isRevoked)
      throw new Refused(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token', { soft_logout: false });
  }

  function roomFor(id: string) {
    const room = store.roomOf(id);
    if (store.membershipOf(room, bot) !== 'join')
      throw new Refused(403, 'M_FORBIDDEN', `User ${bot} not in room ${id}`);
    return room;
  }

  /** Returns the answer, or `lost` once it is carried out. */
  function sendEvent(request: Request, [id = '', type = '']: string[]): Answer | 'lost' {
    const key = request.path.join('/');
    const known = done.get(key);
    if (known) return known;
    const content = jsonOf(request);
    const room = roomFor(id);
    const fault = type === 'm.room.message' ? faults[0] : undefined;
    if (fault && --fault.times <= 0) faults.shift();
    if (fault?.kind === 'rate-limit')
      throw new Refused(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', { retry_after_ms: fault.seconds * 1000 });
    if (fault?.kind === 'server-error') return { status: 502, json: { proxy: 'bad gateway' } };
    if (withheld.has(id) && FILES.has(String(content.msgtype)))
      throw new Refused(403, 'M_FORBIDDEN', 'This room takes no files.');
    const problem = checkEvent(store, room, { type, content, sender: bot });
    if (problem !== undefined) problems.push(`${type}: ${problem}`);
    const { event_id } = store.add(id, bot, { type, content, transaction: request.path.at(-1) ?? '' });
    const answer = { json: { event_id } };
    done.set(key, answer);
    return fault ? 'lost' : answer;
  }

  function inRoom(request: Request, [id = '', action = '', ...rest]: string[]): Answer | 'lost' | undefined {
    const { method, query } = request;
    const all = Object.fromEntries(query);
    switch (`${method} ${action}`) {
      case 'PUT send':
        return rest.length === 2 ? sendEvent(request, [id, ...rest]) : undefined;
      case 'PUT redact': {
        roomFor(id);
        jsonOf(request);
        const known = done.get(request.path.join('/'));
        const answer = known ?? { json: { event_id: store.redact(rest[0] ?? '', bot).event_id } };
        done.set(request.path.join('/'), answer);
        return answer;
      }
      case 'PUT typing': {
        roomFor(id);
        const { typing, timeout } = jsonOf(request);
        if (typeof typing !== 'boolean' || (typing && !Number.isInteger(timeout)))
          throw new Refused(400, 'M_BAD_JSON', 'typing and timeout are needed');
        if (rest[0] !== bot) throw new Refused(403, 'M_FORBIDDEN', "Cannot set another user's typing state");
        store.typing.push({ user: bot, room: id, typing });
        return { json: {} };
      }
      case 'POST receipt': {
        const room = roomFor(id);
        const [kind, event = ''] = rest;
        const { thread_id: thread } = jsonOf(request);
        if (kind !== 'm.read' && kind !== 'm.read.private') throw new Refused(400, 'M_INVALID_PARAM', 'receipt type');
        if (thread !== undefined && (typeof thread !== 'string' || thread === ''))
          throw new Refused(400, 'M_INVALID_PARAM', 'thread_id field must be a non-empty string');
        if (!room.arrivals.some((arrival) => arrival.event.event_id === event)) problems.push(`a receipt for ${event}`);
        store.receipts.push({ user: bot, room: id, event, thread });
        return { json: {} };
      }
      case 'POST join': {
        jsonOf(request);
        const room = store.roomOf(id);
        const was = store.membershipOf(room, bot);
        if (was !== 'invite' && was !== 'join')
          throw new Refused(403, 'M_FORBIDDEN', 'You are not invited to this room.');
        if (was === 'invite') store.setMember(id, bot, 'join');
        return { json: { room_id: id } };
      }
      case 'POST leave':
        jsonOf(request);
        if (store.membershipOf(store.roomOf(id), bot) !== 'leave') store.setMember(id, bot, 'leave');
        return { json: {} };
      case 'GET messages':
        return { json: messages(store, roomFor(id), all) };
      case 'GET members':
        return {
          json: {
            chunk: [...roomFor(id).state.values()]
              .filter(
                ({ type, content }) => type === 'm.room.member' && content.membership !== query.get('not_membership'),
              )
              .map((event) => shown(event, store, true)),
          },
        };
      case 'GET event': {
        roomFor(id);
        const event = store.events.get(rest[0] ?? '');
        if (event?.room_id !== id) throw new Refused(404, 'M_NOT_FOUND', 'Event not found.');
        return { json: shown(event, store, true) };
      }
      case 'GET relations': {
        const related = roomFor(id)
          .arrivals.map(({ event }) => event)
          .filter(({ content }) => {
            const relation = contentIn(content['m.relates_to']);
            return relation.event_id === rest[0] && (rest[1] === undefined || relation.rel_type === rest[1]);
          });
        const chunk = related.toReversed().slice(0, Number(query.get('limit') ?? 5));
        return { json: { chunk: chunk.map((event) => shown(event, store, true)) } };
      }
    }
    return undefined;
  }

  function ofUser(request: Request, [id = '', action = '', type = '']: string[]): Answer | undefined {
    if (id !== bot) throw new Refused(403, 'M_FORBIDDEN', 'Cannot access the data of other users.');
    if (action !== 'account_data') return undefined;
    if (request.method === 'PUT') {
      store.setAccountData(bot, type, jsonOf(request));
      return { json: {} };
    }
    const found = store.accountData.get(`${bot} ${type}`);
    if (!found) throw new Refused(404, 'M_NOT_FOUND', 'Account data not found');
    return { json: found.content };
  }

  async function answer(request: Request): Promise<Answer | 'lost'> {
    const { method, path } = request;
    const joined = path.join('/');
    if (method === 'GET' && joined === '_matrix/client/versions') return { json: { versions: ['v1.11', 'v1.16'] } };
    authorise(request);
    const failing = broken.find((each) => each.path.test(`${method} /${joined}`));
    if (failing) throw new Refused(failing.status, 'M_UNKNOWN', 'Broken by the test');
    const [, , version, group = '', ...rest] = path;
    const isOf = (wanted: string) => joined.startsWith('_matrix/client/') && version === wanted;
    const query = Object.fromEntries(request.query);
    const found =
      mediaAnswer(store, request) ??
      (isOf('v1') && group === 'rooms' && rest[1] === 'relations' ? inRoom(request, rest) : undefined) ??
      (isOf('v3') && group === 'rooms' && rest[1] !== 'relations' ? inRoom(request, rest) : undefined) ??
      (isOf('v3') && group === 'user' ? ofUser(request, rest) : undefined) ??
      (isOf('v3') && group === 'join' && method === 'POST' ? inRoom(request, [rest[0] ?? '', 'join']) : undefined);
    if (found) return found;
    const call = isOf('v3') ? `${method} ${[group, ...rest].join('/')}` : '';
    if (call === 'GET sync') return { json: await sync(store, bot, query, request.isGone) };
    if (call === 'GET account/whoami') return { json: { user_id: bot, device_id: 'DEVICE', is_guest: false } };
    if (call === 'GET joined_rooms')
      return {
        json: {
          joined_rooms: [...store.rooms.values()]
            .filter((room) => store.membershipOf(room, bot) === 'join')
            .map(({ id }) => id),
        },
      };
    if (method === 'GET' && group === 'profile') return { json: { displayname: shownUser(store, rest[0] ?? '') } };
    throw new Refused(404, 'M_UNRECOGNIZED', 'Unrecognized request');
  }

  async function handle(incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (isAway) return void incoming.socket.destroy();
    const url = new URL(incoming.url ?? '', 'http://homeserver');
    requests.push(`${incoming.method} ${url.pathname}`);
    const isPoll = url.pathname.endsWith('/sync');
    if (isPoll) polls.add(incoming.socket);
    const request: Request = {
      ...{
        method: incoming.method ?? '',
        query: url.searchParams,
        body: await readAll(incoming),
        headers: incoming.headers,
      },
      path: url.pathname.slice(1).split('/').map(decodeURIComponent),
      isGone: () => response.destroyed,
    };
    try {
      const given = await answer(request);
      if (given === 'lost' || isAway) return void incoming.socket.destroy();
      if ('bytes' in given) {
        const headers = { 'content-type': given.type, 'content-disposition': 'attachment' };
        return void response.writeHead(200, headers).end(given.bytes);
      }
      response.writeHead(given.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(given.json));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, errcode, message, more } = error;
      if (status === 400 || status === 404) problems.push(...unexpected(request, error));
      const wait = more.retry_after_ms;
      const headers = {
        'content-type': 'application/json',
        ...(typeof wait === 'number' && { 'retry-after': String(Math.ceil(wait / 1000)) }),
      };
      response.writeHead(status, headers).end(JSON.stringify({ errcode, error: message, ...more }));
    } finally {
      polls.delete(incoming.socket);
    }
  }

  const server = http.createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client may break off.
      if (!request.errored) problems.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    ...{ url: `http://127.0.0.1:${port}`, token, bot, store, problems, requests },
    fault: (fault) => void faults.push({ ...fault }),
    break(path, status) {
      const at = broken.findIndex((each) => String(each.path) === String(path));
      if (at >= 0) broken.splice(at, 1);
      if (status !== undefined) broken.push({ path, status });
    },
    withhold: (room) => void withheld.add(room),
    forget: () => done.clear(),
    revoke() {
      isRevoked = true;
      store.wake();
    },
    async outage(away) {
      isAway = away;
      if (away) server.closeAllConnections();
      store.wake();
    },
    drop() {
      for (const socket of polls) socket.destroy();
    },
    async close() {
      isAway = true;
      store.wake();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client may look for what isn't there, but must call what exists and relate to what it knows. */
const unexpected = ({ method, path }: Request, { errcode, message }: Refused): string[] =>
  errcode === 'M_UNRECOGNIZED' || errcode === 'M_NOT_JSON' || errcode === 'M_INVALID_PARAM'
    ? [`${method} /${path.join('/')}: ${message}`]
    : [];
