/**
 * Notes a step while it goes on: what the model said with its calls before the first of them has an effect, and each call's result
 * as it ends, so that nothing which cuts the step loses what has ended by then. One note at a time, in order.
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
  /** Of the next note's line in the session. */
  #next: number;
  /** What of the step under way is not noted yet. */
  #open: Json[] = [];
  /** Calls of that step whose results are noted, or will be with what is open. */
  #answered = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param hooks whose rejection ends the run */
  constructor(hooks: Noting, next: number) {
    this.#hooks = hooks;
    this.#next = next;
  }

  /** The model has answered: its words and calls, with the results of those that are refused. */
  begin(messages: Json[]): void {
    this.#open = messages;
    this.#answered = new Set(answeredIn(messages));
  }

  /** A call is about to have an effect. */
  call(call: { callId: string; tool: string }): Promise<void> {
    return this.#inOrder(() => this.#hooks.onCall(call, this.#take()));
  }

  /** A call has ended. */
  result(message: Json): Promise<void> {
    for (const callId of answeredIn([message])) this.#answered.add(callId);
    return this.#inOrder(() => this.#write([message]));
  }

  /** The step was cut: its calls are noted, that the runs which follow know what was tried. */
  cut(): Promise<void> {
    return this.#inOrder(() => this.#write([]));
  }

  /** The step has ended. @param messages all of it */
  end(messages: Json[]): Promise<void> {
    return this.#inOrder(() => {
      // As the SDK has made it, where nothing of it was noted.
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
    // Only the order is kept: a failure is the caller's, and ends the run.
    this.#last = noted.catch(() => undefined);
    return noted;
  }
}
