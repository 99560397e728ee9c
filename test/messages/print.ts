/**
 * Prints every sentence people read, in English and German, with examples for its arguments and the place where it
 * appears: `npm run messages [AREA ...]`.
 */
import * as germanBoard from '../../src/board/ui/words/de.ts';
import { english } from '../../src/board/ui/words/en.ts';
import { englishPages } from '../../src/board/ui/words/en-pages.ts';
import { de } from '../../src/messages/de.ts';
import { de as deLater } from '../../src/messages/de-later.ts';
import { en } from '../../src/messages/en.ts';
import { en as enLater } from '../../src/messages/en-later.ts';
import { compile } from '../../src/messages/format.ts';
import { MENU } from '../../src/messages/menu.ts';
import { LISTED } from '../helpers/commands.ts';
import { examplesFor } from './examples.ts';
import { argumentsOf } from './read.ts';

const WIDTH = Math.max(40, Math.min(90, Math.floor(((process.stdout.columns || 160) - 3) / 2)));

/** The sentences a message makes: one for each number and choice that changes it. */
function sentences(id: string, text: string, language: string): string[] {
  const format = compile(text, language);
  return [...new Set(examplesFor(id, argumentsOf(text, language), language).map(format))];
}

function wrapped(text: string): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const rows = [''];
    for (const word of paragraph.split(' ')) {
      const row = rows.at(-1) ?? '';
      if (row !== '' && row.length + 1 + word.length > WIDTH) rows.push(`  ${word}`);
      else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`;
    }
    return rows;
  });
}

function sideBySide(left: string[], right: string[]): string {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
    `${(left[at] ?? '').padEnd(WIDTH)} │ ${right[at] ?? ''}`.trimEnd(),
  ).join('\n');
}

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The areas that are read elsewhere than in a chat. */
const PLACES: Readonly<Record<string, string>> = {
  terminal: 'terminal',
  ...Object.fromEntries(Object.keys(enLater).map((area) => [area, 'command line'])),
  config: 'configuration',
  expected: 'configuration',
  yaml: 'configuration',
};

const wanted = process.argv.slice(2);
const isWanted = (area: string): boolean => wanted.length === 0 || wanted.includes(area);

function heading(area: string, place: string): void {
  const title = `── ${area} (${place}) `;
  process.stdout.write(`\n${title.padEnd(WIDTH * 2 + 3, '─')}\n`);
}

const german: Texts = { ...de, ...deLater };
for (const [area, texts] of Object.entries<Texts[string]>({ ...en, ...enLater })) {
  if (!isWanted(area)) continue;
  heading(area, PLACES[area] ?? 'chat');
  for (const [key, text] of Object.entries(texts)) {
    const other = german[area]?.[key] ?? '';
    const columns = [sentences(`${area}.${key}`, text, 'en'), sentences(`${area}.${key}`, other, 'de')].map((all) =>
      all.flatMap(wrapped),
    );
    process.stdout.write(`${sideBySide(columns[0] ?? [], columns[1] ?? [])}\n`);
  }
}

/** Prints the Board's texts, those of functions with example values. */
function printBoard(texts: unknown, other: unknown): void {
  if (typeof texts === 'string' || typeof texts === 'function') {
    const shown = [texts, other].map((text) =>
      typeof text === 'function' ? String(Reflect.apply(text, undefined, ['2', '3'])) : String(text),
    );
    process.stdout.write(`${sideBySide(wrapped(shown[0] ?? ''), wrapped(shown[1] ?? ''))}\n`);
  } else if (typeof texts === 'object' && texts !== null)
    for (const [key, text] of Object.entries(texts))
      printBoard(text, typeof other === 'object' && other !== null ? Reflect.get(other, key) : undefined);
}

if (isWanted('board')) {
  const other = { ...germanBoard.words, ...germanBoard.pageWords };
  heading('board', 'Board');
  printBoard({ ...english, ...englishPages }, other);
}

if (isWanted('menu')) {
  heading('menu', 'chat');
  for (const { name, description, argument } of LISTED) {
    const other = MENU.de?.[name];
    const left = [`/${name}: ${description}`, ...(argument ? [argument.description] : [])];
    const right = [`/${name}: ${other?.description ?? description}`, ...(other?.argument ? [other.argument] : [])];
    process.stdout.write(`${sideBySide(left.flatMap(wrapped), right.flatMap(wrapped))}\n`);
  }
}
