/**
 * What the next words of a person in a conversation answer: "When instead?", "Send me the new wording". One small file, read at the
 * start (at each look where other processes write it too) and written at each change, which are rare. It holds for a quarter of an hour; any command or button of theirs ends it.
 */
import { locked } from '../../access/json-file.ts';
import { type Address, conversationKey } from '../../channels/channel.ts';
import { readJson } from '../../lib/read-json.ts';
import { isFilled, isInteger, isText, listOf, objectOf, shape } from '../../lib/shape.ts';
import { writeJson } from '../../lib/write-json.ts';

/** The words stand after `args`. */
export interface ExpectedAnswer {
  command: string;
  args: string;
}

interface Kept extends ExpectedAnswer {
  where: string;
  who: string;
  /** Milliseconds since the epoch. */
  until: number;
}

const KEPT_MS = 15 * 60_000;
const MAX_KEPT = 500;
/** An answer to a short question is short. */
const MAX_WORDS = 2_000;

const keptShape = shape<Kept[]>(
  listOf(objectOf({ command: isFilled, args: isText, where: isFilled, who: isFilled, until: isInteger })),
);
const ABOUT = { lost: 'which short questions wait for an answer', next: 'Whoever was asked presses the button again.' };

export type Expected = Pick<ExpectedAnswers, keyof ExpectedAnswers>;

export class ExpectedAnswers {
  readonly #file: string;
  readonly #now: () => number;
  readonly #isShared: boolean;
  #known: Kept[];

  constructor(file: string, now: () => number = Date.now, { isShared = false } = {}) {
    this.#file = file;
    this.#now = now;
    this.#isShared = isShared;
    this.#known = this.#read();
  }

  #read(): Kept[] {
    return readJson(this.#file, keptShape, ABOUT) ?? [];
  }

  get #kept(): Kept[] {
    if (this.#isShared) this.#known = this.#read();
    return this.#known;
  }

  /** @param who a principal as text */
  get(address: Address, who: string): ExpectedAnswer | undefined {
    const found = this.#kept.find((each) => each.who === who && each.where === conversationKey(address));
    return found && found.until > this.#now() ? { command: found.command, args: found.args } : undefined;
  }

  /** Durable when it returns. */
  set(address: Address, who: string, answer: ExpectedAnswer): void {
    const entry = { ...answer, where: conversationKey(address), who, until: this.#now() + KEPT_MS };
    this.#alone(() => this.#keep([...this.#without(address, who), entry].slice(-MAX_KEPT)));
  }

  clear(address: Address, who: string): void {
    if (this.#without(address, who).length < this.#known.length)
      this.#alone(() => this.#keep(this.#without(address, who)));
  }

  /** Where other processes write too, none of them does meanwhile. */
  #alone(change: () => void): void {
    if (this.#isShared) locked(this.#file, change);
    else change();
  }

  #without(address: Address, who: string): Kept[] {
    const where = conversationKey(address);
    return this.#kept.filter((each) => each.until > this.#now() && (each.who !== who || each.where !== where));
  }

  #keep(kept: Kept[]): void {
    this.#known = kept;
    writeJson(this.#file, kept);
  }
}

/** Whether a message can be the answer to a short question. */
export const isShortAnswer = ({ text, files }: { text: string; files: readonly unknown[] }): boolean =>
  files.length === 0 && text.trim() !== '' && text.length <= MAX_WORDS;
