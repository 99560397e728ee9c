/** Completes the text before the cursor on Tab: a command, its argument, or a file of the viber's folder. */
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../errors.ts';
import type { CommandSpec, Suggestion } from '../channel.ts';
import { safeLine } from './safe.ts';

export interface CompleteOptions {
  commands: readonly CommandSpec[];
  /** The folders whose files are offered; the first one with any match is used. */
  folders: readonly string[];
  suggest: (command: string, text: string) => Promise<Suggestion[]>;
}

export interface Completion {
  start: number;
  choices: Suggestion[];
}

const LEAVING = ['exit', 'quit'];
const MAX_NAMES = 10_000;
const MAX_CHOICES = 200;
/** Matches the pattern of an argument that is one of a few words. */
const ONE_OF = /^\^\((\w+(?:\|\w+)+)\)\$$|^\^(\w+)\$$/;

/** @param before the text up to the cursor */
export async function complete(before: string, options: CompleteOptions): Promise<Completion> {
  const name = /^\/(\w*)$/.exec(before)?.[1];
  if (name !== undefined) {
    const about = new Map(options.commands.map((command) => [command.name, command.description]));
    const fits = [...about.keys(), ...LEAVING].sort().filter((one) => one.startsWith(name.toLowerCase()));
    const width = Math.max(...fits.map((one) => one.length));
    const labelOf = (one: string) => `/${about.has(one) ? `${one.padEnd(width)}  ${about.get(one)}` : one}`;
    return { start: 0, choices: fits.map((one) => ({ value: `/${one} `, label: labelOf(one) })) };
  }
  const [, command, typed] = /^\/(\w+)\s+([^\n]*)$/.exec(before) ?? [];
  const argument = options.commands.find((one) => one.name === command?.toLowerCase())?.argument;
  if (command !== undefined && typed !== undefined && argument) {
    const start = before.length - typed.length;
    const [, many, one] = ONE_OF.exec(argument.pattern ?? '') ?? [];
    const words = (many ?? one)?.split('|').filter((word) => word.startsWith(typed.toLowerCase()));
    if (words) return { start, choices: words.map((value) => ({ value, label: value })) };
    if (argument.suggests) return { start, choices: await options.suggest(command.toLowerCase(), typed) };
  }
  const word = /\S*$/.exec(before)?.[0] ?? '';
  return { start: before.length - word.length, choices: suggestFiles(word, options.folders) };
}

export function commonStart(choices: readonly Suggestion[]): string {
  const [first = '', ...others] = choices.map(({ value }) => value);
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length).toWellFormed();
}

function suggestFiles(word: string, folders: readonly string[]): Suggestion[] {
  if (word === '') return [];
  for (const folder of folders) {
    const found = filesFor(word, folder);
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns names with that prefix; folders end in `/`. Nothing outside the folder is read, not even through links. */
function filesFor(word: string, root: string): Suggestion[] {
  const slash = word.lastIndexOf('/') + 1;
  const [folder, begun] = [word.slice(0, slash), word.slice(slash)];
  if (path.isAbsolute(word) || folder.split('/').includes('..')) return [];
  return visibleEntriesIn(root, folder)
    .filter(({ name }) => name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')))
    .filter(({ name }) => safeLine(name) === name)
    .slice(0, MAX_CHOICES)
    .map((entry) => {
      const isFolder = entry.isDirectory();
      return { value: `${folder}${entry.name}${isFolder ? '/' : ' '}`, label: `${entry.name}${isFolder ? '/' : ''}` };
    })
    .sort((a, b) => (a.label < b.label ? -1 : 1));
}

function visibleEntriesIn(root: string, folder: string): fs.Dirent[] {
  try {
    const real = fs.realpathSync(path.join(root, folder));
    if (!`${real}/`.startsWith(`${fs.realpathSync(root)}/`)) return [];
    return fs.readdirSync(real, { withFileTypes: true }).slice(0, MAX_NAMES);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
