/**
 * Records which of our messages ask which question. When a question is decided, anywhere, every message that asks it
 * shows the outcome and loses the buttons that would decide it again. Stored in the engine's state: if an entry is
 * lost, a button stays, and its press shows the earlier decision.
 */

import { isAddress } from '../../access/principal.ts';
import { type Address, type Button, conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { createLru } from '../../lib/lru.ts';
import { isFilled, isFlag, isInteger, isText, listOf, objectOf, optional, shape } from '../../lib/shape.ts';
import type { Logger } from '../../log.ts';
import type { Messages, Wording } from '../../messages/messages.ts';

/** A message on a platform whose buttons decide something. */
export interface Asking {
  address: Address;
  messageId: string;
  /** Markdown. */
  text: string;
  buttons: Button[][];
  /** The time when the message appeared, in ms since the epoch. Absent in messages of older versions. */
  at?: number;
  /** It replaced an existing message. */
  isEdit?: boolean;
}

export interface QuestionsOptions {
  state: State;
  /** Resolves when the message is durable; sending the same ID again has no effect. */
  send: (message: OutboundMessage) => Promise<void>;
  /** Returns messages in the language that a conversation reads outcomes in. */
  messagesAt: (address: Address) => Messages;
  log: Logger;
}

const TTL_MS = 30 * 86_400_000;
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
/** After this time, in ms, a question that hasn't appeared is waiting for its platform. */
const COMING_MS = 5_000;
const MAX_HERE = 20;
const keysShape = shape<string[]>(listOf(isFilled));

export class Questions {
  readonly #options: QuestionsOptions;
  /** Serialises changes: they are rare, and one message may ask several questions. */
  #last: Promise<void> = Promise.resolve();
  /** Outcomes known to this process, for messages that arrive after the decision. */
  readonly #outcomes = createLru<Wording>(MAX_OUTCOMES);

  /** Questions that this process knows to be on their way, with the time when they were asked. */
  readonly #onTheirWay = createLru<{ where: string; at: number }>(MAX_OUTCOMES);

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Notes that these questions are about to be asked there. */
  offered(address: Address, questions: readonly string[]): void {
    for (const question of questions)
      this.#onTheirWay.set(question, { where: conversationKey(address), at: Date.now() });
  }

  /** Whether a question was just sent there and the platform hasn't confirmed it yet. */
  isComing(address: Address): boolean {
    const where = conversationKey(address);
    return [...this.#onTheirWay.entries()].some(([, one]) => one.where === where && one.at > Date.now() - COMING_MS);
  }

  /** Records the platform's ID of a message whose buttons decide something. Never rejects. */
  async asked({ address, text, buttons = [], placeholder }: OutboundMessage, messageId: string): Promise<void> {
    const questions = questionsOf(buttons);
    if (questions.length === 0 || messageId === '') return;
    const isEdit = messageId === placeholder;
    const asking: Asking = { address, messageId, text, buttons, at: Date.now(), ...(isEdit && { isEdit }) };
    const key = questionKey(address, messageId);
    await this.#change(async () => {
      const { state } = this.#options;
      // After a crash this may be reported again; the first record stays.
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
    // The decision may have come before the platform returned the message's ID.
    for (const question of questions) {
      const outcome = this.#outcomes.get(question);
      if (outcome) await this.decided(question, outcome);
    }
  }

  /**
   * Returns our message that a reply refers to, if it still asks something: the one with this ID. If the ID is the
   * first of a thread, returns the message in the chat, else the newest in the thread that asks something.
   */
  async askedBy(address: Address, messageId: string): Promise<Asking | undefined> {
    const { thread, ...chat } = address;
    const own =
      (await this.#asking(questionKey(address, messageId))) ?? (await this.#asking(questionKey(chat, messageId)));
    if (own || thread !== messageId) return own;
    const newest = await this.#options.state.get(`newest:${conversationKey(address)}`);
    return newest === undefined ? undefined : this.#asking(newest);
  }

  /** Returns the messages that ask something in a conversation, oldest first. */
  async here(address: Address): Promise<Asking[]> {
    await this.#last;
    return this.#askings(await this.#keys(`here:${conversationKey(address)}`));
  }

  /** Returns the messages that ask a question, in any conversation. */
  async asking(question: string): Promise<Asking[]> {
    return this.#askings(await this.#keysOf(question));
  }

  async #askings(keys: readonly string[]): Promise<Asking[]> {
    return (await Promise.all(keys.map((key) => this.#asking(key)))).filter((asking) => asking !== undefined);
  }

  /** Resolves when the edits are durable in the outbox; repeating it has no effect. Never rejects. */
  async decided(question: string, outcome: Wording): Promise<void> {
    this.#outcomes.set(question, outcome);
    await this.#change(async () => {
      for (const key of await this.#keysOf(question)) await this.#close(key, question, outcome);
      await this.#options.state.delete(`asked:${question}`);
    });
  }

  async #close(key: string, question: string, outcome: Wording): Promise<void> {
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

const questionKey = (address: Address, messageId: string): string =>
  hashText(JSON.stringify([conversationKey(address), messageId])).slice(0, 24);

const questionsOf = (buttons: readonly Button[][]): string[] => [
  ...new Set(buttons.flat().flatMap(({ decides }) => decides ?? [])),
];
