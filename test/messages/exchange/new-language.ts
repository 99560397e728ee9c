/** The files of a language that isn't there yet, with empty catalogues: a translator's file fills them. */
import { areaFiles, BOARD, MESSAGES, type Read } from './sources.ts';

/** `Polish`, the name of a language in English. */
const nameOf = (language: string): string => new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;

/** Returns the files that are missing; none for a language that has them all. */
export function newFiles(read: Read, language: string): Map<string, string> {
  const made = new Map<string, string>();
  const add = (file: string, text: string) => {
    if (read(file) === undefined) made.set(file, text);
  };
  for (const [file, names] of areaFiles(read)) {
    const english = file.replace(/^.*\//, '');
    const [head = ''] = /^\/\*\*[\s\S]*?\*\//.exec(read(file) ?? '') ?? [];
    const catalogues = names.map((name) => `export const ${name} = translate(english.${name})({});`);
    const imports = `import { translate } from '../arguments.ts';\nimport * as english from '../en/${english}';`;
    add(file.replace('/en/', `/${language}/`), `${[`${head}\n${imports}`, ...catalogues].join('\n\n')}\n`);
  }
  for (const index of ['de', 'de-later']) {
    const text = read(`${MESSAGES}/${index}.ts`) ?? '';
    const own = text
      .replaceAll('./de/', `./${language}/`)
      .replace('export const de:', `export const ${language}:`)
      .replace('in German', `in ${nameOf(language)}`);
    add(`${MESSAGES}/${index.replace('de', language)}.ts`, own);
  }
  add(`${BOARD}/words/${language}.ts`, boardFile(language));
  add(`${BOARD}/settings/words-${language}.ts`, settingsFile(language));
  return made;
}

const constantOf = (language: string): string => {
  const name = nameOf(language).toLowerCase();
  return /^[a-z]+$/.test(name) ? name : 'own';
};

function boardFile(language: string): string {
  return `/** The Board in ${nameOf(language)}. */
import { ${constantOf(language)} } from '../settings/words-${language}.ts';
import type { PageWords, SettingsWords, Words } from './catalogue.ts';

export const settingsWords: SettingsWords = ${constantOf(language)};

export const words: Words = {};

export const pageWords: PageWords = {};
`;
}

const settingsFile = (language: string): string => `/** The settings page in ${nameOf(language)}. */
import type { english } from './words-en.ts';

export const ${constantOf(language)}: typeof english = {};
`;

const HELPERS = { count: 'counter', choose: 'chooser' } as const;

/** Adds the helpers that a file of the Board uses and doesn't have yet. */
export function withHelpers(text: string, file: string, language: string): string {
  if (!file.startsWith(BOARD)) return text;
  return Object.entries(HELPERS).reduce((source, [name, maker]) => {
    if (!new RegExp(String.raw`\b${name}\(`).test(source) || source.includes(`const ${name} =`)) return source;
    const shape = file.includes('/settings/') ? '../words/shape.ts' : './shape.ts';
    const at = source.lastIndexOf('\nimport ');
    const end = source.indexOf('\n', at + 1);
    const added = `\nimport { ${maker} } from '${shape}';\n\nconst ${name} = ${maker}('${language}');`;
    return source.slice(0, end) + added + source.slice(end);
  }, text);
}
