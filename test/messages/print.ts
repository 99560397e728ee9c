/**
 * Prints every sentence people read, in each language, with examples for its arguments and the place where it appears:
 * `npm run messages [AREA ...]`.
 */
import * as deBoard from '../../src/board/ui/words/de.ts';
import { english } from '../../src/board/ui/words/en.ts';
import { englishPages } from '../../src/board/ui/words/en-pages.ts';
import * as esBoard from '../../src/board/ui/words/es.ts';
import { de } from '../../src/messages/de.ts';
import { de as deLater } from '../../src/messages/de-later.ts';
import { en } from '../../src/messages/en.ts';
import { en as enLater } from '../../src/messages/en-later.ts';
import { es } from '../../src/messages/es.ts';
import { es as esLater } from '../../src/messages/es-later.ts';
import { compile } from '../../src/messages/format.ts';
import { MENU } from '../../src/messages/menu.ts';
import { LISTED } from '../helpers/commands.ts';
import { examplesFor } from './examples.ts';
import { argumentsOf } from './read.ts';

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The other languages, in the order of the columns. */
const OTHERS: readonly { language: string; texts: Texts; board: { words: object; pageWords: object } }[] = [
  { language: 'de', texts: { ...de, ...deLater }, board: deBoard },
  { language: 'es', texts: { ...es, ...esLater }, board: esBoard },
];
const COLUMNS = OTHERS.length + 1;
const WIDTH = Math.max(40, Math.min(90, Math.floor((process.stdout.columns || 160) / COLUMNS) - 3));

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

function sideBySide(columns: readonly string[][]): string {
  return Array.from({ length: Math.max(...columns.map(({ length }) => length)) }, (_, at) =>
    columns
      .map((rows) => (rows[at] ?? '').padEnd(WIDTH))
      .join(' │ ')
      .trimEnd(),
  ).join('\n');
}

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
  process.stdout.write(`\n${title.padEnd((WIDTH + 3) * COLUMNS - 3, '─')}\n`);
}

for (const [area, texts] of Object.entries<Texts[string]>({ ...en, ...enLater })) {
  if (!isWanted(area)) continue;
  heading(area, PLACES[area] ?? 'chat');
  for (const [key, text] of Object.entries(texts)) {
    const columns = [
      sentences(`${area}.${key}`, text, 'en'),
      ...OTHERS.map(({ language, texts: own }) => sentences(`${area}.${key}`, own[area]?.[key] ?? '', language)),
    ];
    process.stdout.write(`${sideBySide(columns.map((all) => all.flatMap(wrapped)))}\n`);
  }
}

/** Prints the Board's texts, those of functions with example values. */
function printBoard(texts: unknown, others: readonly unknown[]): void {
  if (typeof texts === 'string' || typeof texts === 'function') {
    const shown = [texts, ...others].map((text) =>
      typeof text === 'function' ? String(Reflect.apply(text, undefined, ['2', '3'])) : String(text),
    );
    process.stdout.write(`${sideBySide(shown.map(wrapped))}\n`);
  } else if (typeof texts === 'object' && texts !== null)
    for (const [key, text] of Object.entries(texts)) {
      const below = others.map((other) =>
        typeof other === 'object' && other !== null ? Reflect.get(other, key) : undefined,
      );
      printBoard(text, below);
    }
}

if (isWanted('board')) {
  heading('board', 'Board');
  printBoard(
    { ...english, ...englishPages },
    OTHERS.map(({ board }) => ({ ...board.words, ...board.pageWords })),
  );
}

if (isWanted('menu')) {
  heading('menu', 'chat');
  for (const { name, description, argument } of LISTED) {
    const own = { description, ...(argument && { argument: argument.description }) };
    const texts = [own, ...OTHERS.map(({ language }) => MENU[language]?.[name] ?? own)];
    const columns = texts.map((text) => [`/${name}: ${text.description}`, ...(text.argument ? [text.argument] : [])]);
    process.stdout.write(`${sideBySide(columns.map((rows) => rows.flatMap(wrapped)))}\n`);
  }
}
