/** Every text that people read, where its English stands, and where its translation belongs. */
import path from 'node:path';
import { MENU_GROUPS, MORE } from '../../../src/messages/menu.ts';
import { LISTED } from '../../helpers/commands.ts';
import { constantsOf, importsOf, isGroup, keyOf, membersOf, type Node, nodeOf, nodesOf, parse } from './ast.ts';
import { textOf } from './texts.ts';

/** Returns the source of a file of the repository; undefined if it isn't there. */
export type Read = (file: string) => string | undefined;

/** A text in a file: `keys` leads from a constant of the file to it. */
export interface Place {
  file: string;
  keys: readonly string[];
}

export interface Unit {
  /** Its name in files for translators. */
  key: string;
  english: string;
  /** Where people read it. */
  where: string;
  own: Place;
  /** Parameters of a function of the Board; the others are texts. */
  parameters?: readonly string[];
}

/** Folders, and files without the ending, of a language's catalogues. */
export const MESSAGES = 'src/messages';
export const BOARD = 'src/board/ui';

/** A catalogue: what its keys begin with, its English constant, and the constant of a language. */
interface Catalogue {
  prefix: string;
  where: string;
  english: { file: string; name: string };
  own: { file: string; name: string };
}

const read = (files: Read, file: string): Node => {
  const text = files(file);
  if (text === undefined) throw new Error(`there is no ${file}`);
  return parse(text);
};

const AREAS: Readonly<Record<string, string>> = {
  terminal: 'In the terminal.',
  config: 'About the configuration.',
  expected: 'About the configuration.',
  yaml: 'About the configuration.',
};

/** The areas that `en.ts` and `en-later.ts` put together. */
function areasOf(files: Read, language: string): Catalogue[] {
  return ['en', 'en-later'].flatMap((index) => {
    const program = read(files, `${MESSAGES}/${index}.ts`);
    const imports = importsOf(program);
    const object = constantsOf(program).get('en');
    const where = index === 'en' ? 'In chats.' : 'On the command line or from programs.';
    return nodesOf(object ?? program, 'properties').flatMap((property): Catalogue[] => {
      const local = String(nodeOf(property, 'value')?.name);
      const { from, name } = imports.get(local) ?? {};
      if (from === undefined || name === undefined) return [];
      const file = path.posix.join(MESSAGES, from);
      const area = keyOf(property);
      return [
        {
          prefix: area,
          where: AREAS[area] ?? where,
          english: { file, name },
          own: { file: file.replace('/en/', `/${language}/`), name },
        },
      ];
    });
  });
}

/** The English files of the gateway with the names of their catalogues. */
export function areaFiles(files: Read): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { english } of areasOf(files, 'en'))
    found.set(english.file, [...(found.get(english.file) ?? []), english.name]);
  return found;
}

/** The only exported constant of a file: the settings page names its catalogue by the language. */
function onlyConstant(files: Read, file: string): string {
  const text = files(file);
  return (text === undefined ? undefined : /^export const (\w+)/m.exec(text)?.[1]) ?? 'own';
}

function boardCatalogues(files: Read, language: string): Catalogue[] {
  const words = `${BOARD}/words/${language}.ts`;
  const settings = `${BOARD}/settings/words-${language}.ts`;
  const english = (file: string, name: string) => ({ file: `${BOARD}/${file}.ts`, name });
  // biome-ignore format: a row is a line
  return [
    { prefix: 'ui', where: 'On the Board.', english: english('words/en', 'english'), own: { file: words, name: 'words' } },
    { prefix: 'ui-pages', where: 'On pages of the Board.', english: english('words/en-pages', 'englishPages'), own: { file: words, name: 'pageWords' } },
    {
      prefix: 'ui-settings',
      where: 'On the settings page of the Board.',
      english: english('settings/words-en', 'english'),
      own: { file: settings, name: onlyConstant(files, settings) },
    },
  ];
}

