/** Reads from a background process, writes to it or ends it, in the gateway process that started it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import type { Json } from '../../../workspace/types.ts';
import { commandResult } from './result.ts';
import type { TaskProcess } from './task-process.ts';

const MAX_WAIT = 60;
/** Output often arrives in pieces. */
const SETTLE_MS = 200;

export const processCall = z.object({
  id: z.string().describe('such as p1'),
  action: z.enum(['output', 'input', 'stop']),
  input: z.string().max(20_000).describe('a line for its standard input').exactOptional(),
  wait: z.number().min(0).describe('seconds for more output or its end, 60 at most').exactOptional(),
});
export type ProcessCall = z.output<typeof processCall>;

export const waitMs = ({ wait = 0 }: ProcessCall): number => Math.min(wait, MAX_WAIT) * 1000;

/** @throws UserError */
export async function useProcess(
  process: TaskProcess,
  call: ProcessCall,
  signal: AbortSignal,
): Promise<{ [key: string]: Json }> {
  const { running } = process;
  const { action, input: text } = call;
  if (action === 'stop') {
    process.stop();
    await running.ended;
  } else if (action === 'input') {
    if (process.end) throw new UserError(`${process.id} has ended.`);
    if (text === undefined) throw new UserError('"input" is missing.');
    running.write(text.endsWith('\n') ? text : `${text}\n`);
  }
  const ms = waitMs(call);
  if (ms > 0 && !process.end && !running.output.hasUnseen()) {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    const over = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([running.output.next(), running.ended, over]);
    if (!process.end) await Promise.race([sleep(SETTLE_MS), running.ended]);
  }
  return commandResult(process, running.output.unseen());
}
