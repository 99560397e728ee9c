/**
 * Two tasks of one person, worked on at the same time: whoever listens to one of them hears of that one alone, in its order, whatever carries
 * the events. The person is the same, so is the conversation, and so is the client.
 */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventsRoute } from '../../src/board/api/events.ts';
import { answerCommand } from '../../src/board/protocol/answer.ts';
import type { Scope } from '../../src/board/protocol/connection.ts';
import { Exchange } from '../../src/board/protocol/exchange.ts';
import type { ProtocolParts } from '../../src/board/protocol/parts.ts';
import type { AgentStreamEvent } from '../../src/channels/channel.ts';
import type { BoardRequest, Caller } from '../../src/runtime/contract/board.ts';
import type { News } from '../../src/runtime/contract/news.ts';
import { openHome } from '../../src/workspace/home.ts';
import { saveTask } from '../../src/workspace/tasks/record.ts';
import type { TaskState } from '../../src/workspace/types.ts';
import { openWorld } from '../dialogs/harness.ts';
import { HubEmulator } from '../emulators/hub.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openWire } from './wire.ts';

const TASKS = ['20261126-aaaaa', '20261126-bbbbb'] as const;
const [MINE, OTHER] = TASKS;

/** What may happen to a task, in the order in which it does. */
type Step = 'started' | 'words' | 'plan' | 'notice' | 'asked' | 'completed' | 'error' | 'stopped';
const RUN = fc
  .tuple(
    fc.array(fc.constantFrom<Step>('words', 'plan', 'notice', 'asked'), { maxLength: 4 }),
    fc.constantFrom<Step>('completed', 'error', 'stopped'),
  )
  .map(([within, end]): Step[] => ['started', ...within, end]);
const LIFE = fc.array(RUN, { minLength: 1, maxLength: 2 }).map((runs) => runs.flat());

interface World {
  exchange: Exchange;
  parts: ProtocolParts;
  happens(taskId: string, step: Step, run: number): Promise<void>;
}

async function openParts(): Promise<World> {
  const home = await openHome(tempFolder());
  const states = new Map<string, TaskState>();
  const save = async (id: string, state: TaskState) => {
    states.set(id, state);
    const at = new Date(0).toISOString();
    await saveTask(home, {
      ...{ id, viber: 'default', goal: 'g', title: 'g', state, runs: 0, people: ['api:owner'] },
      ...{ conversations: ['api@api:owner'], createdAt: at, updatedAt: at },
    });
  };
  for (const id of TASKS) await save(id, 'running');
  const told = new Set<(news: News) => void>();
  const seen = new Set<(event: AgentStreamEvent) => void>();
  const parts = {
    ...{ home, epoch: 1, about: { id: 'default', version: '1' }, maySee: () => true },
    onNews: (listener: (news: News) => void) => {
      told.add(listener);
      return () => void told.delete(listener);
    },
    onProgress: (listener: (event: AgentStreamEvent) => void) => {
      seen.add(listener);
      return () => void seen.delete(listener);
    },
    runningTasks: () => TASKS.filter((id) => states.get(id) === 'running'),
    soFar: () => [],
    plans: { attend: async () => undefined, rest: () => undefined },
    // The whole point: both are this client's own.
    submissions: { chatOf: () => 'owner', isOwn: () => true },
    onError: (error: unknown) => {
      throw error;
    },
  } as unknown as ProtocolParts;
  const tell = (news: News) => {
    for (const listener of told) listener(news);
  };
  return {
    ...{ exchange: new Exchange(parts), parts },
    async happens(taskId, step, run) {
      const runId = `${taskId}-${run}`;
      const end = { taskId, runId, text: runId, summary: '', artifactRefs: [] };
      switch (step) {
        case 'started':
          await save(taskId, 'running');
          return tell({ type: 'task:started', taskId, runId });
        case 'words':
          for (const listener of seen) listener({ type: 'text-delta', content: 'x', agentId: 'a', taskId, runId });
          return undefined;
        case 'plan':
          return tell({ type: 'plan:changed', taskId, hash: runId });
        case 'notice': {
          const address = { channel: 'api', account: 'api', chat: 'owner', thread: taskId };
          return tell({ type: 'notice', taskId, message: { id: 'n', address, text: runId, files: [] } });
        }
        case 'asked': {
          const request = { id: 'p', taskId, run: runId, digest: 'd', kind: 'plan', tool: '', input: {} };
          return tell({ type: 'approval:asked', request } as unknown as News);
        }
        default:
          await save(taskId, step);
          return tell({ type: 'run:ended', end: { ...end, state: step } });
      }
    },
  };
}

