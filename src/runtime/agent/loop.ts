/**
 * Drives the model's loop, which the AI SDK runs: ask the model, run the tools it calls, record the results, and repeat
 * until it answers with text alone. Invariants: a call's result is journaled as soon as the call ends, and a step
 * before the next begins; after an abort nothing more is said or run.
 */
import {
  type ContentPart,
  generateText,
  NoSuchToolError,
  type StepResult,
  type ToolCallRepairFunction,
  type ToolSet,
} from 'ai';
import type { Logger } from '../../log.ts';
import { messagesIn, say } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import { openCalls, resultMessage } from '../context/open-calls.ts';
import type { AgentHooks, AgentOutcome, AgentRequest, Timeouts, UnseenFile, WaitingCall } from '../contract/agent.ts';
import type { AnswerReader, CallOptions, GenerateResult, MeantAnswer, Prompt } from '../contract/model.ts';
import { takesPdf } from '../contract/providers.ts';
import { RunError, type RunErrorKind } from '../contract/run-error.ts';
import type { RuntimeTool } from '../contract/task.ts';
import type { Models } from '../model/models.ts';
import { StreamingModel } from '../model/streaming-model.ts';
import { wantedText } from '../model/wanted.ts';
import { toolFailed } from '../tools/doing.ts';
import { answerCalls } from './answer-calls.ts';
import type { EmitEvent } from './events.ts';
import { addStep, besideOf, finalText, NOTHING_SAID, type RunSummary } from './outcome.ts';
import { appendSteps, showPictures, toInstructions, toPrompt, withBreakpoint } from './prompt.ts';
import { failsTheSame } from './same-failure.ts';
import { saidMessages, stepMessages } from './step.ts';
import { StepNotes } from './step-notes.ts';
import { createTurns, runTool, ToolFailure, type ToolHooks, toToolSet, whyInvalid } from './tools.ts';

export interface AgentOptions {
  models: Models;
  timeouts?: Partial<Timeouts>;
  log: Logger;
  /** Returns whether a text shows nothing once a chat renders it. */
  isBlank?: (text: string) => Promise<boolean>;
  /** Readers of answers in a model's own form; the first that knows the form reads it. */
  readers?: readonly AnswerReader[];
  /** Called when an attempt at a model fails; another may follow. */
  onModelFailure?: (kind: RunErrorKind) => void;
}

interface LoopServices extends Omit<AgentOptions, 'timeouts'> {
  timeouts: Timeouts;
  /** Aborting it ends the run. */
  controller: AbortController;
  emit: EmitEvent;
}

export class Loop {
  readonly #request: AgentRequest;
  readonly #hooks: AgentHooks;
  readonly #controller: AbortController;
  readonly #emit: EmitEvent;
  readonly #toolHooks: ToolHooks;
  readonly #readers: readonly AnswerReader[];
  readonly #model: StreamingModel;
  #said: RunSummary;
  #noted: StepNotes | undefined;
  /** Journaling has failed, or the task belongs to another process now: nothing more is recorded. */
  #isClosed = false;
  #steps: number;
  /** The model already knows that a call it wrote as text did not count. */
  #knowsForm = false;
  /** The run goes on with other tools. */
  #changesTools = false;
  /** Calls that wait for a person. */
  readonly #parked: WaitingCall[] = [];
  /** The error for the model, by ID of a call that does not run. */
  readonly #refusals = new Map<string, string>();
  /** Files of the newest messages that the model sees (`#new`), and files that it can't see (`#unseen`). */
  readonly #new = new Set<Uint8Array>();
  readonly #unseen: UnseenFile[] = [];
  readonly #usage: AgentOutcome['usage'] = { inputTokens: 0, outputTokens: 0 };

