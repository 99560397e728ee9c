/**
 * MEMORY.md of a viber: what a person curates and the agent adds to. Hand edits are never lost: the file is read again right
 * before each write. Where each added line came from stands in `memory/provenance.jsonl`.
 */
import path from 'node:path';
import { findFile } from '../bootstrap.ts';
import { createStatCache } from '../cache.ts';
import { appendLines, editText, ensureDir, readTextSync } from '../files.ts';
import type { Home } from '../home.ts';
import { serialise } from '../locks.ts';
import { TEMPLATES } from '../templates.ts';
import { addToSection, cleanSection, toBullets } from './sections.ts';

const DEFAULT_SECTION = 'Learned Patterns';
const DATED_SECTION = 'Important Decisions';
const texts = createStatCache<string>(64, (file, stat) => (stat.isFile() ? (readTextSync(file) ?? '') : ''));

/** MEMORY.md in any case; only the viber's own (M18). */
function memoryFile(home: Home, viber: string): string {
  const dir = home.viberDir(viber);
  return findFile(dir, 'MEMORY.md') ?? path.join(dir, 'MEMORY.md');
}

/** The text of the viber's MEMORY.md, undefined when it has none. */
export async function readMemory(home: Home, viber: string): Promise<string | undefined> {
  return texts.get(memoryFile(home, viber));
}

/**
 * Adds one or several bullets under a heading of MEMORY.md ("Learned Patterns" by default; created when missing); decisions get
 * today's date. What is there already is not added again; a text without words adds nothing.
 * @param fact.provenance who and where it came from, for example `telegram:1001 in task 20260105-abcde`
 */
export async function addToMemory(
  home: Home,
  viber: string,
  fact: { section?: string | undefined; text: string; provenance: string },
): Promise<void> {
  const bullets = toBullets(fact.text);
  if (bullets.length === 0) return;
  const section = cleanSection(fact.section ?? '') || DEFAULT_SECTION;
  const at = new Date().toISOString();
  const date = section.toLowerCase() === DATED_SECTION.toLowerCase() ? at.slice(0, 10) : undefined;
  const file = memoryFile(home, viber);
  await serialise(file, async () => {
    let before: string | undefined;
    const after = await editText(file, (current) => {
      before = current;
      return addToSection(current?.trim() ? current : (TEMPLATES['MEMORY.md'] ?? ''), section, bullets, date);
    });
    if (after === before) return;
    const folder = path.join(home.viberDir(viber), 'memory');
    await ensureDir(folder);
    const line = JSON.stringify({ at, section, bullets, provenance: fact.provenance });
    await appendLines(path.join(folder, 'provenance.jsonl'), [line]);
  });
}
