/**
 * The memory flush before a compaction (M16): what of a conversation should outlive it, as bullets in the day's log, and what holds
 * beyond the task as suggestions that an owner is asked about. The conversation is data, and so is what a model makes of it:
 * nothing of it is kept for good without a person's word (T17).
 */
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { scrub } from '../../log.ts';
import { hashText, syncFile } from '../../workspace/files.ts';
import type { Home } from '../../workspace/home.ts';
import { appendDailyLog, dayOf } from '../../workspace/memory/daily.ts';
import { isRemembered } from '../../workspace/memory/memory.ts';
import { toBullets } from '../../workspace/memory/sections.ts';
import { addSuggestion, type Suggestion } from '../../workspace/memory/suggestions.ts';
import { cutText } from '../../workspace/text.ts';
import type { ButtonAction } from '../reply/buttons.ts';
import { askOwner } from './question.ts';

export interface FlushedFact {
  text: string;
  /** A heading of MEMORY.md: it holds beyond its task. */
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
/** The newest of a flush; all of them are in the log. */
const MAX_ASKED = 20;
const MAX_FACT = 300;

/** Bullets as facts: one that begins with a heading of MEMORY.md in brackets holds beyond its task. At most 20. */
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

/** As `toFacts` reads it. */
export const factLine = ({ section, text }: FlushedFact): string =>
  section === undefined ? text : `[${section}] ${text}`;

/** Whether something of it is for MEMORY.md. */
export const containsLongTermLearnings = (facts: readonly FlushedFact[]): boolean =>
  facts.some(({ section }) => section !== undefined);

/**
 * Writes the facts to the day's log and keeps what is long-term for an owner to decide; all of it is on the disk when it resolves.
 * The same facts again on the same day change nothing. Gives the suggestions that wait.
 */
export async function memoryFlush(place: FlushPlace, facts: readonly FlushedFact[], at: Date): Promise<Suggestion[]> {
  const { home, viber, taskId, person } = place;
  if (facts.length === 0) return [];
  const bullets = (isDecision: boolean) =>
    facts.filter(({ section }) => (section === DECISIONS) === isDecision).map(({ text }) => `- ${text}`);
  await appendDailyLog(home, viber, { date: at, decisions: bullets(true), notes: bullets(false), source: SOURCE });
  await syncFile(path.join(home.viberDir(viber), 'memory', `${dayOf(at)}.md`)).catch((error: unknown) => {
    // A log that is full takes nothing more.
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  const waiting: Suggestion[] = [];
  if (!containsLongTermLearnings(facts)) return waiting;
  for (const { section, text } of facts.filter((fact) => fact.section !== undefined).slice(-MAX_ASKED)) {
    if (await isRemembered(home, viber, text)) continue;
    const provenance = `${person} in task ${taskId}, ${SOURCE}`;
    waiting.push(await addSuggestion(home, viber, { section, text, provenance }));
  }
  return waiting;
}

/** Asks the owners who can be reached. `viber`: whose memory it is for, where that is not the usual one. */
export async function promptUserToUpdateMemory(
  suggestions: readonly Suggestion[],
  viber: string | undefined,
  askOwners: (id: string, text: string, rows: ButtonAction[][]) => Promise<void>,
): Promise<void> {
  if (suggestions.length === 0) return;
  const { text, buttons } = askOwner(suggestions, viber);
  const id = hashText(suggestions.map((suggestion) => suggestion.id).join(' ')).slice(0, 12);
  await askOwners(`flush-${id}`, `From an older part of our conversation:\n\n${text}`, buttons);
}
