/**
 * A language as a file for translators, and back into its catalogues. Pure: files come from `read`, and what changes is
 * returned. What a file doesn't hold stays as it is.
 */
import { examplesFor } from '../examples.ts';
import { argumentsOf, type Kind } from '../read.ts';
import { isGroup, membersOf, type Node } from './ast.ts';
import { newFiles, withHelpers } from './new-language.ts';
import type { PoEntry } from './po.ts';
import { nodeAt, type Read, saidAt, type Unit, unitsIn } from './sources.ts';
import { functionOf, literal } from './texts.ts';

const kindOf = (kind: Kind): string => {
  if (kind === 'count') return 'a number';
  return kind === 'text' ? '' : `one of ${kind.join(', ')}`;
};

/** Lines for the translator: where it is read, and what its placeholders stand for. */
function aboutOf({ key, english, where }: Unit): string[] {
  const kinds = argumentsOf(english, 'en');
  const [examples = {}] = examplesFor(key, kinds, 'en');
  const placeholders = [...kinds].map(([name, kind]) => {
    const example = String(examples[name] ?? '')
      .replace(/\s+/g, ' ')
      .trim();
    return `{${name}}: ${kindOf(kind) || (example.startsWith('<') ? 'a text' : `for example ${example}`)}`;
  });
  return [where, ...placeholders];
}

/** Returns the entries of a language; of one that isn't there yet, without translations. */
export function exportLanguage(read: Read, language: string): PoEntry[] {
  return unitsIn(read, language).map((unit) => ({
    key: unit.key,
    english: unit.english,
    translation: saidAt(read, unit.own) ?? '',
    about: aboutOf(unit),
    file: unit.own.file,
  }));
}

export interface Imported {
  /** Files with their new texts, none if something is wrong. */
  changed: Map<string, string>;
  /** What is wrong: `key: reason`, with the line. */
  problems: { line: number; text: string }[];
  /** Entries that weren't used, with the reason. */
  left: { line: number; text: string }[];
}

export function importLanguage(read: Read, language: string, entries: readonly PoEntry[]): Imported {
  const created = newFiles(read, language);
  const files = new Map(created);
  const current: Read = (file) => files.get(file) ?? read(file);
  const units = unitsIn(current, language);
  const known = new Map(units.map((unit) => [unit.key, unit]));
  const order = orderOf(units);
  const [problems, left]: [Imported['problems'], Imported['left']] = [[], []];
  const seen = new Set<string>();
  for (const { key, english, translation, isFuzzy, line = 0 } of entries) {
    const unit = known.get(key);
    const isTwice = seen.has(key);
    seen.add(key);
    if (isTwice) problems.push({ line, text: `${key} is there twice` });
    else if (!unit) left.push({ line, text: `${key} is no longer used` });
    else if (unit.english !== english)
      left.push({ line, text: `${key} has another English text now; export it again` });
    else if (translation === '') continue;
    else if (isFuzzy) left.push({ line, text: `${key} is marked as unfinished (fuzzy)` });
    else {
      const wrong = problemsOf(unit, translation, language);
      problems.push(...wrong.map((text) => ({ line, text: `${key}: ${text}` })));
      if (wrong.length > 0 || isSame(unit, saidAt(current, unit.own), translation, language)) continue;
      const { file } = unit.own;
      files.set(file, withText(current, unit, translation, language, order));
    }
  }
  if (problems.length > 0) return { changed: new Map(), problems, left };
  const isEmpty = [...files].every(([file, text]) => created.get(file) === text);
  const changed = new Map(isEmpty ? [] : [...files].map(([file, text]) => [file, withHelpers(text, file, language)]));
  return { changed, problems, left };
}

/** Two messages may say the same: `#` and `{n, number}`. */
function isSame({ parameters }: Unit, before: string | undefined, after: string, language: string): boolean {
  if (before === undefined || parameters === undefined) return before === after;
  return functionOf(before, parameters, language) === functionOf(after, parameters, language);
}

