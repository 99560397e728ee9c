/**
 * The agent mesh: agents find each other by their files and ask each other directly. An asked agent works on the same
 * task, with its files, its people's rights and its approvals, but with its own settings, memory and session.
 * ask -> session of the asked agent: message -> agent (each step there) -> result -> back to the asking agent
 * Invariant: the same question of the same run (`key`) is worked on once: after a crash it resumes from its journal,
 * and an existing result is returned again.
 */

import { UserError } from '../../../errors.ts';
import { type Logger, scrub } from '../../../log.ts';
import { RunError } from '../../../runtime/agent/agent.ts';
import { cutCall, cutOffWords, STEERED } from '../../../runtime/context/past-run.ts';
import { type AbortReason, RunAbort } from '../../../runtime/contract/abort.ts';
import type { Waiting } from '../../../runtime/contract/agent.ts';
import type { Order, RunAgent } from '../../../runtime/contract/order.ts';
import {
  type AgentAnswer,
  ASK_AGENT,
  type Question,
  runOfQuestion,
  viberOf,
} from '../../../runtime/contract/question.ts';
import type { Bus } from '../../../runtime/live/bus.ts';
import { summarise } from '../../../runtime/reply/reply.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { ArtifactRef, SessionEntry } from '../../../workspace/types.ts';
import { agentAnswer, type PassOn } from './answer.ts';
import type { Registry } from './registry.ts';

export interface TaskStart {
  message: string;
  artifactRefs: ArtifactRef[];
}

export interface MeshLimits {
  /** The maximum depth of questions. */
  max_depth: number;
  /** The maximum number of questions in one run of a task, across all depths. */
  max_calls: number;
}

export interface MeshOptions {
  home: Home;
  registry: Registry;
  runAgent: RunAgent;
  /** Phrases elements of an answer for the asking agent. */
  passOn: PassOn;
  bus: Bus;
  limits: MeshLimits;
  log: Logger;
}

/** Returns why the outermost run was aborted; nested runs are aborted with the reason of the one above. */
function endedBy({ reason }: AbortSignal): AbortReason | undefined {
  for (let error: unknown = reason; error instanceof Error; error = error.cause)
    if (error instanceof RunAbort) return error.reason;
  return undefined;
}

export class Mesh {
  readonly #options: MeshOptions;
  readonly #home: Home;
  readonly registry: Registry;
  readonly limits: MeshLimits;
  readonly #bus: Bus;

  constructor(options: MeshOptions) {
    this.#options = options;
    this.#home = options.home;
    this.registry = options.registry;
    this.limits = options.limits;
    this.#bus = options.bus;
  }

