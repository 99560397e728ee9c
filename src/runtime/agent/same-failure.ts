/** Whether a run goes round in circles: read from what its model is told. Pure. */
import { isRecord } from '../../lib/json.ts';
import type { Prompt } from '../contract/model.ts';
import { newestWords } from '../model/results.ts';

type Message = Prompt[number];
type Result = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>;

const TIMES = 3;

/** The tool whose call of the last step has failed in as many steps since a person's last words, with the same arguments each time. */
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
    // A call that was written twice in one answer has failed once.
    const ended = new Map<string, Result>();
    for (const part of message.content) {
      const key = part.type === 'tool-result' ? keys.get(part.toolCallId) : undefined;
      if (part.type === 'tool-result' && key !== undefined) ended.set(key, part);
    }
    // A program that ends with an error may be asked again once something else was done; one that cannot be called may not.
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

/** As scripts of skills say it: what they wrote matters all the same. */
const isFailedProgram = (output: Result['output']): boolean =>
  output.type === 'json' && isRecord(output.value) && 'code' in output.value && typeof output.value.error === 'string';

const hasFailed = ({ type }: Result['output']): boolean => type.startsWith('error') || type === 'execution-denied';
