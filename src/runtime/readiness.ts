/**
 * Reports whether the gateway can work now, and what prevents it, for `/readyz`, `viber status` and the log line
 * `ready`.
 */
import fs from 'node:fs';
import type { Channel } from '../channels/channel.ts';
import type { Engine, Queue } from '../engine/engine.ts';
import type { HandleState } from '../lib/handles.ts';
import type { Readiness } from './contract/board.ts';
import type { Delivery } from './delivery.ts';

export interface ReadinessSources {
  root: string;
  freeBytes: number;
  channels: ReadonlyMap<string, Channel>;
  engine: Engine<unknown>;
  queue: Queue<unknown>;
  delivery: Delivery;
  handles: () => HandleState;
  roles?: { own: readonly string[]; missing(): Promise<readonly string[]> } | undefined;
  /** Every channel has been asked to connect. */
  isStarted: () => boolean;
}

export async function readinessOf(sources: ReadinessSources): Promise<Readiness> {
  const { channels, engine, queue, delivery, root, freeBytes, roles } = sources;
  const states = [...channels].map(([id, channel]) => [id, channel.status()] as const);
  const [health, inbox, outbox] = await Promise.all([engine.ready(), queue.stats(), delivery.stats()]);
  const missing = (health.ok && (await roles?.missing())) || [];
  const oldest = Math.min(inbox.oldest ?? Number.POSITIVE_INFINITY, outbox.oldest ?? Number.POSITIVE_INFINITY);
  const { bavail, bsize } = fs.statfsSync(root);
  const writable = bavail * bsize >= freeBytes;
  const detail = 'less free space than limits.freeBytes: nothing new is accepted';
  const handles = sources.handles();
  const canWork = writable && handles.enough && health.ok;
  return {
    ready: sources.isStarted() && canWork && states.every(([, status]) => status.state === 'connected'),
    channels: Object.fromEntries(states),
    ...(roles && { roles: { own: roles.own, missing, ...(missing.length > 0 && { detail: nobodyDoes(missing) }) } }),
    workspace: writable ? { writable } : { writable, detail },
    ...(health.ok ? {} : { engine: health }),
    handles,
    oldestUndeliveredSeconds: Number.isFinite(oldest) ? Math.round((Date.now() - oldest) / 1000) : null,
    waiting: inbox.waiting + outbox.waiting,
    dead: outbox.dead,
    unsure: outbox.unsure,
  };
}

const LACKS: Readonly<Record<string, string>> = {
  ingress: 'no process accepts messages',
  work: 'no process works on messages',
  deliver: 'no process sends answers',
};

const nobodyDoes = (missing: readonly string[]): string =>
  `${missing.map((role) => LACKS[role] ?? role).join(', ')}: start one with engine.roles: [${missing.join(', ')}]`;