  /** Returns what is known of an earlier question when the asking run resumes after a crash. */
  async begun({ agent, key, order }: { agent: string; key: string; order: Order }): Promise<TaskStart | undefined> {
    if (order.earlier.length === 0) return undefined;
    const lines = openTask(this.#home, order.task, agent).session.run(runOfQuestion(order.run, agent, key));
    const message = lines.find((entry) => entry.type === 'message')?.text;
    const result = lines.find((entry) => entry.type === 'result');
    return message === undefined ? undefined : { message, artifactRefs: result?.artifactRefs ?? [] };
  }

  /**
   * @throws {UserError} if the agent can't answer, worded for the asking agent
   * @throws {RunError} if its model fails, or the asking run was aborted
   */
  async ask(question: Question): Promise<AgentAnswer | Waiting> {
    const { agent: viber, message, key, order, asked } = question;
    this.#check(question);
    // Counted before the first await: several questions run in parallel.
    asked.calls.used += 1;
    if (this.registry.ids().includes(viber)) await this.registry.load(viber);
    const run = runOfQuestion(order.run, viber, key);
    const where = { viber, run };
    const signal = question.signal ?? order.signal;
    const earlier = await this.#begin(question, run, viber);
    const done = earlier.find((entry) => entry.type === 'result');
    if (done?.type === 'result') {
      if (done.state === 'completed') return { text: done.text, artifactRefs: done.artifactRefs };
      throw new UserError(`${viber} could not answer that: ${done.text || done.error || done.state}`);
    }
    const cut = cutCall(earlier);
    if (cut !== undefined) {
      const text = `${viber} was interrupted while using ${cut}; it may or may not have happened. Look before it is done again.`;
      await this.#end(question, where, { state: 'error', text, error: 'interrupted' });
      throw new UserError(text);
    }
    // Subscribers of the bus see the question itself; the person's progress shows what is done for it.
    const origin = { agentId: viber, taskId: order.task.id, runId: run };
    this.#bus.emit({
      ...origin,
      type: 'tool-call',
      tool: ASK_AGENT,
      args: { agent: viber, message: scrub(message) },
    });
    try {
      const { outcome, made, tools } = await this.#options.runAgent({
        task: order.task,
        viber,
        run,
        principal: order.principal,
        words: [message],
        names: [],
        query: message,
        tellsMemory: order.tellsMemory,
        place: `another agent (${asked.chain.at(-1) ?? viber}), not a person: your answer goes to it as it stands`,
        earlier,
        signal,
        asked,
        ...(order.decided && { decided: order.decided }),
        ...(order.watch && { watch: order.watch }),
        ...(order.address && { address: order.address }),
        ...(order.job && { job: order.job }),
        instructions: question.instructions,
      });
      if (outcome.parked) return outcome.parked[0]?.below ?? { waiting: outcome, tools, ...where, earlier };
      const answer = await agentAnswer(outcome, made, {
        home: this.#home,
        log: this.#options.log,
        passOn: this.#options.passOn,
        taskId: order.task.id,
        run,
      });
      await this.#end(question, where, { text: answer.text, artifactRefs: answer.artifactRefs });
      this.#bus.emit({ ...origin, type: 'tool-result', tool: ASK_AGENT, result: { text: answer.text } });
      return answer;
    } catch (error) {
      await this.#broken(question, where, error);
      throw error;
    }
  }

  #check({ agent, asked, message }: Question): void {
    if (message.trim() === '') throw new UserError('The message is empty.');
    if (asked.chain.includes(agent))
      throw new UserError(
        `${agent} waits for this answer itself (${asked.chain.join(' -> ')}): answer without asking it.`,
      );
    if (asked.chain.length > this.limits.max_depth)
      throw new UserError(
        `Agents may not ask each other deeper than ${this.limits.max_depth} (mesh.max_depth): do it yourself.`,
      );
    if (asked.calls.used >= this.limits.max_calls)
      throw new UserError(
        `This run has asked ${this.limits.max_calls} times already (mesh.max_calls): go on without asking.`,
      );
  }

  async #end(
    { order }: Question,
    { viber, run }: { viber: string; run: string },
    result: Partial<Extract<SessionEntry, { type: 'result' }>>,
  ): Promise<void> {
    const text = scrub(result.text ?? '');
    const line: SessionEntry = {
      type: 'result',
      run,
      at: new Date().toISOString(),
      state: 'completed',
      artifactRefs: [],
      ...result,
      text,
      summary: summarise(text),
    };
    await openTask(this.#home, order.task, viber).session.append([line], { sync: true });
  }

  /** Writes the first line of its session's run, or returns the lines of a resumed run. */
  async #begin(question: Question, run: string, viber: string): Promise<SessionEntry[]> {
    const { order, message } = question;
    // A new run can't have asked this before.
    const earlier = order.earlier.length > 0 ? openTask(this.#home, order.task, viber).session.run(run) : [];
    if (earlier.some((entry) => entry.type === 'message')) return earlier;
    const at = new Date().toISOString();
    const name = question.asked.chain.at(-1) ?? viberOf(order);
    const from = { channel: 'agent', user: `agent:${name}`, name };
    const line: SessionEntry = {
      type: 'message',
      id: run,
      run,
      at,
      takenAt: at,
      text: scrub(message),
      from,
      files: [],
    };
    await openTask(this.#home, order.task, viber).session.append([line], { sync: true });
    return earlier;
  }

  /** Records the end of an aborted run in the session; nothing if the run resumes after the next start. */
  async #broken(question: Question, where: { viber: string; run: string }, error: unknown): Promise<void> {
    const reason = endedBy(question.order.signal);
    if (reason === 'shutdown' || !(error instanceof RunError)) return;
    const cut = cutCall(openTask(this.#home, question.order.task, where.viber).session.run(where.run));
    const text = cut === undefined ? '' : cutOffWords(cut);
    if (reason === 'steer') await this.#end(question, where, { state: 'stopped', text, error: STEERED });
    else if (reason === 'stop') await this.#end(question, where, { state: 'stopped', text });
    else await this.#end(question, where, { state: 'error', text, error: error.kind });
  }
}
