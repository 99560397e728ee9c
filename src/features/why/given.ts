/** Describes what a run was given: messages, files, instructions, memory, skills, the plan and the project. */
import fs from 'node:fs';
import path from 'node:path';
import { chatSection } from '../../channels/index.ts';
import type { Text } from '../../messages/messages.ts';
import { buildHistory } from '../../runtime/context/history-window.ts';
import { channelName } from '../../runtime/conversations/places.ts';
import { historyLimits } from '../../runtime/model/models.ts';
import { recallFrom } from '../../runtime/run/assemble.ts';
import { findFile, readBootstrap } from '../../workspace/bootstrap.ts';
import { openTask, planProgress } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { type AnswerRun, momentText, quotedLine, type WhyLine, type WhyReader } from './reader.ts';

type MessageLine = Extract<SessionEntry, { type: 'message' }>;

const MEMORY = 'MEMORY.md';
const MAX_MESSAGES = 20;
const MAX_NAMES = 30;

export async function givenLines(explained: AnswerRun, reader: WhyReader, gw: Gateway): Promise<WhyLine[]> {
  const said = explained.entries.filter((entry) => entry.type === 'message');
  const isGuest = said.some((entry) => entry.isGuest === true);
  const [history, instructions, memory, skills, plan] = await Promise.all([
    historyLines(explained, reader, gw),
    instructionLines(explained, said, reader, gw),
    recalledLines(explained, said, reader, gw),
    isGuest ? [] : skillLines(explained, reader, gw),
    taskPlanLines(explained, reader, gw),
  ]);
  const { text } = reader.messages;
  return [
    ...(explained.isCut ? [{ text: text('why.cut') }] : []),
    ...messageLines(said, reader, gw),
    ...history,
    ...(isGuest ? [{ text: text('why.guest') }] : [...instructions, ...memory]),
    ...skills,
    ...plan,
    ...projectLines(explained, reader),
  ];
}

function messageLines(said: readonly MessageLine[], reader: WhyReader, gw: Gateway): WhyLine[] {
  const { messages } = reader;
  const shown = said.slice(0, MAX_MESSAGES);
  const also = said.reduce((sum, entry) => sum + (entry.also?.length ?? 0), 0);
  const more = said.length - shown.length + also;
  const earlier = said.reduce((sum, entry) => sum + (entry.before?.length ?? 0), 0);
  return [
    ...shown.flatMap((entry) => [
      { text: saidText(entry, reader, gw) },
      ...entry.files.map(({ title, ref }): WhyLine => {
        return { text: messages.text('why.file', { name: quotedLine(title) }), to: ref };
      }),
    ]),
    ...(more > 0 ? [{ text: messages.text('why.moreMessages', { n: more }) }] : []),
    ...(earlier > 0 ? [{ text: messages.text('why.program', { n: earlier }) }] : []),
  ];
}

function saidText(entry: MessageLine, reader: WhyReader, gw: Gateway): Text {
  const { messages } = reader;
  const when = momentText(entry.at, reader, gw);
  const text = quotedLine(entry.said ?? entry.text);
  if (entry.isJob) return messages.text('why.job', { when, text });
  const known = entry.via ?? entry.from.channel;
  const channel = known === 'api' ? messages.text('tasks.board', { form: 'within' }) : channelName(known, messages);
  const by = { name: quotedLine(entry.from.name, 40), channel: known === '' ? 'none' : channel, when };
  return text === '' ? messages.text('why.sent', by) : messages.text('why.said', { ...by, text });
}

/** Counts the history that the request would contain if it were built now. */
async function historyLines({ task, run, entries, before }: AnswerRun, { messages }: WhyReader, gw: Gateway) {
  // If a viber's file can't be used, the general settings apply.
  const own = await gw.models.loadAgent(task.viber).catch(() => undefined);
  const { history, fallback } = gw.config;
  const limits = historyLimits(history, [own?.model ?? gw.models.modelName(), ...(own?.fallback ?? fallback)]);
  const said = entries.filter((entry) => entry.type === 'message');
  const tail = { entries: [...before, ...said], isWhole: true };
  const all = buildHistory(tail, run, limits, () => []).messages.filter(({ role }) => role !== 'steps');
  const hasSummary = before.some((entry) => entry.type === 'compaction');
  const n = Math.max(0, all.length - new Set(said.map(({ id }) => id)).size - (hasSummary ? 1 : 0));
  return [
    { text: n === 0 && !hasSummary ? messages.text('why.first') : messages.text('why.history', { n }) },
    ...(hasSummary ? [{ text: messages.text('why.summary') }] : []),
  ];
}

/**
 * Returns whether memory and the file about the person were left out of the prompt because others can read the
 * conversation.
 */
