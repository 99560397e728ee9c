/**
 * Counts what happened to people's messages, using only durable data: task sessions, the queue, messages that were
 * given up, and the usage of calls. If none of these mentions a message, it counts as unknown, never as answered.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { ReceiptCounts } from '../../client/shapes.ts';
import { namesIn } from '../../lib/damage.ts';
import { isRecord, parseJson, readWhole } from '../../lib/json.ts';
import { openTask, taskIds } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { readUsage, usageDay } from '../../workspace/usage.ts';
import type { Gateway } from '../gateway.ts';
import { readStarts } from './starts.ts';

export interface Receipt extends ReceiptCounts {
  /** The time range in ms: from the first time with data to count, up to but excluding `to`. */
  from: number;
  to: number;
  /** Set if starts are known for only part of that time. */
  restartsSince?: number;
  /** Whether a conversation was too long to be counted completely. */
  isAtLeast: boolean;
}

interface Sum extends Receipt {
  /** When the first message arrived. */
  firstAt: number;
}

const TAIL = { maxBytes: 8 * 1024 * 1024 };
const DAY_MS = 86_400_000;

interface Pending {
  waiting: ReadonlySet<string>;
  givenUp: ReadonlySet<string>;
}

export async function countReceipt(from: number, to: number, gw: Gateway): Promise<Receipt> {
  const { home, engine } = gw;
  const isWithin = (at: number) => at >= from && at < to;
  const queued = (await engine.queue.unfinished()).filter(
    ({ lane, message }) => lane.startsWith('task:') && !message.job,
  );
  const isShared = gw.config.engine.kind === 'redis';
  const dead = isShared ? await sharedLetters(gw) : keptAside(home.spool, 'dead');
  // Messages that a server keeps have no files, so all of them count: too many rather than too few.
  const stats = isShared ? await engine.outbox.stats() : undefined;
  const pending = {
    waiting: new Set(queued.map(({ id }) => id)),
    givenUp: new Set(dead.filter(({ isAnswer }) => !isAnswer).map(({ id }) => id)),
  };
  const sum: Sum = {
    from,
    firstAt: to,
    to,
    messages: 0,
    answered: 0,
    failed: 0,
    stopped: 0,
    waiting: 0,
    givenUp: 0,
    unknown: 0,
    undelivered: stats?.dead ?? dead.filter(({ isAnswer, at }) => isAnswer && isWithin(at)).length,
    unsure: stats?.unsure ?? keptAside(home.spool, 'unsure').filter(({ at }) => isWithin(at)).length,
    deleted: deletedTurns(from, to, gw),
    ...restartsIn(from, to, gw),
    isAtLeast: false,
  };
  const seen = new Set<string>();
  for (const id of taskIds(home)) {
    await breathe();
    const task = openTask(home, id).record();
    if (!task || task.parent !== undefined || Date.parse(task.updatedAt) < from) continue;
    countTask(task, { sum, pending, seen, isWithin }, gw);
  }
  // They haven't reached a conversation yet, or never will.
  const more = (kind: 'waiting' | 'givenUp', ids: readonly string[]) => {
    for (const each of ids) {
      if (seen.has(each)) continue;
      seen.add(each);
      sum[kind] += 1;
      sum.messages += 1;
    }
  };
  more(
    'waiting',
    queued.filter(({ acceptedAt }) => isWithin(Date.parse(acceptedAt))).map(({ id }) => id),
  );
  more(
    'givenUp',
    dead.filter(({ isAnswer, at }) => !isAnswer && isWithin(at)).map(({ id }) => id),
  );
  const { firstAt, ...counted } = sum;
  // A gateway that was set up within this time has no earlier data.
  return { ...counted, from: Math.max(from, Math.min(counted.restartsSince ?? from, firstAt)) };
}

interface Counting {
  sum: Sum;
  pending: Pending;
  /** The IDs of all messages counted. */
  seen: Set<string>;
  isWithin(at: number): boolean;
}

type MessageLine = Extract<SessionEntry, { type: 'message' }>;

