/** Finds the calls in a run's journal that start another run, and gives each a key that survives a restart. */
import { z } from 'zod';
import { openCalls } from '../../runtime/context/open-calls.ts';
import type { Order } from '../../runtime/contract/order.ts';

export interface AskedCall<Input> {
  input: Input;
  callId: string;
  /** Whether it has no result yet. */
  isOpen: boolean;
}

export function callsOf<Input>({ earlier }: Order, tool: string, input: z.ZodType<Input>): AskedCall<Input>[] {
  const schema = z.object({ type: z.literal('tool-call'), toolName: z.literal(tool), toolCallId: z.string(), input });
  const callsIn = (messages: readonly unknown[]) =>
    messages.flatMap(callParts).flatMap((part) => {
      const call = schema.safeParse(part);
      return call.success ? [{ input: call.data.input, callId: call.data.toolCallId }] : [];
    });
  const steps = earlier.flatMap((entry) => (entry.type === 'step' ? [entry.messages] : []));
  const open = new Set(openCalls(steps.flat()).map(({ callId }) => callId));
  // A provider may reuse call IDs in every step: only calls of the last step can be pending.
  const last = steps.findLastIndex((messages) => callsIn(messages).length > 0);
  return steps.flatMap((messages, at) =>
    callsIn(messages).map((call) => ({ ...call, isOpen: at === last && open.has(call.callId) })),
  );
}

function callParts(message: unknown): unknown[] {
  const content = typeof message === 'object' && message !== null && 'content' in message ? message.content : [];
  return Array.isArray(content) ? content : [];
}

/**
 * Returns a function for the keys of calls: the same words have the same key after a restart, but get another key if
 * they are used twice in one run. A pending call keeps its original key.
 */
export function callKeys<Input>(
  calls: readonly AskedCall<Input>[],
  wordsOf: (input: Input) => string,
): (input: Input, callId: string) => { key: string; isBegun: boolean } {
  const counts = new Map<string, number>();
  const next = (input: Input): string => {
    const words = wordsOf(input);
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    return `${words}:${count}`;
  };
  const open = new Map<string, string>();
  for (const { input, callId, isOpen } of calls) {
    const key = next(input);
    if (isOpen) open.set(callId, key);
  }
  return (input, callId) => {
    const begun = open.get(callId);
    open.delete(callId);
    return { key: begun ?? next(input), isBegun: begun !== undefined };
  };
}
