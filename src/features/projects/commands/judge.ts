/**
 * Judges a command line by the commands in it; the strictest verdict counts. `free` commands only read in the project.
 * People may grant `ask` commands for later. They are asked about `always` commands every time, whatever they have
 * granted. Pure; `facts` come from the project.
 */
import path from 'node:path';
import type { Effects, Risk } from './effects.ts';
import { kindsOfCommand } from './kinds.ts';
import { type ParseResult, parseCommand, type SimpleCommand } from './parse.ts';
import { isReading, type ReadingFacts } from './reading.ts';
import { effectsOf } from './risks.ts';

export interface CommandFacts extends ReadingFacts {
  /** Where the command starts, relative to the project: '' or `packages/a`. */
  cwd: string;
  /** Whether the default branch is checked out and the person didn't ask for a commit to it. */
  guardsBranch: boolean;
  /** Paths, relative to the project, that don't exist or that git can restore unchanged. */
  kept: ReadonlySet<string>;
}

export type Judgement = { is: 'free' } | { is: 'ask' } | { is: 'always'; why: Risk };

export interface ReadCommand {
  /** Undefined if the text can't be parsed. */
  commands: readonly SimpleCommand[] | undefined;
  effects: Effects;
  /**
   * The kinds that "always" would cover, one for each command that doesn't only read; undefined if the words of one
   * don't show what it does.
   */
  kinds: readonly string[] | undefined;
}

/** Parses a command line, without facts about the project. */
export function readCommand(text: string, folder: string): ReadCommand {
  const parsed: ParseResult = parseCommand(text);
  if ('why' in parsed) {
    const effects = { ...effectsOf([]), risks: new Set<Risk>(['unread']) };
    return { commands: undefined, effects, kinds: undefined };
  }
  const { commands } = parsed;
  const rest = commands.filter((command) => !isReading(command, { folder, isPlainGit: true }));
  const kinds = rest.map((command) => kindsOfCommand(command, folder));
  const isKnown = kinds.every((kind) => kind !== undefined) && !parsed.hasBackground;
  return { commands, effects: effectsOf(commands), kinds: isKnown ? [...new Set(kinds.flat())] : undefined };
}

/** Returns the paths, relative to the project, whose state decides whether to ask about a deletion or an overwrite. */
export function endangered(
  { commands = [], effects }: ReadCommand,
  { cwd, folder }: { cwd: string; folder: string },
): string[] {
  const base = baseOf(commands, cwd, folder);
  return [...effects.deletes, ...effects.overwrites].flatMap((one) => inProject(one, base, folder) ?? []);
}

/** Returns the folder in which later commands run, relative to the project; undefined if the text doesn't show it. */
function baseOf(commands: readonly SimpleCommand[], cwd: string, folder: string): string | undefined {
  const moves = commands.flatMap(({ words: [name] }, at) => (/^(?:cd|pushd|popd)$/.test(name?.text ?? '') ? [at] : []));
  if (moves.length === 0) return cwd;
  const [first, second] = commands;
  const to = first?.words[1];
  const isSure = first?.words[0]?.text === 'cd' && !first.isInner && second?.after === '&&' && to?.is === 'plain';
  return moves.length === 1 && moves[0] === 0 && isSure ? inProject(to.text, cwd, folder) : undefined;
}

/** Returns the path relative to the project; undefined if it leads outside. */
function inProject(given: string, base: string | undefined, folder: string): string | undefined {
  if (base === undefined || given.startsWith('~')) return undefined;
  const from = path.posix.resolve(folder, base, given);
  if (from === folder) return '';
  return from.startsWith(`${folder}/`) ? from.slice(folder.length + 1) : undefined;
}

/** The risks in order of importance: the question names the first. */
const ORDER: readonly Risk[] = [
  'unread',
  'push',
  'publish',
  'rights',
  'delete',
  'discard',
  'overwrite',
  'history',
  'branch',
];

export function judgeCommand(read: ReadCommand, facts: CommandFacts): Judgement {
  const { commands, effects } = read;
  const risks = new Set(effects.risks);
  const base = baseOf(commands ?? [], facts.cwd, facts.folder);
  const isKept = (one: string) => {
    const found = inProject(one, base, facts.folder);
    return found !== undefined && facts.kept.has(found);
  };
  if ([...effects.deletes].some((one) => !isKept(one) && !isInTmp(one))) risks.add('delete');
  if ([...effects.overwrites].some((one) => !isKept(one) && !isInTmp(one))) risks.add('overwrite');
  if (effects.commits && facts.guardsBranch && !leavesBranch(commands ?? [])) risks.add('branch');
  const why = ORDER.find((risk) => risks.has(risk));
  if (why) return { is: 'always', why };
  return commands?.every((command) => isReading(command, facts)) ? { is: 'free' } : { is: 'ask' };
}

/** Such files are in the sandbox's own `/tmp`. */
const isInTmp = (given: string): boolean => /^\/tmp\/[^/]/.test(given) && !given.split('/').includes('..');

/** Returns whether the first command of a chain creates a branch, so that the rest works on that one. */
function leavesBranch(commands: readonly SimpleCommand[]): boolean {
  const [first, ...rest] = commands;
  const texts = first?.words.map(({ text }) => text) ?? [];
  const makes =
    texts[0] === 'git' &&
    ((texts[1] === 'switch' && texts[2] === '-c') || (texts[1] === 'checkout' && texts[2] === '-b'));
  return makes && texts.length === 4 && rest.every(({ after, isInner }) => after === '&&' || after === '|' || isInner);
}
