/**
 * What waits for a person: one file a request in `access/approvals/`, from the moment it is asked until a week after it was
 * decided. A request is decided once (T8): the decision is durable first, then the run's going on is put into its task's lane,
 * where it is handed out once, in order, and again after a crash.
 *
 *   asked --decide--> decided (file) --resume--> in the lane --take--> the run goes on
 *     +------- the time goes by: decided as well, by one timer; at the start for what went by meanwhile
 */

import path from 'node:path';
import { type Address, conversationKey, type InboundMessage } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { Queue } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import { type Entry, shareOf, taskLane } from '../contract/entry.ts';
import { loadRequests, removeRequest, storeRequest } from './files.ts';

export interface Approvals {
  /** Durable when it resolves. The same id again is the request that is there already. */
  ask(request: ApprovalRequest): Promise<ApprovalRequest>;
  get(id: string): ApprovalRequest | undefined;
  /** The undecided requests of a task, oldest first. */
  open(taskId: string): ApprovalRequest[];
  /**
   * Decides a request unless it is decided, or its time is up. `isFirst` tells whether this decision is the one that holds;
   * it is durable when it resolves, and the run goes on, answered where it was decided.
   */
  decide(
    id: string,
    decision: Omit<Decision, 'at'>,
    where?: Address,
  ): Promise<{ isFirst: boolean; request: ApprovalRequest } | undefined>;
  /** The run goes on with the decision; false when there is none to go on with. */
  take(id: string): Promise<boolean>;
  /** Requests of a task that no run has gone on with, decided or not, oldest first. */
  waiting(taskId: string): ApprovalRequest[];
  /** Closes a request that no run has gone on with: the person wrote something else. */
  withdraw(id: string, by: Pick<Decision, 'by' | 'name'>): Promise<void>;
  /** The folder for texts that are too long for a message. */
  readonly folder: string;
  /** Takes up what an earlier process left: decisions that nobody took up, requests whose time is up. */
  start(): Promise<void>;
  close(): void;
}

