/**
 * The model's loop: ask, call the tools it wants, note the step, again, until it has only words. Invariants: a step is journaled
 * before the next begins; after an abort nothing more is said or run.
 */
import type { Logger } from '../../log.ts';
import { messagesIn, say } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import { openCalls } from '../context/open-calls.ts';
import type { AgentHooks, AgentOutcome, AgentRequest, Timeouts, Unseen, WaitingCall } from '../contract/agent.ts';
import type { CallOptions, GenerateResult } from '../contract/model.ts';
import { takesPdf } from '../contract/providers.ts';
import { RunError, type RunErrorKind } from '../contract/run-error.ts';
import type { InputFile } from '../contract/task.ts';
import type { Models } from '../model/models.ts';
import { createStreamingModel, type StreamingModel } from '../model/streaming-model.ts';
import { toolFailed } from '../tools/doing.ts';
import { answerCalls } from './answer-calls.ts';
import type { AgentEvents } from './events.ts';
import { addStep, besideOf, finalText, NOTHING_SAID, type Said } from './outcome.ts';
import { appendSteps, showPictures, toInstructions, toPrompt, withBreakpoint } from './prompt.ts';
import { failsTheSame } from './same-failure.ts';
import { callsOf, stepMessages, type ToolOutput } from './step.ts';
import { callTool, type ToolHooks, toToolSpecs } from './tools.ts';
import { takeWritten } from './written.ts';

export interface LoopServices {
  models: Models;
  timeouts: Timeouts;
  /** Its abort ends the run. */
  controller: AbortController;
  events: AgentEvents;
  isBlank?: ((text: string) => Promise<boolean>) | undefined;
  onModelFailure?: ((kind: RunErrorKind) => void) | undefined;
  log: Logger;
}

/** One run of the loop. */
export class Loop {
  readonly #request: AgentRequest;
  readonly #hooks: AgentHooks;
  readonly #controller: AbortController;
  readonly #events: AgentEvents;
  readonly #toolHooks: ToolHooks;
  readonly #model: StreamingModel;
  #said: Said;
  /** Of the next step's line in the session. */
  #next: number;
  #steps: number;
  /** The model has been told that a call it wrote as text is none. */
  #wasTold = false;
  /** Calls that wait for a person. */
  readonly #parked: WaitingCall[] = [];
  /** Pictures of tools that the model has not seen yet. */
  readonly #shown: InputFile[] = [];
  /** Files of the newest messages that the model is shown, and those that it was not. */
  readonly #new = new Set<Uint8Array>();
  readonly #unseen: Unseen[] = [];
  readonly #usage: AgentOutcome['usage'] = { inputTokens: 0, outputTokens: 0 };

  constructor(request: AgentRequest, hooks: AgentHooks, to: LoopServices) {
    const { resume } = request;
    const { events, log } = to;
    this.#request = request;
    this.#hooks = hooks;
    this.#controller = to.controller;
    this.#events = events;
    this.#said = resume.reduce((before, step) => addStep(before, step.messages), NOTHING_SAID);
    this.#next = resume.reduce((after, step) => Math.max(after, step.index + 1), 0);
    this.#steps = resume.length;
    this.#toolHooks = {
      signal: to.controller.signal,
      beforeExternal: (call) => this.#orEnd(() => hooks.onCall(call)),
      ...(hooks.check && { beforeAny: () => this.#check() }),
      onStart: events.toolCall,
      onProgress: events.toolProgress,
      onEnd: events.toolResult,
      onWait: (call) => void this.#parked.push(call),
      ...(hooks.watch?.tool && { watch: hooks.watch.tool }),
      log,
    };
    this.#model = createStreamingModel({
      names: [request.model, ...request.fallback],
      load: (name) => to.models.load(name, { connectMs: to.timeouts.connect }),
      limits: to.timeouts,
      onText: events.text,
      onRestart: events.thinking,
      isBlank: to.isBlank,
      acceptsEmpty: () => this.#said.beside.at(-1)?.isAside === true && this.#said.text !== '',
      ...(hooks.beforeCall && { beforeCall: hooks.beforeCall }),
      onRefused: (data, name, most) => {
        const why = most === undefined ? say('answers.unseenRefused') : say('answers.unseenMany', { n: most });
        if (this.#new.delete(data)) this.#unseen.push({ name, why });
      },
      ...(hooks.onUsage && { onUsage: hooks.onUsage }),
      ...(hooks.watch?.model && { watch: hooks.watch.model }),
      onFailure(failure) {
        log.warn({ run: request.runId, ...failure }, 'a model call failed');
        to.onModelFailure?.(failure.kind);
      },
    });
  }

