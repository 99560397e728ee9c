/**
 * Shares requests between several processes on one home. The file of a request stays the source of truth, and one
 * process at a time changes it. The engine's state settles which decision is first; if a process crashes between the
 * two, the next reader writes the decision into the file.
 */
import { z } from 'zod';
import type { Engine, Stop } from '../../engine/engine.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import { readRequest, requestIds, storeRequest } from './files.ts';
import type { RecordedDecision } from './request.ts';

export type SharedBy = Pick<Engine<unknown>, 'state' | 'lock' | 'publish' | 'subscribe'>;

const TOPIC = 'approvals';
/** Longer than the file of a decided request is kept, in ms. */
const KEEP_MS = 8 * 86_400_000;
/** Published events may be lost, so files are read this often, in ms. */
const LOOK_MS = 5_000;
const made = z.looseObject({ decision: z.looseObject({ verdict: z.string(), by: z.string(), at: z.string() }) });
const approvalKey = (id: string) => `approval:${id}`;

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

  /** Returns the request as its file has it now. */
  read(id: string): ApprovalRequest | undefined {
    return readRequest(this.#folder, id);
  }

  ids(): string[] {
    return requestIds(this.#folder);
  }

  /** Returns the decision, whether or not the file has it yet. */
  async decided(id: string): Promise<RecordedDecision | undefined> {
    return madeOf(await this.#by.state.get(approvalKey(id)));
  }

  /** Returns the decision that counts: this one, or the one that another process made before. */
  async agree(id: string, given: RecordedDecision): Promise<RecordedDecision> {
    const { state } = this.#by;
    const text = JSON.stringify(given);
    // `wrote` replaces a decision that no run has resumed with: only the owner of the task's lane sets it.
    if (given.decision.verdict === 'wrote') await state.set(approvalKey(id), text, KEEP_MS);
    else if (!(await state.create(approvalKey(id), text, KEEP_MS))) return (await this.decided(id)) ?? given;
    return given;
  }

  /** Withdraws a decision that couldn't be stored, so that the request can be decided again. */
  undo(id: string): Promise<void> {
    return this.#by.state.delete(approvalKey(id));
  }

  /** Merges a change into the file and resolves once it is durable; changes by other processes stay. */
  async write(request: ApprovalRequest, change: Partial<ApprovalRequest>): Promise<void> {
    await this.#by.lock(approvalKey(request.id), async (fence) => {
      const now = this.read(request.id) ?? request;
      // A later decision may have reached this lock first.
      const decided = change.decision && (await this.decided(request.id));
      fence.check();
      await storeRequest(this.#folder, { ...now, ...change, ...decided });
    });
    this.tell(request.id);
  }

  tell(id: string): void {
    this.#by.publish(TOPIC, id);
  }

  /**
   * Calls `one` for each request that another process changed, and `all` every few seconds. Both handle their own
   * failures.
   */
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

function madeOf(text: string | undefined): RecordedDecision | undefined {
  if (text === undefined) return undefined;
  // The text was written by one of our processes.
  return made.safeParse(JSON.parse(text)).success ? (JSON.parse(text) as RecordedDecision) : undefined;
}
