/** Computes a run's final text from the messages of its steps. Pure. */
import { isJsonRecord } from '../../lib/json.ts';
import type { Messages } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import type { AgentOutcome, Beside } from '../contract/agent.ts';
import { doingWith } from '../tools/doing.ts';
import { toolNamed } from '../tools/table.ts';

export interface RunSummary {
  /** The text of the last step; '' when it only called tools. */
  text: string;
  /** The last text of any step. */
  latest: string;
  /** Whether the last step is an answer: text without a tool call that needs a next step. */
  isAnswer: boolean;
  /** The names of the tools called, one per call. */
  tools: string[];
  /** The tools of the last step that ended in an error. */
  failed: string[];
  /** The steps that called tools. */
  beside: Beside[];
}

export const NOTHING_SAID: RunSummary = { text: '', latest: '', isAnswer: false, tools: [], failed: [], beside: [] };

/** Returns `said` with one more step, given as the model's messages (assistant, tool). */
export function addStep(said: RunSummary, messages: readonly Json[]): RunSummary {
  const texts: string[] = [];
  const tools: string[] = [];
  for (const message of messages) {
    if (!isJsonRecord(message) || message.role !== 'assistant') continue;
    const parts: Json[] = Array.isArray(message.content)
      ? message.content
      : [{ type: 'text', text: message.content ?? '' }];
    for (const part of parts.filter(isJsonRecord)) {
      if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text);
      if (part.type === 'tool-call') tools.push(String(part.toolName));
    }
  }
  const text = texts.join('').trim();
  const results = messages.flatMap(toolParts);
  const failed = results.flatMap(({ toolName, output = null }) => {
    const hasFailed = isJsonRecord(output) && typeof output.type === 'string' && output.type.startsWith('error');
    return hasFailed ? [String(toolName)] : [];
  });
  const isAside =
    tools.every((tool) => toolNamed(tool)?.isAside === true) && results.length === tools.length && failed.length === 0;
  return {
    text,
    latest: text || said.latest,
    isAnswer: text !== '' && tools.length === 0,
    tools: [...said.tools, ...tools],
    failed,
    beside: tools.length === 0 ? said.beside : [...said.beside, { text, tools, isAside }],
  };
}

const toolParts = (message: Json) =>
  isJsonRecord(message) && message.role === 'tool' && Array.isArray(message.content)
    ? message.content.filter(isJsonRecord)
    : [];

/**
 * Returns the text for the person. It is never empty, except for a run that waits: where the model says nothing, we say
 * what happened.
 */
export function finalText(finish: AgentOutcome['finish'], said: RunSummary, messages: Messages): string {
  switch (finish) {
    case 'parked':
    case 'other-tools':
      return said.text;
    case 'stop':
      return said.text || said.latest || messages.text('answers.noWords');
    case 'max-steps':
      return join(said.text, messages.text('answers.maxSteps'));
    case 'length':
      return join(said.text, messages.text('answers.cutLength'));
    case 'content-filter':
      return join(said.text, messages.text('answers.withheld'));
    case 'stuck':
      return join(
        said.text,
        messages.text('answers.stuck', { doing: doingWith(said.failed.at(-1) ?? said.tools.at(-1) ?? '') }),
      );
  }
}

/** Returns the texts that came with calls before the text of `finalText`. */
export function besideOf(finish: AgentOutcome['finish'], { text, isAnswer, beside }: RunSummary): Beside[] {
  const isInText = !isAnswer && (finish === 'stop' || text !== '');
  const last = isInText ? beside.findLastIndex((step) => step.text !== '') : -1;
  return last < 0 ? beside : beside.slice(0, last);
}

function join(text: string, note: string): string {
  return text ? `${text}\n\n${note}` : note;
}
