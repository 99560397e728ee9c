/** The scripts of `lua/`, by name. Their replies are validated here, since nothing from the server is trusted. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { errorMessage, StorageError } from '../../errors.ts';
import { isFilled, isFlag, isNumber, isText, listOf, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import { type LaneClass, tagOf } from './keys.ts';

/** A job to queue for a lane; only its token may claim the lane. */
export interface Offer {
  lane: string;
  token: number;
  delay: number;
  kind: string;
  class: LaneClass;
}

export interface RawItem {
  id: string;
  /** JSON. */
  message: string;
  seq: string;
  attempts: number;
  /** Milliseconds since the epoch. */
  at: number;
  seal?: string;
  isStopped?: boolean;
}

export interface Answer {
  what: string;
  offers?: Offer[];
  items?: RawItem[];
  epoch?: number;
  /** How long the job's lock is held from now on, in ms. */
  left?: number;
  at?: number;
  isAgain?: boolean;
  isDead?: boolean;
  isFree?: boolean;
  isNewKind?: boolean;
  depth?: number;
  stopped?: number;
  busy?: boolean;
  process?: string;
  view?: string;
  seen?: number;
  value?: string;
}

const isOffer = objectOf({ lane: isFilled, token: isNumber, delay: isNumber, kind: isText, class: oneOf('o', 'm') });
const isItem = objectOf({
  id: isFilled,
  message: isText,
  seq: isText,
  attempts: isNumber,
  at: isNumber,
  seal: optional(isText),
  isStopped: optional(isFlag),
});
const numbers = {
  epoch: optional(isNumber),
  left: optional(isNumber),
  at: optional(isNumber),
  depth: optional(isNumber),
  stopped: optional(isNumber),
};
const flags = {
  isAgain: optional(isFlag),
  isDead: optional(isFlag),
  isFree: optional(isFlag),
};
const answerShape = shape<Answer>(
  objectOf({
    ...numbers,
    ...flags,
    what: isFilled,
    offers: optional(listOf(isOffer)),
    items: optional(listOf(isItem)),
    isNewKind: optional(isFlag),
    busy: optional(isFlag),
    seen: optional(isNumber),
    process: optional(isText),
    view: optional(isText),
    value: optional(isText),
  }),
);

/** Scripts that build on `lanes.lua`. */
const OF_LANES = [
  'put',
  'claim',
  'waiting',
  'take',
  'finish',
  'release',
  'look',
  'stop',
  'show',
  'sweep',
  'gone',
  'ledger',
  'bury',
];
const ALONE = ['lock', 'unlock', 'change'] as const;
/** Timeouts of the repeated requests to replicas, in ms: two seconds in all. */
const ASKED_AFTER_MS = [10, 20, 40, 80, 160, 320, 640, 730];
const COPIED = `${tagOf(0)}:copied`;
const beside = path.join(import.meta.dirname, 'lua');
const readScript = (name: string): string => readFileSync(path.join(beside, `${name}.lua`), 'utf8');

export class Scripts {
  readonly #client: Redis;
  readonly #copies: Redis;
  readonly #replicas: number;
  #copying: Promise<void> | undefined;
  readonly #texts = new Map<string, { text: string; sha: string }>();

  /** @param copies a connection used only to wait for replicas */
  constructor(client: Redis, copies: Redis, replicas: number) {
    this.#client = client;
    this.#copies = copies;
    this.#replicas = replicas;
    if (!existsSync(beside)) throw new StorageError(`${beside} is missing: install the gateway again`);
    const lanes = readScript('lanes');
    for (const name of [...OF_LANES, ...ALONE]) {
      const text = OF_LANES.includes(name) ? `${lanes}\n${readScript(name)}` : readScript(name);
      this.#texts.set(name, { text, sha: createHash('sha1').update(text).digest('hex') });
    }
  }

  /** @param more large arguments that the script passes on unparsed, such as a message */
  async run(name: string, key: string, ask: object, ...more: string[]): Promise<Answer> {
    const script = this.#texts.get(name);
    if (!script) throw new Error(`there is no script ${name}`);
    const args = [JSON.stringify(ask), ...more];
    const done = this.#client.evalsha(script.sha, 1, key, ...args).catch((error: unknown) => {
      // A server that was restarted has forgotten it.
      if (!errorMessage(error).startsWith('NOSCRIPT')) throw error;
      return this.#client.eval(script.text, 1, key, ...args);
    });
    const { success, data } = answerShape.safeParse(JSON.parse(String(await done)));
    if (!success || !data) throw new StorageError(`the script ${name} gave an unexpected reply`);
    return data;
  }

  /**
   * Resolves when everything sent before is on as many replicas as `engine.replicas` says. Calls in the same tick wait
   * together.
   * @throws StorageError when too few wrote it in time; it is on the server regardless
   */
  copied(): Promise<void> {
    if (this.#replicas === 0) return Promise.resolve();
    this.#copying ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#copying = undefined;
      return this.#askReplicas();
    });
    return this.#copying;
  }

  /**
   * The server counts from a connection's last write, so this one writes once: it follows everything that was answered
   * before. A replica reports what it had written before the request, and otherwise only once a second, so it is asked
   * repeatedly.
   */
  async #askReplicas(): Promise<void> {
    await this.#copies.set(COPIED, '1');
    let count = 0;
    for (const ms of ASKED_AFTER_MS) {
      const written = await this.#copies.call('WAITAOF', '1', String(this.#replicas), String(ms));
      count = Array.isArray(written) ? Number(written[1]) : 0;
      if (count >= this.#replicas) return;
    }
    throw new StorageError(`only ${count} of ${this.#replicas} replicas (engine.replicas) have written it`);
  }
}
