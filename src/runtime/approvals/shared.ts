/**
 * Shares requests between processes on one home. The file of a request is the source of truth, and one process at a
 * time changes it. The engine's state settles which decision is first; after a crash between the two, the next reader
 * writes it into the file.
 */
import type { Engine, Stop } from '../../engine/engine.ts';
import { parseJson } from '../../lib/json.ts';
import { objectOf, shape } from '../../lib/shape.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import { isDecision, readRequest, requestIds, storeRequest } from './files.ts';
import type { RecordedDecision } from './request.ts';

export type SharedBy = Pick<Engine<unknown>, 'state' | 'lock' | 'publish' | 'subscribe'>;

const TOPIC = 'approvals';
/** Decisions are kept longer than the files of decided requests. */
const KEEP_MS = 8 * 86_400_000;
/** The interval for checking the files, because published events may be lost. */
const LOOK_MS = 5_000;
const madeShape = shape<RecordedDecision>(objectOf({ decision: isDecision }));
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

  read(id: string): ApprovalRequest | undefined {
    return readRequest(this.#folder, id);
  }

  ids(): string[] {
    return requestIds(this.#folder);
  }

  /** Returns a decision that the file may not have yet. */
  async decided(id: string): Promise<RecordedDecision | undefined> {
    return madeShape.safeParse(parseJson((await this.#by.state.get(approvalKey(id))) ?? '')).data;
  }

  /** Returns the decision that counts. */
  async agree(id: string, given: RecordedDecision): Promise<RecordedDecision> {
    const { state } = this.#by;
    const text = JSON.stringify(given);
    // `wrote` replaces a decision that no run has resumed with: only the owner of the task's lane sets it.
    if (given.decision.verdict === 'wrote') await state.set(approvalKey(id), text, KEEP_MS);
    else if (!(await state.create(approvalKey(id), text, KEEP_MS))) return (await this.decided(id)) ?? given;
    return given;
  }

  /** Withdraws a decision that couldn't be stored. */
  undo(id: string): Promise<void> {
    return this.#by.state.delete(approvalKey(id));
  }

  /** Keeps changes by other processes. Durable when it resolves. */
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

  /** Calls `one` for each request that another process changed, and `all` every few seconds. Both handle failures. */
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
