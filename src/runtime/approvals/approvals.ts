/**
 * What waits for a person: one file a request in `access/approvals/`, from the moment it is asked until a week after it was
 * decided. A request is decided once (promise 36): the decision is durable first, then the run's going on is put into its task's lane,
 * where it is handed out once, in order, and again after a crash.
 *
 *   asked --decide--> decided (file) --resume--> in the lane --take--> the run goes on
 *     +------- the time goes by: decided as well, by one timer; at the start for what went by meanwhile
 */

import path from 'node:path';
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { Queue } from '../../engine/engine.ts';
import { steadyNow } from '../../lib/steady.ts';
import type { Logger } from '../../log.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import { type Entry, shareOf, taskLane } from '../contract/entry.ts';
import { loadRequests, removeRequest, storeRequest } from './files.ts';

export interface ApprovalsOptions {
  /** `access/` of the home. */
  folder: string;
  queue: Pick<Queue<Entry>, 'enqueue'>;
  log: Logger;
  /** Tells the messages that asked; called again after a crash. Must not reject. */
  onDecided?: (request: ApprovalRequest, decision: Decision) => Promise<void>;
  /** People were shown what they are asked. Must not throw. */
  onAsked?: (request: ApprovalRequest) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Decided requests are kept this long, so that a late press is told what happened. */
const KEEP_MS = 7 * 86_400_000;
const PRUNE_MS = 3_600_000;
const MAX_TIMER_MS = 2_147_000_000;
/** After a failure of the disk. */
const RETRY_MS = 2_000;

export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #now: () => number;
  /** The folder for texts that are too long for a message. */
  readonly folder: string;
  readonly #requests: Map<string, ApprovalRequest>;
  /** Those that no run has gone on with, by task, oldest first. */
  readonly #waitingOf = new Map<string, ApprovalRequest[]>();
  /** Decided, and not in their lanes yet. */
  readonly #unsent = new Set<ApprovalRequest>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #prunedAt = 0;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.#now = options.now ?? steadyNow;
    this.folder = path.join(options.folder, 'approvals');
    this.#requests = loadRequests(this.folder);
  }

  /** Durable when it resolves. The same id again is the request that is there already. */
  async ask(request: ApprovalRequest): Promise<ApprovalRequest> {
    const known = this.#requests.get(request.id);
    if (known) return known;
    this.#prune();
    await storeRequest(this.folder, request);
    this.#requests.set(request.id, request);
    this.#note(request);
    this.#arm();
    return request;
  }

  /** Keeps what people were shown, for those who ask about it later. */
  async told(id: string, shown: Pick<ApprovalRequest, 'sentence' | 'details'>): Promise<void> {
    const request = this.#requests.get(id);
    if (!request || request.decision || request.sentence === shown.sentence) return;
    Object.assign(request, shown);
    await storeRequest(this.folder, request);
    this.#options.onAsked?.(request);
  }

  get(id: string): ApprovalRequest | undefined {
    return this.#requests.get(id);
  }

  /** All that is undecided, oldest first. */
  all(): ApprovalRequest[] {
    return this.#waiting().filter((request) => !request.decision);
  }

  /** The undecided requests of a task, oldest first. */
  open(taskId: string): ApprovalRequest[] {
    return (this.#waitingOf.get(taskId) ?? []).filter((request) => !request.decision);
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
    const request = this.#requests.get(id);
    if (!request) return undefined;
    const press = pressOf(request, this.#now());
    const here = where && askedAt(request, where);
    if (press === 'decides') {
      if (here) request.asked = [here, ...request.asked.filter((message) => message !== here)];
      await this.#store(request, { ...decision, at: new Date(this.#now()).toISOString() });
    } else if (press === 'too late') await this.#store(request, timeUp(request, this.#now()));
    // A crash, or a full disk, may have come between the decision and its entry in the lane.
    else await this.#resume(request);
    this.#arm();
    return { isFirst: press === 'decides', request };
  }

  /** The run goes on with the decision; false when there is none to go on with. */
  async take(id: string): Promise<boolean> {
    const request = this.#requests.get(id);
    if (!request?.decision || request.decision.verdict === 'wrote') return false;
    request.takenAt ??= new Date(this.#now()).toISOString();
    await storeRequest(this.folder, request);
    this.#note(request);
    return true;
  }

  /** Requests of a task that no run has gone on with, decided or not, oldest first. */
  waiting(taskId: string): ApprovalRequest[] {
    return [...(this.#waitingOf.get(taskId) ?? [])];
  }

  /** Closes a request that no run has gone on with: the person wrote something else. */
  async withdraw(id: string, by: Pick<Decision, 'by' | 'name'>): Promise<void> {
    const request = this.#requests.get(id);
    if (request && isWaiting(request)) {
      await this.#store(request, { ...by, verdict: 'wrote', at: new Date(this.#now()).toISOString() });
      this.#arm();
    }
  }

  /** Takes up what an earlier process left: decisions that nobody took up, requests whose time is up. */
  async start(): Promise<void> {
    this.#prune();
    for (const request of this.#requests.values()) {
      this.#note(request);
      if (request.decision && isWaiting(request)) this.#unsent.add(request);
    }
    await this.#attend();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** After every change of a request. */
  #note(request: ApprovalRequest): void {
    const others = (this.#waitingOf.get(request.taskId) ?? []).filter(({ id }) => id !== request.id);
    const left = isWaiting(request) ? [...others, request] : others;
    if (left.length > 0) this.#waitingOf.set(request.taskId, left);
    else this.#waitingOf.delete(request.taskId);
  }

  #waiting(): ApprovalRequest[] {
    return [...this.#waitingOf.values()].flat();
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

  /** In force at once, durable when it resolves. */
  async #store(request: ApprovalRequest, decision: Decision): Promise<void> {
    const before = request.decision;
    request.decision = decision;
    try {
      await storeRequest(this.folder, request);
    } catch (error) {
      if (before) request.decision = before;
      else delete request.decision;
      throw error;
    }
    this.#note(request);
    crashPoint('approval:decided');
    await this.#resume(request);
  }

  /** Closes what ran out, and sends what could not be sent before. Never rejects. */
  async #attend(): Promise<void> {
    const late = this.#waiting().filter((request) => !request.decision && isLate(request, this.#now()));
    for (const request of [...this.#unsent, ...late]) {
      try {
        await (request.decision ? this.#resume(request) : this.#store(request, timeUp(request, this.#now())));
      } catch (error) {
        this.#options.log.error({ err: error, approval: request.id }, 'a decision could not be passed on');
      }
    }
    this.#arm();
  }

  /** One timer for the request whose time is up first. */
  #arm(): void {
    clearTimeout(this.#timer);
    let due = this.#unsent.size > 0 ? this.#now() + RETRY_MS : Number.POSITIVE_INFINITY;
    for (const { decision, expiresAt } of this.#waiting()) {
      if (!decision && expiresAt !== undefined) due = Math.min(due, Date.parse(expiresAt));
    }
    if (this.#isClosed || due === Number.POSITIVE_INFINITY) return;
    // What is late already has met a failure.
    const wait = due <= this.#now() ? RETRY_MS : Math.min(MAX_TIMER_MS, due - this.#now());
    this.#timer = setTimeout(() => void this.#attend(), wait + 1);
    this.#timer.unref();
  }

  #prune(): void {
    if (this.#now() - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = this.#now();
    for (const [id, { decision }] of this.#requests) {
      if (!decision || this.#now() - Date.parse(decision.at) < KEEP_MS) continue;
      this.#requests.delete(id);
      removeRequest(this.folder, id);
    }
  }
}

/** No run has gone on with it. */
const isWaiting = ({ decision, takenAt }: ApprovalRequest): boolean => !takenAt && decision?.verdict !== 'wrote';

const isLate = ({ expiresAt }: ApprovalRequest, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;

/** What a press means: a request is decided once, and a time that is up decides before any press. */
function pressOf(request: ApprovalRequest, now: number): 'decides' | 'too late' | 'again' {
  if (request.decision) return 'again';
  return isLate(request, now) ? 'too late' : 'decides';
}

/** The decision of a request whose time is up. */
function timeUp({ otherwise }: ApprovalRequest, now: number): Decision {
  const at = new Date(now).toISOString();
  if (otherwise === undefined) return { verdict: 'expired', by: '', name: '', at };
  return { verdict: 'answer', answer: otherwise, by: '', name: '', at };
}

/** With what the run goes on in its task's lane. */
function resumedEntry({ id, viber, taskId, run, principal, play, job, asked }: ApprovalRequest): Entry | undefined {
  const [message] = asked;
  if (!message) return undefined;
  return {
    ...{ message, principal, viber, taskId, resume: { approval: id, run } },
    ...(play && { play: {} }),
    ...(job && { job }),
  };
}

/** Where the request may be decided: the message that was answered with it there. */
export function askedAt(request: ApprovalRequest, address: Address): InboundMessage | undefined {
  const key = conversationKey(address);
  return request.asked.find((message) => conversationKey(message.address) === key);
}
