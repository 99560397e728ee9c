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
import type { Address, Channel, InboundMessage } from '../../src/channels/channel.ts';
import type { TelegramSettings } from '../../src/channels/telegram/settings.ts';
import type { CrashPoint } from '../../src/crash-points.ts';
import type { Queue } from '../../src/engine/engine.ts';
import { inspectSpool } from '../../src/engine/local/inspect.ts';
import { DeliveryError } from '../../src/errors.ts';
import { type Entry, type InjectionMode, taskLane } from '../../src/runtime/contract/entry.ts';
import { accept } from '../../src/runtime/intake/accept.ts';
import type { Tasks } from '../../src/runtime/run/gateway.ts';
import type { Home } from '../../src/workspace/home.ts';
import { defaults } from '../helpers/defaults.ts';
import { openTestGateway } from '../helpers/gateway.ts';
import { scriptedAgent } from './injection-agent.ts';
import { type Happened, lines } from './injection-model.ts';

/** Everybody may write, and in every group; nothing of it is sent there. */
const TELEGRAM: TelegramSettings = {
  ...{ token: '1:test', apiRoot: 'http://127.0.0.1:9', mode: 'polling', pollSeconds: 1, localFiles: [] },
  access: { dm: 'open', groups: 'all', allow: [], chats: ['*'], memory: 'direct' },
  ...{ live: 'off', injection: 'steer', attach: 'auto' },
};
const FREE = { queue: 100, runsPerPerson: 1_000, messagesPerMinute: 1e9, freeBytes: 0 };

/** The id of the task that the group is about. */
const groupTask = ({ conversations }: Tasks): string =>
  conversations.get(JSON.stringify(['telegram', 'bot', null, '-100', null]))?.taskId ?? 'none';

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
  /** Milliseconds until it is stored that a message was given up: on a busy machine others are long at work by then. */
  noticeMs?: number;
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
  queue(): Queue<Entry>;
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
  queue: Queue<Entry>;
  accept(message: InboundMessage): Promise<unknown>;
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
function writable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const FOLDER = writable('/dev/shm') ? '/dev/shm' : os.tmpdir();

export async function openWorld(options: WorldOptions): Promise<World> {
  const folder = fs.mkdtempSync(path.join(FOLDER, 'viber-'));
  const happened: Happened[] = [];
  const sent = new Map<string, { id: string; text: string; address: Address }>();
  const graves: Gate[] = [];
  const accepted = new Set<string>();
  const tasks = new Set<string>();
  const { sendMs = 1, noticeMs = 0 } = options;
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
          // The platform takes its time.
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
        // The platform takes its time.
        await sleep(sendMs * 4, undefined, { signal });
        alive();
        fs.writeFileSync(target, file.id);
        return { path: target, name: file.name, mimeType: file.mimeType, size: file.id.length, sha256: '' };
      },
      async openThread({ address }) {
        point('thread');
        // The platform takes its time.
        await sleep(sendMs * 3);
        alive();
        return address;
      },
    };
  }

  async function open(root: string): Promise<Gate> {
    const life = { isAlive: true };
    const agent = scriptedAgent({ isAlive: () => life.isAlive, next: () => planOf(runs++), happened });
    const gateway = await openTestGateway(
      {
        ...{ homeRoot: root, model: agent, channels: [channelFor(life)], timeScale: 0.01, suspectDelayMs: 5 },
        config: {
          people: [{ name: 'olga', role: 'owner', ids: ['telegram:2'] }],
          channels: { ...defaults.channels, telegram: TELEGRAM },
          limits: { ...defaults.limits, ...FREE, runs: options.maxRuns ?? 4 },
        },
      },
      true,
    );
    const { home, engine, delivery, tasks: kept, places } = gateway.gw;
    const { queue } = engine;
    const enqueue = queue.enqueue.bind(queue);
    const tell = queue.signal.bind(queue);
    const add = delivery.add.bind(delivery);
    Object.assign(delivery, {
      async add(...[message, ...more]: Parameters<typeof add>) {
        // The disk takes its time.
        if (noticeMs > 0 && message.id.endsWith('-dead')) await sleep(noticeMs);
        return add(message, ...more);
      },
    });
    Object.assign(places.settings, { get: () => ({ queue: world.mode }) });
    Object.assign(queue, {
      async enqueue(...[lane, entry, more]: Parameters<typeof enqueue>) {
        tasks.add(entry.taskId);
        const outcome = await enqueue(lane, entry, more);
        const ms = world.storedAfter(entry.message);
        // The disk takes its time.
        if (ms > 0) await sleep(ms);
        return outcome;
      },
      async signal(...[lane, signal, before]: Parameters<typeof tell>) {
        const underWay = signal === 'stop' ? lines(home, lane.slice('task:'.length)) : [];
        const [{ busy }, isHeard] = await Promise.all([queue.look(lane), tell(lane, signal, before)]);
        if (isHeard && busy && signal === 'stop' && life.isAlive)
          happened.push({ what: 'stop', lane, underWay, before });
        return isHeard;
      },
    });
    const stops = gateway.gw.tasks.arrivals.stopping;
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
    let stopping: Promise<void> | undefined;
    async function stop(graceMs: number): Promise<void> {
      await gateway.stop(graceMs);
      await gateway.close();
    }
    await within.run(life, () => gateway.start());
    return Object.assign(life, {
      ...{ root, home, queue, pending: new Set<Promise<unknown>>() },
      waiting: async () => (await delivery.stats()).waiting,
      accept: (message: InboundMessage) => {
        const command = message.command?.name === 'open' ? { name: 'open', args: groupTask(kept) } : message.command;
        return within.run(life, () => accept({ ...message, ...(command && { command }) }, {}, gateway.gw));
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
        const accepting = gate.accept(message);
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
    async idle(timeoutMs = 60_000) {
      // It looks now and then.
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
