/**
 * The gateway is killed at random moments between a submission and its end: after a reconnect there is one task and one run with one
 * result for each id. `CRASH_ROUNDS=50` looks as often as is promised.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { openPlatforms } from '../platforms/world.ts';
import { type Frame, openWire, type Wire } from './wire.ts';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 5);
const TOKEN = 'the-token-of-the-owner';
const CLIENTS = { builder: { token: 'token-of-builder' } };

it(`has one result for each of ${ROUNDS} tasks, whenever it was killed`, {
  timeout: 240_000 + ROUNDS * 15_000,
}, async () => {
  const http = { port: 0, token: TOKEN, clients: CLIENTS };
  const world = await openPlatforms({ on: ['telegram'], process: true, config: { http } });
  world.llm.script((request) => ({ text: `Done: ${request.lastUser}`, delayMs: 150 }));
  const seen: Frame[] = [];
  const open = (): Promise<Wire> =>
    eventually(async () => {
      const { port } = JSON.parse(world.read('run/gateway.json'));
      const wire = await openWire(port, 'token-of-builder');
      await wire.until(({ type }) => type === 'connected');
      return wire;
    });
  const tasks = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    const id = `round-${round}`;
    const submit = { type: 'task:submit', goal: `Task number ${round}`, messages: [] };
    const first = await open();
    const { cursor } = await first.until(({ type }) => type === 'connected');
    first.send({ ...submit, id });
    // It is killed at any moment.
    await sleep(Math.random() * 400);
    await world.kill();
    first.socket.terminate();
    const early = first.frames.find((frame) => frame.type === 'ack' && frame.id === id);
    const second = await open();
    const acks = await Promise.all([1, 2, 3].map(() => second.command(submit, id)));
    expect(acks.map(({ ok }) => ok)).toEqual([true, true, true]);
    const [taskId = ''] = new Set(acks.map((ack) => ack.taskId));
    if (early) expect(early.taskId).toBe(taskId);
    tasks.set(id, taskId);
    second.send({ type: 'task:subscribe', id: `s-${id}`, taskIds: [taskId], after: cursor });
    await second.until((frame) => frame.type === 'task:completed' && frame.taskId === taskId);
    seen.push(...first.frames, ...second.frames);
    second.socket.terminate();
  }
  expect(new Set(tasks.values()).size).toBe(ROUNDS);
  expect(fs.readdirSync(path.join(world.home, 'artifacts'))).toHaveLength(ROUNDS);
  for (const [id, taskId] of tasks) {
    const ends = seen.filter((frame) => frame.type === 'task:completed' && frame.taskId === taskId);
    const told = new Set(ends.map(({ runId, result }) => `${runId} ${result?.text}`));
    expect([...told].map((end) => end.slice(13))).toEqual([`Done: Task number ${id.slice(6)}`]);
    const lines = world.read(`agents/default/sessions/${taskId}.jsonl`).trim().split('\n');
    expect(lines.filter((line) => line.includes('"type":"result"'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"type":"message"'))).toHaveLength(1);
  }
});