/** What is wrong with a translation: it must take the same arguments, in forms that the language and the code have. */
export function problemsOf({ english, parameters }: Unit, text: string, language: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: texts have none but these two
  const control = /[\u0000-\u0008\u000b-\u001f\u007f]/.exec(text);
  if (control) return [`has a control character, \\x${control[0].charCodeAt(0).toString(16).padStart(2, '0')}`];
  if (/'[{}]/.test(text)) return ['an apostrophe before a brace quotes it in ICU MessageFormat; write ’ instead'];
  let found: Map<string, Kind>;
  try {
    found = argumentsOf(text, language);
  } catch (error) {
    return [`isn't ICU MessageFormat: ${error instanceof Error ? error.message : String(error)}`];
  }
  const wanted = argumentsOf(english, 'en');
  const problems = [
    ...[...wanted.keys()].filter((name) => !found.has(name)).map((name) => `{${name}} is missing`),
    ...[...found.keys()].filter((name) => !wanted.has(name)).map((name) => `there is no {${name}}`),
    ...[...found].flatMap(([name, kind]) => wrongKind(name, kind, wanted.get(name))),
    ...wrongForms(text, language),
  ];
  const edges = (of: string) => JSON.stringify([/^\s*/.exec(of)?.[0], /\s*$/.exec(of)?.[0]]);
  if (edges(text) !== edges(english)) problems.push('it begins or ends with other spaces than the English text');
  if (problems.length > 0 || parameters === undefined) return problems;
  try {
    functionOf(text, parameters, language);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function wrongKind(name: string, kind: Kind, wanted: Kind | undefined): string[] {
  if (wanted === undefined || kind === 'text') return [];
  if (kind === 'count')
    return wanted === 'count' || wanted === 'text' ? [] : [`{${name}} is a choice, and can't be counted`];
  if (wanted === 'count') return [`{${name}} is a number, and can't be selected by`];
  // English may not distinguish what another language chooses by: `{nth} weekday`, or a form for a case.
  if (wanted === 'text' || wanted.join() === 'other') return [];
  const unknown = kind.filter((key) => !wanted.includes(key));
  return unknown.length > 0 ? [`{${name}} is never ${unknown.join(', ')}`] : [];
}

/** `{n, plural, one {…} few {…}}`: the forms by each opening. */
const PLURALS = /\{\s*(\w+)\s*,\s*(plural|selectordinal)\s*,/g;

/** Forms that the language doesn't have, and whole numbers without one. */
function wrongForms(text: string, language: string): string[] {
  return [...text.matchAll(PLURALS)].flatMap((opening) => {
    const [whole, name, kind] = opening;
    const rules = new Intl.PluralRules(language, { type: kind === 'plural' ? 'cardinal' : 'ordinal' });
    const forms = formsAfter(text, opening.index + whole.length).filter((form) => !form.startsWith('='));
    const unknown = forms.filter(
      (form) => !rules.resolvedOptions().pluralCategories.includes(form as Intl.LDMLPluralRule),
    );
    const used = new Set(Array.from({ length: 201 }, (_, n) => rules.select(n)));
    const lacks = forms.length > 1 ? [...used].filter((form) => !forms.includes(form)) : [];
    return [
      ...unknown.map((form) => `{${name}}: ${language} has no plural form "${form}"`),
      ...lacks.map((form) => `{${name}}: the plural form "${form}" is missing`),
    ];
  });
}

/** The keys before the braces at the depth of a plural. */
function formsAfter(text: string, start: number): string[] {
  const forms: string[] = [];
  let depth = 0;
  let word = '';
  for (const character of text.slice(start)) {
    if (character === '{') {
      if (depth === 0) forms.push(word.trim());
      depth++;
    } else if (character === '}') {
      if (depth === 0) break;
      depth--;
      word = '';
    } else if (depth === 0) word += character;
  }
  return forms;
}

/** The members of each object in the order of the English ones. */
function orderOf(units: readonly Unit[]): Map<string, string[]> {
  const order = new Map<string, string[]>();
  for (const { own } of units)
    for (let depth = 1; depth < own.keys.length; depth++) {
      const at = [own.file, ...own.keys.slice(0, depth)].join('\n');
      const keys = order.get(at) ?? [];
      const key = own.keys[depth] ?? '';
      if (!keys.includes(key)) order.set(at, [...keys, key]);
    }
  return order;
}

function withText(
  read: Read,
  { own, parameters }: Unit,
  text: string,
  language: string,
  order: ReadonlyMap<string, string[]>,
): string {
  const source = read(own.file) ?? '';
  const value = parameters === undefined ? literal(text) : functionOf(text, parameters, language);
  const node = nodeAt(read, own);
  if (node) return source.slice(0, node.start) + value + source.slice(node.end);
  return withMember(read, own.file, own.keys, value, order);
}

const named = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : literal(key));

/** Puts a text that wasn't there where the English one stands among its neighbours. */
function withMember(
  read: Read,
  file: string,
  keys: readonly string[],
  value: string,
  order: ReadonlyMap<string, string[]>,
): string {
  const source = read(file) ?? '';
  let depth = keys.length - 1;
  let group: Node | undefined;
  while (depth > 0 && !(group && isGroup(group))) {
    group = nodeAt(read, { file, keys: keys.slice(0, depth) });
    if (!(group && isGroup(group))) depth--;
  }
  if (!group || depth === 0) throw new Error(`${file} has no constant ${keys[0]}`);
  const isList = group.type === 'ArrayExpression';
  const inner = keys.slice(depth + 1).reduceRight((within, key) => `{ ${named(key)}: ${within} }`, value);
  const key = keys[depth] ?? '';
  const member = isList ? inner : `${named(key)}: ${inner}`;
  const siblings = order.get([file, ...keys.slice(0, depth)].join('\n')) ?? [];
  const present = membersOf(group);
  const isBefore = ([name]: [string, Node]) => siblings.indexOf(name) < siblings.indexOf(key);
  const hasLater = present.some(([name]) => siblings.indexOf(name) > siblings.indexOf(key));
  const previous = hasLater ? present.filter(isBefore).at(-1) : present.at(-1);
  const at = previous ? endOf(source, previous[1]) : group.start + 1;
  return source.slice(0, at) + (previous ? `, ${member}` : ` ${member},`) + source.slice(at);
}

/** Where a member ends: a value may be followed by `as …`. */
function endOf(source: string, value: Node): number {
  const [after = ''] = /^\s*as [^,\n]+(?=,|\n)/.exec(source.slice(value.end)) ?? [];
  return value.end + after.length;
}
