/** What tests of the agent share: a request, hooks that record, tools, and a models table over an emulated endpoint. */
import { z } from 'zod';
import type { AgentStreamEvent } from '../../../src/channels/channel.ts';
import { dialects } from '../../../src/features/dialects/index.ts';
import { silentLog } from '../../../src/log.ts';
import { createAgent } from '../../../src/runtime/agent/agent.ts';
import type { AgentHooks, AgentOutcome, AgentRequest, Timeouts } from '../../../src/runtime/contract/agent.ts';
import type { ProviderSettings } from '../../../src/runtime/contract/providers.ts';
import { RunError } from '../../../src/runtime/contract/run-error.ts';
import type { RuntimeTool, ToolEffect } from '../../../src/runtime/contract/task.ts';
import { createModels, type Models } from '../../../src/runtime/model/models.ts';
import type { Json } from '../../../src/workspace/types.ts';
import { ownTime } from '../../helpers/own-time.ts';

/** For what must run out of time. */
export const QUICK: Partial<Timeouts> = {
  connect: 2_000,
  firstToken: 1_000,
  idle: 1_000,
  run: 15_000,
  retry: 10,
  maxRetryAfter: 1_500,
};

/** No slow machine may run out of these. */
export const PATIENT: Partial<Timeouts> = { ...QUICK, connect: 20_000, firstToken: 20_000, idle: 20_000, run: 300_000 };

export function request(overrides: Partial<AgentRequest> = {}): AgentRequest {
  return {
    ...{ taskId: 't1', runId: 'r1', viber: 'default', goal: 'help me', model: 'local/test-model', fallback: [] },
    ...{
      messages: [{ role: 'user', text: 'hello' }],
      instructions: ['You are Viber.'],
      maxSteps: 10,
      tools: [],
      resume: [],
    },
    ...overrides,
  };
}

export interface Recorded extends AgentHooks {
  events: AgentStreamEvent[];
  calls: { callId: string; tool: string }[];
  steps: { index: number; messages: Json[] }[];
  /** Text told since the last `thinking`. */
  visible(): string;
  stop(reason?: Error): void;
}

export function record(overrides: Partial<AgentHooks> = {}): Recorded {
  const controller = new AbortController();
  const events: AgentStreamEvent[] = [];
  const calls: Recorded['calls'] = [];
  const steps: Recorded['steps'] = [];
  return {
    ...{ events, calls, steps, signal: controller.signal },
    onEvent: (event) => void events.push(event),
    async onCall(call, said) {
      if (said) steps.push(said);
      calls.push(call);
    },
    onStep: async (step) => void steps.push(step),
    stop: (reason) => controller.abort(reason ?? new Error('stop')),
    visible() {
      const from = events.findLastIndex((event) => event.type === 'state-change' && event.state === 'thinking');
      return events
        .slice(from + 1)
        .map((event) => (event.type === 'text-delta' ? event.content : ''))
        .join('');
    },
    ...overrides,
  };
}

export function tool(
  name: string,
  effect: ToolEffect,
  execute: RuntimeTool['execute'],
  input: z.ZodType = z.object({ text: z.string() }),
): RuntimeTool {
  return { name, description: `The tool ${name}.`, input, effect, execute };
}

export const modelsOf = (providers: Record<string, ProviderSettings>): Models => createModels({ providers, env: {} });

/** Runs a request against endpoints given as provider settings. */
export function runWith(
  providers: Record<string, ProviderSettings>,
  overrides: Partial<AgentRequest> = {},
  hooks: AgentHooks = record(),
  timeouts: Partial<Timeouts> = PATIENT,
): Promise<AgentOutcome> {
  const readers = [dialects.understands].filter((reader) => reader !== undefined);
  return createAgent({ models: modelsOf(providers), timeouts, log: silentLog(), readers }).run(
    request(overrides),
    hooks,
  );
}

/** The error of a run that must fail, and the milliseconds it took. */
export async function failureOf(run: Promise<unknown>): Promise<{ error: RunError; ms: number }> {
  const begin = ownTime();
  try {
    await run;
  } catch (error) {
    if (error instanceof RunError) return { error, ms: ownTime() - begin };
    throw error;
  }
  throw new Error('the run did not fail');
}
