/**
 * What the agent would like to remember, waiting for a person: one file each in `memory/suggestions/` of the viber. The text is
 * made ready when it is stored, so that what a person accepts is exactly what will be written.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import { hashText, readTextSync, writeFileAtomic } from '../files.ts';
import { type Home, isId } from '../home.ts';
import { plainLine } from '../text.ts';
import { cleanSection, toBullets } from './sections.ts';

export interface Suggestion {
  /** The same words under the same heading have the same id. */
  id: string;
  section?: string;
  /** One line, or several lines each beginning with `- `. */
  text: string;
  provenance: string;
  /** ISO 8601. */
  createdAt: string;
}

const MAX_PENDING = 100;
const folder = (home: Home, viber: string) => path.join(home.viberDir(viber), 'memory', 'suggestions');

/**
 * Reads the text of a reply's `<memory_suggestion>`: `Add to MEMORY.md under "Project Context":` and bullets, or bullets only.
 */
export function parseSuggestion(text: string): { section?: string; text: string } {
  const match =
    /^\s*add (?:this |these )?to MEMORY\.md(?: under (?:the )?["'“‘`]?([^"'”’`:\n]{1,80})["'”’`]?(?: section)?)?[ \t]*[:.]?[ \t]*(?:\n|$|(?=\S))/i.exec(
      text,
    );
  const rest = match ? text.slice(match[0].length).trim() : text.trim();
  const section = cleanSection(match?.[1] ?? '');
  if (rest === '') return { text: text.trim() };
  return section === '' ? { text: rest } : { section, text: rest };
}

/** Keeps a suggestion until somebody decides. The same one again is the one that waits already; the oldest of 100 make room. */
export async function addSuggestion(
  home: Home,
  viber: string,
  given: { section?: string | undefined; text: string; provenance: string },
): Promise<Suggestion> {
  const bullets = toBullets(given.text);
  const text =
    bullets.length > 1 ? bullets.map((bullet) => `- ${bullet}`).join('\n') : (bullets[0] ?? plainLine(given.text));
  const section = cleanSection(given.section ?? '');
  const id = hashText(`${section}\n${text}`).slice(0, 12);
  const pending = await listSuggestions(home, viber);
  const known = pending.find((suggestion) => suggestion.id === id);
  if (known) return known;
  for (const old of pending.slice(0, Math.max(0, pending.length - MAX_PENDING + 1)))
    await takeSuggestion(home, viber, old.id);
  const createdAt = new Date().toISOString();
  const suggestion = { id, ...(section === '' ? {} : { section }), text, provenance: given.provenance, createdAt };
  await writeFileAtomic(path.join(folder(home, viber), `${id}.json`), `${JSON.stringify(suggestion, null, 2)}\n`);
  return suggestion;
}

/** Everything that waits, oldest first. */
export async function listSuggestions(home: Home, viber: string): Promise<Suggestion[]> {
  const dir = folder(home, viber);
  if (!fs.existsSync(dir)) return [];
  return fs
    .readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => parse(readTextSync(path.join(dir, name))))
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** Takes a suggestion out, to accept or to reject it. Of several callers exactly one gets it; the others get undefined. */
export async function takeSuggestion(home: Home, viber: string, id: string): Promise<Suggestion | undefined> {
  if (!isId(id)) return undefined;
  const claimed = path.join(folder(home, viber), `${id}.taken`);
  try {
    fs.renameSync(path.join(folder(home, viber), `${id}.json`), claimed);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [suggestion] = parse(readTextSync(claimed));
  fs.rmSync(claimed, { force: true });
  return suggestion;
}

function parse(text: string | undefined): Suggestion[] {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isSuggestion(value) ? [value] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isSuggestion(value: unknown): value is Suggestion {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const section = fields.get('section');
  const hasTexts = ['id', 'text', 'provenance', 'createdAt'].every((name) => typeof fields.get(name) === 'string');
  return hasTexts && isId(String(fields.get('id'))) && (section === undefined || typeof section === 'string');
}
