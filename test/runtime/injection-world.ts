/**
 * A gateway from its door to its outbox on a folder of its own, between a platform and an agent that a test holds the strings
 * of.
 *
 * A crash is a copy of the folder, taken at one moment of the event loop: the gateway that went on is nobody's any more, and
 * a new one opens the copy. The platform delivers again whatever was not acknowledged by then.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { authoriseAction } from '../../src/access/authorise.ts';
import { createRateLimiter } from '../../src/access/limits.ts';
import { Links } from '../../src/access/links.ts';
import { openPairing } from '../../src/access/pairing.ts';
import { createPeople } from '../../src/access/people.ts';
import type { Address, Channel, InboundMessage } from '../../src/channels/channel.ts';
import type { CrashPoint } from '../../src/crash-points.ts';
import { type QueueItem, spoolKey } from '../../src/engine/engine.ts';
import { inspectSpool } from '../../src/engine/local/inspect.ts';
import { openLedger } from '../../src/engine/local/ledger.ts';
import { LocalOutbox } from '../../src/engine/local/outbox.ts';
import { openSpool, type Spool } from '../../src/engine/local/spool.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { DeliveryError } from '../../src/errors.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { dedupeId, type Entry, type InjectionMode, taskLane, traceOf } from '../../src/runtime/contract/entry.ts';
import { bindLeft } from '../../src/runtime/conversations/bind-left.ts';
import { openConversations, placeOf, shareTask } from '../../src/runtime/conversations/conversations.ts';
import { openConversationSettings } from '../../src/runtime/conversations/settings.ts';
import { createTaskRecords } from '../../src/runtime/conversations/task-record.ts';
import { createThreads } from '../../src/runtime/conversations/threads.ts';
import type { Meter } from '../../src/runtime/costs/meter.ts';
import { openDelivery } from '../../src/runtime/delivery.ts';
import { createGateway, type Gateway } from '../../src/runtime/gateway.ts';
import { createBus } from '../../src/runtime/live/bus.ts';
import { attachRules } from '../../src/runtime/reply/render-answer.ts';
import { Worker } from '../../src/runtime/worker.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import { readTaskSync } from '../../src/workspace/tasks.ts';
import { onlyModel } from '../helpers/choices.ts';
import { ONE_VIBER } from '../helpers/vibers.ts';
import { scriptedAgent } from './injection-agent.ts';
import { type Happened, lines } from './injection-model.ts';

/** How one run of the agent goes. */
export interface Plan {
  /** Tool steps before the answer. */
  steps: number;
  stepMs: number;
  /** The tools have effects outside. */
  external: boolean;
  /** Goes on for so long after an abort; 0 honours it at once. */
  deafMs: number;
  end: 'answer' | 'run-error' | 'throw';
}

export interface WorldOptions {
  plans: readonly Plan[];
  mode?: InjectionMode;
  maxRuns?: number;
  /** Milliseconds the platform takes for a message, a file, a thread. */
  sendMs?: number;
}