type Told = { type: string; taskId?: string; runId?: string; state?: string; text?: string; hash?: string };

const caller = (more: Partial<Caller> = {}): Caller => ({
  ...{ kind: 'client', id: 'owner', ended: new AbortController().signal },
  principal: { channel: 'api', account: 'api', user: 'owner', role: 'owner', name: 'owner', via: 'api' },
  ...more,
});

function reader({ exchange }: World, scope: Scope, by = caller()) {
  const frames: Told[] = [];
  const peer = { send: (text: string) => void frames.push(JSON.parse(text)), waiting: () => 0, close: () => undefined };
  return { frames, connection: exchange.connect(by, peer, scope) };
}

/** A request for the stream of one task; `isOpen` until it is ended. */
async function stream({ exchange, parts }: World, taskId: string) {
  const response = Object.assign(new PassThrough(), { writeHead: () => undefined, flushHeaders: () => undefined });
  let text = '';
  response.on('data', (data) => {
    text += String(data);
  });
  const ended = new Promise<void>((resolve) => response.once('end', resolve));
  await eventsRoute(parts, exchange).handle({
    ...{ request: { headers: {} }, response, params: { id: taskId }, caller: caller() },
    url: new URL(`http://x/api/tasks/${taskId}/events?live=events`),
  } as unknown as BoardRequest);
  return {
    ended,
    isOpen: () => !response.writableEnded,
    frames: (): Told[] => [...text.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json)),
  };
}

/** What was told of a task, step by step. */
function stepOf({ type, state }: Told): Step | undefined {
  const known: Record<string, Step> = {
    ...{ 'task:started': 'started', 'task:progress': 'words', 'plan:changed': 'plan', notice: 'notice' },
    ...{ 'approval:asked': 'asked', 'task:completed': 'completed', 'task:error': 'error' },
  };
  return state === 'stopped' ? 'stopped' : known[type];
}
const steps = (frames: readonly Told[]) => frames.flatMap((frame) => stepOf(frame) ?? []);

/** Two lives, and which of them goes on each time. */
const INTERLEAVED = fc.tuple(LIFE, LIFE).chain(([mine, other]) =>
  fc
    .shuffledSubarray([...mine.map(() => MINE as string), ...other.map(() => OTHER as string)], {
      minLength: mine.length + other.length,
    })
    .map((order) => ({ mine, other, order })),
);

const ENDS: readonly Step[] = ['completed', 'error', 'stopped'];