function countTask(task: TaskRecord, { sum, pending, seen, isWithin }: Counting, { home }: Gateway): void {
  const { session } = openTask(home, task);
  const tail = session.tail(TAIL);
  const first = tail.find((entry) => 'at' in entry);
  const isCut = (fs.statSync(session.file, { throwIfNoEntry: false })?.size ?? 0) > TAIL.maxBytes;
  if (isCut && first && 'at' in first && Date.parse(first.at) > sum.from) sum.isAtLeast = true;
  const ends = endsOf(tail);
  for (const entry of tail) {
    if (entry.type !== 'message' || entry.isJob || !isWithin(Date.parse(entry.at))) continue;
    for (const id of new Set([entry.id, ...(entry.also ?? [])])) {
      if (seen.has(id)) continue;
      seen.add(id);
      sum.messages += 1;
      sum.firstAt = Math.min(sum.firstAt, Date.parse(entry.at));
      const end = ends.get(entry);
      if (end === 'completed' || end === 'error') sum.answered += 1;
      if (end === 'error') sum.failed += 1;
      if (end === 'stopped') sum.stopped += 1;
      if (end !== undefined && end !== 'asked') continue;
      if (pending.givenUp.has(id)) sum.givenUp += 1;
      else if (end === 'asked' || pending.waiting.has(id)) sum.waiting += 1;
      else sum.unknown += 1;
    }
  }
}

/** How each message's turn ended. If a turn continued in the next one, it ended as that one did. */
function endsOf(tail: readonly SessionEntry[]): Map<MessageLine, 'completed' | 'error' | 'stopped' | 'asked'> {
  const results = new Map<string, { state: 'completed' | 'error' | 'stopped'; at: number }>();
  const open = new Map<string, Set<string>>();
  const later: { state: 'completed' | 'error' | 'stopped'; at: number }[] = [];
  for (const [at, entry] of tail.entries()) {
    if (entry.type === 'approval') open.set(entry.run, (open.get(entry.run) ?? new Set()).add(entry.id));
    if (entry.type === 'decision') open.get(entry.run)?.delete(entry.approval);
    if (entry.type !== 'result' || entry.error === 'steered') continue;
    results.set(entry.run, { state: entry.state, at });
    later.push({ state: entry.state, at });
  }
  const steered = new Map(
    tail.flatMap((entry, at) =>
      entry.type === 'result' && entry.error === 'steered' ? [[entry.run, at] as const] : [],
    ),
  );
  const ends = new Map<MessageLine, 'completed' | 'error' | 'stopped' | 'asked'>();
  for (const entry of tail) {
    if (entry.type !== 'message') continue;
    const turned = steered.get(entry.run);
    const end = results.get(entry.run) ?? (turned === undefined ? undefined : later.find(({ at }) => at > turned));
    if (end) ends.set(entry, end.state);
    else if ((open.get(entry.run)?.size ?? 0) > 0) ends.set(entry, 'asked');
  }
  return ends;
}

/**
 * Counts messages that were given up if several processes share a server. They are named by the hashes of their events.
 */
const sharedLetters = async ({ engine }: Gateway): Promise<ReturnType<typeof keptAside>> =>
  (await engine.queue.deadLetters()).map(({ id, diedAt }) => {
    return { id, isAnswer: !/^[0-9a-f]{32}$/.test(id), at: Date.parse(diedAt) || 0 };
  });

/** Counts messages and answers that were given up or whose arrival is uncertain. */
function keptAside(spool: string, kind: 'dead' | 'unsure'): { id: string; isAnswer: boolean; at: number }[] {
  const folder = path.join(spool, kind);
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const value = parseJson(readWhole(path.join(folder, name))?.text ?? '');
      if (!isRecord(value)) return [];
      const { diedAt, createdAt, acceptedAt } = value;
      const at = [diedAt, acceptedAt].find((each) => typeof each === 'string');
      const isAnswer = typeof createdAt === 'number';
      const ms = typeof at === 'string' ? Date.parse(at) : isAnswer ? createdAt : 0;
      return [{ id: name.slice(0, -'.json'.length), isAnswer, at: ms }];
    });
}

function deletedTurns(from: number, to: number, { home }: Gateway): number {
  const runs = new Map<string, string>();
  for (let at = from; at < to + DAY_MS; at += DAY_MS) {
    for (const line of readUsage(home, usageDay(Math.min(at, to)))) {
      const ms = Date.parse(line.at);
      if (line.type === 'call' && ms >= from && ms < to) runs.set(line.run, line.task);
    }
  }
  const known = new Set(taskIds(home));
  return [...runs.values()].filter((task) => !known.has(task)).length;
}

/** The very first start isn't a restart. */
function restartsIn(from: number, to: number, { home }: Gateway): { restarts: number; restartsSince?: number } {
  const [first = to, ...later] = readStarts(home);
  const restarts = later.filter((at) => at >= from && at < to).length;
  return { restarts, ...(first > from && { restartsSince: first }) };
}
