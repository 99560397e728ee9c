/**
 * Remembers what jobs posted where, so that replies continue from it: `conversations/digests/<day>.jsonl`, kept for a
 * month. An entry is durable before its digest leaves the outbox.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Address, conversationKey, type DigestMark, type OutboundMessage } from '../../channels/channel.ts';
import { namesIn } from '../../lib/damage.ts';
import { NewLines } from '../../lib/files/new-lines.ts';
import { appendLines, ensureDir } from '../../lib/files.ts';
import { parseJson, readJsonLines } from '../../lib/json.ts';
import { isShared } from '../../lib/locks.ts';
import { createLru } from '../../lib/lru.ts';
import { isFilled, isNumber, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';
import { isId } from '../../workspace/home.ts';

export interface SaidDigest extends DigestMark {
  /** Milliseconds since the epoch. */
  at: number;
  text: string;
}

interface Line {
  at: number;
  place: string;
  /** Set with `part`: the message, the platform's ID of its part, and, once per message, its text. */
  message?: string;
  part?: string;
  digest?: DigestMark;
  text?: string;
  /** This task was shown all digests posted there. */
  shownTo?: string;
}

const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;
const MAX_PARTS = 20_000;
/** Digests kept per conversation. */
const MAX_SHOWN = 3;
const MAX_TEXT = 6_000;
const MAX_EARLY = 500;
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;
const ABOUT = {
  lost: 'which messages are digests of jobs',
  next: 'An answer to one goes to the task of its conversation.',
};

const isMark = objectOf({ taskId: isId, viber: isId, name: isText, files: listOf(isText) });
const lineShape = shape<Line>(
  objectOf({
    at: isNumber,
    place: isFilled,
    message: optional(isText),
    part: optional(isText),
    digest: optional(isMark),
    text: optional(isText),
    shownTo: optional(isText),
  }),
);

/** Message IDs are unique within a chat, across its threads. */
const partKey = ({ channel, account, chat }: Address, part: string): string =>
  JSON.stringify([channel, account, chat, part]);