export interface World {
  readonly happened: Happened[];
  /** What the platform has, by the key of the part. */
  readonly sent: ReadonlyMap<string, { id: string; text: string; address: Address }>;
  mode: InjectionMode;
  /** Called when the living gateway passes a named point; true crashes it there. */
  onPoint: (point: CrashPoint | 'download' | 'thread') => boolean;
  /** The next posts fail in passing. */
  failSends: number;
  /** Milliseconds from when a message is stored until the gateway knows. */
  storedAfter: (message: InboundMessage) => number;
  /** Resolves when the gateway has it for good. */
  deliver(message: InboundMessage): Promise<void>;
  home(): Home;
  /** Lanes of the tasks that somebody has written to. */
  lanes(): string[];
  queue(): Spool<Entry>;
  crash(): void;
  /** An orderly stop and a new start on the same folder. */
  restart(graceMs: number): Promise<void>;
  /** Nothing is left to do. Throws after `timeoutMs` with what is. */
  idle(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

interface Gate {
  root: string;
  home: Home;
  isAlive: boolean;
  pending: Set<Promise<unknown>>;
  queue: Spool<Entry>;
  gateway: Gateway;
  waiting: () => Promise<number>;
  stop(graceMs: number): Promise<void>;
}

const within = new AsyncLocalStorage<{ isAlive: boolean }>();
let passing: ((point: CrashPoint) => void) | undefined;

/** Stands for `crashPoint` of src/crash-points.ts. */
export function passPoint(point: CrashPoint): void {
  if (within.getStore()?.isAlive) passing?.(point);
}

/** What is tried here is the order of things, not the disk. */
const FOLDER = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();

export async function openWorld(options: WorldOptions): Promise<World> {
  const folder = fs.mkdtempSync(path.join(FOLDER, 'viber-'));
  const happened: Happened[] = [];
  const sent = new Map<string, { id: string; text: string; address: Address }>();
  const graves: Gate[] = [];
  const accepted = new Set<string>();
  const tasks = new Set<string>();
  const { sendMs = 1 } = options;
  let copies = 0;
  const planOf = (n: number): Plan => options.plans[n % options.plans.length] as Plan;
  let runs = 0;

  function channelFor(life: { isAlive: boolean }): Channel {
    const alive = () => {
      if (!life.isAlive) throw new DeliveryError('nobody is there', { retryAfterMs: 60_000 });
    };
    const point = (name: 'download' | 'thread') => {
      if (life.isAlive && world.onPoint(name)) world.crash();
    };
    return {
      ...{ id: 'telegram', account: 'bot', isExact: true, status: () => ({ state: 'connected' }) },
      limits: { text: 4000, uploadBytes: 1e6, downloadBytes: 1e6 },
      connect: async () => undefined,
      disconnect: async () => undefined,
      async send({ id, text, address }, ledger) {
        await ledger.part(0, async ({ key, uncertainSince }) => {
          await sleep(sendMs);
          alive();
          if (world.failSends > 0) {
            world.failSends--;
            throw new DeliveryError('away', { retryAfterMs: 1, ambiguous: true });
          }
          if (!sent.has(key)) sent.set(key, { id, text, address });
          else if (uncertainSince === undefined) happened.push({ what: 'repeat', key });
          return key;
        });
      },
      async download(file, target, _maxBytes, signal) {
        point('download');
        await sleep(sendMs * 4, undefined, { signal });
        alive();
        fs.writeFileSync(target, file.id);
        return { path: target, name: file.name, mimeType: file.mimeType, size: file.id.length, sha256: '' };
      },
      async openThread({ address }) {
        point('thread');
        await sleep(sendMs * 3);
        alive();
        return address;
      },
    };
  }

  async function open(root: string): Promise<Gate> {
    const log = silentLog();
    const home = await openHome(root);
    const life = { isAlive: true };
    const channel = channelFor(life);
    const channelOf = () => channel;
    const store = openStore({ root: home.spool, freeBytes: 0 });
    const ledger = openLedger(path.join(home.spool, 'ledger'), 1);
    const dead: QueueItem<Entry>[] = [];
    const spool = await openSpool<Entry>({ store, onDead: (item) => dead.push(item), suspectDelayMs: 5 });
    const queue = spool;
    const enqueue = spool.enqueue.bind(spool);
    const tell = spool.signal.bind(spool);
    Object.assign(spool, {
      async enqueue(...[lane, entry, more]: Parameters<typeof enqueue>) {
        tasks.add(entry.taskId);
        const outcome = await enqueue(lane, entry, more);
        const ms = world.storedAfter(entry.message);
        if (ms > 0) await sleep(ms);
        return outcome;
      },
      async signal(...[lane, signal, before]: Parameters<typeof tell>) {
        const underWay = signal === 'stop' ? lines(home, lane.slice('task:'.length)) : [];
        const [{ busy }, isHeard] = await Promise.all([spool.look(lane), tell(lane, signal, before)]);
        if (isHeard && busy && signal === 'stop' && life.isAlive)
          happened.push({ what: 'stop', lane, underWay, before });
        return isHeard;
      },
    });
    const delivery = openDelivery({ outbox: new LocalOutbox({ store, ledger }), log, channelOf, timeScale: 0.01 });
    const conversations = openConversations(home.conversations);
    await bindLeft(queue, conversations);
    const bus = createBus((error) => {
      throw error;
    });
    const buttons = { offer: async () => [], press: async () => undefined };
    const live = {
      follow: async () => undefined,
      forget: () => undefined,
      end: async () => new Map<string, string>(),
      runs: () => [],
      runsAt: () => [],
    };
    const agent = scriptedAgent({ isAlive: () => life.isAlive, next: () => planOf(runs++), happened });
    const meter: Meter = {
      hooks: () => ({ beforeCall: () => undefined, onUsage: () => undefined }),
      used: () => ({}),
    };
    const memory = {
      ...{ max_memory_tokens: 100, max_task_tokens: 100, max_daily_logs: 1 },
      ...{ truncation_strategy: 'smart' as const, auto_accept: false },
    };
    const costs = {
      ofRun: () => ({ inputTokens: 0, outputTokens: 0 }),
      today: () => ({ inputTokens: 0, outputTokens: 0 }),
      check: () => undefined,
      ...{ take: () => undefined, endRun: async () => undefined },
      ...{ limits: {}, currency: 'EUR' },
    };
    const links = new Links(home.access);
    const pairing = openPairing(home.access, true);
    const metrics = createMetrics();
    const settings = openConversationSettings(home.conversations, () => ({}));
    const rulesAt = () => attachRules(channel);
    const worker = new Worker({
      questions: { decided: async () => undefined },
      runs: {
        ...{ home, agent, bus, log, meter, live, conversations, delivery, buttons, metrics, channelOf },
        reading: { kindOf: () => undefined, read: () => Promise.reject(new Error('nothing is read here')) },
        ...{
          syncSoon: () => undefined,
          attachRules: rulesAt,
          tellsMemory: async () => true,
          loadAgent: async () => ({}),
        },
        taskRecords: createTaskRecords({ home, conversations, costs, hasOwner: () => true, log }),
        threads: createThreads({ home, conversations, channelOf, log }),
        suspension: {
          supersede: async () => undefined,
          resume: () => Promise.reject(new Error('nothing is parked here')),
          suspend: () => Promise.reject(new Error('nothing is parked here')),
        },
        settings: {
          ...{ modelName: () => 'local/test', fallback: [], maxSteps: 20, plan_approval: 'off', memory },
          ...{
            voice: { echo: 'off', reply: 'off' },
            web: { hosts: [] },
            history: { max_messages: 500, max_tokens: 1e6 },
          },
          limits: { downloadBytes: 1e6, filesPerMessage: 5 },
        },
      },
      commands: {
        ...{ home, models: onlyModel('local/test'), pairing, links, prefixes: { telegram: '/' }, settings, costs },
        messagesAt: () => messagesIn('en'),
        ...{ attachRules: rulesAt, jobs: async () => undefined, bound: (id) => conversations.bound(id).map(placeOf) },
        shareTask: (person, from) => shareTask(conversations, person, from),
      },
      ...{ queue, maxRuns: options.maxRuns ?? 4 },
    });
    const stops = worker.stopping;
    const [begin, end] = [stops.begin.bind(stops), stops.end.bind(stops)];
    Object.assign(stops, {
      begin(lane: string, id: string) {
        if (life.isAlive) happened.push({ what: 'hold', lane, id });
        begin(lane, id);
      },
      end(lane: string, id: string) {
        end(lane, id);
        if (life.isAlive) happened.push({ what: 'free', lane, id });
      },
    });
    const gateway = createGateway({
      stopping: stops,
      languages: { of: () => undefined, note: () => undefined, prefixAt: () => '/' },
      ...{ queue, conversations, metrics, log, vibers: ONE_VIBER },
      zones: { learn: () => undefined },
      records: { note: () => Promise.resolve() },
      digests: { of: () => undefined },
      expected: { get: () => undefined, set: () => undefined, clear: () => undefined },
      access: {
        ...createPeople([{ name: 'olga', role: 'owner', ids: ['telegram:2'] }], pairing, links),
        ...createRateLimiter(1e9),
        rulesOf: () => ({ dm: 'open', groups: 'all', allow: [], chats: ['*'] }),
        pair: () => undefined,
        ownership: () => 'somebody',
        onPairing: () => undefined,
        redeem: () => Promise.resolve(undefined),
        onOwner: () => undefined,
      },
      lookups: {
        rewordedBy: async () => undefined,
        typed: async () => undefined,
        press: buttons.press,
        asks: () => false,
        textOf: async (key) => (await queue.find(key))?.message.text,
        suggest: async () => [],
        // Every id means the task that the group is about.
        findTask: async () => {
          const bound = conversations.get(JSON.stringify(['telegram', 'bot', null, '-100', null]));
          return bound && { id: bound.taskId, viber: bound.viber };
        },
        mayJoin: (taskId, principal) => {
          const task = readTaskSync(home, taskId);
          return task && authoriseAction(principal, 'steer', task.people);
        },
      },
      replies: {
        notice: (message, text) => {
          const trace = traceOf(spoolKey(dedupeId(message)));
          return delivery.add({ id: `${trace}-notice`, address: message.address, text, files: [] }, trace);
        },
        sendOnce: () => undefined,
      },
      settings: { maxQueue: 100, modeOf: () => world.mode },
    });
    for (const { id, message } of dead) {
      await delivery.add({ id: `${id}-dead`, address: message.message.address, text: 'given up', files: [] }, id, true);
    }
    let stopping: Promise<void> | undefined;
    async function stop(graceMs: number): Promise<void> {
      await worker.stop(graceMs);
      await delivery.close(1_000);
      ledger.close();
      await store.close();
    }
    await within.run(life, () => worker.start());
    return Object.assign(life, {
      ...{
        root,
        home,
        queue,
        pending: new Set<Promise<unknown>>(),
        waiting: async () => (await delivery.stats()).waiting,
      },
      gateway: {
        ...gateway,
        accept: (message: InboundMessage, raw: unknown) => within.run(life, () => gateway.accept(message, raw)),
      },
      stop(graceMs: number) {
        stopping ??= stop(graceMs);
        return stopping;
      },
    });
  }

  const world: World = {
    ...{ happened, sent, mode: options.mode ?? 'steer', failSends: 0, onPoint: () => false, storedAfter: () => 0 },
    async deliver(message) {
      for (;;) {
        const gate = await opening;
        const accepting = gate.gateway.accept(message, {});
        gate.pending.add(accepting);
        try {
          await accepting;
        } catch (error) {
          if (gate.isAlive) throw error;
        } finally {
          gate.pending.delete(accepting);
        }
        // Acknowledged by a gateway that is there; else the platform delivers it again.
        if (!gate.isAlive) continue;
        if (!accepted.has(message.id)) happened.push({ what: 'accepted', event: message.id });
        accepted.add(message.id);
        return;
      }
    },
    home: () => current.home,
    lanes: () => [...new Set([...tasks].map(taskLane))],
    queue: () => current.queue,
    crash() {
      if (!current.isAlive) return;
      const old = current;
      old.isAlive = false;
      const root = path.join(folder, `life-${++copies}`);
      fs.cpSync(old.root, root, { recursive: true, verbatimSymlinks: true });
      happened.push({ what: 'crash' });
      graves.push(old);
      opening = open(root).then((gate) => {
        current = gate;
        return gate;
      });
    },
    async restart(graceMs) {
      let old = await opening;
      // One that has crashed has a successor, which is the one to stop.
      while (!old.isAlive) old = await opening;
      const next = Promise.withResolvers<Gate>();
      opening = next.promise;
      await Promise.allSettled([...old.pending]);
      await old.stop(graceMs);
      // A crash on the way has a successor of its own.
      if (!old.isAlive) return next.resolve(opening);
      old.isAlive = false;
      happened.push({ what: 'restart' });
      current = await open(old.root);
      next.resolve(current);
    },
    async idle(timeoutMs = 6_000) {
      for (const end = Date.now() + timeoutMs; ; await sleep(2)) {
        const gate = await opening;
        if (
          gate.isAlive &&
          gate.pending.size === 0 &&
          (await gate.queue.stats()).waiting === 0 &&
          (await gate.waiting()) === 0
        )
          return;
        if (Date.now() < end) continue;
        const left = inspectSpool(gate.home.spool).filter(({ state }) => state !== 'done');
        const names = left.map(({ state, key }) => `${state} ${key}`);
        throw new Error(`not idle: ${(await gate.queue.stats()).waiting} in the queue: ${names.join(', ')}`);
      }
    },
    async close() {
      passing = undefined;
      const last = await opening;
      last.isAlive = false;
      await Promise.all([last, ...graves].map((gate) => gate.stop(0)));
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
  passing = (point) => {
    if (world.onPoint(point)) world.crash();
  };
  let opening = open(path.join(folder, 'life-0'));
  let current = await opening;
  return world;
}
