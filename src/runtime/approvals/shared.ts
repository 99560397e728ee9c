/**
 * Requests of a home that several processes work on. The file of a request stays the truth and is changed by one at a time; which
 * decision is the first is settled by the state of the engine, so that a crash between the two leaves a decision that whoever looks
 * next writes into the file.
 */
import { z } from 'zod';
import type { Engine, Stop } from '../../engine/engine.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import { readRequest, requestIds, storeRequest } from './files.ts';
import type { Made } from './request.ts';

export type SharedBy = Pick<Engine<unknown>, 'state' | 'lock' | 'publish' | 'subscribe'>;

const TOPIC = 'approvals';
/** Longer than the file of a decided request is kept. */
const KEEP_MS = 8 * 86_400_000;
/** What was published may be lost. */
const LOOK_MS = 5_000;
const made = z.looseObject({ decision: z.looseObject({ verdict: z.string(), by: z.string(), at: z.string() }) });
const keyOf = (id: string) => `approval:${id}`;

export class SharedRequests {
  readonly #folder: string;
  readonly #by: SharedBy;
  #stop: Stop | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(folder: string, by: SharedBy) {
    this.#folder = folder;
    this.#by = by;
  }

  /** The request as its file has it now. */
  read(id: string): ApprovalRequest | undefined {
    return readRequest(this.#folder, id);
  }

  ids(): string[] {
    return requestIds(this.#folder);
  }

  /** What was decided, whether or not the file has it yet. */
  async decided(id: string): Promise<Made | undefined> {
    return madeOf(await this.#by.state.get(keyOf(id)));
  }

  /** What holds: this, or what another process has decided before. */
  async agree(id: string, given: Made): Promise<Made> {
    const { state } = this.#by;
    const text = JSON.stringify(given);
    // It takes the place of what no run has gone on with: the owner of the task's lane says so.
    if (given.decision.verdict === 'wrote') await state.set(keyOf(id), text, KEEP_MS);
    else if (!(await state.create(keyOf(id), text, KEEP_MS))) return (await this.decided(id)) ?? given;
    return given;
  }

  /** It could not be stored: it may be decided again. */
  undo(id: string): Promise<void> {
    return this.#by.state.delete(keyOf(id));
  }

  /** Durable when it resolves; what others have written meanwhile stays. */
  async write(request: ApprovalRequest, change: Partial<ApprovalRequest>): Promise<void> {
    await this.#by.lock(keyOf(request.id), async (fence) => {
      const now = this.read(request.id) ?? request;
      // Whoever decided later may have come here first.
      const decided = change.decision && (await this.decided(request.id));
      fence.check();
      await storeRequest(this.#folder, { ...now, ...change, ...decided });
    });
    this.tell(request.id);
  }

  tell(id: string): void {
    this.#by.publish(TOPIC, id);
  }

  /** `one` hears of each that another process has changed, `all` is asked every few seconds. Both report their own failures. */
  listen(one: (id: string) => Promise<void>, all: () => Promise<void>): void {
    this.#stop = this.#by.subscribe(TOPIC, (id) => void one(id));
    const later = () => {
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => void all().then(later), LOOK_MS);
      this.#timer.unref();
    };
    later();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    void this.#stop?.();
  }
}

function madeOf(text: string | undefined): Made | undefined {
  if (text === undefined) return undefined;
  // It was written by a process of ours.
  return made.safeParse(JSON.parse(text)).success ? (JSON.parse(text) as Made) : undefined;
}
