/**
 * What waits for a person: one file a request in `access/approvals/`, from the moment it is asked until a week after it was
 * decided. A request is decided once (promise 36): the decision is durable first, then the run's going on is put into its task's lane,
 * where it is handed out once, in order, and again after a crash.
 *
 *   asked --decide--> decided (file) --resume--> in the lane --take--> the run goes on
 *     +------- the time goes by: decided as well, by one timer; at the start for what went by meanwhile
 */

import path from 'node:path';
import type { Address } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { Queue } from '../../engine/engine.ts';
import { serialise } from '../../lib/locks.ts';
import type { Logger } from '../../log.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import { type Entry, shareOf, taskLane } from '../contract/entry.ts';
import { RequestClock } from './clock.ts';
import { forgetDecided, loadRequests, storeRequest } from './files.ts';
import { isWaiting, lapse, type Made, madeBy, resumedEntry } from './request.ts';
import { type SharedBy, SharedRequests } from './shared.ts';
import { WaitingRequests } from './waiting.ts';

export interface ApprovalsOptions {
  /** `access/` of the home. */
  folder: string;
  queue: Pick<Queue<Entry>, 'enqueue'>;
  log: Logger;
  /** Tells the messages that asked; called again after a crash. Must not reject. */
  onDecided?: (request: ApprovalRequest, decision: Decision) => Promise<void>;
  /** Several processes work on the home: given where they do. */
  shared?: SharedBy | undefined;
  /** Another process has decided. Must not throw. */
  onDecidedElsewhere?: (request: ApprovalRequest, decision: Decision) => void;
  /** People were shown what they are asked. Must not throw. */
  onAsked?: (request: ApprovalRequest) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Durable when it resolves. */
  store?: typeof storeRequest;
}

/** Decided requests are kept this long, so that a late press is told what happened. */
const KEEP_MS = 7 * 86_400_000;
const PRUNE_MS = 3_600_000;
/** A timer stands still while the machine sleeps; what ran out meanwhile is noticed within this time. */
const STEP_MS = 60_000;
/** After a failure of the disk. */
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
  /** Decided, and not in their lanes yet. */
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

  /** Durable when it resolves. The same id again is the request that is there already. */
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

  /** Keeps what people were shown, for those who ask about it later. */
  async told(id: string, shown: Pick<ApprovalRequest, 'sentence' | 'details'>): Promise<void> {
    const request = this.#requests.get(id);
    if (!request || request.decision || request.sentence === shown.sentence) return;
    Object.assign(request, shown);
    await this.#inTurn(request, () => this.#write(request, shown));
    this.#options.onAsked?.(request);
  }

  get(id: string): ApprovalRequest | undefined {
    return this.#requests.get(id) ?? this.#learn(this.#shared?.read(id));
  }

  /** The same, with what other processes have changed. */
  async look(id: string): Promise<ApprovalRequest | undefined> {
    const file = this.#shared?.read(id);
    if (!this.#shared || !file) return this.get(id);
    const request = this.#learn(file) ?? file;
    const decided = file.decision ? undefined : await this.#shared.decided(id);
    if (!decided || request.decision) return request;
    // Whoever was first has not come to writing it down.
    await this.#shared.write(request, decided);
    return this.#learn({ ...request, ...decided });
  }

  /** What other processes have asked and decided. Never rejects. */
  async refresh(): Promise<void> {
    if (!this.#shared) return;
    const ids = this.#shared.ids().filter((id) => !this.#requests.has(id));
    for (const id of [...ids, ...this.#waiting.all().map((request) => request.id)]) await this.#lookAgain(id);
  }

  /** All that is undecided, oldest first. */
  all(): ApprovalRequest[] {
    return this.#waiting.all().filter((request) => !request.decision);
  }

  /** The undecided requests of a task, oldest first. */
  open(taskId: string): ApprovalRequest[] {
    return this.#waiting.of(taskId).filter((request) => !request.decision);
  }

  /**
   * Decides a request unless it is decided, or its time is up. `isFirst` tells whether this decision is the one that holds;
   * it is durable when it resolves, and the run goes on, answered where it was decided.
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

  /** The run goes on with the decision; false when there is none to go on with. */
  async take(id: string): Promise<boolean> {
    const request = await this.look(id);
    if (!request?.decision || request.decision.verdict === 'wrote') return false;
    request.takenAt ??= new Date(this.#clock.now()).toISOString();
    const { takenAt } = request;
    await this.#inTurn(request, () => this.#write(request, { takenAt }));
    this.#waiting.note(request);
    return true;
  }

  /** Requests of a task that no run has gone on with, decided or not, oldest first. */
  waiting(taskId: string): ApprovalRequest[] {
    return [...this.#waiting.of(taskId)];
  }

  /** Closes a request that no run has gone on with: the person wrote something else. */
  async withdraw(id: string, by: Pick<Decision, 'by' | 'name'>): Promise<void> {
    const request = await this.look(id);
    if (!request || !isWaiting(request)) return;
    const at = new Date(this.#clock.now()).toISOString();
    await this.#store(request, () => (isWaiting(request) ? { decision: { ...by, verdict: 'wrote', at } } : undefined));
    this.#arm();
  }

  /** Takes up what an earlier process left: decisions that nobody took up, requests whose time is up. */
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

  /** The run goes on: an entry of the task's lane, put there once however often this is called. */
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
   * Durable when it resolves, and the run goes on by what holds.
   * @param what is decided, asked in the request's turn; undefined: nothing, it was decided before
   * @returns what was decided, undefined where another decision was first
   */
  async #store(request: ApprovalRequest, what: () => Made | undefined): Promise<Made | undefined> {
    const made = await this.#inTurn(request, async () => {
      const given = what();
      return given && (await this.#holds(request, given)) ? given : undefined;
    });
    this.#waiting.note(request);
    crashPoint('approval:decided');
    // A crash, or a full disk, may have come between an earlier decision and its entry in the lane.
    await this.#resume(request);
    return made;
  }

  /** In force at once, and no longer where it cannot be stored; false when another process was first, whose decision holds. */
  async #holds(request: ApprovalRequest, given: Made): Promise<boolean> {
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

  /** Changes of one request overlap nowhere: the file says what was made last. */
  #inTurn<T>(request: ApprovalRequest, change: () => Promise<T>): Promise<T> {
    return serialise(`${this.#name} ${request.id}`, change);
  }

  #write(request: ApprovalRequest, change: Partial<ApprovalRequest>): Promise<void> {
    if (this.#shared) return this.#shared.write(request, change);
    return (this.#options.store ?? storeRequest)(this.folder, request);
  }

  /** Takes over what a file says; what it does not say yet stays. */
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
      this.#options.log.error({ err: error, approval: id }, 'what another process has decided could not be read');
    }
  }

  /** Closes what ran out, and sends what could not be sent before. Never rejects. */
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

  /** One timer for the request whose time is up first. */
  #arm(): void {
    clearTimeout(this.#timer);
    const retry = this.#unsent.size > 0 ? RETRY_MS : Number.POSITIVE_INFINITY;
    const due = Math.min(retry, this.#clock.firstDue(this.#waiting.all()));
    if (this.#isClosed || due === Number.POSITIVE_INFINITY) return;
    // What is late already has met a failure.
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
