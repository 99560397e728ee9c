/** Requests that no run has resumed with, by task. */
import type { ApprovalRequest } from '../contract/approval.ts';
import { isWaiting } from './request.ts';

export class WaitingRequests {
  readonly #byTask = new Map<string, ApprovalRequest[]>();

  /** Must be called after every change of a request. */
  note(request: ApprovalRequest): void {
    const others = this.of(request.taskId).filter(({ id }) => id !== request.id);
    const left = isWaiting(request) ? [...others, request] : others;
    if (left.length > 0) this.#byTask.set(request.taskId, left);
    else this.#byTask.delete(request.taskId);
  }

  /** Returns those of a task, oldest first. */
  of(taskId: string): readonly ApprovalRequest[] {
    return this.#byTask.get(taskId) ?? [];
  }

  all(): ApprovalRequest[] {
    return [...this.#byTask.values()].flat();
  }
}
