/** Whoever stops reading, or floods, costs little and holds up nobody. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { Connection } from '../../src/board/protocol/connection.ts';
import { EventLog } from '../../src/board/protocol/events.ts';
import type { ProtocolParts } from '../../src/board/protocol/parts.ts';
import { openHome } from '../../src/workspace/home.ts';
import { saveTask } from '../../src/workspace/tasks/record.ts';
import { openWorld } from '../dialogs/harness.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet } from '../kit/quiet.ts';
import { openWire } from './wire.ts';

const TOKEN = 'the-token-of-the-owner';

it('leaves a reader that stops reading, at a cost of 10 MB at most', async () => {
  const world = await openWorld({ config: { http: { port: 0, token: TOKEN } } });
  const owner = await openWire(world.app.port, TOKEN);
  const text = 'word '.repeat(60_000);
  world.llm.script(() => ({ text }));
  // A socket of its own, which nobody reads from after the handshake.
  const stuck = connect(world.app.port ?? 0, '127.0.0.1');
  const key = Buffer.from('0123456789abcdef').toString('base64');
  stuck.write(
    `GET /ws HTTP/1.1\r\nhost: 127.0.0.1:${world.app.port}\r\nauthorization: Bearer ${TOKEN}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  );
  await new Promise((resolve) => stuck.once('data', resolve));
  stuck.write(masked(JSON.stringify({ type: 'task:subscribe', id: 's', taskIds: '*', live: 'events' })));
  await quiet();
  stuck.pause();
  for (let n = 0; n < 60; n++) {
    const { taskId } = await owner.command({ type: 'task:submit', goal: `Long ${n}`, messages: [] });
    await owner.until((frame) => frame.type === 'task:completed' && frame.taskId === taskId);
    owner.frames.length = 0;
  }
  // Everybody else was served meanwhile, and it was closed: of 36 MB that it could have read no more was kept for it.
  await quiet({ within: 2_500 });
  let bytes = 0;
  stuck.on('data', (chunk) => {
    bytes += chunk.length;
  });
  const ended = new Promise((resolve) => stuck.once('close', resolve));
  stuck.on('error', () => undefined);
  stuck.resume();
  await ended;
  expect(bytes).toBeLessThan(16 * 1024 * 1024);
  stuck.destroy();
});

it('merges pieces of text and drops other progress while too much waits, and closes with 1013 when nothing is read', async () => {
  const home = await openHome(tempFolder());
  const at = new Date().toISOString();
  const record = {
    viber: 'default',
    goal: 'g',
    title: 'g',
    state: 'running',
    people: [],
    conversations: [],
    runs: 0,
  } as const;
  await saveTask(home, { ...record, people: [], conversations: [], id: 't', createdAt: at, updatedAt: at });
  const sent: string[] = [];
  let waiting = 0;
  let code = 0;
  const peer = {
    send: (text: string) => void sent.push(text),
    waiting: () => waiting,
    close: (why: number) => {
      code = why;
    },
  };
  const caller = { kind: 'client', id: 'x', principal: { role: 'owner' }, ended: new AbortController().signal };
  const parts = { home, maySee: () => true, submissions: { chatOf: () => 'x', isOwn: () => true } };
  const connection = new Connection(caller as never, peer, parts as unknown as ProtocolParts, 'client');
  connection.follow(['*'], 'events');
  const piece = (content: string) =>
    connection.progress({ type: 'text-delta', content, agentId: 'a', taskId: 't', runId: 'r' }, '1.1');
  piece('one ');
  waiting = 2 * 1024 * 1024;
  for (const word of ['two ', 'three ']) piece(word);
  connection.progress({ type: 'tool-call', tool: 'x', args: {}, agentId: 'a', taskId: 't', runId: 'r' }, '1.1');
  expect(sent).toHaveLength(1);
  waiting = 0;
  piece('four');
  expect(sent.map((text) => JSON.parse(text).event.content)).toEqual(['one ', 'two three ', 'four']);
  for (const runId of ['r1', 'r2', 'r3']) {
    waiting = 2 * 1024 * 1024;
    connection.progress({ type: 'text-delta', content: 'x'.repeat(30_000), agentId: 'a', taskId: 't', runId }, '1.1');
  }
  waiting = 0;
  connection.catchUp();
  // Of what is held back for all runs together no more than 64 KB.
  expect(sent.splice(3)).toHaveLength(2);
  connection.send({ type: 'resync', given: 'x'.repeat(5_000_000) });
  expect([code, sent.splice(3).length], 'one large frame where nothing waits').toEqual([0, 1]);
  waiting = 4 * 1024 * 1024;
  connection.send({ type: 'resync' });
  expect([code, sent.length]).toEqual([1013, 3]);
});

it('keeps no more than 4 MiB for a reader that takes nothing, however large the frames are', async () => {
  for (const size of [100, 30_000, 900_000]) {
    let kept = 0;
    let isClosed = false;
    const peer = {
      send: (text: string) => {
        kept += text.length;
      },
      waiting: () => kept,
      close: () => {
        isClosed = true;
      },
    };
    const caller = { kind: 'client', id: 'x', principal: { role: 'owner' }, ended: new AbortController().signal };
    const connection = new Connection(caller as never, peer, {} as unknown as ProtocolParts, 'client');
    const text = 'x'.repeat(size);
    while (!isClosed) connection.send({ type: 'resync', text });
    expect(kept).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(kept).toBeGreaterThan(3 * 1024 * 1024);
  }
});

it('remembers 10,000 events or 4 MiB, and knows which cursors it cannot tell of', () => {
  const log = new EventLog(7, { events: 3 });
  const before = log.cursor;
  for (const hash of ['a', 'b', 'c']) log.add({ type: 'plan:changed', taskId: 't', hash }, { task: 't' });
  expect(log.after(before)?.map(({ frame }) => frame.cursor)).toEqual(['7.1', '7.2', '7.3']);
  log.add({ type: 'plan:changed', taskId: 't', hash: 'd' }, { task: 't' });
  expect(log.after(before)).toBeUndefined();
  expect(log.after('7.1')).toHaveLength(3);
  expect(log.after('7.4')).toEqual([]);
  for (const wrong of ['6.1', '7.5', 'x', '']) expect(log.after(wrong)).toBeUndefined();
  const bounded = new EventLog(1, { bytes: 2_000 });
  for (let n = 0; n < 100; n++)
    bounded.add({ type: 'plan:changed', taskId: 't', hash: 'x'.repeat(500) }, { task: 't' });
  expect(bounded.after('1.98')).toHaveLength(2);
  expect(bounded.after('1.50')).toBeUndefined();
});

/** A client's text frame of up to 125 bytes. */
function masked(text: string): Buffer {
  const data = Buffer.from(text);
  const mask = Buffer.from([1, 2, 3, 4]);
  const body = data.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length]), mask, body]);
}
