/** Prints every sentence people read, with examples in the place of what it is given, and the menus: `npm run messages [AREA ...]`. */
import { de } from '../../src/messages/de.ts';
import { type Catalogue, en } from '../../src/messages/en.ts';
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

const wanted = process.argv.slice(2);
const german: Readonly<Record<string, Readonly<Record<string, string>>>> = de satisfies Catalogue;
for (const [area, texts] of Object.entries(en)) {
  if (wanted.length > 0 && !wanted.includes(area)) continue;
  process.stdout.write(`\n── ${area} ${'─'.repeat(WIDTH * 2 - area.length)}\n`);
  for (const [key, text] of Object.entries(texts)) {
    const other = german[area]?.[key] ?? '';
    const columns = [sentences(`${area}.${key}`, text, 'en'), sentences(`${area}.${key}`, other, 'de')].map((all) =>
      all.flatMap(wrapped),
    );
    process.stdout.write(`${sideBySide(columns[0] ?? [], columns[1] ?? [])}\n`);
  }
}

if (wanted.length === 0 || wanted.includes('menu')) {
  process.stdout.write(`\n── menu ${'─'.repeat(WIDTH * 2 - 4)}\n`);
  for (const { name, description, argument } of LISTED) {
    const other = MENU.de?.[name];
    const left = [`/${name}: ${description}`, ...(argument ? [argument.description] : [])];
    const right = [`/${name}: ${other?.description ?? description}`, ...(other?.argument ? [other.argument] : [])];
    process.stdout.write(`${sideBySide(left.flatMap(wrapped), right.flatMap(wrapped))}\n`);
  }
}