function isMemoryWithheld(said: readonly MessageLine[], gw: Gateway): boolean {
  const config = configOf(gw);
  return said.some(({ isGroup, from }) => {
    const memory = chatSection(config, from.channel)?.access.memory ?? 'direct';
    return isGroup === true && memory === 'direct';
  });
}

const changedSince = (file: string, since: number): boolean =>
  (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > since;

async function instructionLines(
  { task, since }: AnswerRun,
  said: readonly MessageLine[],
  { messages, tellsMemory }: WhyReader,
  { home, ...gw }: Gateway,
): Promise<WhyLine[]> {
  const tags = (await readBootstrap(home, task.viber)).map(({ tag }) => tag);
  const names = tags
    .filter((tag) => tag !== 'user' || !isMemoryWithheld(said, { home, ...gw }))
    .map((tag) => `${tag.toUpperCase()}.md`);
  if (names.length === 0) return [];
  const folders = [home.viberDir(task.viber), home.root];
  const changed = names.filter((name) => {
    const file = folders.flatMap((folder) => findFile(folder, name) ?? [])[0];
    return file !== undefined && changedSince(file, since);
  });
  return [
    { text: messages.text('why.instructions', { files: messages.list(names) }), ...(tellsMemory && { to: 'files' }) },
    ...(changed.length > 0 ? [{ text: messages.text('why.changed', { files: messages.list(changed) }) }] : []),
  ];
}

async function recalledLines(
  { task, since }: AnswerRun,
  said: readonly MessageLine[],
  { messages, tellsMemory, shown }: WhyReader,
  gw: Gateway,
): Promise<WhyLine[]> {
  const { text } = messages;
  if (isMemoryWithheld(said, gw)) return [{ text: text('why.withheld') }];
  if (!tellsMemory) return [{ text: text('why.notHere') }];
  const plan = (await openTask(gw.home, task).plan.read())?.plan;
  const recalled = await recallFrom({ viber: task.viber, taskId: task.id, query: task.goal, plan }, gw);
  const all = recalled.text.split('\n').flatMap((line) => /^\s*[-*] +(?:\[[^\]]*\] )?(\S.*)$/.exec(line)?.[1] ?? []);
  const isJob = said.some((entry) => entry.isJob === true);
  const condition = isJob ? [{ text: text('why.jobMemory') }] : [];
  if (recalled.text.trim() === '') return [...condition, { text: text('why.noMemory') }];
  const file = findFile(gw.home.viberDir(task.viber), MEMORY);
  const isChanged = file !== undefined && changedSince(file, since);
  const rest = all.length - shown;
  return [
    ...condition,
    { text: text('why.memory', { n: all.length }), to: 'memory' },
    ...(isChanged ? [{ text: text('why.memoryChanged') }] : []),
    ...all.slice(0, shown).map((entry): WhyLine => ({ text: quotedLine(entry), isPart: true })),
    ...(rest > 0 ? [{ text: text('why.moreEntries', { n: rest }), isPart: true as const }] : []),
  ];
}

async function skillLines({ task }: AnswerRun, { messages }: WhyReader, gw: Gateway): Promise<WhyLine[]> {
  const { home, config, features } = gw;
  const at = { config, home: home.root, reserved: features.reserved, natives: features.natives };
  const found = await Promise.all(features.on.map(({ names }) => names?.([task.viber], at, gw)));
  const skills = [
    ...new Set(found.flatMap((each) => (each?.skills?.get(task.viber) ?? []).map(({ name }) => name))),
  ].sort();
  const listedNames = (names: readonly string[]) => {
    const rest = names.length - MAX_NAMES;
    const more = rest > 0 ? [messages.text('why.moreNames', { n: rest })] : [];
    return messages.list([...names.slice(0, MAX_NAMES).map((name) => quotedLine(name, 64)), ...more]);
  };
  const { called = [] } = task;
  return [
    ...(skills.length > 0
      ? [{ text: messages.text('why.skills', { n: skills.length, names: listedNames(skills) }), to: 'skills' }]
      : []),
    ...(called.length > 0
      ? [{ text: messages.text('why.called', { n: called.length, names: listedNames(called) }) }]
      : []),
  ];
}

async function taskPlanLines({ task }: AnswerRun, { messages }: WhyReader, gw: Gateway): Promise<WhyLine[]> {
  const plan = await openTask(gw.home, task).plan.read();
  if (!plan) return [];
  const { done, total } = planProgress(plan.plan);
  return [{ text: messages.text('why.plan', { done, total }), to: `tasks/${task.id}` }];
}

function projectLines({ task }: AnswerRun, { messages }: WhyReader): WhyLine[] {
  if (task.project === undefined) return [];
  return [{ text: messages.text('why.project', { name: quotedLine(path.basename(task.project)) }) }];
}
