/** What a socket does when one end is silent, and what people change over it while others change the same by hand. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { Exchange } from '../../src/board/protocol/exchange.ts';
import type { ProtocolParts } from '../../src/board/protocol/parts.ts';
import { createSockets } from '../../src/board/protocol/socket.ts';
import { ViberClient } from '../../src/client/client.ts';
import { hashText } from '../../src/lib/files.ts';
import type { Caller } from '../../src/runtime/contract/board.ts';
import { openWorld } from '../dialogs/harness.ts';
import { viberLink } from '../helpers/board-link.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet } from '../kit/quiet.ts';
import { logIn } from './browser.ts';
import { startGateway } from './start.ts';
import { type Frame, openWire } from './wire.ts';

const TOKEN = 'the-token-of-the-owner';

async function open(options: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld({ ...options, config: { http: { port: 0, token: TOKEN } } });
  const wire = await openWire(world.app.port, TOKEN);
  onTestFinished(() => wire.socket.terminate());
  return { world, wire };
}

describe('silence', () => {
  test('a client that answers no ping is let go, and one that does is kept', async () => {
    const never = () => () => undefined;
    const parts: Partial<ProtocolParts> = {
      ...{ epoch: 1, about: { id: 'default', version: '1' }, runningTasks: () => [], onNews: never, onProgress: never },
      plans: { attend: async () => undefined, rest: () => undefined },
      submissions: { chatOf: () => 'x', isOwn: () => false } as unknown as ProtocolParts['submissions'],
    };
    const caller = { kind: 'client', id: 'x', principal: {}, ended: new AbortController().signal } as unknown as Caller;
    const exchange = new Exchange(parts as ProtocolParts);
    const sockets = createSockets({
      ...{ parts: parts as ProtocolParts, exchange },
      beat: { pingMs: 50, deadMs: 250 },
    });
    const server = http.createServer();
    server.on('upgrade', (request, socket, head) => sockets.upgrade({ request, socket, head, who: caller }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      sockets.close();
      server.close();
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [dead, alive] = [new WebSocket(url, { autoPong: false }), new WebSocket(url)];
    onTestFinished(() => alive.terminate());
    const code = await new Promise((resolve) => dead.once('close', resolve));
    expect([code, alive.readyState]).toEqual([1006, WebSocket.OPEN]);
    for (let beat = 0; beat < 3; beat++) await quiet({ within: 400 });
    expect(alive.readyState).toBe(WebSocket.OPEN);
  });

  test('a gateway that stands still is noticed, and what was said meanwhile is done once when it goes on', async () => {
    const home = tempFolder();
    fs.writeFileSync(
      path.join(home, 'config.json'),
      JSON.stringify({ model: 'offline/viber', http: { port: 0, token: TOKEN } }),
    );
    const gateway = await startGateway(home);
    onTestFinished(async () => gateway.stop('SIGKILL'));
    const url = `ws://127.0.0.1:${gateway.port}/ws`;
    const client = new ViberClient({ url, token: TOKEN, beatMs: 300, maxWaitMs: 500 });
    onTestFinished(() => client.close());
    await expect.poll(() => client.state).toBe('open');
    // Nothing happens for a while, and nobody minds.
    for (let beat = 0; beat < 5; beat++) await quiet({ within: 400 });
    expect(client.state).toBe('open');
    process.kill(gateway.pid, 'SIGSTOP');
    const sent = client.send({ type: 'task:submit', goal: 'Say hello', messages: [] });
    await expect.poll(() => client.state).not.toBe('open');
    process.kill(gateway.pid, 'SIGCONT');
    expect(await sent).toMatchObject({ ok: true, taskId: expect.any(String) });
    await expect.poll(() => client.state).toBe('open');
    expect(fs.readdirSync(path.join(home, 'artifacts'))).toHaveLength(1);
  });

  test('a token that is not valid ends the client, and a gateway that is away does not', async () => {
    const { world } = await open();
    const url = `ws://127.0.0.1:${world.app.port}/ws`;
    const wrong = new ViberClient({ url, token: 'another', maxWaitMs: 200 });
    const away = new ViberClient({ url: 'ws://127.0.0.1:9/ws', token: TOKEN, maxWaitMs: 200 });
    onTestFinished(() => {
      for (const client of [wrong, away]) client.close();
    });
    await expect(wrong.run({ goal: 'Say hello' })).rejects.toMatchObject({ code: 'refused' });
    expect(wrong.state).toBe('refused');
    for (let turn = 0; turn < 4; turn++) await quiet({ within: 400 });
    expect(['connecting', 'waiting']).toContain(away.state);
  });
});

test("a page's socket: the cookie and the key in the first frame, and Now is the person's own conversation", async () => {
  const { world } = await open();
  const port = world.app.port ?? 0;
  const { cookie, key } = await logIn(port, await viberLink(world.home));
  const page = async (given: string) => {
    const origin = `http://127.0.0.1:${port}`;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { cookie, origin } });
    onTestFinished(() => socket.terminate());
    const frames: Frame[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'auth', key: given }));
    return { socket, frames, closed };
  };
  expect(await (await page('0'.repeat(32))).closed).toBe(4401);
  world.llm.script([{ text: 'On the Board.' }]);
  const { socket, frames } = await page(key);
  await expect.poll(() => frames[0]?.type).toBe('connected');
  socket.send(JSON.stringify({ type: 'message', id: 'm', content: 'Where am I?' }));
  await expect.poll(() => frames.find(({ type }) => type === 'task:completed')?.result?.text).toBe('On the Board.');
  const taskId = frames.find(({ id }) => id === 'm')?.taskId;
  expect(JSON.parse(world.read(`artifacts/${taskId}/task.json`)).people).toEqual(['person:alex']);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const said = await fetch(`http://127.0.0.1:${port}/api/tasks/${taskId}/messages`, { headers });
  expect(await said.json()).toMatchObject({ messages: [{ role: 'user', channel: 'api' }, { role: 'assistant' }] });
});

test('what waits to be remembered is decided by an owner, once, and everybody is told what it became', async () => {
  const { world, wire } = await open();
  await wire.command({ type: 'task:subscribe', taskIds: '*' });
  world.llm.script([{ text: 'Noted.\n<memory_suggestion>Add to MEMORY.md: - Alex drinks tea</memory_suggestion>' }]);
  await wire.command({ type: 'task:submit', goal: 'I drink tea', messages: [] });
  const { suggestion } = await wire.until(({ type }) => type === 'memory:suggested');
  const decide = { type: 'memory:decide', suggestion, verdict: 'edit', text: 'Alex drinks green tea' };
  expect(await wire.command(decide, 'd')).toMatchObject({ ok: true, verdict: 'edit' });
  expect(world.read('workspace/MEMORY.md')).toContain('Alex drinks green tea');
  // The same command again is answered as it was; another one comes too late.
  expect(await wire.command(decide, 'd')).toMatchObject({ ok: true, verdict: 'edit' });
  expect(await wire.command({ ...decide, verdict: 'reject' })).toMatchObject({ ok: false });
  expect(world.read('workspace/MEMORY.md').match(/drinks/g)).toHaveLength(1);
});

describe('200 hand edits in the middle of as many over the socket', () => {
  /**
   * The hand writes at any moment while the Board does; what is refused comes back with the text that stands, and is
   * written again from there. The first edit by hand comes before the Board's and the second after it, so that both
   * outcomes happen however fast the machine is.
   */
  async function interleave(
    file: string,
    write: (text: string, baseHash: string) => Promise<{ ok?: boolean; current?: { text: string; hash: string } }>,
    line: (who: string, n: number) => string,
  ): Promise<number> {
    let conflicts = 0;
    for (let n = 0; n < 200; n += 1) {
      const base = fs.readFileSync(file, 'utf8');
      const byHand = () => fs.appendFileSync(file, line('hand', n));
      if (n === 0) byHand();
      const between = n < 2 ? undefined : delay(Math.random() * 4).then(byHand);
      const first = await write(base + line('board', n), hashText(base));
      await between;
      if (n === 1) byHand();
      if (first.ok !== true) {
        conflicts += 1;
        expect(first.current?.text).toContain(line('hand', n));
        const { text = '', hash = '' } = first.current ?? {};
        expect(await write(text + line('board', n), hash)).toMatchObject({ ok: true });
      }
      const stands = fs.readFileSync(file, 'utf8');
      for (const who of ['hand', 'board']) expect(stands.split(line(who, n)).length).toBe(2);
    }
    return conflicts;
  }

  test('of a file lose neither', async () => {
    const { world, wire } = await open();
    await wire.command({
      type: 'file:write',
      name: 'SOUL.md',
      text: 'begin\n',
      baseHash: hashText(world.read('workspace/SOUL.md')),
    });
    const write = async (text: string, baseHash: string) => {
      const ack = await wire.command({ type: 'file:write', name: 'SOUL.md', text, baseHash });
      return ack as { ok?: boolean; current?: { text: string; hash: string } };
    };
    const file = path.join(world.home, 'workspace', 'SOUL.md');
    const conflicts = await interleave(file, write, (who, n) => `${who} ${n}.\n`);
    expect([conflicts > 0, conflicts < 200]).toEqual([true, true]);
  });

  test('of a plan lose neither', async () => {
    const { world, wire } = await open();
    world.llm.script([{ text: 'Begun.' }]);
    const plan = '# Current Task\n\n## Goal\nShip\n\n## Plan\n- [ ] Draft\n';
    const { taskId } = await wire.command({ type: 'task:submit', goal: 'Ship', messages: [], plan });
    await wire.until(({ type }) => type === 'task:completed');
    const write = async (text: string, baseHash: string) => {
      const ack = await wire.command({ type: 'plan:write', taskId, text, baseHash });
      return ack as { ok?: boolean; current?: { text: string; hash: string } };
    };
    const file = path.join(world.home, 'artifacts', String(taskId), 'task.md');
    const conflicts = await interleave(file, write, (who, n) => `- [ ] ${who} ${n}.\n`);
    expect([conflicts > 0, conflicts < 200]).toEqual([true, true]);
  });
});
