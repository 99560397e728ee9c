/**
 * Explains an answer from data on disk: the run's entries in the session, the usage of its calls, and the files that
 * every prompt includes. Nothing is recorded for this purpose, so the explanation says if such a file has changed since
 * the run.
 */
import { lines, type Text, words } from '../../messages/messages.ts';
import { hiddenRuns } from '../../runtime/contract/hearing.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';
import { costLines } from './cost.ts';
import { givenLines } from './given.ts';
import type { AnswerRun, WhyReader, WhySection } from './reader.ts';
import { toolLines } from './tools.ts';

/** How much of a session's end is searched: the same as for reading the conversation. */
const TAIL = { maxBytes: 8 * 1024 * 1024 };

/** Returns a single section that says so if the run isn't on record. */
export async function explainRun(task: TaskRecord, run: string, reader: WhyReader, gw: Gateway): Promise<WhySection[]> {
  const tail = openTask(gw.home, task).session.tail(TAIL);
  const explained = hiddenFrom(tail, reader).has(run) ? undefined : explainedIn(tail, run, task);
  if (!explained)
    return [{ title: reader.messages.text('why.given'), lines: [{ text: reader.messages.text('why.gone') }] }];
  return sectionsOf(explained, reader, gw);
}

/** Explains the last answer whose messages this person may know here. */
export async function explainLast(task: TaskRecord, reader: WhyReader, gw: Gateway): Promise<Text> {
  const { messages } = reader;
  const tail = openTask(gw.home, task).session.tail(TAIL);
  const hidden = hiddenFrom(tail, reader);
  const heard = new Set(
    tail.flatMap((entry) => (entry.type === 'message' && !hidden.has(entry.run) ? [entry.run] : [])),
  );
  const last = tail.findLast((entry) => entry.type === 'result' && heard.has(entry.run));
  const explained = last?.type === 'result' ? explainedIn(tail, last.run, task) : undefined;
  if (!explained) return messages.text('why.nothing');
  const sections = await sectionsOf(explained, reader, gw);
  return lines(
    ...sections.flatMap(({ title, lines: rows }) => [
      words(`**${title}**`),
      ...rows.map(({ text, isPart }) => words(`${isPart ? '  ' : ''}- ${text}`)),
      '' as const,
    ]),
  );
}

const hiddenFrom = (tail: readonly SessionEntry[], { principal, isAlone }: WhyReader) =>
  hiddenRuns(tail, { principal, isDirect: isAlone });

function explainedIn(tail: readonly SessionEntry[], run: string, task: TaskRecord): AnswerRun | undefined {
  const first = tail.findIndex((entry) => 'run' in entry && entry.run === run);
  const begin = tail[first];
  if (begin === undefined || !('run' in begin)) return undefined;
  const entries = tail.filter((entry) => 'run' in entry && entry.run === run);
  return { task, run, entries, before: tail.slice(0, first), isCut: begin.type !== 'message', since: beginOf(begin) };
}

const beginOf = (entry: SessionEntry): number =>
  Date.parse(entry.type === 'message' ? (entry.takenAt ?? entry.at) : 'at' in entry ? entry.at : '') || 0;

async function sectionsOf(explained: AnswerRun, reader: WhyReader, gw: Gateway): Promise<WhySection[]> {
  const { text } = reader.messages;
  return [
    { title: text('why.given'), lines: await givenLines(explained, reader, gw) },
    { title: text('why.did'), lines: toolLines(explained, reader, gw) },
    { title: text('why.cost'), lines: await costLines(explained, reader, gw) },
  ];
}
