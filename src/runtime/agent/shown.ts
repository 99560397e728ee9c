/**
 * A call as a person is asked about it. Invariant: what was shown is what runs. The arguments are filled in before the question is put,
 * and everything it shows beside them is one sum, which is made again before the call runs.
 */
import { hashText } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import type { Json } from '../../workspace/types.ts';
import type { WaitingCall } from '../contract/agent.ts';
import { kindOf, type RuntimeTool } from '../contract/task.ts';

/** Throws UserError where it cannot be done. */
export async function askedCall(tool: RuntimeTool, input: unknown, callId: string): Promise<WaitingCall> {
  const at = new Date().toISOString();
  const settled = tool.settled ? await tool.settled(input) : input;
  // As the session will hold it: transcripts have no secrets (promise 57).
  const shown: Json = JSON.parse(scrub(JSON.stringify(settled ?? null)));
  const kept = tool.input.safeParse(shown);
  return { callId, tool: tool.name, input: shown, shows: await showsOf(tool, kept.success ? kept.data : settled), at };
}

export async function showsOf(tool: RuntimeTool, input: unknown): Promise<string> {
  return hashText(JSON.stringify([kindOf(tool, input), (await tool.shows?.(input)) ?? null]));
}
