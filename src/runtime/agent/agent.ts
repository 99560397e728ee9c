/**
 * Runs the model's loop (`loop.ts`) once: takes a request, reports live events and finished steps, and returns text. It
 * reads no context from disk. Invariants: after an abort nothing more is said or run; every failure is a RunError, or
 * an error thrown by a hook.
 */
import { ConfigError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import type { Agent, Timeouts } from '../contract/agent.ts';
import { RunError, toRunError } from '../contract/run-error.ts';
import { createEvents } from './events.ts';
import type { AgentOptions } from './loop.ts';

const TIMEOUTS: Timeouts = {
  connect: 10_000,
  firstToken: 60_000,
  idle: 60_000,
  run: 900_000,
  retry: 500,
  maxRetryAfter: 20_000,
};

/** Loads the loop and the AI SDK on first use, so that they don't delay the start. */
let loading: Promise<typeof import('./loop.ts')> | undefined;
const loadLoop = () => {
  loading ??= import('./loop.ts');
  return loading;
};

export function createAgent(options: AgentOptions): Agent {
  const { models, log } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  return {
    async run(request, hooks) {
      const controller = new AbortController();
      const { signal } = controller;
      const onStop = () =>
        controller.abort(new RunError('stopped', 'The run was stopped.', { cause: hooks.signal.reason }));
      const timer = setTimeout(() => controller.abort(tookTooLong(timeouts.run)), timeouts.run);
      const emit = createEvents(request, hooks.onEvent, signal, log);
      hooks.signal.addEventListener('abort', onStop, { once: true });
      try {
        if (hooks.signal.aborted) onStop();
        signal.throwIfAborted();
        const { Loop } = await loadLoop();
        return await new Loop(request, hooks, { ...options, controller, emit, timeouts }).run();
      } catch (error) {
        // Whatever error the abort caused, its reason is the actual cause.
        throw signal.aborted ? signal.reason : toRunError(error);
      } finally {
        clearTimeout(timer);
        hooks.signal.removeEventListener('abort', onStop);
        emit({ type: 'state-change', state: 'idle' });
      }
    },
    async preload(model = models.defaultModel) {
      try {
        await Promise.all([models.load(model, { connectMs: timeouts.connect }), loadLoop()]);
      } catch (err) {
        // This line alone must be enough to fix the problem.
        if (err instanceof ConfigError) log.warn({ model }, `no model answers until this is fixed: ${err.message}`);
        else log.warn({ err, model }, 'the model could not be loaded');
      }
    },
  };
}

function tookTooLong(ms: number): RunError {
  const said =
    ms >= 60_000
      ? say('failures.tookMinutes', { n: Math.round(ms / 60_000) })
      : say('failures.tookSeconds', { n: ms / 1000 });
  return new RunError('timeout', said, { detail: `run longer than ${ms} ms` });
}
