/**
 * Requests that wait for a person: one file per request in `access/approvals/`, from the question until a week after
 * the decision. A request is decided once (promise 36): first the decision becomes durable, then an entry that resumes
 * the run goes into its task's lane, once, and again after a crash.
 *
 *   asked --decide--> decided (file) --resume--> in the lane --take--> the run resumes
 *     +------- expires: decided as well, by one timer; what expired while no process ran is decided at the next start
 */

import path from 'node:path';
import type { Address } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { Queue } from '../../engine/engine.ts';
import { serialise } from '../../lib/locks.ts';
import type { Logger } from '../../log.ts';
import type { ApprovalRequest, Decision, ShownQuestion } from '../contract/approval.ts';
import { type Entry, shareOf, taskLane } from '../contract/entry.ts';
import { RequestClock } from './clock.ts';
import { forgetDecided, loadRequests, storeRequest } from './files.ts';
import { isWaiting, lapse, madeBy, type RecordedDecision, resumedEntry } from './request.ts';
import { type SharedBy, SharedRequests } from './shared.ts';

interface ApprovalsOptions {
  folder: string;
  queue: Pick<Queue<Entry>, 'enqueue'>;
  log: Logger;
  /** Updates the messages that asked; again after a crash. Must not reject. */
  onDecided?: (request: ApprovalRequest, decision: Decision) => Promise<void>;
  /** Set with several processes. */
  shared?: SharedBy | undefined;
  /** Another process has decided. Must not throw. */
  onDecidedElsewhere?: (request: ApprovalRequest, decision: Decision) => void;
  /** People have been shown the question. Must not throw. */
  onAsked?: (request: ApprovalRequest) => void;
  now?: () => number;
  store?: typeof storeRequest;
}

const KEEP_MS = 7 * 86_400_000;
const PRUNE_MS = 3_600_000;
/** Timers don't run while the machine sleeps, so expired requests are noticed within this time. */
const STEP_MS = 60_000;
const RETRY_MS = 2_000;

let opened = 0;

