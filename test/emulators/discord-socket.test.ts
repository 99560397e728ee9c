/** The gateway's rules that a well-behaved client never meets, tested on a bare socket. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Discord, startDiscord, TEST_TOKEN } from './discord.ts';

interface Packet {
  op: number;
  t: string | null;
  s: number | null;
  d: { session_id?: string; content?: string } & Record<string, unknown>;
}

let discord: Discord;
beforeAll(async () => {
  discord = await startDiscord({ identifyMs: 150 });
});
afterAll(() => discord.close());

const MESSAGES = (1 << 0) | (1 << 9);
const identity = (facts: object = {}) => ({
  op: 2,
  d: { token: TEST_TOKEN, intents: MESSAGES, properties: { os: 'x' }, ...facts },
});

async function connect(query = '?v=10&encoding=json') {
  const socket = new WebSocket(`${discord.url.replace('http', 'ws')}/${query}`);
  const packets: Packet[] = [];
  socket.on('message', (data) => void packets.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await once(socket, 'open');
  const send = (packet: object | string) => socket.send(typeof packet === 'string' ? packet : JSON.stringify(packet));
  const got = async (fits: (packet: Packet) => boolean): Promise<Packet> => {
    await expect.poll(() => packets.some(fits), { interval: 5 }).toBe(true);
    const found = packets.find(fits);
    if (!found) throw new Error('no such packet');
    return found;
  };
  return { socket, packets, closed, send, got };
}

/** Waits until an identify is allowed again. */
const calm = () => new Promise((resolve) => setTimeout(resolve, 160));

describe('a line is closed for', () => {
  test.each([
    [4001, 'an unknown opcode', { op: 77, d: null }],
    [4002, 'what is no JSON', '{"op":'],
    [4002, 'more than 4096 bytes', { op: 1, d: 'x'.repeat(4096) }],
    [4003, 'presence before identify', { op: 3, d: {} }],
    [4004, 'a wrong token', identity({ token: 'wrong' })],
    [4010, 'an impossible shard', identity({ shard: [2, 1] })],
    [4013, 'an intent there is not', identity({ intents: 1 << 30 })],
    [4013, 'intents that are no number', identity({ intents: 'all' })],
    [4014, 'the members intent', identity({ intents: 1 << 1 })],
  ])('%i: %s', async (code, _what, packet) => {
    const line = await connect();
    line.send(packet);
    expect(await line.closed).toBe(code);
  });

  test('4012: another version, and 4008: too much talk', async () => {
    expect(await (await connect('?v=6')).closed).toBe(4012);
    const line = await connect();
    for (let n = 0; n < 121; n += 1) line.send({ op: 1, d: null });
    expect(await line.closed).toBe(4008);
  });
});

describe('sessions', () => {
  test('two identifies at once: the second is told to wait', async () => {
    await calm();
    const [first, second] = [await connect(), await connect()];
    first.send(identity());
    second.send(identity());
    await first.got(({ t }) => t === 'READY');
    expect((await second.got(({ op }) => op === 9)).d).toBe(false);
    first.send(identity());
    expect(await first.closed).toBe(4005);
    second.socket.terminate();
  });

  test('a resume replays what came after its number, an impossible number is refused', async () => {
    await calm();
    const first = await connect();
    first.send(identity());
    const ready = await first.got(({ t }) => t === 'READY');
    discord.say(discord.rooms.general, 'one');
    const one = await first.got(({ t }) => t === 'MESSAGE_CREATE');
    // Without the content intent, the text of others is missing.
    expect(one.d.content).toBe('');
    first.socket.terminate();
    await first.closed;
    discord.say(discord.rooms.general, 'two');
    const again = await connect('resume?v=10&encoding=json');
    const seq = Number(one.s) - 1;
    again.send({ op: 6, d: { token: TEST_TOKEN, session_id: ready.d.session_id, seq } });
    await again.got(({ t }) => t === 'RESUMED');
    expect(again.packets.map(({ t }) => t)).toEqual([null, 'MESSAGE_CREATE', 'MESSAGE_CREATE', 'RESUMED']);
    again.socket.terminate();
    await again.closed;
    const late = await connect();
    late.send({ op: 6, d: { token: TEST_TOKEN, session_id: ready.d.session_id, seq: 9999 } });
    expect(await late.closed).toBe(4007);
  });

  test('a goodbye ends the session', async () => {
    await calm();
    const line = await connect();
    line.send(identity());
    const ready = await line.got(({ t }) => t === 'READY');
    line.socket.close(1000);
    await line.closed;
    await expect.poll(() => discord.gateway().connected).toBe(false);
    const again = await connect();
    again.send({ op: 6, d: { token: TEST_TOKEN, session_id: ready.d.session_id, seq: 1 } });
    expect((await again.got(({ op }) => op === 9)).d).toBe(false);
    again.socket.terminate();
  });
});
