/**
 * Records a step while it runs: what the model said with its calls before the first call has an effect, and each call's
 * result as it ends. So an interruption of the step loses nothing that has ended. Writes one record at a time, in
 * order.
 */
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import type { AgentHooks } from '../contract/agent.ts';
import { answeredIn } from './step.ts';

interface Noting {
  onCall: AgentHooks['onCall'];
  onStep: AgentHooks['onStep'];
}

export class StepNotes {
  readonly #hooks: Noting;
  /** The index of the next record in the session. */
  #next: number;
  /** The messages of the current step that aren't recorded yet. */
  #open: Json[] = [];
  /** Calls of the current step whose results are recorded, or will be together with the open messages. */
  #answered = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param hooks whose rejection ends the run */
  constructor(hooks: Noting, next: number) {
    this.#hooks = hooks;
    this.#next = next;
  }

  /** Takes the model's answer: its text and calls, with the results of refused calls. */
  begin(messages: Json[]): void {
    this.#open = messages;
    this.#answered = new Set(answeredIn(messages));
  }

  /** Records that a call is about to have an effect. */
  call(call: { callId: string; tool: string }): Promise<void> {
    return this.#inOrder(() => this.#hooks.onCall(call, this.#take()));
  }

  result(message: Json): Promise<void> {
    for (const callId of answeredIn([message])) this.#answered.add(callId);
    return this.#inOrder(() => this.#write([message]));
  }

  /** Records what the model said and called, so that later runs know what was tried, if the step is interrupted. */
  said(): Promise<void> {
    return this.#inOrder(() => this.#write([]));
  }

  /**
   * Records the end of the step.
   * @param messages all messages of the step
   */
  end(messages: Json[]): Promise<void> {
    return this.#inOrder(() => {
      // If nothing of the step was recorded, all of the SDK's messages are.
      const isWhole = this.#open.length > 0;
      const rest = isWhole ? messages : messages.flatMap((message) => this.#unanswered(message));
      this.#open = [];
      return this.#write(rest);
    });
  }

  #unanswered(message: Json): Json[] {
    if (!isRecord(message) || message.role !== 'tool' || !Array.isArray(message.content)) return [];
    const content = message.content.filter((part) => !isRecord(part) || !this.#answered.has(String(part.toolCallId)));
    return content.length > 0 ? [{ ...message, content }] : [];
  }

  async #write(messages: Json[]): Promise<void> {
    const step = this.#take(messages);
    if (step) await this.#hooks.onStep(step);
  }

  #take(more: Json[] = []): Parameters<AgentHooks['onStep']>[0] | undefined {
    const messages = [...this.#open, ...more];
    this.#open = [];
    return messages.length > 0 ? { index: this.#next++, messages } : undefined;
  }

  #inOrder(note: () => Promise<void>): Promise<void> {
    const noted = this.#last.then(note);
    // Only the order matters here: the caller handles the failure, which ends the run.
    this.#last = noted.catch(() => undefined);
    return noted;
  }
}