/** The comments before the constants of a file, by name; the one at its head is for the first. */
function commentsOf(text: string): (name: string) => string {
  const said = (comment: string) =>
    comment
      .replace(/^\s*\/?\*+\/?|\*\/$/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
  return (name) => {
    const [, near] =
      new RegExp(String.raw`(/\*\*(?:(?!\*/)[\s\S])*\*/)\s*(?:export )?const ${name}\b`).exec(text) ?? [];
    const [head] = /^\/\*\*[\s\S]*?\*\//.exec(text) ?? [];
    return said(near ?? head ?? '');
  };
}

function unitsOf(files: Read, { prefix, where, english, own }: Catalogue): Unit[] {
  const text = files(english.file) ?? '';
  const root = constantsOf(read(files, english.file)).get(english.name);
  const about = `${where} ${commentsOf(text)(english.name)}`.trim();
  const walk = (node: Node, keys: readonly string[]): Unit[] =>
    membersOf(node).flatMap(([key, value]): Unit[] => {
      const below = [...keys, key];
      if (isGroup(value)) return walk(value, below);
      const said = textOf(value);
      // Code that says what no message can stays as it is.
      if (said === undefined) return [];
      const place = { file: own.file, keys: [own.name, ...below] };
      const parameters = nodesOf(value, 'params').map((each) => String(each.name));
      const isFunction = value.type === 'ArrowFunctionExpression';
      return [
        {
          key: [prefix, ...below].join('.'),
          english: said,
          where: about,
          own: place,
          ...(isFunction && { parameters }),
        },
      ];
    });
  return root ? walk(root, []) : [];
}

/** What menus show beside commands; the English texts are the commands' own, and two that Discord alone shows. */
function menuUnits(language: string): Unit[] {
  // biome-ignore format: a row is a line
  const texts: [key: string, text: string | undefined][] = [
    ...LISTED.flatMap(({ name, description, argument }): [string, string | undefined][] => [[`${name}.description`, description], [`${name}.argument`, argument?.description]]),
    ...Object.entries({ ...MENU_GROUPS, [MORE.name]: MORE }).map(([name, { description }]): [string, string] => [`group ${name}.description`, description]),
    ...Object.entries(MENU_GROUPS).flatMap(([group, { entries }]) =>
      Object.entries(entries).map(([name, { description }]): [string, string | undefined] => [
        `${group} ${name}.description`,
        description,
      ]),
    ),
    ['viber.description', 'Tasks for the viber'],
    ['task.description', 'Give me a task; it gets its own thread'],
    ['task.argument', 'What to do'],
  ];
  return texts.flatMap(([key, english]): Unit[] => {
    if (english === undefined) return [];
    const keys = ['MENU', language, ...key.split('.')];
    const where = 'In the menus of chats, beside a command; at most 100 characters.';
    return [{ key: `menu.${key}`, english, where, own: { file: `${MESSAGES}/menu.ts`, keys } }];
  });
}

/** Lists of phrases, and sentences of the Board's worker, in one file for all languages. */
const SHARED: readonly { prefix: string; where: string; file: string; path: (language: string) => string[] }[] = [
  {
    prefix: 'bare-answers',
    where:
      'What people type for yes, for no, and politely beside it, separated by commas. Not a translation: write what is usual, in small letters.',
    file: `${MESSAGES}/bare-answers.ts`,
    path: (language) => ['WORDS', language],
  },
  {
    prefix: 'notification',
    where: 'A notification of the browser.',
    file: `${BOARD}/worker/notify.ts`,
    path: (language) => ['GENERAL', language],
  },
];

function sharedUnits(files: Read, language: string): Unit[] {
  const worker = `${BOARD}/worker/notify.ts`;
  const english = saidAt(files, { file: worker, keys: ['OTHER', 'en'] }) ?? '';
  const other: Unit = {
    key: 'notification.other',
    english,
    where: 'A notification of the browser.',
    own: { file: worker, keys: ['OTHER', language] },
  };
  const shared = SHARED.flatMap(({ prefix, where, file, path: pathOf }) => {
    const group = nodeAt(files, { file, keys: pathOf('en') });
    return group
      ? membersOf(group).flatMap(([key, value]): Unit[] => {
          const english = textOf(value)?.replace(/\s+/g, ' ').trim();
          if (english === undefined) return [];
          return [{ key: `${prefix}.${key}`, english, where, own: { file, keys: [...pathOf(language), key] } }];
        })
      : [];
  });
  return [...shared, other];
}

/** Returns the value at a place; undefined if nothing is there. */
export function nodeAt(files: Read, { file, keys: [name = '', ...keys] }: Place): Node | undefined {
  const text = files(file);
  let node = text === undefined ? undefined : constantsOf(parse(text)).get(name);
  for (const key of keys) node = node && new Map(membersOf(node)).get(key);
  return node;
}

export function unitsIn(files: Read, language: string): Unit[] {
  const catalogues = [...areasOf(files, language), ...boardCatalogues(files, language)];
  return [
    ...catalogues.flatMap((catalogue) => unitsOf(files, catalogue)),
    ...menuUnits(language),
    ...sharedUnits(files, language),
  ];
}

/** Returns what a place says now, as it is written in files for translators. */
export function saidAt(files: Read, place: Place): string | undefined {
  const node = nodeAt(files, place);
  const text = node && textOf(node);
  return node?.type === 'TemplateLiteral' && place.file.endsWith('bare-answers.ts')
    ? text?.replace(/\s+/g, ' ').trim()
    : text;
}
