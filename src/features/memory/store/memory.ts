/**
 * A viber's MEMORY.md, which people edit and the agent extends. Hand edits are never lost: the file is read again right
 * before each write. `memory/provenance.jsonl` records where each added line came from.
 */
import path from 'node:path';
import { markdownLines } from '../../../lib/markdown-lines.ts';
import { findFile, whenSaved } from '../../../workspace/bootstrap.ts';
import type { Home } from '../../../workspace/home.ts';
import { TEMPLATES } from '../../../workspace/templates.ts';
import { localDay, texts } from './daily.ts';
import { editShared, lockMemory } from './edit.ts';
import { type AdditionRecord, appendRecord, newId } from './record.ts';
import { type Reversal, reversalOf } from './reversal.ts';
import { cleanSection, insertLines, newLines, toBullets } from './sections.ts';

export const DEFAULT_SECTION = 'Learned Patterns';
const DATED_SECTION = 'Important Decisions';

export interface Fact {
  /** A heading of MEMORY.md, "Learned Patterns" by default. */
  section?: string | undefined;
  text: string;
  /** The speaker and the task: `person:alex in task 20260105-abcde`. */
  provenance: string;
  /** The person who accepted it, as a principal and a display name; absent if `memory.autoAccept` did. */
  by?: string | undefined;
  name?: string | undefined;
  /** The ID of the suggestion it came from. */
  suggestion?: string | undefined;
}

/** Returns the viber's own MEMORY.md, in any case. */
export function memoryFile(home: Home, viber: string): string {
  const dir = home.viberDir(viber);
  return findFile(dir, 'MEMORY.md') ?? path.join(dir, 'MEMORY.md');
}

export async function readMemory(home: Home, viber: string): Promise<string | undefined> {
  return whenSaved(memoryFile(home, viber), texts.get);
}

/**
 * Adds bullets under a heading of MEMORY.md, which is created if missing; decisions get today's date. Skips existing
 * bullets and texts without words. Returns the record of the addition; undefined if nothing was added.
 */
export async function addToMemory(home: Home, viber: string, fact: Fact): Promise<AdditionRecord | undefined> {
  const bullets = toBullets(fact.text);
  if (bullets.length === 0) return undefined;
  const section = cleanSection(fact.section ?? '') || DEFAULT_SECTION;
  const now = new Date();
  const at = now.toISOString();
  const date = section.toLowerCase() === DATED_SECTION.toLowerCase() ? localDay(now) : undefined;
  return lockMemory(home, viber, async () => {
    let lines: string[] = [];
    let back: Reversal | undefined;
    await editShared(memoryFile(home, viber), (current) => {
      const base = current?.trim() ? current : (TEMPLATES['MEMORY.md'] ?? '');
      lines = newLines(base, section, bullets, date);
      if (lines.length === 0) return current;
      const next = insertLines(base, section, lines);
      back = current === undefined ? undefined : reversalOf(current, next);
      return next;
    });
    if (lines.length === 0) return undefined;
    const { provenance, by, name, suggestion } = fact;
    const record: AdditionRecord = {
      op: 'add',
      id: newId(),
      at,
      section,
      bullets,
      lines,
      provenance,
      by,
      name,
      suggestion,
      back,
    };
    await appendRecord(home, viber, record);
    return record;
  });
}

export async function isRemembered(home: Home, viber: string, text: string): Promise<boolean> {
  const words = (line: string) => line.replace(/^\d{4}-\d\d-\d\d: /, '').trim();
  // Comments and code are hidden from the model.
  const told = markdownLines((await readMemory(home, viber)) ?? '').filter(({ isHidden }) => !isHidden);
  const lines = new Set(told.map((line) => words(line.text.replace(/^[-*+]\s+/, ''))));
  return toBullets(text).every((bullet) => lines.has(words(bullet)));
}
