/**
 * The records of tasks, `artifacts/{taskId}/task.json`. One writer at a time per task. Who may steer a task and where
 * it is bound survives a power cut; its state and run count alone are written cheaply, because spool and session can
 * restore them.
 */
import { hash, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorCode, UserError } from '../../errors.ts';
import { ensureFolder, quarantine } from '../../lib/damage.ts';
import { createStatCache } from '../../lib/files/cache.ts';
import { stageFile } from '../../lib/files/staged-file.ts';
import { patchFile, syncFile, syncFolder } from '../../lib/files.ts';
import { parseJson, readJson, readWhole } from '../../lib/json.ts';
import { exclusively } from '../../lib/locks.ts';
import { isInteger, isText, listOf, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { writeJson } from '../../lib/write-json.ts';
import { type Home, isId } from '../home.ts';
import type { TaskRecord } from '../types.ts';
import { rebuildTask } from './rebuild.ts';

// No 0 and o, no 1 and l, since IDs are read aloud and typed. In ASCII order, so that IDs sort.
const ALPHABET = '23456789abcdefghijkmnpqrstuvwxyz';
const SUFFIX = 5;
const SLOTS = ALPHABET.length ** SUFFIX;
const DAY_MS = 86_400_000;
let last = { day: '', slot: -1 };

/**
 * `YYYYMMDD-xxxxx` (UTC), so that IDs sort by creation time. The five characters are the time of day in steps of 2.6 ms
 * plus a random step, so that two processes don't collide; within one process an ID never repeats.
 */
export function newTaskId(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const wanted = Math.floor(((now.getTime() % DAY_MS) / DAY_MS) * (SLOTS - 65_536)) + randomInt(16);
  const slot = last.day === day ? Math.max(wanted, last.slot + 1) % SLOTS : wanted;
  last = { day, slot };
  let suffix = '';
  for (let rest = slot, i = 0; i < SUFFIX; i++, rest = Math.floor(rest / ALPHABET.length)) {
    suffix = ALPHABET.charAt(rest % ALPHABET.length) + suffix;
  }
  return `${day}-${suffix}`;
}

/**
 * Returns an ID for a seed, the same each time. It is longer than other tasks', since thousands per day must not
 * collide.
 */
export function taskIdFor(day: Date | string, seed: string): string {
  const sum = hash('sha256', seed, 'buffer');
  const suffix = [...sum.subarray(0, 8)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  return `${typeof day === 'string' ? day : day.toISOString().slice(0, 10).replaceAll('-', '')}-${suffix}`;
}

/** Returns a title for a goal: one line, at most 8 words and 60 characters. */
export function titleOf(goal: string): string {
  const lines = goal
    .slice(0, 2000)
    .split(/\r?\n/)
    .map((line) => plainLine(line.replace(/^[\s#>*+-]+/, '').replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, '')));
  const words = (lines.find((line) => line !== '') ?? 'Untitled task').split(' ');
  return cutText(words.length > 8 ? `${words.slice(0, 8).join(' ')}…` : words.join(' '), 60);
}

/** Words of greetings, and of the titles that models give to conversations that begin with one. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `hi hii hiya hello hallo hallöchen hey heya yo sup moin servus grüezi hola bonjour bonsoir salut ciao olá hej welcome
  good guten morning evening afternoon day night morgen tag abend nacht bye thanks thank thx danke merci gracias ok okay
  cool test testing ping greeting greetings begrüßung gruß grüße small talk smalltalk chat conversation unterhaltung
  gespräch message nachricht exchange introduction untitled initial opening simple short brief quick casual friendly
  general new first unclear user user's bot assistant viber task says said and a an the of with from in to there again
  all everyone zusammen du i you your how are is it going what's up wie geht geht's gehts es dir ihnen
  offer help hilfe helfen assistance request anfrage inquiry question frage started start contact saying checking needed
  can could me my we need have please are doing today nice meet working here who what do for yes no
  kann kannst können mir ich brauche hab habe eine ein kurze heute na alles gut allgemeine hilfeanfrage kennenlernen ja nein wer bist
  qué que tal tudo bem saludo saludos salutation привет здравствуйте こんにちは 你好 您好 안녕 안녕하세요 merhaba selam dzień dobry
  cześć ahoj szia hei salam مرحبا שלום नमस्ते`.split(/\s+/),
);

/** Returns whether nobody would find a task by this title. */
export const saysNothing = (text: string): boolean => {
  const words =
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}']+/gu) ?? [];
  if (words.length > 8) return false;
  for (const word of words) if (!EMPTY_WORDS.has(word)) return false;
  return true;
};

/** A file without a record is damaged. */
interface RecordFile {
  record: TaskRecord | undefined;
  text: string;
}

const records = createStatCache<RecordFile>(4096, (file) => {
  const { text = '' } = readWhole(file) ?? {};
  const record = recordShape.safeParse(parseJson(text)).data;
  return { record: record?.id === path.basename(path.dirname(file)) ? record : undefined, text };
});
/** Joined by hand, since every message asks for it several times and a task's folder is normal. */
const recordFile = (home: Home, taskId: string) => `${home.taskDir(taskId)}${path.sep}task.json`;

/** A damaged record is set aside and rebuilt from its session. */
export function readTask(home: Home, taskId: string, stat?: fs.Stats): TaskRecord | undefined {
  return readStored(home, taskId, stat)?.record;
}

/** @param stat of its file, if the caller has just asked */
export function readStored(
  home: Home,
  taskId: string,
  stat?: fs.Stats,
): { record: TaskRecord; text?: string } | undefined {
  const file = recordFile(home, taskId);
  let found: RecordFile | undefined;
  let wasClosed = false;
  try {
    found = records.get(file, stat);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    // Its folder has no permissions.
    openFolder(home, taskId);
    wasClosed = true;
    found = records.get(file);
  }
  if (found?.record) return { record: copyOf(found.record), text: found.text };
  const made = repair(home, taskId, file, wasClosed);
  return made && { record: made };
}

/** A folder of another user is set aside: what its session tells is enough to go on with the task. */
function openFolder(home: Home, taskId: string): void {
  const open = () => ensureFolder(home.root, home.taskDir(taskId), FOLDER);
  try {
    open();
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    quarantine(home.taskDir(taskId), 'may not be used by this user', { lost: FOLDER, tell: true });
    open();
  }
}

/** Returns undefined without a file, or a session to rebuild it from. */
function repair(home: Home, taskId: string, file: string, wasClosed: boolean): TaskRecord | undefined {
  const folder = home.taskDir(taskId);
  const isBlocked = fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false;
  if (!wasClosed && !isBlocked && !fs.lstatSync(file, { throwIfNoEntry: false })) return undefined;
  openFolder(home, taskId);
  const found = isBlocked ? undefined : readJson(file, recordShape, ABOUT);
  if (found?.id === taskId) return found;
  if (found) quarantine(file, 'is the record of another task', ABOUT);
  const made = rebuildTask(home, taskId, titleOf);
  if (made) writeJson(file, made);
  return made;
}

function copyOf(record: TaskRecord): TaskRecord {
  return { ...record, people: [...record.people], conversations: [...record.conversations] };
}

/** Writes the record. Creates the task's folder if needed. */
export async function saveTask(home: Home, record: TaskRecord, options: { sync?: boolean } = {}): Promise<void> {
  await exclusively(recordFile(home, record.id), () => replace(home, record, options.sync));
}

export async function syncTask(home: Home, taskId: string): Promise<void> {
  await syncFile(recordFile(home, taskId));
  await syncFolder(home.taskDir(taskId));
  await syncFolder(home.artifacts);
}

/**
 * Changes a record; calls for one task run one after the other. Sets `updatedAt` unless `change` did; an unchanged
 * record isn't written.
 * @param options.sync whether it must survive a power cut; by default when more than `state`, `runs`, `usage`,
 * `counted` or `updatedAt` changed
 * @throws UserError when there is no such task
 */
export function updateTask(
  home: Home,
  taskId: string,
  change: (record: TaskRecord) => TaskRecord,
  options: { sync?: boolean } = {},
): Promise<TaskRecord> {
  return exclusively(recordFile(home, taskId), async () => {
    const stored = readStored(home, taskId);
    if (stored === undefined) throw new UserError(`There is no task ${taskId}.`);
    const { record: before, text } = stored;
    const changed = change(copyOf(before));
    if (JSON.stringify(changed) === JSON.stringify(before)) return before;
    const updatedAt = changed.updatedAt === before.updatedAt ? new Date().toISOString() : changed.updatedAt;
    const after = { ...changed, id: taskId, updatedAt };
    const sync = options.sync ?? stablePart(after) !== stablePart(before);
    if (sync || text === undefined) await replace(home, after, sync);
    else await patch(home, after, text);
    return after;
  });
}

/** Lists tasks, newest first, by ID. Reads no more records than it takes, and at most the newest `maxRead`. */
export async function listTasks(
  home: Home,
  options: { limit: number; maxRead?: number; match?: (record: TaskRecord) => boolean },
): Promise<TaskRecord[]> {
  const found: TaskRecord[] = [];
  let read = 0;
  for (const id of taskIds(home)) {
    if (found.length >= options.limit || read >= (options.maxRead ?? Number.POSITIVE_INFINITY)) break;
    // The event loop must not stall for thousands of files.
    if (++read % 200 === 0) await nextTurn();
    const record = readTask(home, id);
    if (record && (options.match?.(record) ?? true)) found.push(record);
  }
  return found;
}

/** Returns the tasks a person may mean by an ID, or its beginning or end; newest first, at most 10. */
export async function resolveTaskId(home: Home, text: string): Promise<string[]> {
  const part = text.trim().toLowerCase().replace(/^#/, '');
  if (!isId(part)) return [];
  const ids = taskIds(home);
  if (ids.includes(part)) return [part];
  return ids.filter((id) => id.startsWith(part) || id.endsWith(part) || id.includes(`-${part}`)).slice(0, 10);
}

const folders = createStatCache<string[]>(4, (dir) => fs.readdirSync(dir).filter(isId).sort().reverse());

export function taskIds(home: Home): readonly string[] {
  return folders.get(home.artifacts) ?? [];
}

function stablePart(record: TaskRecord): string {
  const volatile = { answered: null, state: null, runs: null, usage: null, counted: null, updatedAt: null };
  return JSON.stringify({ ...record, ...volatile });
}

async function replace(home: Home, record: TaskRecord, sync = true): Promise<void> {
  const file = recordFile(home, record.id);
  const text = formatRecord(record);
  const staged = await stageFile(file, text, { sync });
  staged.commit();
  records.keep(file, fs.statSync(file), { record: copyOf(record), text });
  if (sync) await syncFolder(path.dirname(staged.target));
}

/** @param before its text in the file, read in the same tick */
async function patch(home: Home, record: TaskRecord, before: string): Promise<void> {
  const file = recordFile(home, record.id);
  const text = formatRecord(record, Buffer.byteLength(before) - 1);
  const stat = await patchFile(file, before, text);
  if (stat) records.keep(file, stat, { record: copyOf(record), text });
}

/** Volatile fields come last and padded, so that a change of state is one small write in place. */
function formatRecord(
  { state, answered, runs, usage, counted, updatedAt, ...stable }: TaskRecord,
  oldSize = 0,
): string {
  const json = JSON.stringify(
    { ...stable, ...(counted && { counted }), ...(usage && { usage }), answered, runs, state, updatedAt },
    null,
    2,
  );
  const size = Buffer.byteLength(json);
  const room = Math.max(Math.ceil((size + 24) / 64) * 64, Math.min(oldSize, size + 64));
  return `${json}${' '.repeat(room - size)}\n`;
}

const isConsent = objectOf({ tool: isText, kind: isText, by: isText, at: isText });
const recordShape = shape<TaskRecord>(
  objectOf({
    id: isText,
    viber: isText,
    goal: isText,
    title: isText,
    createdAt: isText,
    updatedAt: isText,
    runs: isInteger,
    answered: optional(oneOf(true, false)),
    state: oneOf('pending', 'running', 'completed', 'error', 'stopped'),
    people: listOf(isText),
    conversations: listOf(isText),
    always: optional(listOf(isConsent)),
    called: optional(listOf(isText)),
    usage: optional(objectOf({})),
    approvedPlan: optional(objectOf({ hash: isText, by: isText, at: isText })),
    job: optional(isText),
    project: optional(isText),
    digestAt: optional(isText),
    archived: optional(isText),
    counted: optional(objectOf({ run: isText, before: optional(objectOf({})) })),
  }),
);
const FOLDER = 'the record, the plan and the artifacts of a task';
const ABOUT = {
  lost: 'the record of a task: its people, its conversations and what people allowed',
  next: 'It is rebuilt from the session; the plan and the artifacts are still there.',
  tell: true,
};
