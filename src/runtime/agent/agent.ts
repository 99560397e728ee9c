/**
 * One run of the model's loop: request in, live events and finished steps on the way, text out (P12, L6). It reads no
 * context from disk (C1). Invariants: a step is journaled before the next begins; after an abort nothing more is said
 * or run; a failure is always a RunError, or what a hook threw.
 */
import type { Logger } from '../../log.ts';
import { openCalls } from '../context/open-calls.ts';
import type { Agent, AgentHooks, AgentOutcome, AgentRequest, Timeouts, WaitingCall } from '../contract/agent.ts';
import type { GenerateResult } from '../contract/model.ts';
import { RunError, toolFailed, toRunError } from '../contract/run-error.ts';
import type { Models } from '../model/models.ts';
import { createStreamingModel } from '../model/streaming-model.ts';
import { answerCalls } from './answer-calls.ts';
import { type AgentEvents, createEvents } from './events.ts';
import { addStep, finalText, NOTHING_SAID } from './outcome.ts';
import { appendSteps, toInstructions, toPrompt } from './prompt.ts';
import { callsOf, stepMessages, type ToolOutput } from './step.ts';
import { callTool, toToolSpecs } from './tools.ts';

export type {
  Agent,
  AgentHooks,
  AgentOutcome,
  AgentRequest,
  Timeouts,
  Verdict,
  WaitingCall,
} from '../contract/agent.ts';
export { RunError, type RunErrorKind } from '../contract/run-error.ts';

const TIMEOUTS: Timeouts = {
  connect: 10_000,
  firstToken: 60_000,
  idle: 60_000,
  run: 900_000,
  retry: 500,
  maxRetryAfter: 20_000,
};

export interface AgentOptions {
  models: Models;
  timeouts?: Partial<Timeouts>;
  log: Logger;
  /** Whether nothing of a text can be seen once a chat shows it. */
  isBlank?: (text: string) => Promise<boolean>;
}

