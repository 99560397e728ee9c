/** A session of an editor: one task, its prompts in order, and updates about its runs. */
import { z } from 'zod';
import { type EventFrame, ViberError } from '../../client/client.ts';
import { GrowingText } from '../../runtime/reply/growing-text.ts';
import type { Link } from './link.ts';
import type { PromptWords } from './prompt.ts';
import { INTERNAL_ERROR, RpcError } from './rpc.ts';
import { callEnded, callStarted, messageChunk, planUpdate, textBlock, toolKind } from './updates.ts';

export type StopReason = 'end_turn' | 'cancelled';

/** A prompt that waits for the end of its run. */
interface PromptInWork {
  /**
   * Resolves with failures instead of rejecting: one may occur before anybody waits, and an unhandled rejection would
   * end the process.
   */
  settled: PromiseWithResolvers<StopReason | RpcError>;
  /** Runs that were in progress before it. */
  others: ReadonlySet<string>;
  text: GrowingText;
  isCancelled: boolean;
}

const question = z.object({
  approval: z.string(),
  digest: z.string(),
  kind: z.enum(['tool', 'plan', 'question']),
  tool: z.string(),
  question: z.string(),
  details: z.string().exactOptional(),
  options: z.array(z.string()).exactOptional(),
});
type AskedQuestion = z.infer<typeof question>;

const outcome = z.object({ outcome: z.object({ outcome: z.string(), optionId: z.string().exactOptional() }) });
const detail = z.object({
  plan: z
    .object({ plan: z.object({ steps: z.array(z.object({ title: z.string(), status: z.string() })) }) })
    .exactOptional(),
});
const page = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  next: z.string().exactOptional(),
});
/** How many pages of a hundred messages to show again. */
const MAX_PAGES = 20;
const MAX_EARLY = 1_000;

export class EditorSession {
  readonly id: string;
  readonly #link: Link;
  readonly #project: string | undefined;
  readonly #cwd: string;
  readonly #running = new Set<string>();
  /** The calls that were shown, and whether each has ended. */
  readonly #calls = new Map<string, boolean>();
  #taskId: string | undefined;
  #prompt: PromptInWork | undefined;
  /** Events that arrived before the task's ID was known. */
  readonly #early: EventFrame[] = [];
  #plan = '';

  constructor(id: string, at: { cwd: string; project?: string | undefined; taskId?: string | undefined }, link: Link) {
    this.id = id;
    this.#link = link;
    this.#cwd = at.cwd;
    this.#project = at.project;
    this.#taskId = at.taskId;
  }

  say(text: string): void {
    if (text !== '') this.#update(messageChunk('agent', text));
  }