describe('two tasks of one person', () => {
  it('are told apart by everybody who listens to one, in every order in which they go on', async () => {
    await fc.assert(
      fc.asyncProperty(INTERLEAVED, async ({ mine, other, order }) => {
        const world = await openParts();
        const { exchange } = world;
        const sse = await stream(world, MINE);
        const [chat, socket, submitter, left, hub] = [
          reader(world, 'named'),
          reader(world, 'client'),
          reader(world, 'client'),
          reader(world, 'client'),
          reader(world, 'client', caller({ id: 'hub', channel: 'hub' })),
        ];
        await exchange.follow(chat.connection, [MINE], { live: 'events' });
        for (const { connection } of [socket, hub])
          await answerCommand(
            { type: 'task:subscribe', id: 's', taskIds: [MINE], live: 'events' },
            connection,
            exchange,
            world.parts,
          );
        await exchange.follow(submitter.connection, TASKS, { live: 'events' });
        await answerCommand(
          { type: 'task:unsubscribe', id: 'u', taskIds: [OTHER] },
          left.connection,
          exchange,
          world.parts,
        );
        const at = new Map<string, number>();
        for (const taskId of order) {
          const index = at.get(taskId) ?? 0;
          const life = taskId === MINE ? mine : other;
          const run = life.slice(0, index).filter((step) => ENDS.includes(step)).length;
          await world.happens(taskId, life[index] as Step, run);
          at.set(taskId, index + 1);
        }
        const own = (frames: Told[]) => frames.filter(({ type }) => type !== 'ack');
        // A hub hears of how its own runs end through its outbox, and its notices come there too.
        const through = (step: Step) => !['completed', 'error', 'notice'].includes(step);
        for (const frames of [sse.frames(), own(chat.frames), own(socket.frames), own(hub.frames)])
          expect(frames.filter(({ taskId }) => taskId !== MINE)).toEqual([]);
        expect(steps(chat.frames)).toEqual(mine);
        expect(steps(socket.frames)).toEqual(mine);
        expect(steps(hub.frames)).toEqual(mine.filter(through));
        expect(own(left.frames)).toEqual([]);
        for (const [taskId, life] of [[MINE, mine] as const, [OTHER, other] as const])
          expect(steps(submitter.frames.filter((frame) => frame.taskId === taskId))).toEqual(life);
        // The stream is over with the first run of its own task, and not before.
        await sse.ended;
        expect(steps(sse.frames())).toEqual(mine.slice(0, mine.findIndex((step) => ENDS.includes(step)) + 1));
      }),
      { numRuns: 60 },
    );
  });

  it('leave the stream of the one open while the other ends', async () => {
    const world = await openParts();
    const sse = await stream(world, MINE);
    await world.happens(OTHER, 'completed', 0);
    await world.happens(OTHER, 'stopped', 1);
    expect([sse.frames(), sse.isOpen()]).toEqual([[], true]);
    await world.happens(MINE, 'completed', 0);
    expect([sse.frames().length, sse.isOpen()]).toEqual([1, false]);
  });
});

const TOKEN = 'the-token-of-the-owner';

