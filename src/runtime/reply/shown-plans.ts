/**
 * Keeps the newest message that shows a task's plan up to date in each of its conversations: a change made anywhere is
 * edited into all of them. At most one edit of a message waits for its platform, so that after a rate limit the newest
 * state is shown, and not each state in between. Stored in the engine's state: a lost entry leaves an old plan in view.
 */
import { isAddress } from '../../access/principal.ts';
import { type Address, conversationKey, type OutboundMessage } from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import { hashText } from '../../lib/files.ts';
import { parseJson } from '../../lib/json.ts';
import { isFilled, isText, listOf, objectOf, shape } from '../../lib/shape.ts';
import type { Logger } from '../../log.ts';
import type { Messages, Text } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Buttons } from './buttons.ts';

export interface PlanView {
  text: Text;
  buttons?: ButtonAction[][];
}

interface ShownPlan {
  address: Address;
  messageId: string;
  text: string;
  /** The key of its conversation. */
  binding: string;
}

export interface ShownPlansOptions {
  state: State;
  buttons: { offer: Buttons['offer'] };
  send: (message: OutboundMessage) => Promise<void>;
  messagesAt: (address: Address) => Messages;
  bindingOf: (key: string) => { taskId: string } | undefined;
  log: Logger;
}

type Render = (messages: Messages) => Promise<PlanView>;

const TTL_MS = 14 * 86_400_000;
const MAX_PLACES = 10;
/** The reply to whoever made the change goes first, and may be the newest message then. */
const GATHER_MS = 80;
/** Another process may send the edit, and not report it here. */
const WAIT_MS = 10_000;
const EDIT = 'plan-now-';
const shownShape = shape<ShownPlan[]>(
  listOf(objectOf({ address: isAddress, messageId: isFilled, text: isText, binding: isText })),
);
/** Message IDs are unique within a chat only. */
const placeOf = ({ address, messageId }: { address: Address; messageId: string }): string =>
  `${conversationKey(address)} ${messageId}`;
const shownKey = (taskId: string): string => `plan-shown:${taskId}`;

export class ShownPlans {
  readonly #options: ShownPlansOptions;
  /** Changes that wait for others to join them, by task. */
  readonly #gathering = new Set<string>();
  /** Edits on their way, by the ID of their outbound message, with what to do once they are there. */
  readonly #going = new Map<string, { place: string; next: () => void }>();
  /** Serialises changes of the stored lists. */
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(options: ShownPlansOptions) {
    this.#options = options;
  }

  /** Our message shows a plan and has this ID on its platform. Never rejects. */
  sent({ plan, address, text, interaction, edits }: OutboundMessage, messageId: string): void {
    // A reply for one person's eyes can't be edited later.
    if (!plan || interaction !== undefined || edits || messageId === '') return;
    void this.#store(plan.task, (all) => {
      const place = conversationKey(address);
      const others = all.filter((one) => conversationKey(one.address) !== place);
      return [...others, { address, messageId, text, binding: plan.binding }].slice(-MAX_PLACES);
    });
  }

  /** A newer message is about to show the plan there; the old one stays as it is. Never rejects. */
  replaced(taskId: string, address: Address): void {
    const place = conversationKey(address);
    void this.#store(taskId, (all) => all.filter((one) => conversationKey(one.address) !== place));
  }

  /** The plan of a task has changed. Never rejects. */
  changed(taskId: string, render: Render): void {
    if (this.#gathering.has(taskId)) return;
    this.#gathering.add(taskId);
    setTimeout(() => {
      this.#gathering.delete(taskId);
      this.#bring(taskId, render).catch((error: unknown) =>
        this.#options.log.warn({ err: error, task: taskId }, 'a shown plan could not be updated'),
      );
    }, GATHER_MS).unref();
  }

  /** An outbound message has left the outbox. */
  ended(id: string): void {
    if (!id.startsWith(EDIT)) return;
    const ended = this.#going.get(id);
    this.#going.delete(id);
    ended?.next();
  }

  async #bring(taskId: string, render: Render): Promise<void> {
    await this.#last;
    for (const { address, messageId, text, binding } of await this.#read(taskId)) {
      const { bindingOf, messagesAt, buttons, send } = this.#options;
      // The conversation has gone on to another task.
      if (bindingOf(binding)?.taskId !== taskId) continue;
      const place = placeOf({ address, messageId });
      const waiting = [...this.#going.values()].find((one) => one.place === place);
      if (waiting) {
        waiting.next = () => this.changed(taskId, render);
        continue;
      }
      const view = await render(messagesAt(address));
      if (view.text === text) continue;
      this.#count += 1;
      const id = `${EDIT}${hashText(`${place} ${Date.now()} ${this.#count}`).slice(0, 24)}`;
      this.#going.set(id, { place, next: () => undefined });
      setTimeout(() => this.ended(id), WAIT_MS).unref();
      const offered = view.buttons && { buttons: await buttons.offer(address, view.buttons) };
      await this.#store(taskId, (all) =>
        all.map((one) => (placeOf(one) === place ? { ...one, text: view.text } : one)),
      );
      await send({ id, address, text: view.text, files: [], edits: { messageId, was: text }, ...offered });
    }
  }

  async #read(taskId: string): Promise<ShownPlan[]> {
    const stored = await this.#options.state.get(shownKey(taskId));
    return (stored === undefined ? undefined : shownShape.safeParse(parseJson(stored)).data) ?? [];
  }

  #store(taskId: string, change: (all: ShownPlan[]) => ShownPlan[]): Promise<void> {
    const { state, log } = this.#options;
    this.#last = this.#last
      .then(async () => state.set(shownKey(taskId), JSON.stringify(change(await this.#read(taskId))), TTL_MS))
      .catch((error: unknown) => log.warn({ err: error }, 'a shown plan could not be noted'));
    return this.#last;
  }
}
