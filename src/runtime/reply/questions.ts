/**
 * Which messages of ours ask what. When a question is decided, wherever that was, every message that asks it tells the outcome
 * and loses the buttons that would decide it again. Kept in the engine's state: what is lost there costs a button whose press is told
 * what was decided already.
 */

import { isAddress } from '../../access/link-records.ts';
import { type Address, type Button, conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { createLru } from '../../lib/lru.ts';
import { parseJson } from '../../lib/read-json.ts';
import { isFilled, isFlag, isInteger, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';
import type { Logger } from '../../log.ts';
import type { Messages, Said } from '../../messages/messages.ts';

/** A message on a platform whose buttons decide something. */
export interface Asking {
  address: Address;
  messageId: string;
  /** Markdown. */
  text: string;
  buttons: Button[][];
  /** Milliseconds since the epoch: when it stood there. Absent in those of before. */
  at?: number;
  /** It took the place of a message that had been there before. */
  isEdit?: boolean;
}

export interface QuestionsOptions {
  state: Pick<State, 'get' | 'set' | 'delete'>;
  /** Durable when it resolves; the same id again has no effect. */
  send: (message: OutboundMessage) => Promise<void>;
  /** In which language a conversation is told of what was decided elsewhere. */
  messagesAt: (address: Address) => Messages;
  log: Logger;
}

const TTL_MS = 30 * 86_400_000;
/** Outcomes that are remembered for messages still on their way. */
const MAX_OUTCOMES = 1_000;

const isButton = objectOf({ id: isFilled, label: isText, decides: optional(isFilled) });
const askingShape = shape<Asking>(
  objectOf({
    address: isAddress,
    messageId: isFilled,
    text: isText,
    buttons: listOf(listOf(isButton)),
    at: optional(isInteger),
    isEdit: optional(isFlag),
  }),
);
/** What has not arrived by then waits for its platform. */
const COMING_MS = 5_000;
/** Messages of one conversation that ask something. */
const MAX_HERE = 20;
const keysShape = shape<string[]>(listOf(isFilled));

export class Questions {
  readonly #options: QuestionsOptions;
  /** One change after the other: they are rare, and a message may ask several questions. */
  #last: Promise<void> = Promise.resolve();
  /** What this process was told, for messages that arrive after the decision. */
  readonly #outcomes = createLru<Said>(MAX_OUTCOMES);

  /** Questions on their way to a conversation, as this process knows it: when they were put. */
  readonly #onTheirWay = createLru<{ where: string; at: number }>(MAX_OUTCOMES);

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** These are about to be asked there. */
  offered(address: Address, questions: readonly string[]): void {
    for (const question of questions)
      this.#onTheirWay.set(question, { where: conversationKey(address), at: Date.now() });
  }

  /** Whether one was put there a moment ago, and the platform has not said yet that it stands. */
  isComing(address: Address): boolean {
    const where = conversationKey(address);
    return [...this.#onTheirWay.entries()].some(([, one]) => one.where === where && one.at > Date.now() - COMING_MS);
  }

  /** A message with buttons that decide something has this id on its platform. Never rejects. */
  async asked({ address, text, buttons = [], placeholder }: OutboundMessage, messageId: string): Promise<void> {
    const questions = questionsOf(buttons);
    if (questions.length === 0 || messageId === '') return;
    const isEdit = messageId === placeholder;
    const asking: Asking = { address, messageId, text, buttons, at: Date.now(), ...(isEdit && { isEdit }) };
    const key = keyOf(address, messageId);
    await this.#change(async () => {
      const { state } = this.#options;
      // Told again after a crash, it was there before.
      if (!(await this.#asking(key))) await state.set(`asking:${key}`, JSON.stringify(asking), TTL_MS);
      const here = `here:${conversationKey(address)}`;
      const others = (await this.#keys(here)).filter((other) => other !== key);
      await state.set(here, JSON.stringify([...others, key].slice(-MAX_HERE)), TTL_MS);
      if (address.thread !== undefined) await state.set(`newest:${conversationKey(address)}`, key, TTL_MS);
      for (const question of questions) {
        const keys = new Set(await this.#keysOf(question)).add(key);
        await state.set(`asked:${question}`, JSON.stringify([...keys]), TTL_MS);
      }
    });
    for (const question of questions) this.#onTheirWay.delete(question);
    // The decision may have come before the platform had said which message this is.
    for (const question of questions) {
      const outcome = this.#outcomes.get(question);
      if (outcome) await this.decided(question, outcome);
    }
  }

  /**
   * The message of ours that a reply means, while it still asks something: the one with this id; where that is the first of a thread, the
   * one in the chat, else the newest that asks something in the thread.
   */
  async askedBy(address: Address, messageId: string): Promise<Asking | undefined> {
    const { thread, ...chat } = address;
    const own = (await this.#asking(keyOf(address, messageId))) ?? (await this.#asking(keyOf(chat, messageId)));
    if (own || thread !== messageId) return own;
    const newest = await this.#options.state.get(`newest:${conversationKey(address)}`);
    return newest === undefined ? undefined : this.#asking(newest);
  }

  /** The messages that ask something in a conversation, oldest first. */
  async here(address: Address): Promise<Asking[]> {
    return this.#askings(await this.#keys(`here:${conversationKey(address)}`));
  }

  /** The messages that ask a question, wherever that is. */
  async asking(question: string): Promise<Asking[]> {
    return this.#askings(await this.#keysOf(question));
  }

  async #askings(keys: readonly string[]): Promise<Asking[]> {
    return (await Promise.all(keys.map((key) => this.#asking(key)))).filter((asking) => asking !== undefined);
  }

  /** The edits are durable in the outbox when it resolves; again it has no effect. Never rejects. */
  async decided(question: string, outcome: Said): Promise<void> {
    this.#outcomes.set(question, outcome);
    await this.#change(async () => {
      for (const key of await this.#keysOf(question)) await this.#close(key, question, outcome);
      await this.#options.state.delete(`asked:${question}`);
    });
  }

  async #close(key: string, question: string, outcome: Said): Promise<void> {
    const { state, send, messagesAt } = this.#options;
    const asking = await this.#asking(key);
    if (!asking || !questionsOf(asking.buttons).includes(question)) return;
    const { address, messageId } = asking;
    const left = asking.buttons
      .map((row) => row.filter(({ decides }) => decides !== question))
      .filter((row) => row.length > 0);
    const text = `${asking.text}\n\n${messagesAt(address).said(outcome)}`;
    const id = `outcome-${key}-${hashText(question).slice(0, 16)}`;
    const buttons = left.length > 0 ? { buttons: left } : {};
    await send({ id, address, text, files: [], edits: { messageId, was: asking.text }, ...buttons });
    if (left.length === 0) await state.delete(`asking:${key}`);
    else await state.set(`asking:${key}`, JSON.stringify({ ...asking, text, buttons: left }), TTL_MS);
  }

  async #asking(key: string): Promise<Asking | undefined> {
    const stored = await this.#options.state.get(`asking:${key}`);
    return stored === undefined ? undefined : askingShape.safeParse(parseJson(stored)).data;
  }

  #keysOf(question: string): Promise<string[]> {
    return this.#keys(`asked:${question}`);
  }

  async #keys(name: string): Promise<string[]> {
    const stored = await this.#options.state.get(name);
    return (stored === undefined ? undefined : keysShape.safeParse(parseJson(stored)).data) ?? [];
  }

  async #change(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last
      .then(work)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'a question could not be marked as decided'));
    await this.#last;
  }
}

const keyOf = (address: Address, messageId: string): string =>
  hashText(JSON.stringify([conversationKey(address), messageId])).slice(0, 24);

const questionsOf = (buttons: readonly Button[][]): string[] => [
  ...new Set(buttons.flat().flatMap(({ decides }) => decides ?? [])),
];