  async run(): Promise<AgentOutcome> {
    const { maxSteps, instructions, messages, goal, thinking, language } = this.#request;
    const { signal } = this.#controller;
    if (this.#said.isAnswer) return this.#outcome('stop');
    const finished = await this.#answerOpenCalls();
    if (this.#parked.length > 0) return this.#wait();
    if (this.#steps >= maxSteps) return this.#outcome('max-steps');
    const files = this.#request.resume.flatMap((step) => step.files ?? []);
    const resumed = { messages: finished, files: [...files, ...this.#shown.splice(0)] };
    const prompt = [
      ...toInstructions(instructions),
      ...(await toPrompt(messages, resumed, goal, {
        ...{ standing: this.#request.standing, signal },
        onUnseen: (unseen) => {
          if (!unseen.isPages || takesPdf(this.#request.model)) this.#unseen.push(unseen);
        },
        onNew: (data) => void this.#new.add(data),
      })),
    ];
    const tools = toToolSpecs(this.#request.tools);
    const call = {
      ...{ prompt, abortSignal: signal },
      ...(tools.length > 0 && { tools }),
      ...(thinking && { reasoning: thinking === 'off' ? ('none' as const) : thinking }),
      // Only whom they are named after looks at these.
      providerOptions: { task: { id: this.#request.taskId }, ...(language !== undefined && { offline: { language } }) },
    };
    try {
      for (;;) {
        const { finish, calls } = await this.#step(call);
        signal.throwIfAborted();
        if (this.#parked.length > 0) return this.#wait();
        if (finish === 'length' || finish === 'content-filter') return this.#outcome(finish);
        if (calls === 0) return this.#outcome('stop');
        if (failsTheSame(call.prompt) !== undefined) return this.#outcome('stuck');
        if (this.#steps >= maxSteps) return this.#outcome('max-steps');
      }
    } catch (error) {
      const { tools: used, failed } = this.#said;
      if (!(error instanceof RunError) || error.kind !== 'empty' || used.length === 0) throw error;
      if (failed.length > 0) throw toolFailed(failed);
      // The work is done; that the model adds no words to it is no reason to hide it.
      return this.#wordless();
    }
  }

  /** Asks the model, runs what it calls, and notes the step: in the session, then in the prompt. */
  async #step(call: CallOptions): Promise<{ finish: string; calls: number }> {
    const { signal } = this.#controller;
    await this.#check();
    this.#events.thinking();
    const given = await this.#model.ask({ ...call, prompt: withBreakpoint(call.prompt) });
    signal.throwIfAborted();
    await this.#check();
    const { answer, refusal } = this.#asMeant(given, call);
    const finish = answer.finishReason.unified;
    // Calls of an answer that was cut off may be half of what was meant.
    const isCut = finish === 'length' || finish === 'content-filter';
    const calls = isCut ? [] : callsOf(answer);
    const outputs = new Map<string, ToolOutput>();
    await Promise.all(
      calls.map(async (one) => {
        const output = refusal ?? (await callTool(one, this.#request.tools, this.#toolHooks));
        if (output) outputs.set(one.callId, output);
      }),
    );
    // A step cut by an abort is not finished: its tools' results are not theirs.
    signal.throwIfAborted();
    const messages = stepMessages(isCut ? withoutCalls(answer) : answer, calls, outputs);
    this.#said = addStep(this.#said, messages);
    this.#steps += 1;
    addUsage(this.#usage, answer.usage);
    await this.#note(messages);
    appendSteps(call.prompt, messages);
    await showPictures(call.prompt, this.#shown.splice(0), signal);
    return { finish, calls: calls.length };
  }

  /** Calls that the model has written as text are taken as calls. */
  #asMeant(given: GenerateResult, call: CallOptions): ReturnType<typeof takeWritten> {
    const taken = takeWritten(given, call, !this.#wasTold);
    this.#wasTold ||= taken.isTold === true;
    return taken;
  }

  /** Calls that waited get their results. Gives the messages of all finished steps; what still waits is parked again. */
  async #answerOpenCalls(): Promise<Json[]> {
    const { resume, tools, verdicts = new Map() } = this.#request;
    const finished = resume.flatMap((step) => step.messages);
    const stillOpen = await answerCalls({
      ...{ calls: openCalls(finished), tools, verdicts, hooks: this.#toolHooks },
      onResult: async (message) => {
        finished.push(message);
        await this.#note([message]);
      },
    });
    this.#parked.push(...stillOpen);
    return finished;
  }

  async #note(messages: Json[]): Promise<void> {
    await this.#orEnd(() => this.#hooks.onStep({ index: this.#next++, messages }));
    this.#shown.push(...(this.#hooks.takeShown?.() ?? []));
  }

  /** What is somebody else's now must not go on. */
  #check(): Promise<void> {
    return this.#orEnd(async () => this.#hooks.check?.());
  }

  /** What is not journaled must not go on: the tools beside it neither. */
  async #orEnd(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#controller.abort(error);
      throw error;
    }
  }

  #wait(): AgentOutcome {
    this.#events.waiting();
    return { ...this.#outcome('parked'), parked: this.#parked };
  }

  /** What was said with calls was no answer to what came of them. */
  #wordless(): AgentOutcome {
    const outcome = this.#outcome('stop');
    const { latest } = this.#said;
    const noWords = messagesIn(this.#request.language).text('answers.noWords');
    return { ...outcome, text: latest === '' ? noWords : `${latest}\n\n${noWords}`, isWordless: true };
  }

  #outcome(finish: AgentOutcome['finish']): AgentOutcome {
    const beside = besideOf(finish, this.#said);
    return {
      text: finalText(finish, this.#said, messagesIn(this.#request.language)),
      ...(beside.length > 0 && { beside }),
      ...(this.#unseen.length > 0 && { unseen: this.#unseen }),
      model: this.#model.current(),
      steps: this.#steps,
      finish,
      usage: this.#usage,
    };
  }
}

function withoutCalls(answer: GenerateResult): GenerateResult {
  return { ...answer, content: answer.content.filter((part) => part.type !== 'tool-call') };
}

function addUsage(usage: AgentOutcome['usage'], { inputTokens, outputTokens }: GenerateResult['usage']): void {
  usage.inputTokens += inputTokens.total ?? 0;
  usage.outputTokens += outputTokens.total ?? 0;
  const cached = inputTokens.cacheRead ?? 0;
  if (cached > 0) usage.cachedInputTokens = (usage.cachedInputTokens ?? 0) + cached;
}
