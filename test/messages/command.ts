/**
 * `npm run messages [AREA ...]` prints every sentence, `export LANGUAGE [FILE]` writes them for a translator, and
 * `import LANGUAGE FILE` puts the translations into the catalogues.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { exportLanguage, importLanguage } from './exchange/exchange.ts';
import { PoError, readPo, writePo } from './exchange/po.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined);
const say = (line: string) => process.stdout.write(`${line}\n`);

const [verb = '', language = '', given] = process.argv.slice(2);
/** Paths are those of whoever runs npm. */
const here = process.env.INIT_CWD ?? process.cwd();

function refuse(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exit(1);
}

function exportTo(file: string): void {
  const entries = exportLanguage(read, language);
  writeFileSync(file, writePo(language, entries));
  const missing = entries.filter(({ translation }) => translation === '').length;
  say(`${file}: ${entries.length} texts, ${missing} of them without a translation.`);
}

function entriesIn(file: string): ReturnType<typeof readPo> {
  try {
    return readPo(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof PoError) refuse([`${file}:${error.line}: ${error.message}`]);
    throw error;
  }
}

function importFrom(file: string): void {
  const { changed, problems, left } = importLanguage(read, language, entriesIn(file));
  const shown = (found: typeof problems) => found.map(({ line, text }) => `${file}:${line}: ${text}`);
  if (problems.length > 0) refuse([...shown(problems), 'Nothing was changed.']);
  for (const line of shown(left)) say(`${line}; it was left out`);
  for (const [name, text] of changed) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  if (changed.size > 0) execFileSync('npx', ['biome', 'format', '--write', ...changed.keys()], { cwd: root });
  say(changed.size === 0 ? 'Nothing new.' : `Changed:\n${[...changed.keys()].join('\n')}`);
}

const isWanted = verb === 'export' || verb === 'import';
if (!isWanted) await import('./print.ts');
else if (!/^[a-z]{2,3}$/.test(language) || language === 'en') refuse([`${verb} takes a language such as es`]);
else if (verb === 'export') exportTo(resolve(here, given ?? `messages.${language}.po`));
else if (given === undefined) refuse(['import takes a language and a file: import es messages.es.po']);
else importFrom(resolve(here, given));