  /** @throws RpcError with the gateway's own message */
  async prompt({ text, files }: PromptWords): Promise<StopReason> {
    if (this.#prompt) throw new RpcError(INTERNAL_ERROR, this.#link.messages.text('programs.onePrompt'));
    const settled = Promise.withResolvers<StopReason | RpcError>();
    this.#prompt = { settled, others: new Set(this.#running), text: new GrowingText(), isCancelled: false };
    try {
      const refs = await Promise.all(files.map((file) => this.#link.web.upload(file)));
      await this.#send(text || files.map(({ name }) => name).join(', '), refs);
      if (this.#prompt.isCancelled) await this.cancel();
      const end = await settled.promise;
      if (end instanceof RpcError) throw end;
      return end;
    } catch (error) {
      throw error instanceof ViberError ? new RpcError(INTERNAL_ERROR, error.message) : error;
    } finally {
      this.#prompt = undefined;
    }
  }

  async #send(text: string, files: readonly string[]): Promise<void> {
    const { client } = this.#link;
    const given = files.length > 0 ? { files } : {};
    if (this.#taskId !== undefined) {
      const said = { taskId: this.#taskId, message: text, injectionMode: 'followup', ...given };
      await client.send({ type: 'task:message', ...said });
      return;
    }
    const project = this.#project === undefined ? {} : { project: this.#project };
    const task = { goal: text, messages: [], live: 'events', ...project, ...given };
    const { taskId } = await client.send({ type: 'task:submit', ...task });
    if (taskId === undefined) throw new RpcError(INTERNAL_ERROR, 'The gateway named no task.');
    this.#taskId = taskId;
    for (const event of this.#early.splice(0)) this.hear(event);
    await this.#link.ask({ ask: 'keep', session: this.id, taskId, cwd: this.#cwd });
    await client.follow([taskId], 'events');
  }

  /** Stops the run. The prompt ends once the gateway reports this. */
  async cancel(): Promise<void> {
    if (!this.#prompt) return;
    this.#prompt.isCancelled = true;
    if (this.#taskId === undefined) return;
    await this.#link.client.send({ type: 'task:stop', taskId: this.#taskId });
    this.#settle('cancelled');
  }

  /** Shows the conversation so far, and the plan. */
  async replay(): Promise<void> {
    const { web, client } = this.#link;
    const taskId = this.#taskId ?? '';
    const pages: z.infer<typeof page>['messages'][] = [];
    for (let after = ''; pages.length < MAX_PAGES; ) {
      const { messages, next } = page.parse(await web.get(`/api/tasks/${taskId}/messages${after}`));
      pages.unshift(messages);
      if (next === undefined) break;
      after = `?after=${encodeURIComponent(next)}`;
    }
    for (const { role, text } of pages.flat()) this.#update(messageChunk(role === 'user' ? 'user' : 'agent', text));
    await this.#showPlan();
    await client.follow([taskId], 'events');
  }

  /** Handles an event if it is about the session's task. */
  hear(event: EventFrame): void {
    if (this.#taskId === undefined && this.#prompt && this.#early.length < MAX_EARLY) this.#early.push(event);
    if (!('taskId' in event) || event.taskId !== this.#taskId || this.#taskId === undefined) return;
    switch (event.type) {
      case 'task:started':
        this.#running.add(event.runId);
        break;
      case 'task:progress':
        this.#progress(event.event, event.runId);
        break;
      case 'task:completed':
        this.#running.delete(event.runId);
        this.#completed(event);
        break;
      case 'task:error':
        this.#running.delete(event.runId);
        if (this.#isOurs(event.runId)) this.#fail(event.error.message);
        break;
      case 'task:state':
        if (event.state === 'stopped' || event.state === 'error') this.#ended(event.state);
        break;
      case 'plan:changed':
        this.#showPlan().catch((error: unknown) => this.#fail(String(error)));
        break;
      case 'approval:asked': {
        const { data } = question.safeParse(event);
        if (data) this.#askPerson(data).catch((error: unknown) => this.#fail(String(error)));
        break;
      }
      default:
    }
  }

  #ended(state: 'stopped' | 'error'): void {
    this.#running.clear();
    if (state === 'stopped') this.#settle('cancelled');
    else this.#fail(this.#link.messages.text('programs.failed'));
  }

  #completed({ runId, result }: Extract<EventFrame, { type: 'task:completed' }>): void {
    const prompt = this.#isOurs(runId) ? this.#prompt : undefined;
    this.say(prompt ? prompt.text.finish(result.text) : result.text);
    for (const { title, ref } of result.artifactRefs)
      this.#update({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'resource_link', name: title, uri: this.#link.web.addressOf(ref) },
      });
    if (prompt) this.#settle('end_turn');
  }

  #isOurs(runId: string | undefined): boolean {
    return this.#prompt !== undefined && (runId === undefined || !this.#prompt.others.has(runId));
  }

  #progress(event: { type: string; [field: string]: unknown }, runId: string | undefined): void {
    const text = this.#isOurs(runId) ? this.#prompt?.text : undefined;
    if (event.type === 'text-delta' && typeof event.content === 'string')
      this.say((event.whole === true ? text?.replace(event.content) : text?.add(event.content)) ?? '');
    if (event.type === 'state-change' && event.state === 'thinking') text?.endStep();
    if (event.type !== 'tool-call' && event.type !== 'tool-result') return;
    text?.endStep();
    const tool = String(event.tool);
    const id = typeof event.callId === 'string' ? event.callId : tool;
    if (event.type === 'tool-call' && !this.#calls.has(id)) {
      this.#calls.set(id, false);
      this.#update(callStarted({ id, tool, args: event.args }, this.#project));
    } else if (event.type === 'tool-result' && this.#calls.get(id) === false) {
      this.#calls.set(id, true);
      this.#update(callEnded(id, event.result));
    }
  }

  /** Asks the person to choose. The next prompt answers a question without choices, or one that nobody answers here. */
  async #askPerson(asked: AskedQuestion): Promise<void> {
    const { kind, options = [] } = asked;
    if (kind === 'question' && options.length === 0) {
      this.say(asked.question);
      return this.#settle('end_turn');
    }
    const chosen = await this.#permission(asked);
    if (chosen === undefined) {
      this.say(this.#prompt?.isCancelled ? '' : this.#link.messages.text('programs.unanswered'));
      return this.#settle(this.#prompt?.isCancelled ? 'cancelled' : 'end_turn');
    }
    const { approval, digest } = asked;
    const answer = kind === 'question' ? options[Number(chosen)] : undefined;
    const decision = answer === undefined ? { verdict: chosen } : { verdict: 'answer', answer };
    // Somebody may have decided elsewhere in the meantime; the run continues either way.
    await this.#link.client.send({ type: 'approval:decide', approval, digest, ...decision }).catch((error: unknown) => {
      if (!(error instanceof ViberError)) throw error;
      this.say(error.message);
    });
  }

  /** Returns the chosen option, or undefined if the person chose none. */
  async #permission({ approval, kind, tool, question: title, details, options = [] }: AskedQuestion) {
    const { messages } = this.#link;
    const buttons =
      kind === 'question'
        ? options.map((name, at) => ({ optionId: String(at), name, kind: 'allow_once' }))
        : [
            { optionId: 'approve', name: messages.text('common.yes'), kind: 'allow_once' },
            { optionId: 'reject', name: messages.text('common.no'), kind: 'reject_once' },
          ];
    const toolCall = {
      toolCallId: approval,
      title,
      kind: kind === 'tool' ? toolKind(tool) : 'other',
      status: 'pending',
      ...(details !== undefined && { content: [{ type: 'content', content: textBlock(details) }] }),
    };
    const asked = { sessionId: this.id, toolCall, options: buttons };
    const { data } = outcome.safeParse(await this.#link.peer.request('session/request_permission', asked));
    const chosen = data?.outcome.outcome === 'selected' ? data.outcome.optionId : undefined;
    return buttons.some(({ optionId }) => optionId === chosen) ? chosen : undefined;
  }

  async #showPlan(): Promise<void> {
    const { plan } = detail.parse(await this.#link.web.get(`/api/tasks/${this.#taskId}`));
    const update = plan ? planUpdate(plan.plan.steps) : undefined;
    const text = JSON.stringify(update);
    if (update && text !== this.#plan) this.#update(update);
    this.#plan = text;
  }

  #update(update: object): void {
    this.#link.peer.notify('session/update', { sessionId: this.id, update });
  }

  #settle(reason: StopReason): void {
    this.#prompt?.settled.resolve(this.#prompt.isCancelled ? 'cancelled' : reason);
  }

  #fail(message: string): void {
    this.#prompt?.settled.resolve(new RpcError(INTERNAL_ERROR, message));
  }
}
