/**
 * Saves facts before a compaction: those that should outlive the conversation become bullets in the day's log, and
 * those that matter beyond the task become suggestions for an owner. The conversation, and what a model derives from
 * it, is data: nothing of it is kept permanently without a person's approval (promise 40).
 */
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { syncFile } from '../../lib/files.ts';
import { cutText } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import { lines } from '../../messages/messages.ts';
import type { OwnerNotifier } from '../../runtime/conversations/owner-notifier.ts';
import type { Home } from '../../workspace/home.ts';
import { askOwner } from './question.ts';
import { appendDailyLog, isoDay } from './store/daily.ts';
import { isRemembered } from './store/memory.ts';
import { keepQuestion, type Question } from './store/questions.ts';
import { readRecords } from './store/record.ts';
import { isSameFact } from './store/same-words.ts';
import { toBullets } from './store/sections.ts';
import { addSuggestion, listSuggestions, suggestionOf } from './store/suggestions.ts';

export interface FlushedFact {
  text: string;
  /** A heading of MEMORY.md, for a fact that matters beyond its task. */
  section?: string;
}

export interface FlushPlace {
  home: Home;
  viber: string;
  taskId: string;
  /** A principal as text. */
  person: string;
}

const SOURCE = 'memory_flush';
const SECTIONS = ['User Preferences', 'Project Context', 'Important Decisions', 'Learned Patterns'];
const DECISIONS = 'Important Decisions';
const SECTION = new RegExp(`^\\[(${SECTIONS.join('|')})\\]\\s*:?\\s*(?=\\S)`, 'i');
const MAX_FACTS = 20;
/** Only the newest facts of a flush are asked about; the log has all of them. */
const MAX_ASKED = 20;
const MAX_FACT = 300;

/** Converts bullets to at most 20 facts. One with a MEMORY.md heading in brackets matters beyond its task. */
export function toFacts(bullets: string): FlushedFact[] {
  return toBullets(scrub(bullets))
    .slice(0, MAX_FACTS)
    .flatMap((bullet): FlushedFact[] => {
      const named = SECTION.exec(bullet)?.[1]?.toLowerCase();
      const section = SECTIONS.find((each) => each.toLowerCase() === named);
      const text = cutText(bullet.replace(SECTION, '').trim(), MAX_FACT);
      if (text === '') return [];
      return [section === undefined ? { text } : { section, text }];
    });
}

/** Formats a fact as `toFacts` reads it. */
export const factLine = ({ section, text }: FlushedFact): string =>
  section === undefined ? text : `[${section}] ${text}`;

export const containsLongTermLearnings = (facts: readonly FlushedFact[]): boolean =>
  facts.some(({ section }) => section !== undefined);

export interface FlushResult {
  /** The number of facts that wait for an owner's decision. */
  waiting: number;
  /** The question about suggestions that nobody has been asked about yet. */
  question?: Question;
}

/**
 * Writes the facts to the day's log, and stores long-term ones for an owner to decide. Everything is on disk when it
 * resolves. Repeating the same facts on the same day changes nothing. Suggestions that an owner has decided aren't
 * asked about again.
 */
export async function memoryFlush(place: FlushPlace, facts: readonly FlushedFact[], at: Date): Promise<FlushResult> {
  const { home, viber, taskId, person } = place;
  if (facts.length === 0) return { waiting: 0 };
  const bullets = (isDecision: boolean) =>
    facts.filter(({ section }) => (section === DECISIONS) === isDecision).map(({ text }) => `- ${text}`);
  await appendDailyLog(home, viber, { date: at, decisions: bullets(true), notes: bullets(false), source: SOURCE });
  await syncFile(path.join(home.viberDir(viber), 'memory', `${isoDay(at)}.md`)).catch((error: unknown) => {
    // A full log accepts no more entries.
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  if (!containsLongTermLearnings(facts)) return { waiting: 0 };
  const decided = readRecords(home, viber).flatMap((record) =>
    record.suggestion !== undefined && 'bullets' in record ? { ...record, text: record.bullets.join('\n') } : [],
  );
  const isDecided = (id: string, fact: string) =>
    decided.some(({ suggestion, text }) => suggestion === id || isSameFact(text, fact));
  const wanted = new Map<string, FlushedFact>();
  for (const fact of facts.filter(({ section }) => section !== undefined).slice(-MAX_ASKED)) {
    const { id } = suggestionOf(fact);
    const isWanted = [...wanted.values()].some(({ text }) => isSameFact(text, fact.text));
    if (!isWanted && !isDecided(id, fact.text) && !(await isRemembered(home, viber, fact.text))) wanted.set(id, fact);
  }
  const asked = await listSuggestions(home, viber);
  const unasked = [...wanted].filter(([, fact]) => !asked.some(({ text }) => isSameFact(text, fact.text)));
  if (unasked.length === 0) return { waiting: wanted.size };
  const ids = unasked.map(([id]) => id);
  const question: Question = { id: await keepQuestion(home, viber, ids), suggestions: [] };
  const provenance = `${person} in task ${taskId}, ${SOURCE}`;
  for (const [, { section, text }] of unasked)
    question.suggestions.push(await addSuggestion(home, viber, { section, text, provenance }));
  return { waiting: wanted.size, question };
}

/** Asks the owners who can be reached. Repeating the question has no effect. */
export async function promptUserToUpdateMemory(
  { id, suggestions }: Question,
  viber: string,
  askOwners: OwnerNotifier['askOwners'],
): Promise<void> {
  if (suggestions.length === 0) return;
  await askOwners(`flush-${id}`, (messages) => {
    const { text, buttons } = askOwner(suggestions, messages, viber);
    return { text: lines(messages.text('memory.fromConversation'), '', text), buttons };
  });
}