  constructor(request: AgentRequest, hooks: AgentHooks, to: LoopServices) {
    const { resume } = request;
    const { emit, log } = to;
    this.#request = request;
    this.#hooks = hooks;
    this.#controller = to.controller;
    this.#emit = emit;
    this.#readers = to.readers ?? [];
    this.#said = resume.reduce((before, step) => addStep(before, step.messages), NOTHING_SAID);
    this.#steps = resume.length;
    this.#toolHooks = {
      signal: to.controller.signal,
      inTurn: createTurns(to.controller.signal),
      beforeExternal: (call) => this.#notes.call(call),
      keepCall: () => this.#notes.said(),
      ...(hooks.check && { beforeAny: () => this.#check() }),
      emit,
      onWait: (call) => void this.#parked.push(call),
      ...(hooks.watch?.tool && { watch: hooks.watch.tool }),
      log,
    };
    this.#model = new StreamingModel({
      names: [request.model, ...request.fallback],
      load: (name) => to.models.load(name, { connectMs: to.timeouts.connect }),
      limits: to.timeouts,
      onText: (content) => emit({ type: 'text-delta', content }),
      onRestart: () => emit({ type: 'state-change', state: 'thinking' }),
      onAnswer: (answer, call) => this.#asMeant(answer, call),
      isBlank: to.isBlank,
      acceptsEmpty: () => this.#said.beside.at(-1)?.isAside === true && this.#said.text !== '',
      hooks,
      onRefused: (data, name, most) => {
        const why = most === undefined ? say('answers.unseenRefused') : say('answers.unseenMany', { n: most });
        if (this.#new.delete(data)) this.#unseen.push({ name, why });
      },
      onFailure(failure) {
        log[failure.kind === 'offline' ? 'info' : 'warn']({ run: request.runId, ...failure }, 'a model call failed');
        to.onModelFailure?.(failure.kind);
      },
    });
  }

