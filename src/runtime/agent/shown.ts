/**
 * Builds a call in the form in which a person is asked about it. Invariant: what was shown is what runs. The arguments
 * are completed before the person is asked; a hash covers everything else that the question shows, and is computed
 * again before the call runs.
 */
import { hashText } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import type { Json } from '../../workspace/types.ts';
import type { WaitingCall } from '../contract/agent.ts';
import { callKind, type RuntimeTool } from '../contract/task.ts';

/** @throws UserError when the call is impossible */
export async function askedCall(tool: RuntimeTool, input: unknown, callId: string): Promise<WaitingCall> {
  const at = new Date().toISOString();
  const settled = tool.settled ? await tool.settled(input) : input;
  // The form that the session will store: transcripts hold no secrets (promise 57).
  const shown: Json = JSON.parse(scrub(JSON.stringify(settled ?? null)));
  const kept = tool.input.safeParse(shown);
  return { callId, tool: tool.name, input: shown, shows: await showsOf(tool, kept.success ? kept.data : settled), at };
}

export async function showsOf(tool: RuntimeTool, input: unknown): Promise<string> {
  // First, since it may update what the kind depends on.
  const shows = (await tool.shows?.(input)) ?? null;
  return hashText(JSON.stringify([callKind(tool, input), shows]));
}
