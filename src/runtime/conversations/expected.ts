/**
 * Remembers what a person's next message in a conversation answers: "When instead?", "Send me the new wording". It
 * expires after 15 minutes, and with any command or button of the person.
 */
import { type JsonList, openJsonList } from '../../access/records.ts';
import { type Address, conversationKey } from '../../channels/channel.ts';
import { isFilled, isInteger, isText, objectOf, shape } from '../../lib/shape.ts';

/** The person's words are appended to `args`. */
export interface ExpectedAnswer {
  command: string;
  args: string;
}

interface StoredExpectation extends ExpectedAnswer {
  where: string;
  who: string;
  /** Milliseconds since the epoch. */
  until: number;
}

const KEPT_MS = 15 * 60_000;
const MAX_KEPT = 500;
/** Answers to short questions are short. */
const MAX_WORDS = 2_000;

const keptShape = shape<StoredExpectation>(
  objectOf({ command: isFilled, args: isText, where: isFilled, who: isFilled, until: isInteger }),
);
const ABOUT = { lost: 'the list of short questions that wait for an answer', next: 'Press the button again.' };

export class ExpectedAnswers {
  readonly #now: () => number;
  readonly #kept: JsonList<StoredExpectation>;

  constructor(file: string, now: () => number = Date.now) {
    this.#now = now;
    this.#kept = openJsonList(file, keptShape, ABOUT);
  }

  /** @param who a principal as text */
  get(address: Address, who: string): ExpectedAnswer | undefined {
    const found = this.#kept.read().find((each) => each.who === who && each.where === conversationKey(address));
    return found && found.until > this.#now() ? { command: found.command, args: found.args } : undefined;
  }

  /** Durable when it returns. */
  set(address: Address, who: string, answer: ExpectedAnswer): void {
    const entry = { ...answer, where: conversationKey(address), who, until: this.#now() + KEPT_MS };
    this.#kept.change((all) => [...this.#without(all, address, who), entry].slice(-MAX_KEPT));
  }

  clear(address: Address, who: string): void {
    const all = this.#kept.read();
    if (this.#without(all, address, who).length < all.length)
      this.#kept.change((now) => this.#without(now, address, who));
  }

  #without(all: readonly StoredExpectation[], address: Address, who: string): StoredExpectation[] {
    const where = conversationKey(address);
    return all.filter((each) => each.until > this.#now() && (each.who !== who || each.where !== where));
  }
}

export const isShortAnswer = ({ text, files }: { text: string; files: readonly unknown[] }): boolean =>
  files.length === 0 && text.trim() !== '' && text.length <= MAX_WORDS;
