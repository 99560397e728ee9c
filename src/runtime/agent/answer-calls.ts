/**
 * Gives pending calls their results when a run resumes. An approved call runs exactly as approved, and is journaled
 * before it runs.
 */
import { UserError } from '../../errors.ts';
import { isRecord } from '../../lib/json.ts';
import type { Json } from '../../workspace/types.ts';
import { resultMessage } from '../context/open-calls.ts';
import type { Verdict, WaitingCall } from '../contract/agent.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { askedCall, showsOf } from './shown.ts';
import { runTool, type ToolHooks } from './tools.ts';

export interface OpenCalls {
  calls: readonly WaitingCall[];
  tools: readonly RuntimeTool[];
  verdicts: ReadonlyMap<string, Verdict>;
  hooks: ToolHooks;
  /** Journals the message; awaited before the next call is handled. */
  onResult(message: Json): Promise<void>;
}

/** Gives every decided call its result, running approved calls; returns the calls that still wait. */
export async function answerCalls({ calls, tools, verdicts, hooks, onResult }: OpenCalls): Promise<WaitingCall[]> {
  const waiting: WaitingCall[] = [];
  const beside: Promise<void>[] = [];
  try {
    for (const call of calls) {
      const tool = tools.find(({ name }) => name === call.tool);
      const answered = answer(call, tool, verdicts.get(call.callId));
      if (tool?.isBeside) beside.push(answered);
      else await answered;
    }
  } finally {
    await Promise.allSettled(beside);
  }
  await Promise.all(beside);
  const place = ({ callId }: WaitingCall) => calls.findIndex((call) => call.callId === callId);
  return waiting.sort((one, other) => place(one) - place(other));

  async function answer(call: WaitingCall, tool: RuntimeTool | undefined, verdict?: Verdict): Promise<void> {
    if (!verdict || tool?.isResumable) return resume(call, tool);
    if ('at' in verdict) {
      const moved = await withTime(tool, call, verdict);
      if ('input' in moved) waiting.push(moved);
      else await onResult(resultMessage(call, moved));
      return;
    }
    const again = tool && (await shownAgain(tool, call, verdict));
    if (again) waiting.push(again);
    else await onResult(resultMessage(call, await resultOf(call, tool, verdict, hooks)));
  }

  /**
   * Resumes the call where it stopped, or starts it: the run has already ended for a call whose effect began before a
   * crash. A call that waits or asks again is parked again; consent for all calls of its kind may have arrived since.
   */
  async function resume(call: WaitingCall, tool: RuntimeTool | undefined): Promise<void> {
    const parked: WaitingCall[] = [];
    const onWait = (one: WaitingCall) => void parked.push(one);
    const result = await resultOf(call, tool, undefined, { ...hooks, onWait });
    if (parked.length > 0) waiting.push(...parked);
    else await onResult(resultMessage(call, result));
  }
}

/**
 * Returns the call with the time that the person named, to be approved again, or an error that says why that's
 * impossible.
 */
async function withTime(
  tool: RuntimeTool | undefined,
  call: WaitingCall,
  { at, input }: { at: string; input: Json },
): Promise<WaitingCall | { error: string }> {
  const parsed = tool?.input.safeParse(input);
  if (!tool?.at || !parsed?.success) return { error: `execution denied: the person wrote instead: ${at}` };
  try {
    const moved = tool.at(parsed.data, at);
    await tool.asksBefore?.(moved, call.callId);
    return await askedCall(tool, moved, call.callId);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return {
      error: `execution denied: the person wanted another time and wrote: ${at}\nThat could not be done: ${error.message}`,
    };
  }
}

/** Returns the call again if its question would show something else by now than what the person approved. */
async function shownAgain(
  tool: RuntimeTool,
  { callId }: WaitingCall,
  verdict: Exclude<Verdict, { at: string }>,
): Promise<WaitingCall | undefined> {
  if (!('run' in verdict)) return undefined;
  const parsed = tool.input.safeParse(verdict.run);
  if (!parsed.success) return undefined;
  try {
    if (verdict.shows === (await showsOf(tool, parsed.data))) return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return undefined;
  }
  try {
    await tool.asksBefore?.(parsed.data, callId);
    return await askedCall(tool, parsed.data, callId);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The call is impossible by now: running it tells the model why.
    return undefined;
  }
}

async function resultOf(
  call: WaitingCall,
  tool: RuntimeTool | undefined,
  verdict: Exclude<Verdict, { at: string }> | undefined,
  hooks: ToolHooks,
): Promise<{ value: Json } | { error: string }> {
  if (verdict && 'value' in verdict) return { value: verdict.value };
  if (verdict && 'error' in verdict) return { error: verdict.error };
  if (!tool) return { error: `There is no tool ${call.tool} any more.` };
  try {
    // The approved arguments run, whatever the call says now; and they run only once, even if the call is harmless.
    const input = verdict ? verdict.run : call.input;
    const approved = { ...tool, effect: 'external' as const, asksBefore: () => false };
    const value = await runTool(verdict ? approved : tool, input, call.callId, hooks);
    return { value: verdict?.note === undefined || !isRecord(value) ? value : { ...value, note: verdict.note } };
  } catch (error) {
    if (hooks.signal.aborted) throw error;
    return { error: error instanceof Error ? error.message : 'It failed.' };
  }
}