  /** Made for the first call: most runs only answer. */
  get #notes(): StepNotes {
    this.#noted ??= new StepNotes(
      {
        onCall: (call, said) => this.#orEnd(() => this.#hooks.onCall(call, said)),
        onStep: (part) => this.#orEnd(() => this.#hooks.onStep(part)),
      },
      this.#request.resume.reduce((after, step) => Math.max(after, step.index + 1), 0),
    );
    return this.#noted;
  }

  async run(): Promise<AgentOutcome> {
    const { signal } = this.#controller;
    if (this.#said.isAnswer) return this.#outcome('stop');
    try {
      const finished = await this.#answerOpenCalls();
      if (this.#parked.length > 0) return this.#wait();
      if (this.#changesTools) return this.#outcome('other-tools');
      if (this.#callsLeft() <= 0) return this.#outcome('max-steps');
      const prompt = await this.#prompt(finished);
      const last = await this.#generate(prompt);
      signal.throwIfAborted();
      if (this.#parked.length > 0) return this.#wait();
      if (this.#changesTools) return this.#outcome('other-tools');
      const { finishReason } = last;
      if (finishReason === 'length' || finishReason === 'content-filter') return this.#outcome(finishReason);
      if (last.toolCalls.every((call) => call.providerExecuted)) return this.#outcome('stop');
      return this.#outcome(failsTheSame(prompt) === undefined ? 'max-steps' : 'stuck');
    } catch (error) {
      if (!this.#isClosed) await this.#noted?.said();
      const { tools: used, failed } = this.#said;
      if (!(error instanceof RunError) || error.kind !== 'empty' || used.length === 0) throw error;
      if (failed.length > 0) throw toolFailed(failed);
      // The work is done; a model that adds no text is no reason to hide that.
      return this.#wordless();
    }
  }

  /**
   * Builds the initial prompt.
   * @param finished messages of this run's finished steps
   */
  #prompt(finished: readonly Json[]): Promise<Prompt> {
    const { messages, resume, goal, standing, model } = this.#request;
    const files = resume.flatMap((step) => step.files ?? []);
    const resumed = { messages: finished, files: [...files, ...(this.#hooks.takeShown?.() ?? [])] };
    return toPrompt(messages, resumed, goal, {
      standing,
      signal: this.#controller.signal,
      onUnseen: (unseen) => {
        if (!unseen.isPages || takesPdf(model)) this.#unseen.push(unseen);
      },
      onNew: (data) => void this.#new.add(data),
    });
  }

  /**
   * Runs the remaining steps and returns the last one.
   * @param prompt grows with each step
   */
  async #generate(prompt: Prompt): Promise<StepResult<ToolSet>> {
    const { instructions, tools, thinking, language, taskId } = this.#request;
    const { signal } = this.#controller;
    const { finalStep } = await generateText({
      model: this.#model,
      instructions: toInstructions(instructions),
      messages: prompt,
      abortSignal: signal,
      maxRetries: 0,
      tools: toToolSet(tools, (tool, input, callId) => this.#run(tool, input, callId)),
      ...(thinking && { reasoning: thinking === 'off' ? ('none' as const) : thinking }),
      // Only the provider with that name reads its options.
      providerOptions: { task: { id: taskId }, ...(language !== undefined && { offline: { language } }) },
      stopWhen: [
        () => this.#callsLeft() <= 0,
        () => this.#parked.length > 0 || this.#changesTools,
        () => failsTheSame(prompt) !== undefined,
      ],
      prepareStep: async () => {
        const shown = this.#hooks.takeShown?.() ?? [];
        if (shown.length > 0) await showPictures(prompt, shown, signal);
        await this.#check();
        this.#emit({ type: 'state-change', state: 'thinking' });
        return { messages: withBreakpoint(prompt) };
      },
      // Our own tracing never includes the conversation.
      telemetry: { isEnabled: false },
      repairToolCall,
      onLanguageModelCallEnd: ({ content }) => this.#called(content),
      onStepEnd: (step) => this.#stepEnded(step, prompt),
    });
    return finalStep;
  }

  /** Turns calls that the model wrote as text into real calls. */
  async #asMeant(given: GenerateResult, call: CallOptions): Promise<GenerateResult> {
    this.#controller.signal.throwIfAborted();
    await this.#check();
    const reader = this.#readers.find(({ when }) =>
      given.content.some(
        (part) =>
          part.type === 'text' && (typeof when === 'function' ? when(part.text) : part.text.search(when) !== -1),
      ),
    );
    const meant: MeantAnswer = reader ? await reader.read(given, call, !this.#knowsForm) : { answer: given };
    const { answer, refusal, isTold } = meant;
    this.#knowsForm ||= isTold === true;
    const { unified } = answer.finishReason;
    // Calls in a truncated answer may be incomplete.
    if (unified === 'length' || unified === 'content-filter') return withoutCalls(answer);
    for (const part of answer.content)
      if (refusal !== undefined && part.type === 'tool-call') this.#refusals.set(part.toolCallId, refusal);
    return answer;
  }

  /** Records the model's answer: its refused calls get their results before any other call runs. */
  #called(content: readonly ContentPart<ToolSet>[]): void {
    const calls = content.filter((part) => part.type === 'tool-call');
    if (calls.length === 0) return;
    const names = this.#request.tools.map(({ name }) => name);
    for (const call of calls)
      if (call.invalid && !this.#refusals.has(call.toolCallId))
        this.#refusals.set(call.toolCallId, whyInvalid(call, names));
    const refused = calls.flatMap(({ toolCallId: callId, toolName: tool }) => {
      const error = this.#refusals.get(callId);
      return error === undefined ? [] : [resultMessage({ callId, tool }, { error })];
    });
    this.#notes.begin([...saidMessages(content), ...refused]);
  }

  async #run(tool: RuntimeTool, input: unknown, callId: string): Promise<Json> {
    const refusal = this.#refusals.get(callId);
    if (refusal !== undefined) throw new ToolFailure(refusal);
    const noteEnd = (result: { value: Json } | { error: string }) =>
      this.#notes.result(resultMessage({ callId, tool: tool.name }, result));
    try {
      const value = await runTool(tool, input, callId, this.#toolHooks);
      const waits = this.#parked.some((call) => call.callId === callId);
      if (!waits) await noteEnd({ value });
      this.#changesTools ||= !waits && tool.changesTools === true;
      return value;
    } catch (error) {
      if (error instanceof ToolFailure) await noteEnd({ error: error.message });
      throw error;
    }
  }

  /** Records the rest of the step, first in the session, then in the prompt. A step cut by an abort isn't finished. */
  async #stepEnded({ toolCalls, response, usage }: StepResult<ToolSet>, prompt: Prompt): Promise<void> {
    if (this.#controller.signal.aborted) return;
    const messages: Json[] =
      toolCalls.length > 0
        ? stepMessages(response.messages, new Set(this.#parked.map(({ callId }) => callId)), this.#refusals)
        : JSON.parse(JSON.stringify(response.messages));
    this.#said = addStep(this.#said, messages);
    this.#steps += 1;
    addUsage(this.#usage, usage);
    // Text alone ends the run, and has no effect that must be kept.
    if (toolCalls.length === 0) return;
    appendSteps(prompt, messages);
    await this.#notes.end(messages);
  }

  /**
   * Gives pending calls their results. Returns the messages of all finished steps; calls that still wait are parked
   * again.
   */
  async #answerOpenCalls(): Promise<Json[]> {
    const { resume, tools, verdicts = new Map() } = this.#request;
    const finished = resume.flatMap((step) => step.messages);
    if (finished.length === 0) return finished;
    const calls = openCalls(finished);
    const stillOpen = await answerCalls({
      calls,
      tools,
      verdicts,
      hooks: this.#toolHooks,
      onResult: async (message) => {
        finished.push(message);
        await this.#notes.result(message);
      },
    });
    this.#parked.push(...stillOpen);
    this.#changesTools = calls.some(({ tool: called }) =>
      tools.some(({ name, changesTools }) => name === called && changesTools),
    );
    return finished;
  }

  #callsLeft(): number {
    const { maxSteps, ofParts } = this.#request;
    return maxSteps - this.#steps - (ofParts?.() ?? 0);
  }

  /** Ends the run if the task belongs to another process now. */
  #check(): Promise<void> {
    return this.#orEnd(async () => this.#hooks.check?.());
  }

  /** Ends the run if `work` fails: work that isn't journaled must not continue, nor may other tools. */
  async #orEnd(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#isClosed = true;
      this.#controller.abort(error);
      throw error;
    }
  }

  #wait(): AgentOutcome {
    this.#emit({ type: 'state-change', state: 'waiting-approval' });
    return { ...this.#outcome('parked'), parked: this.#parked };
  }

  /** Returns an outcome without a final text: text that came with calls doesn't answer their results. */
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
      model: this.#model.current,
      steps: this.#steps,
      finish,
      usage: this.#usage,
    };
  }
}

function withoutCalls(answer: GenerateResult): GenerateResult {
  return { ...answer, content: answer.content.filter((part) => part.type !== 'tool-call') };
}

/** Converts arguments to the form that the tool expects. */
const repairToolCall: ToolCallRepairFunction<ToolSet> = async ({ toolCall, inputSchema, error }) => {
  if (NoSuchToolError.isInstance(error)) return null;
  const input = wantedText(toolCall.input, await inputSchema(toolCall));
  return input === undefined ? null : { ...toolCall, input };
};

function addUsage(
  usage: AgentOutcome['usage'],
  { inputTokens = 0, outputTokens = 0, inputTokenDetails }: StepResult<ToolSet>['usage'],
): void {
  usage.inputTokens += inputTokens;
  usage.outputTokens += outputTokens;
  const cached = inputTokenDetails.cacheReadTokens ?? 0;
  if (cached > 0) usage.cachedInputTokens = (usage.cachedInputTokens ?? 0) + cached;
}
