/** Describes what a run did: its tools in order, what people allowed, and how it ended. */
import { isRecord } from '../../lib/json.ts';
import { type Text, type Wording, words } from '../../messages/messages.ts';
import { coveredText } from '../../runtime/approvals/covers.ts';
import { doingWith } from '../../runtime/tools/doing.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';
import { type AnswerRun, momentText, nameOfPerson, quotedLine, type WhyLine, type WhyReader } from './reader.ts';

interface ToolUse {
  callId: string;
  tool: string;
  doing: Wording;
  /** Undefined until there is a result. */
  result?: { text: string; hasFailed: boolean };
}

type UsedStep = ToolUse | Extract<SessionEntry, { type: 'approval' | 'decision' }>;

const RESULT = 160;
/** Tools whose calls are recorded elsewhere. */
const OF_OTHERS: readonly string[] = ['doing.askingAgent', 'doing.askingThis', 'doing.delegating'];

export function toolLines({ task, entries, since }: AnswerRun, reader: WhyReader, gw: Gateway): WhyLine[] {
  const { messages, shown } = reader;
  const steps = usedSteps(entries);
  const uses = steps.filter(isUse);
  const rest = uses.slice(shown);
  const listed = new Set(uses.slice(0, shown));
  const hasOthers = uses.some(({ doing }) => OF_OTHERS.includes(doing.key));
  const used = new Set(uses.map(({ tool }) => tool));
  const before = (task.always ?? []).filter(({ tool, at }) => used.has(tool) && Date.parse(at) < since);
  return [
    { text: uses.length === 0 ? messages.text('why.noTools') : messages.text('why.tools', { n: uses.length }) },
    ...steps.flatMap((step): WhyLine[] => {
      if (isUse(step)) return listed.has(step) ? [{ text: useText(step, reader), isPart: true }] : [];
      return [{ text: consentText(step, reader, gw), isPart: true }];
    }),
    ...(rest.length > 0 ? [{ text: restText(rest, reader), isPart: true as const }] : []),
    ...before.map((consent): WhyLine => {
      const by = { name: nameOfPerson(consent.by, gw), when: momentText(consent.at, reader, gw) };
      return { text: messages.text('why.allowed', { ...by, what: coveredText(consent, messages) }) };
    }),
    ...(hasOthers ? [{ text: messages.text('why.others') }] : []),
    ...endLines(entries, reader),
  ];
}

const isUse = (step: UsedStep): step is ToolUse => !('type' in step);

function usedSteps(entries: readonly SessionEntry[]): UsedStep[] {
  const steps: UsedStep[] = [];
  const open = new Map<string, ToolUse>();
  for (const entry of entries) {
    if (entry.type === 'approval' || entry.type === 'decision') steps.push(entry);
    if (entry.type !== 'step') continue;
    for (const part of stepContents(entry.messages)) {
      const { type, toolCallId: callId, toolName: tool } = part;
      if (typeof callId !== 'string' || typeof tool !== 'string') continue;
      if (type === 'tool-call') {
        const use = { callId, tool, doing: doingWith(tool, part.input) };
        // Some providers reuse an ID: a result belongs to the latest call.
        open.set(callId, use);
        steps.push(use);
      } else if (type === 'tool-result') {
        const use = open.get(callId);
        if (use) use.result = toolResult(part.output);
      }
    }
  }
  return steps;
}

const stepContents = (messages: readonly unknown[]): Record<string, unknown>[] =>
  messages
    .flatMap((message) => (isRecord(message) && Array.isArray(message.content) ? (message.content as unknown[]) : []))
    .filter(isRecord);

function toolResult(output: unknown): NonNullable<ToolUse['result']> {
  const { type, value } = isRecord(output) ? output : { type: '', value: output };
  return { text: shortOf(value), hasFailed: typeof type === 'string' && type.startsWith('error') };
}

/** Formats the plain values of a result as `path: notes.md, size: 8`, and anything else as JSON. */
function shortOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const plain = isRecord(value)
    ? Object.entries(value).flatMap(([name, each]) =>
        ['string', 'number', 'boolean'].includes(typeof each) ? [`${name}: ${String(each)}`] : [],
      )
    : [];
  return plain.length > 0 ? plain.join(', ') : (JSON.stringify(value) ?? '');
}

const capital = (text: string): Text => words(text.charAt(0).toUpperCase() + text.slice(1));

const doingText = (doing: Wording, { messages }: WhyReader): Text => capital(quotedLine(messages.said(doing)));

function useText({ doing, result }: ToolUse, reader: WhyReader): Text {
  const { messages, seesResults } = reader;
  const said = { doing: doingText(doing, reader) };
  if (!result) return messages.text('why.open', said);
  const shown = seesResults ? quotedLine(result.text, RESULT) : '';
  if (shown === '' || /^(\\?["{}[\]]|\s)*$/.test(shown)) return messages.text('why.call', said);
  return messages.text(result.hasFailed ? 'why.failed' : 'why.result', { ...said, result: shown });
}

function restText(rest: readonly ToolUse[], reader: WhyReader): Text {
  const counts = new Map<string, number>();
  for (const { tool } of rest) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, 8);
  const { messages } = reader;
  const what = most.map(([tool, n]) =>
    messages.text('why.times', { doing: quotedLine(messages.said(doingWith(tool))), n }),
  );
  return messages.text('why.moreCalls', { n: rest.length, what: messages.list(what) });
}

function consentText(
  step: Extract<SessionEntry, { type: 'approval' | 'decision' }>,
  reader: WhyReader,
  gw: Gateway,
): Text {
  const { messages } = reader;
  if (step.type === 'approval')
    return messages.text('why.asked', { doing: quotedLine(messages.said(doingWith(step.tool, step.input))) });
  const { verdict, by, at } = step;
  const isUnanswered = by === '' && verdict === 'answer';
  return messages.text('why.verdict', {
    verdict: isUnanswered ? 'expired' : verdict,
    name: by === '' ? '' : nameOfPerson(by, gw),
    when: momentText(at, reader, gw),
  });
}

function endLines(entries: readonly SessionEntry[], { messages }: WhyReader): WhyLine[] {
  const result = entries.findLast((entry) => entry.type === 'result');
  if (result?.type !== 'result') return [{ text: messages.text('why.running') }];
  if (result.error === 'steered') return [{ text: messages.text('why.steered') }];
  if (result.state === 'stopped') return [{ text: messages.text('why.stopped') }];
  if (result.state !== 'error') return [];
  return [{ text: messages.text('why.error', { error: quotedLine(result.error ?? result.text) }) }];
}
