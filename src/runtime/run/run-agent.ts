/** Runs the agent on every order: a message's, a scheduled job's, or a question of another agent. */
import { principalText } from '../../access/principal.ts';
import { say } from '../../messages/messages.ts';
import type { AgentOutcome } from '../contract/agent.ts';
import type { Order, Performed } from '../contract/order.ts';
import { RunError } from '../contract/run-error.ts';
import { throwWith } from '../reply/failure.ts';
import { shownAs } from '../tools/asked.ts';
import { toolNamed } from '../tools/table.ts';
import { assemble } from './assemble.ts';
import type { Gateway } from './gateway.ts';
import { journal, type Progress, progressOf } from './journal.ts';

/**
 * Whether a job produced nothing: nobody sees what its tools did, so without a text, a file or a message it was for
 * nothing.
 */
const isForNothing = ({ isWordless, beside = [] }: AgentOutcome, { made }: Progress): boolean =>
  isWordless === true &&
  made.refs.length === 0 &&
  !beside.some(({ tools }) => tools.some((name) => toolNamed(name)?.speaks));

/** @throws RunError, or a system error if the disk fails */
export async function runAgent(order: Order, gw: Gateway): Promise<Performed> {
  const { task, run, principal, signal, words, asked } = order;
  const progress = progressOf(order);
  const assembled = order.watch?.stage?.('context');
  const request = await assemble(order, progress, gw);
  assembled?.();
  const metered = { run: asked?.root ?? run, task: task.id, person: principalText(principal) };
  const meter = gw.models.meter.hooks(metered);
  const hooks = {
    signal,
    ...meter,
    ...journal(order, progress, gw.home),
    beforeCall() {
      // Results of tools count as seen from the next call on.
      progress.isTainted ||= progress.hasSteps;
      meter.beforeCall();
    },
    ...(order.watch && { watch: order.watch }),
    ...(order.owner && { check: () => order.owner?.check() }),
    onEvent(event: Parameters<typeof shownAs>[0]) {
      // The text of an agent that was asked isn't an answer to a person yet.
      if (event.type === 'text-delta' && !asked && event.content.trim() !== '') order.watch?.word();
      gw.tasks.bus.emit(asked ? shownAs(event, asked) : event);
    },
  };
  try {
    const outcome = await gw.models.agent.run(request, hooks);
    if (order.job && isForNothing(outcome, progress)) {
      const { model } = outcome;
      throw new RunError('empty', say('failures.emptyFrom', { model }), { detail: `${model}: no words for a job` });
    }
    return { outcome, made: progress.made, tools: request.tools };
  } catch (error) {
    throwWith(error, { words: words.join('\n\n'), hasSteps: progress.hasSteps });
  }
}
