/** An agent that does what a plan says: steps that take their time, an ear for aborts that may be deaf for a while, an end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../../src/runtime/contract/agent.ts';
import { RunError } from '../../src/runtime/contract/run-error.ts';
import type { Happened } from './injection-model.ts';
import type { Plan } from './injection-world.ts';

export function scriptedAgent(given: { isAlive: () => boolean; next: () => Plan; happened: Happened[] }): Agent {
  const { isAlive, happened } = given;
  const tell = (one: Happened) => isAlive() && happened.push(one);
  return {
    preload: async () => undefined,
    async run(request, hooks) {
      const { runId: run, taskId: task } = request;
      const { signal } = hooks;
      const stopped = () => new RunError('stopped', 'The run was stopped.', { cause: signal.reason });
      if (signal.aborted) throw stopped();
      const plan = given.next();
      const heard = request.messages.map((message) => (message.role === 'steps' ? '' : message.text)).join('\n');
      tell({ what: 'start', run, task, heard });
      const onAbort = () => void tell({ what: 'abort', run });
      signal.addEventListener('abort', onAbort);
      let deafUntil = Number.POSITIVE_INFINITY;
      const pause = async (): Promise<void> => {
        // A test may change the time while the run waits.
        for (const began = Date.now(); Date.now() < began + plan.stepMs; await sleep(1)) {
          if (!isAlive()) throw new Error('nobody is there');
          if (!signal.aborted) continue;
          deafUntil = Math.min(deafUntil, Date.now() + plan.deafMs);
          if (Date.now() >= deafUntil) throw stopped();
        }
      };
      try {
        for (let index = request.resume.length; index < plan.steps; index++) {
          const callId = `${run}-${index}`;
          if (plan.external) await hooks.onCall({ callId, tool: 'work' });
          await pause();
          // As the real one: what an abort has cut is no finished step.
          if (signal.aborted) throw stopped();
          const call = { type: 'tool-call', toolCallId: callId, toolName: 'work', input: {} };
          const result = {
            type: 'tool-result',
            toolCallId: callId,
            toolName: 'work',
            output: { type: 'text', value: 'ok' },
          };
          await hooks.onStep({
            index,
            messages: [
              { role: 'assistant', content: [call] },
              { role: 'tool', content: [result] },
            ],
          });
        }
        await pause();
        if (plan.end === 'run-error') throw new RunError('provider', 'The provider is in trouble.');
        if (plan.end === 'throw') throw new TypeError('a mistake of ours');
        if (signal.aborted && plan.deafMs === 0) throw stopped();
        return {
          ...{ text: `re ${run}`, model: 'local/test', steps: plan.steps + 1, finish: 'stop' },
          usage: { inputTokens: 1, outputTokens: 1 },
        };
      } finally {
        signal.removeEventListener('abort', onAbort);
        tell({ what: 'end', run });
      }
    },
  };
}