export class Digests {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #parts = new Map<string, DigestMark>();
  /** The newest, by conversation. */
  readonly #said = new Map<string, (SaidDigest & { message: string; shownTo: Set<string> })[]>();
  /** Messages with files whose digest wasn't known yet, by file. */
  readonly #early = createLru<string>(MAX_EARLY);
  #isRead = false;
  readonly #days = new Map<string, NewLines>();

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Finds the digest that a message replies to, or whose thread it is in. */
  of({ address, repliesTo }: { address: Address; repliesTo?: string }): DigestMark | undefined {
    if (repliesTo === undefined && address.thread === undefined) return undefined;
    this.#read();
    const replied = repliesTo === undefined ? undefined : this.#parts.get(partKey(address, repliesTo));
    return replied ?? (address.thread === undefined ? undefined : this.#parts.get(partKey(address, address.thread)));
  }

  /** Notes that a part of a digest was sent. Durable when it resolves. */
  async note({ id: message, address, digest, text }: OutboundMessage, part: string): Promise<void> {
    if (!digest) return;
    this.#read();
    if (part.split(',').every((one) => this.#parts.has(partKey(address, one)))) return;
    const place = conversationKey(address);
    const isFirst = !this.#said.get(place)?.some((said) => said.message === message);
    const words = isFirst ? { text: text.slice(0, MAX_TEXT).toWellFormed() } : {};
    await this.#append({ at: this.#now(), place, message, part, digest, ...words }, address);
    for (const file of part.split(',')) {
      const shownIn = this.#early.get(partKey(address, file));
      if (shownIn !== undefined)
        await this.#append({ at: this.#now(), place, message, part: shownIn, digest }, address);
    }
  }

  /** Notes that a message contains files of ours. Returns whether they belong to a digest; durable then. */
  async shared(address: Address, files: readonly string[], messageId: string): Promise<boolean> {
    this.#read();
    const digest = files.map((file) => this.#parts.get(partKey(address, file))).find((found) => found !== undefined);
    // The message may arrive before our own upload call has returned.
    if (!digest) for (const file of files) this.#early.set(partKey(address, file), messageId);
    if (!digest || this.#parts.has(partKey(address, messageId))) return digest !== undefined;
    const place = conversationKey(address);
    await this.#append({ at: this.#now(), place, message: messageId, part: messageId, digest }, address);
    return true;
  }

  /** Digests of a day that a task hasn't been shown, oldest first. */
  unseen(address: Address, taskId: string): SaidDigest[] {
    this.#read();
    const place = conversationKey(address);
    const fresh = (this.#said.get(place) ?? []).filter(({ at }) => this.#now() - at < DAY_MS);
    if (fresh.length === 0) this.#said.delete(place);
    return fresh.filter((each) => each.taskId !== taskId && !each.shownTo.has(taskId)).slice(-MAX_SHOWN);
  }

  /** The task was shown the result of `unseen`. */
  async shown(address: Address, taskId: string): Promise<void> {
    await this.#append({ at: this.#now(), place: conversationKey(address), shownTo: taskId });
  }

  async #append(line: Line, address?: Address): Promise<void> {
    this.#take(line, address);
    await ensureDir(this.#folder);
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    await appendLines(path.join(this.#folder, `${day}.jsonl`), [JSON.stringify(line)], { sync: true });
  }

  #read(): void {
    if (isShared(this.#folder)) this.#readNew();
    if (this.#isRead) return;
    this.#isRead = true;
    const oldest = new Date(this.#now() - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
    for (const name of namesIn(this.#folder).sort()) {
      const [, day] = DAY_FILE.exec(name) ?? [];
      const file = path.join(this.#folder, name);
      if (day === undefined) continue;
      if (day < oldest) fs.rmSync(file, { force: true });
      else for (const line of readJsonLines(file, lineShape, ABOUT)) this.#take(line);
    }
  }

  /** Another process may still be writing the last moments of yesterday. */
  #readNew(): void {
    const days = [this.#now() - DAY_MS, this.#now()].map((at) => new Date(at).toISOString().slice(0, 10));
    for (const day of this.#days.keys()) if (!days.includes(day)) this.#days.delete(day);
    for (const day of days) {
      const lines = this.#days.get(day) ?? new NewLines(path.join(this.#folder, `${day}.jsonl`));
      this.#days.set(day, lines);
      for (const line of lines.take()) {
        const { success, data } = lineShape.safeParse(parseJson(line));
        if (success) this.#take(data as Line);
      }
    }
  }

  #take({ at, place, message, part, digest, text, shownTo }: Line, address = parsePlace(place)): void {
    const said = this.#said.get(place) ?? [];
    if (shownTo !== undefined) for (const each of said) each.shownTo.add(shownTo);
    if (!digest || !address || part === undefined || message === undefined) return;
    for (const one of part.split(',')) this.#parts.set(partKey(address, one), digest);
    const [first] = this.#parts.size > MAX_PARTS ? this.#parts.keys() : [];
    if (first !== undefined) this.#parts.delete(first);
    // This process's own lines are read back where it reads other processes' lines.
    const isKnown = said.some((each) => each.message === message);
    if (text === undefined || isKnown || this.#now() - at >= DAY_MS) return;
    this.#said.set(place, [...said, { ...digest, at, text, message, shownTo: new Set<string>() }].slice(-MAX_SHOWN));
  }
}

function parsePlace(place: string): Address | undefined {
  const parsed = parseJson(place);
  const [channel, account, , chat]: unknown[] = Array.isArray(parsed) ? parsed : [];
  return typeof channel === 'string' && typeof account === 'string' && typeof chat === 'string'
    ? { channel, account, chat }
    : undefined;
}
