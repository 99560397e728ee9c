/**
 * The delivery ledger: one append-only file a day, one line for each thing that happened to a part of a message.
 * An intent is synced before the platform is called; intents of all lanes that come together share one sync.
 * Lines carry the epoch of the gateway that wrote them (R15).
 */
import fs from 'node:fs';
import path from 'node:path';
import { openAppend } from '../../lib/open-append.ts';
import { readJsonLines } from '../../lib/read-json.ts';
import { isFilled, isInteger, isText, isTime, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';

export interface LedgerLine {
  /** The outbound message. */
  key: string;
  part: number;
  what: 'intent' | 'sent' | 'refused' | 'unsure';
  /** The platform's id, with `sent`. */
  id?: string;
  epoch: number;
  /** ISO 8601. */
  at: string;
}

const lineShape = shape<LedgerLine>(
  objectOf({
    ...{ key: isFilled, part: isInteger, what: oneOf('intent', 'sent', 'refused', 'unsure'), id: optional(isText) },
    at: isTime,
  }),
);
const ABOUT = { lost: 'which parts of answers have arrived', next: 'A part of an answer may come twice.' };

export interface PartState {
  sentId?: string;
  /** Attempts whose outcome is not known. */
  unsure: number;
  /** An intent without an outcome: the attempt under way, or one that a crash cut. */
  open: boolean;
  /** Milliseconds since the epoch of the first attempt that may have arrived. */
  since?: number;
}

export interface Ledger {
  /** Durable when it resolves. */
  intent(key: string, part: number): Promise<void>;
  /** Written at once, synced with the next intent. */
  outcome(key: string, part: number, what: 'sent' | 'refused' | 'unsure', id?: string): void;
  /**
   * What is known of these messages from the last two days. Reads nothing when `keys` is empty. `begunAt` tells when the
   * first part of a message was tried whose intent has no line of its own.
   */
  load(keys: ReadonlySet<string>, begunAt?: (key: string) => number | undefined): Map<string, Map<number, PartState>>;
  /** The lines of one message, for tracing. */
  lines(key: string): LedgerLine[];
  /** Deletes the files of days before this one (`YYYY-MM-DD`). */
  prune(oldest: string): void;
  close(): void;
}

export function openLedger(folder: string, epoch: number): Ledger {
  let day = '';
  let fd = -1;
  let waiting: (() => void)[] = [];
  let failed: ((error: unknown) => void)[] = [];
  let syncing = false;

  function write(line: Omit<LedgerLine, 'epoch' | 'at'>): void {
    const at = new Date().toISOString();
    if (at.slice(0, 10) !== day) turnTo(at.slice(0, 10));
    const data = Buffer.from(`${JSON.stringify({ ...line, epoch, at })}\n`);
    for (let offset = 0; offset < data.length; ) offset += fs.writeSync(fd, data, offset);
  }

  /** Where a new file cannot be opened the one before serves on: what has happened to a part must be written somewhere. */
  function turnTo(today: string): void {
    try {
      const next = openAppend(path.join(folder, `${today}.jsonl`), ABOUT);
      if (fd >= 0) fs.closeSync(fd);
      fd = next;
      day = today;
    } catch (error) {
      if (fd < 0) throw error;
    }
  }

  function sync(): void {
    if (syncing) return;
    syncing = true;
    queueMicrotask(() => {
      const resolve = waiting;
      const reject = failed;
      waiting = [];
      failed = [];
      fs.fdatasync(fd, (error) => {
        syncing = false;
        if (error) for (const fail of reject) fail(error);
        else for (const done of resolve) done();
        if (waiting.length > 0) sync();
      });
    });
  }

  function* read(files: string[]): Generator<LedgerLine> {
    for (const file of files) yield* readJsonLines(path.join(folder, file), lineShape, ABOUT);
  }

  const files = () =>
    fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort();

  return {
    intent(key, part) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      try {
        write({ key, part, what: 'intent' });
      } catch (error) {
        return Promise.reject(error);
      }
      waiting.push(resolve);
      failed.push(reject);
      sync();
      return promise;
    },
    outcome: (key, part, what, id) => write({ key, part, what, ...(id === undefined ? {} : { id }) }),
    load(keys, begunAt) {
      const known = new Map<string, Map<number, PartState>>();
      if (keys.size === 0) return known;
      for (const line of read(files().slice(-3))) {
        if (!keys.has(line.key)) continue;
        const parts = known.get(line.key) ?? new Map<number, PartState>();
        known.set(line.key, parts);
        const state = parts.get(line.part) ?? { unsure: 0, open: false };
        parts.set(line.part, state);
        state.open = line.what === 'intent';
        if (state.open) state.since ??= Date.parse(line.at);
        if (line.what === 'refused' && state.unsure === 0) delete state.since;
        if (line.what === 'sent') state.sentId = line.id ?? '';
        if (line.what === 'unsure') {
          state.unsure++;
          state.since ??= begunAt?.(line.key) ?? Date.parse(line.at);
        }
      }
      return known;
    },
    lines: (key) => [...read(files())].filter((line) => line.key === key),
    prune(oldest) {
      for (const name of files()) if (name < oldest) fs.rmSync(path.join(folder, name), { force: true });
    },
    close() {
      if (fd >= 0) fs.closeSync(fd);
      fd = -1;
      day = '';
    },
  };
}
