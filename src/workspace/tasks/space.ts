/**
 * Limits the disk space of people's tasks: their files, their conversations, and what they write into the workspace. It
 * is counted from the disk; between two counts each new file is added.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode, UserError } from '../../errors.ts';
import { parseJson } from '../../lib/json.ts';
import { createLru } from '../../lib/lru.ts';
import type { Home } from '../home.ts';
import { type ListedTask, TaskOrder } from './order.ts';
import { readTask } from './record.ts';

export interface SpaceBudget {
  key: string;
  /** Every text under which tasks list them. */
  aliases: readonly string[];
  bytes: number;
}

export interface Spender extends Omit<SpaceBudget, 'bytes'> {
  role: 'owner' | 'member' | 'guest';
}

export interface SpaceRules {
  /** Returns undefined for people without a limit. */
  of(people: readonly string[]): SpaceBudget | undefined;
  /** 0 for no limit. */
  bytesFor(role: Spender['role']): number;
  /** Something didn't fit. */
  onFull(budget: SpaceBudget): void;
}

export class NoRoom extends UserError {
  constructor({ bytes }: SpaceBudget) {
    const size = bytes >= 1e9 ? `${Math.round(bytes / 1e8) / 10} GB` : `${Math.round(bytes / 1e6)} MB`;
    super(`there is no room left: one person's files may take up ${size}; an owner can remove some or raise the limit`);
  }
}

const COUNT_MS = 60_000;
/** Counts of several people share a look at all tasks, which is one at every file. */
const LOOK_MS = 1_000;
const MAX_KNOWN = 1_000;

/** In a task's folder: the files outside it that the task has written, relative to the home, one JSON string a line. */
const ELSEWHERE = 'written.jsonl';

interface SpaceCount {
  bytes: number;
  words: number;
}

interface SpaceLimit {
  rules: SpaceRules;
  order: TaskOrder;
  looked?: { at: number; tasks: Promise<readonly ListedTask[]> };
  counted: ReturnType<typeof createLru<{ at: number; known: Promise<SpaceCount> }>>;
}

const limited = new Map<string, SpaceLimit>();

/** Holds until the returned function is called. */
export function limitSpace(home: Home, rules: SpaceRules): () => void {
  limited.set(home.root, { rules, order: new TaskOrder(home), counted: createLru(MAX_KNOWN) });
  return () => limited.delete(home.root);
}

/**
 * Returns the bytes that these people, as tasks list them, may still add.
 * @throws NoRoom when `wanted` doesn't fit
 */
export async function roomIn(home: Home, taskId: string, people: readonly string[], wanted = 0): Promise<number> {
  const found = await budgetOf(home, taskId, people);
  if (!found) return Number.POSITIVE_INFINITY;
  const left = found.budget.bytes - found.known.bytes;
  if (left > 0 && wanted <= left) return left;
  found.rules.onFull(found.budget);
  throw new NoRoom(found.budget);
}

/** Counts a file that is about to be added. | @throws NoRoom when it doesn't fit */
export async function takeRoom(home: Home, taskId: string, bytes: number): Promise<void> {
  const found = await budgetOf(home, taskId);
  if (!found) return;
  const { budget, known, rules } = found;
  if (known.bytes + bytes > budget.bytes) {
    rules.onFull(budget);
    throw new NoRoom(budget);
  }
  known.bytes += bytes;
}

/** Counts a file of the workspace, and remembers that the task has written it. | @throws NoRoom when it doesn't fit */
export async function takeRoomAt(home: Home, taskId: string, file: string, bytes: number): Promise<void> {
  if (!(await budgetOf(home, taskId))) return;
  await takeRoom(home, taskId, bytes);
  const line = `${JSON.stringify(path.relative(home.root, file))}\n`;
  const list = path.join(home.taskDir(taskId), ELSEWHERE);
  if (!readLines(list).includes(line.trimEnd())) appendFileSync(list, line, { mode: 0o600 });
}

/** The words then count. */
export async function hasRoomForWords(home: Home, { role, ...who }: Spender, text: string): Promise<boolean> {
  const at = limited.get(home.root);
  const bytes = at?.rules.bytesFor(role) ?? 0;
  if (!at || bytes === 0) return true;
  const found = await countedOf({ ...who, bytes }, home, at);
  const words = found.known.words + Buffer.byteLength(text);
  if (words > found.budget.bytes) {
    found.rules.onFull(found.budget);
    return false;
  }
  found.known.words = words;
  return true;
}

async function budgetOf(home: Home, taskId: string, people?: readonly string[]) {
  const at = limited.get(home.root);
  if (!at) return undefined;
  const whose = people ?? readTask(home, taskId)?.people;
  const budget = whose && at.rules.of(whose);
  return budget && countedOf(budget, home, at);
}

async function countedOf(budget: SpaceBudget, home: Home, at: SpaceLimit) {
  let counted = at.counted.get(budget.key);
  if (!counted || Date.now() - counted.at > COUNT_MS) {
    // Callers share a count.
    counted = { at: Date.now(), known: countSpace(home, at, budget) };
    at.counted.set(budget.key, counted);
    counted.known.catch(() => at.counted.delete(budget.key));
  }
  return { budget, known: await counted.known, rules: at.rules };
}

function lookAtTasks(at: SpaceLimit): Promise<readonly ListedTask[]> {
  const now = Date.now();
  if (!at.looked || Math.abs(now - at.looked.at) > LOOK_MS) {
    const looked = { at: now, tasks: at.order.list() };
    at.looked = looked;
    looked.tasks.catch(() => at.looked === looked && delete at.looked);
  }
  return at.looked.tasks;
}

async function countSpace(home: Home, at: SpaceLimit, { aliases }: SpaceBudget): Promise<SpaceCount> {
  const names = new Set(aliases);
  const written = new Set<string>();
  let [bytes, words] = [0, 0];
  const own = (await lookAtTasks(at)).filter(({ people }) => people.some((text) => names.has(text)));
  const vibers = own.length > 0 ? (await entriesIn(home.agents)).map(({ name }) => name) : [];
  for (const { id } of own) {
    bytes += await bytesIn(home.taskDir(id));
    for (const viber of vibers) {
      const session = path.join(home.agents, viber, 'sessions', id);
      words += (await sizeOnDisk(`${session}.jsonl`)) + (await bytesIn(session));
    }
    for (const line of readLines(path.join(home.taskDir(id), ELSEWHERE))) written.add(line);
  }
  for (const line of written) {
    const file: unknown = parseJson(line);
    if (typeof file === 'string') bytes += await sizeOnDisk(path.join(home.root, file));
  }
  return { bytes: bytes + words, words };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    return nothing(error, []);
  }
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await entriesIn(folder)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) sum += await bytesIn(file);
    else if (entry.isFile()) sum += await sizeOnDisk(file);
  }
  return sum;
}

const entriesIn = (folder: string) =>
  fs.readdir(folder, { withFileTypes: true }).catch((error: unknown) => nothing(error, []));
const sizeOnDisk = async (file: string): Promise<number> =>
  (await fs.stat(file).catch((error: unknown) => nothing(error, { size: 0 }))).size;

/** Files that vanish during the count are empty. */
function nothing<Value>(error: unknown, value: Value): Value {
  if (errorCode(error) === undefined) throw error;
  return value;
}