describe('through the whole gateway', () => {
  it('a stream of server-sent events of the slow task says nothing of the quick one', async () => {
    const world = await openWorld({ config: { http: { port: 0, token: TOKEN } } });
    world.llm.script((request) =>
      JSON.stringify(request.messages).includes('slowly')
        ? { text: 'Slow and done.', delayMs: 2_500 }
        : { text: 'Quick and done.' },
    );
    const wire = await openWire(world.app.port, TOKEN);
    onTestFinished(() => wire.socket.terminate());
    const submit = async (goal: string) =>
      String((await wire.command({ type: 'task:submit', goal, messages: [] })).taskId);
    const slow = await submit('Work slowly');
    const stream = await fetch(`http://127.0.0.1:${world.app.port}/api/tasks/${slow}/events?live=events`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const narrow = await openWire(world.app.port, TOKEN);
    onTestFinished(() => narrow.socket.terminate());
    await narrow.command({ type: 'task:subscribe', taskIds: [slow], live: 'events' });
    const quick = await submit('Be quick');
    const told = [...(await stream.text()).matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json));
    expect(told.at(-1)).toMatchObject({ type: 'task:completed', taskId: slow, result: { text: 'Slow and done.' } });
    expect(told.filter(({ taskId }) => taskId !== slow)).toEqual([]);
    await narrow.until(({ type }) => type === 'task:completed');
    expect(narrow.frames.filter(({ taskId }) => taskId === quick)).toEqual([]);
    // Who has submitted both hears of both.
    await wire.until((frame) => frame.type === 'task:completed' && frame.taskId === slow);
    expect(wire.frames.find((frame) => frame.type === 'task:completed' && frame.taskId === quick)).toMatchObject({
      result: { text: 'Quick and done.' },
    });
  });

  it('a page that chats hears the end of its own chat alone, and its stream stays open until then', async () => {
    const world = await openWorld({ config: { http: { port: 0, token: TOKEN } } });
    const isQuickDone = Promise.withResolvers<void>();
    world.llm.script(async (request) => {
      const isSlow = JSON.stringify(request.messages).includes('slowly');
      if (isSlow) await isQuickDone.promise;
      return { text: isSlow ? 'Slow and done.' : 'Quick and done.' };
    });
    const wire = await openWire(world.app.port, TOKEN);
    onTestFinished(() => wire.socket.terminate());
    const messages = [{ id: 'one', role: 'user', parts: [{ type: 'text', text: 'Work slowly' }] }];
    const chat = await fetch(`http://127.0.0.1:${world.app.port}/api/chat`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } },
      body: JSON.stringify({ id: 'chat', messages, trigger: 'submit-message' }),
    });
    await expect.poll(() => world.llm.requests().length).toBe(1);
    const { taskId: quick } = await wire.command({ type: 'task:submit', goal: 'Be quick', messages: [] });
    await wire.until((frame) => frame.type === 'task:completed' && frame.taskId === quick);
    isQuickDone.resolve();
    const chunks = [...(await chat.text()).matchAll(/^data: (\{.+\})$/gm)].map(([, json = '']) => JSON.parse(json));
    expect(chunks.map(({ delta = '' }) => delta).join('')).toBe('Slow and done.');
    expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1);
  });

  it('a hub that subscribes to one of its tasks hears nothing of the other, and each under its own name', async () => {
    const hub = new HubEmulator({ token: TOKEN });
    await hub.start();
    onTestFinished(() => hub.stop());
    const world = await openWorld({ config: { http: { port: 0 }, hub: { url: hub.url, token: TOKEN } } });
    const isQuickDone = Promise.withResolvers<void>();
    world.llm.script(async (request) => {
      const isSlow = JSON.stringify(request.messages).includes('slowly');
      if (isSlow) await isQuickDone.promise;
      return { text: isSlow ? 'Slow.' : 'Quick.' };
    });
    await expect.poll(() => hub.frames[0]).toMatchObject({ type: 'connected' });
    hub.send({ type: 'task:submit', id: 'slow', goal: 'Work slowly', messages: [] });
    const idOf = (id: string) => hub.sent('ack').find((frame) => frame.id === id)?.taskId;
    await expect.poll(() => idOf('slow')).toBeDefined();
    hub.send({ type: 'task:subscribe', id: 'watch', taskIds: [idOf('slow')], live: 'events' });
    hub.send({ type: 'task:submit', id: 'quick', goal: 'Be quick', messages: [] });
    await expect.poll(() => hub.sent('task:completed').length).toBe(1);
    expect(hub.sent('task:completed')[0]).toMatchObject({ taskId: idOf('quick'), result: { text: 'Quick.' } });
    isQuickDone.resolve();
    await expect.poll(() => hub.sent('task:completed').length).toBe(2);
    expect(hub.sent('task:completed')[1]).toMatchObject({ taskId: idOf('slow'), result: { text: 'Slow.' } });
    for (const frame of hub.frames.filter(({ runId }) => runId !== undefined))
      expect([idOf('slow'), idOf('quick')]).toContain(frame.taskId);
  });

  it('a hub is told of each of its tasks under its own name, and in `connected` of the viber it talks to', async () => {
    const hub = new HubEmulator({ token: TOKEN });
    await hub.start();
    onTestFinished(() => hub.stop());
    const world = await openWorld({
      config: { http: { port: 0 }, hub: { url: hub.url, token: TOKEN, viberId: 'dev' } },
      prepare: (home) => void fs.mkdirSync(path.join(home, 'vibers/dev'), { recursive: true }),
    });
    world.llm.script((request) => ({ text: JSON.stringify(request.messages).includes('slowly') ? 'Slow.' : 'Quick.' }));
    await expect.poll(() => hub.frames[0]).toMatchObject({ type: 'connected', viber: { id: 'dev' } });
    for (const goal of ['Work slowly', 'Be quick']) hub.send({ type: 'task:submit', id: goal, goal, messages: [] });
    await expect.poll(() => hub.sent('task:completed').length).toBe(2);
    const idOf = (goal: string) => hub.sent('ack').find(({ id }) => id === goal)?.taskId;
    const textOf = (goal: string) =>
      hub.sent('task:completed').find(({ taskId }) => taskId === idOf(goal))?.result?.text;
    expect([textOf('Work slowly'), textOf('Be quick')]).toEqual(['Slow.', 'Quick.']);
  });
});