export function createAgent(options: AgentOptions): Agent {
  const { models, log } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  async function loop(request: AgentRequest, hooks: AgentHooks, controller: AbortController, events: AgentEvents) {
    const { signal } = controller;
    const { resume, maxSteps } = request;
    let said = resume.reduce((before, step) => addStep(before, step.messages), NOTHING_SAID);
    let next = resume.reduce((after, step) => Math.max(after, step.index + 1), 0);
    const usage: AgentOutcome['usage'] = { inputTokens: 0, outputTokens: 0 };
    const model = createStreamingModel({
      names: [request.model, ...request.fallback],
      load: (name) => models.load(name, { connectMs: timeouts.connect }),
      limits: timeouts,
      onText: events.text,
      onRestart: events.thinking,
      isBlank: options.isBlank,
      acceptsEmpty: () => said.latest !== '',
      ...(hooks.beforeCall && { beforeCall: hooks.beforeCall }),
      ...(hooks.onUsage && { onUsage: hooks.onUsage }),
      onFailure: (failure) => log.warn({ run: request.runId, ...failure }, 'a model call failed'),
    });
    let steps = resume.length;
    const outcome = (finish: AgentOutcome['finish']): AgentOutcome => ({
      text: finalText(finish, said),
      model: model.current(),
      steps,
      finish,
      usage,
    });
    const parked: WaitingCall[] = [];
    const wait = (): AgentOutcome => {
      events.waiting();
      return { ...outcome('parked'), parked };
    };
    if (said.isAnswer) return outcome('stop');

    const toolHooks = {
      signal,
      beforeExternal: (call: { callId: string; tool: string }) => orEnd(() => hooks.onCall(call)),
      onStart: events.toolCall,
      onEnd: events.toolResult,
      onWait: (call: WaitingCall) => void parked.push(call),
      log,
    };
    // What is not journaled must not go on: the tools beside it neither.
    const orEnd = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        controller.abort(error);
        throw error;
      }
    };
    const finished = resume.flatMap((step) => step.messages);
    const stillOpen = await answerCalls({
      ...{
        calls: openCalls(finished),
        tools: request.tools,
        verdicts: request.verdicts ?? new Map(),
        hooks: toolHooks,
      },
      onResult: async (message) => {
        finished.push(message);
        await orEnd(() => hooks.onStep({ index: next++, messages: [message] }));
      },
    });
    parked.push(...stillOpen);
    if (parked.length > 0) return wait();
    if (steps >= maxSteps) return outcome('max-steps');
    const prompt = [
      ...toInstructions(request.instructions),
      ...(await toPrompt(request.messages, finished, request.goal)),
    ];
    const tools = toToolSpecs(request.tools);

    /** Asks the model, runs what it calls, and notes the step. */
    async function step(): Promise<{ finish: string; calls: number }> {
      events.thinking();
      const answer = await model.ask({ prompt, ...(tools.length > 0 && { tools }), abortSignal: signal });
      signal.throwIfAborted();
      const finish = answer.finishReason.unified;
      // Calls of an answer that was cut off may be half of what was meant.
      const isCut = finish === 'length' || finish === 'content-filter';
      const calls = isCut ? [] : callsOf(answer);
      const outputs = new Map<string, ToolOutput>();
      await Promise.all(
        calls.map(async (call) => {
          const output = await callTool(call, request.tools, toolHooks);
          if (output) outputs.set(call.callId, output);
        }),
      );
      // A step cut by an abort is not finished: its tools' results are not theirs.
      signal.throwIfAborted();
      const messages = stepMessages(isCut ? withoutCalls(answer) : answer, calls, outputs);
      said = addStep(said, messages);
      steps += 1;
      addUsage(usage, answer.usage);
      await orEnd(() => hooks.onStep({ index: next++, messages }));
      appendSteps(prompt, messages);
      return { finish, calls: calls.length };
    }

    try {
      for (;;) {
        const { finish, calls } = await step();
        signal.throwIfAborted();
        if (parked.length > 0) return wait();
        if (finish === 'length' || finish === 'content-filter') return outcome(finish);
        if (calls === 0) return outcome('stop');
        if (steps >= maxSteps) return outcome('max-steps');
      }
    } catch (error) {
      if (!(error instanceof RunError) || error.kind !== 'empty' || said.tools.length === 0) throw error;
      if (said.failed.length > 0) throw toolFailed(said.failed);
      // The work is done; that the model adds no words to it is no reason to hide it.
      return outcome('stop');
    }
  }

  return {
    async run(request, hooks) {
      const controller = new AbortController();
      const { signal } = controller;
      const onStop = () =>
        controller.abort(new RunError('stopped', 'The run was stopped.', { cause: hooks.signal.reason }));
      const timer = setTimeout(() => controller.abort(tookTooLong(timeouts.run)), timeouts.run);
      const events = createEvents(request, hooks.onEvent, signal, log);
      hooks.signal.addEventListener('abort', onStop, { once: true });
      try {
        if (hooks.signal.aborted) onStop();
        signal.throwIfAborted();
        return await loop(request, hooks, controller, events);
      } catch (error) {
        // Whatever an abort made fail, its reason is what happened.
        throw signal.aborted ? signal.reason : toRunError(error);
      } finally {
        clearTimeout(timer);
        hooks.signal.removeEventListener('abort', onStop);
        events.end();
      }
    },
    async preload(model = models.defaultModel) {
      try {
        await models.load(model, { connectMs: timeouts.connect });
      } catch (err) {
        log.warn({ err, model }, 'the model could not be loaded');
      }
    },
  };
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

function tookTooLong(ms: number): RunError {
  const limit = ms >= 60_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} seconds`;
  return new RunError('timeout', `The work took longer than ${limit} and was ended: ask for it in smaller parts.`, {
    detail: `run longer than ${ms} ms`,
  });
}
