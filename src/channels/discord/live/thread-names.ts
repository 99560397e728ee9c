/**
 * Names threads after the titles of their tasks. Invariants: a name that a person has given stays; a rename that
 * Discord delays or refuses for now is made later, and never holds up anything else. Best effort: nothing here throws.
 * https://discord.com/developers/docs/resources/channel#modify-channel
 */
import { createLru } from '../../../lib/lru.ts';
import type { Logger } from '../../../log.ts';
import { isFields, string, tidyLine } from '../../shared/read.ts';
import { type DiscordApi, DiscordError } from '../connect/api.ts';

export interface WantedName {
  title: string;
  /** The titles it was opened with, where known. */
  opened: (string | undefined)[];
}

interface Name {
  wanted: string;
  /** The name as we left it; undefined if this process hasn't looked yet. */
  given?: string | undefined;
  ours: Set<string>;
  /** The times of our last renames, in ms since the epoch. */
  renamed: number[];
  tries: number;
  timer?: NodeJS.Timeout;
  isBusy: boolean;
}

const MAX_NAME = 100;
const MAX_THREADS = 2000;
/** Discord allows two renames of a channel in ten minutes. */
const RENAMES = 2;
const RENAMES_MS = 600_000;
const MAX_TRIES = 5;
const RETRY_MS = 30_000;
/** The thread is archived and can be renamed once somebody writes there. */
const ARCHIVED = 50083;

export const threadNameFor = (title: string): string => tidyLine(title, MAX_NAME) || 'Task';

export class ThreadNames {
  readonly #api: DiscordApi;
  readonly #log: Logger;
  readonly #names = createLru<Name>(MAX_THREADS);
  #isClosed = false;

  constructor({ api, log }: { api: DiscordApi; log: Logger }) {
    this.#api = api;
    this.#log = log;
  }

  /** Resolves when the thread has the name, or the rename was postponed. */
  async want(thread: string, { title, opened }: WantedName): Promise<void> {
    const known = this.#names.get(thread);
    const ours = opened.flatMap((one) => (one ? [threadNameFor(one)] : []));
    const name: Name = known ?? { wanted: '', ours: new Set(), renamed: [], tries: 0, isBusy: false };
    for (const one of ours) name.ours.add(one);
    // A thread that was opened under this title and never renamed needs no look.
    name.given ??= ours.every((one) => one === threadNameFor(title)) ? threadNameFor(title) : undefined;
    name.wanted = threadNameFor(title);
    this.#names.set(thread, name);
    if (!name.timer) await this.#follow(thread, name);
  }

  close(): void {
    this.#isClosed = true;
    for (const [, { timer }] of this.#names.entries()) clearTimeout(timer);
  }

  async #follow(thread: string, name: Name): Promise<void> {
    if (name.isBusy) return;
    name.isBusy = true;
    try {
      while (name.given !== name.wanted && !this.#isClosed) {
        const [oldest = 0] = name.renamed.slice(-RENAMES);
        const wait = name.renamed.length < RENAMES ? 0 : oldest + RENAMES_MS - Date.now();
        if (wait > 0) return this.#later(thread, name, wait);
        await this.#rename(thread, name, name.wanted);
      }
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      this.#log.debug({ err: error, thread }, 'a thread could not be renamed yet');
      this.#failed(thread, name, error);
    } finally {
      name.isBusy = false;
    }
  }

  async #rename(thread: string, name: Name, wanted: string): Promise<void> {
    const found = await this.#api.call('GET', `/channels/${thread}`);
    const now = (isFields(found) && string(found, 'name')) || '';
    if (now !== wanted && name.ours.has(now)) {
      name.renamed = [...name.renamed, Date.now()].slice(-RENAMES);
      name.ours.add(wanted);
      await this.#api.call('PATCH', `/channels/${thread}`, { body: { name: wanted } });
    }
    name.given = wanted;
    name.tries = 0;
  }

  #failed(thread: string, name: Name, { kind, code, retryAfterMs }: DiscordError): void {
    if (kind === 'refused' && retryAfterMs === undefined) {
      if (code !== ARCHIVED) name.given = name.wanted;
      return;
    }
    if (++name.tries <= MAX_TRIES) this.#later(thread, name, retryAfterMs ?? RETRY_MS * name.tries);
  }

  #later(thread: string, name: Name, ms: number): void {
    clearTimeout(name.timer);
    name.timer = setTimeout(() => {
      delete name.timer;
      void this.#follow(thread, name);
    }, ms).unref();
  }
}
