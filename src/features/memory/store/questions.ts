/**
 * Keeps questions about suggestions that haven't been asked yet: `memory/suggestions/ID.ask` of the viber, with the
 * suggestions' IDs. A question is stored before its suggestions and closed once it is durable in the outbox. So it is
 * asked once, or after the next start if the process ends in between.
 */

import fs from 'node:fs';
import path from 'node:path';
import { hashText, readTextSync, writeFileAtomic } from '../../../lib/files.ts';
import type { Suggestion } from '../../../runtime/contract/memory.ts';
import { type Home, isId } from '../../../workspace/home.ts';
import { listSuggestions } from './suggestions.ts';

export interface Question {
  /** The same for the same suggestions. */
  id: string;
  suggestions: Suggestion[];
}

const END = '.ask';
const folder = (home: Home, viber: string) => path.join(home.viberDir(viber), 'memory', 'suggestions');

/** Stores a question, durable when it resolves. Returns its ID. */
export async function keepQuestion(home: Home, viber: string, suggestions: readonly string[]): Promise<string> {
  const id = hashText(suggestions.join(' ')).slice(0, 12);
  await writeFileAtomic(path.join(folder(home, viber), id + END), `${suggestions.join('\n')}\n`);
  return id;
}

export async function openQuestions(home: Home, viber: string): Promise<Question[]> {
  const dir = folder(home, viber);
  const names = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.endsWith(END)) : [];
  if (names.length === 0) return [];
  const waiting = await listSuggestions(home, viber);
  return names.map((name) => {
    const about = new Set((readTextSync(path.join(dir, name)) ?? '').split('\n'));
    return { id: name.slice(0, -END.length), suggestions: waiting.filter(({ id }) => about.has(id)) };
  });
}

export function closeQuestion(home: Home, viber: string, id: string): void {
  if (isId(id)) fs.rmSync(path.join(folder(home, viber), id + END), { force: true });
}
