/** Detects from the prompt whether a run repeats the same failure. Pure. */
import { isRecord } from '../../lib/json.ts';
import type { Prompt } from '../contract/model.ts';
import { newestWords } from '../model/results.ts';

type Message = Prompt[number];
type Result = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>;

const TIMES = 3;

/**
 * Returns the tool whose call in the last step has failed with the same arguments in three steps since the person's
 * last message.
 */
export function failsTheSame(prompt: Prompt): string | undefined {
  const keys = new Map<string, string>();
  const failed = new Map<string, number>();
  const programs = new Set<string>();
  let stuck: string | undefined;
  for (const message of prompt.slice(newestWords(prompt) + 1)) {
    if (message.role === 'assistant')
      for (const part of message.content)
        if (part.type === 'tool-call') keys.set(part.toolCallId, `${part.toolName} ${JSON.stringify(part.input)}`);
    if (message.role !== 'tool') continue;
    stuck = undefined;
    // A call written twice in one answer counts as one failure.
    const ended = new Map<string, Result>();
    for (const part of message.content) {
      const key = part.type === 'tool-result' ? keys.get(part.toolCallId) : undefined;
      if (part.type === 'tool-result' && key !== undefined) ended.set(key, part);
    }
    // A program that ended with an error may run again once something else was done; a call that can't run at all may
    // not.
    for (const key of programs) if (!ended.has(key)) failed.delete(key);
    for (const [key, { toolName, output }] of ended) {
      const isProgram = isFailedProgram(output);
      if (isProgram) programs.add(key);
      const times = isProgram || hasFailed(output) ? (failed.get(key) ?? 0) + 1 : 0;
      failed.set(key, times);
      if (times >= TIMES) stuck = toolName;
    }
  }
  return stuck;
}

/** Returns whether a skill's script failed: its output is a regular result, because it matters all the same. */
const isFailedProgram = (output: Result['output']): boolean =>
  output.type === 'json' && isRecord(output.value) && 'code' in output.value && typeof output.value.error === 'string';

const hasFailed = ({ type }: Result['output']): boolean => type.startsWith('error') || type === 'execution-denied';