export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #clock: RequestClock;
  readonly #name = `approvals ${++opened}`;
  /** The folder for texts that are too long for a message. */
  readonly folder: string;
  readonly #requests: Map<string, ApprovalRequest>;
  readonly #waiting = new WaitingRequests();
  /** Decided, but the entries aren't in their lanes yet. */
  readonly #unsent = new Set<ApprovalRequest>();
  readonly #shared: SharedRequests | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #prunedAt = 0;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.#clock = new RequestClock(options.now);
    this.folder = path.join(options.folder, 'approvals');
    this.#requests = loadRequests(this.folder);
    this.#shared = options.shared && new SharedRequests(this.folder, options.shared);
    this.#shared?.listen(this.#lookAgain.bind(this), this.refresh.bind(this));
  }

  /** Durable when it resolves. Returns the existing request if the ID is known. */
  async ask(request: ApprovalRequest): Promise<ApprovalRequest> {
    const known = this.get(request.id);
    if (known) return known;
    this.#prune();
    await (this.#options.store ?? storeRequest)(this.folder, request);
    this.#shared?.tell(request.id);
    this.#requests.set(request.id, request);
    this.#waiting.note(request);
    this.#arm();
    return request;
  }

  /** Stores the question as people were shown it. */
  async told(id: string, shown: ShownQuestion): Promise<void> {
    const request = this.#requests.get(id);
    if (!request || request.decision || request.sentence === shown.sentence) return;
    Object.assign(request, shown);
    await this.#inTurn(request, () => this.#write(request, shown));
    this.#options.onAsked?.(request);
  }

  get(id: string): ApprovalRequest | undefined {
    const known = this.#requests.get(id);
    return known || !this.#shared ? known : this.#learn(this.#shared.read(id));
  }

  /** Includes changes by other processes. */
  async look(id: string): Promise<ApprovalRequest | undefined> {
    const file = this.#shared?.read(id);
    if (!this.#shared || !file) return this.get(id);
    const request = this.#learn(file) ?? file;
    const decided = file.decision ? undefined : await this.#shared.decided(id);
    if (!decided || request.decision) return request;
    // The process that decided first hasn't written the file yet.
    await this.#shared.write(request, decided);
    return this.#learn({ ...request, ...decided });
  }

  /** Reads what other processes have asked and decided. Never rejects. */
  async refresh(): Promise<void> {
    if (!this.#shared) return;
    const ids = this.#shared.ids().filter((id) => !this.#requests.has(id));
    for (const id of [...ids, ...this.#waiting.all().map((request) => request.id)]) await this.#lookAgain(id);
  }

  all(): ApprovalRequest[] {
    return this.#waiting.all().filter((request) => !request.decision);
  }

  open(taskId: string): ApprovalRequest[] {
    return this.#waiting.of(taskId).filter((request) => !request.decision);
  }

  /**
   * Decides a request unless it is decided or has expired. Durable when it resolves; `isFirst`: this decision counts.
   */
  async decide(
    id: string,
    decision: Omit<Decision, 'at'>,
    where?: Address,
  ): Promise<{ isFirst: boolean; request: ApprovalRequest } | undefined> {
    const request = await this.look(id);
    if (!request) return undefined;
    const own: Decision = { ...decision, at: new Date(this.#clock.now()).toISOString() };
    const made = await this.#store(request, () => madeBy(request, own, this.#clock.of(request), where));
    this.#arm();
    return { isFirst: made?.decision === own, request };
  }

  /** Returns false if there is no decision to resume with. */
  async take(id: string): Promise<boolean> {
    const request = await this.look(id);
    if (!request?.decision || request.decision.verdict === 'wrote') return false;
    request.takenAt ??= new Date(this.#clock.now()).toISOString();
    const { takenAt } = request;
    await this.#inTurn(request, () => this.#write(request, { takenAt }));
    this.#waiting.note(request);
    return true;
  }

  /** Requests of a task that no run has resumed with, decided or not, oldest first. */
  waiting(taskId: string): ApprovalRequest[] {
    return [...this.#waiting.of(taskId)];
  }

  /** The person wrote something else before a run resumed. */
  async withdraw(id: string, by: { by: string; name: string }): Promise<void> {
    const request = await this.look(id);
    if (!request || !isWaiting(request)) return;
    const at = new Date(this.#clock.now()).toISOString();
    await this.#store(request, () => (isWaiting(request) ? { decision: { ...by, verdict: 'wrote', at } } : undefined));
    this.#arm();
  }

  /** Continues what an earlier process left. */
  async start(): Promise<void> {
    this.#prune();
    for (const request of this.#requests.values()) {
      this.#waiting.note(request);
      if (request.decision && isWaiting(request)) this.#unsent.add(request);
    }
    await this.#attend();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#shared?.close();
  }

  /** Puts one entry into the task's lane, however often this is called. */
  async #resume(request: ApprovalRequest): Promise<void> {
    this.#unsent.delete(request);
    if (request.decision) await this.#options.onDecided?.(request, request.decision);
    const entry = request.decision && isWaiting(request) ? resumedEntry(request) : undefined;
    if (!entry) return;
    const lane = taskLane(entry.taskId);
    try {
      await this.#options.queue.enqueue(lane, entry, { dedupeId: `approval ${request.id}`, by: shareOf(entry) });
    } catch (error) {
      this.#unsent.add(request);
      throw error;
    }
  }

  /**
   * Stores a decision durably and resumes the run with the one that counts.
   * @param what computed in the request's turn; undefined if it was decided before
   * @returns undefined if another decision was first
   */
  async #store(
    request: ApprovalRequest,
    what: () => RecordedDecision | undefined,
  ): Promise<RecordedDecision | undefined> {
    const made = await this.#inTurn(request, async () => {
      const given = what();
      return given && (await this.#holds(request, given)) ? given : undefined;
    });
    this.#waiting.note(request);
    crashPoint('approval:decided');
    // A crash or a full disk may have come between an earlier decision and its entry in the lane.
    await this.#resume(request);
    return made;
  }

  /**
   * Applies a decision at once, and reverts it if it can't be stored. Returns false if another process decided first.
   */
  async #holds(request: ApprovalRequest, given: RecordedDecision): Promise<boolean> {
    const holds = this.#shared ? await this.#shared.agree(request.id, given) : given;
    const before = { decision: request.decision, asked: request.asked };
    Object.assign(request, holds);
    try {
      await this.#write(request, holds);
    } catch (error) {
      Object.assign(request, before);
      if (!before.decision) delete request.decision;
      if (holds === given) await this.#shared?.undo(request.id);
      throw error;
    }
    return holds === given;
  }

  /** Changes follow one another, so that the file holds the latest. */
  #inTurn<T>(request: ApprovalRequest, change: () => Promise<T>): Promise<T> {
    return serialise(`${this.#name} ${request.id}`, change);
  }

  #write(request: ApprovalRequest, change: Partial<ApprovalRequest>): Promise<void> {
    if (this.#shared) return this.#shared.write(request, change);
    return (this.#options.store ?? storeRequest)(this.folder, request);
  }

  /** Keeps fields that the file doesn't have yet. */
  #learn(file: ApprovalRequest | undefined): ApprovalRequest | undefined {
    if (!file) return undefined;
    const known = this.#requests.get(file.id);
    const request = Object.assign(known ?? {}, file);
    this.#requests.set(file.id, request);
    this.#waiting.note(request);
    return request;
  }

  async #lookAgain(id: string): Promise<void> {
    const { decision: before, sentence } = this.#requests.get(id) ?? {};
    try {
      const request = await this.look(id);
      if (request?.decision && !before) this.#options.onDecidedElsewhere?.(request, request.decision);
      else if (request?.sentence !== undefined && sentence === undefined) this.#options.onAsked?.(request);
      this.#arm();
    } catch (error) {
      this.#options.log.error({ err: error, approval: id }, 'could not read the decision of another process');
    }
  }

  /** Decides expired requests, and resends what couldn't be sent before. Never rejects. */
  async #attend(): Promise<void> {
    const late = this.#waiting.all().filter((request) => lapse(request, this.#clock.of(request)));
    for (const request of [...this.#unsent, ...late]) {
      try {
        await this.#store(request, () => lapse(request, this.#clock.of(request)));
      } catch (error) {
        this.#options.log.error({ err: error, approval: request.id }, 'a decision could not be passed on');
      }
    }
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const retry = this.#unsent.size > 0 ? RETRY_MS : Number.POSITIVE_INFINITY;
    const due = Math.min(retry, this.#clock.firstDue(this.#waiting.all()));
    if (this.#isClosed || due === Number.POSITIVE_INFINITY) return;
    // A request that is already late has failed before.
    const wait = due <= 0 ? RETRY_MS : Math.min(STEP_MS, due);
    this.#timer = setTimeout(() => void this.#attend(), wait + 1);
    this.#timer.unref();
  }

  #prune(): void {
    if (this.#clock.now() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = this.#clock.now();
    forgetDecided(this.folder, this.#requests, this.#prunedAt - KEEP_MS);
  }
}

class WaitingRequests {
  readonly #byTask = new Map<string, ApprovalRequest[]>();

  /** Called after every change of a request. */
  note(request: ApprovalRequest): void {
    const others = this.of(request.taskId).filter(({ id }) => id !== request.id);
    const left = isWaiting(request) ? [...others, request] : others;
    if (left.length > 0) this.#byTask.set(request.taskId, left);
    else this.#byTask.delete(request.taskId);
  }

  of(taskId: string): readonly ApprovalRequest[] {
    return this.#byTask.get(taskId) ?? [];
  }

  all(): ApprovalRequest[] {
    return [...this.#byTask.values()].flat();
  }
}