export interface ApprovalsOptions {
  /** `access/` of the home. */
  folder: string;
  queue: Pick<Queue<Entry>, 'enqueue'>;
  log: Logger;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Decided requests are kept this long, so that a late press is told what happened. */
const KEEP_MS = 7 * 86_400_000;
const PRUNE_MS = 3_600_000;
const MAX_TIMER_MS = 2_147_000_000;
/** After a failure of the disk. */
const RETRY_MS = 2_000;

export function openApprovals(options: ApprovalsOptions): Approvals {
  const { queue, log } = options;
  const now = options.now ?? Date.now;
  const folder = path.join(options.folder, 'approvals');
  const requests = loadRequests(folder);
  /** Those that no run has gone on with, by task, oldest first. */
  const waitingOf = new Map<string, ApprovalRequest[]>();
  /** Decided, and not in their lanes yet. */
  const unsent = new Set<ApprovalRequest>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let prunedAt = 0;

  const isWaiting = ({ decision, takenAt }: ApprovalRequest) => !takenAt && decision?.verdict !== 'wrote';

  /** After every change of a request. */
  function note(request: ApprovalRequest): void {
    const others = (waitingOf.get(request.taskId) ?? []).filter(({ id }) => id !== request.id);
    const left = isWaiting(request) ? [...others, request] : others;
    if (left.length > 0) waitingOf.set(request.taskId, left);
    else waitingOf.delete(request.taskId);
  }

  const allWaiting = () => [...waitingOf.values()].flat();

  const isLate = ({ expiresAt }: ApprovalRequest) => expiresAt !== undefined && Date.parse(expiresAt) <= now();

  /** The run goes on: an entry of the task's lane, put there once however often this is called. */
  async function resume(request: ApprovalRequest): Promise<void> {
    unsent.delete(request);
    if (!request.decision || !isWaiting(request)) return;
    const { id, viber, taskId, run, principal, play, job } = request;
    const [message] = request.asked;
    if (!message) return;
    const entry: Entry = { message, principal, viber, taskId, resume: { approval: id, run } };
    if (play) entry.play = {};
    if (job) entry.job = job;
    try {
      await queue.enqueue(taskLane(taskId), entry, { dedupeId: `approval ${id}`, by: shareOf(entry) });
    } catch (error) {
      unsent.add(request);
      throw error;
    }
  }

  /** In force at once, durable when it resolves. */
  async function settle(request: ApprovalRequest, decision: Decision): Promise<void> {
    const before = request.decision;
    request.decision = decision;
    try {
      await storeRequest(folder, request);
    } catch (error) {
      if (before) request.decision = before;
      else delete request.decision;
      throw error;
    }
    note(request);
    crashPoint('approval:decided');
    await resume(request);
  }

  const timeUp = ({ otherwise }: ApprovalRequest): Decision => {
    const at = new Date(now()).toISOString();
    if (otherwise === undefined) return { verdict: 'expired', by: '', name: '', at };
    return { verdict: 'answer', answer: otherwise, by: '', name: '', at };
  };

  /** Closes what ran out, and sends what could not be sent before. Never rejects. */
  async function attend(): Promise<void> {
    const late = allWaiting().filter((request) => !request.decision && isLate(request));
    for (const request of [...unsent, ...late]) {
      try {
        await (request.decision ? resume(request) : settle(request, timeUp(request)));
      } catch (error) {
        log.error({ err: error, approval: request.id }, 'a decision could not be passed on');
      }
    }
    arm();
  }

  /** One timer for the request whose time is up first. */
  function arm(): void {
    clearTimeout(timer);
    let due = unsent.size > 0 ? now() + RETRY_MS : Number.POSITIVE_INFINITY;
    for (const { decision, expiresAt } of allWaiting()) {
      if (!decision && expiresAt !== undefined) due = Math.min(due, Date.parse(expiresAt));
    }
    if (isClosed || due === Number.POSITIVE_INFINITY) return;
    // What is late already has met a failure.
    const wait = due <= now() ? RETRY_MS : Math.min(MAX_TIMER_MS, due - now());
    timer = setTimeout(() => void attend(), wait + 1);
    timer.unref();
  }

  function prune(): void {
    if (now() - prunedAt < PRUNE_MS) return;
    prunedAt = now();
    for (const [id, { decision }] of requests) {
      if (!decision || now() - Date.parse(decision.at) < KEEP_MS) continue;
      requests.delete(id);
      removeRequest(folder, id);
    }
  }

  return {
    folder,
    async ask(request) {
      const known = requests.get(request.id);
      if (known) return known;
      prune();
      await storeRequest(folder, request);
      requests.set(request.id, request);
      note(request);
      arm();
      return request;
    },
    get: (id) => requests.get(id),
    open: (taskId) => (waitingOf.get(taskId) ?? []).filter((request) => !request.decision),
    async decide(id, decision, where) {
      const request = requests.get(id);
      if (!request) return undefined;
      const isFirst = !request.decision && !isLate(request);
      const here = where && askedAt(request, where);
      if (isFirst && here) request.asked = [here, ...request.asked.filter((message) => message !== here)];
      if (isFirst) await settle(request, { ...decision, at: new Date(now()).toISOString() });
      else if (!request.decision) await settle(request, timeUp(request));
      // A crash, or a full disk, may have come between the decision and its entry in the lane.
      else await resume(request);
      arm();
      return { isFirst, request };
    },
    async take(id) {
      const request = requests.get(id);
      if (!request?.decision || request.decision.verdict === 'wrote') return false;
      request.takenAt ??= new Date(now()).toISOString();
      await storeRequest(folder, request);
      note(request);
      return true;
    },
    waiting: (taskId) => [...(waitingOf.get(taskId) ?? [])],
    async withdraw(id, by) {
      const request = requests.get(id);
      if (request && isWaiting(request)) {
        await settle(request, { ...by, verdict: 'wrote', at: new Date(now()).toISOString() });
        arm();
      }
    },
    async start() {
      prune();
      for (const request of requests.values()) {
        note(request);
        if (request.decision && isWaiting(request)) unsent.add(request);
      }
      await attend();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Where the request may be decided: the message that was answered with it there. */
export function askedAt(request: ApprovalRequest, address: Address): InboundMessage | undefined {
  const key = conversationKey(address);
  return request.asked.find((message) => conversationKey(message.address) === key);
}
