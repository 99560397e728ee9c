/**
 * Resolves a file of a bundle as a program: its path and its interpreter. Only inside the bundle's own folder, through
 * no link. Runs nothing.
 */
import { accessSync, closeSync, constants, lstatSync, readSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { errorCode, UserError } from '../errors.ts';
import { type HeldFile, type HeldFolder, holdFolder, openFile, PathRefused } from '../lib/files/below.ts';
import { cleanName } from '../lib/text.ts';
import { isSystemFile, searchPath } from './sandbox.ts';
import type { Skill } from './skill.ts';

export interface SkillProgram {
  /** Absolute. */
  file: string;
  /** Relative to the skill's folder, with `/`. */
  name: string;
  /** The interpreter, absolute, with any arguments before the file. */
  command: readonly string[];
  language: Language;
  /** Its text, for the person who is asked; '' if it isn't text or too long. */
  text: string;
  /** The interpreter, if it isn't one of the system's. */
  visible?: string;
}

export type Language = 'Python' | 'JavaScript' | 'shell' | 'other';

interface Interpreter {
  language: Language;
  /** Its names; the first that exists is used. */
  programs: readonly string[];
}

/** Most characters shown to a person. */
const MAX_TEXT = 200_000;
const MAX_DEPTH = 6;

const PYTHON: Interpreter = { language: 'Python', programs: ['python3', 'python'] };
const NODE: Interpreter = { language: 'JavaScript', programs: ['node'] };
const SHELL: Interpreter = { language: 'shell', programs: ['sh'] };
const BASH: Interpreter = { language: 'shell', programs: ['bash'] };
const BY_ENDING: Readonly<Record<string, Interpreter>> = {
  '.py': PYTHON,
  '.js': NODE,
  '.mjs': NODE,
  '.cjs': NODE,
  '.ts': NODE,
  '.mts': NODE,
  '.sh': SHELL,
  '.bash': BASH,
};
const BY_NAME: Readonly<Record<string, Interpreter>> = {
  python: PYTHON,
  python3: PYTHON,
  node: NODE,
  sh: SHELL,
  dash: SHELL,
  bash: BASH,
  ...Object.fromEntries(
    ['perl', 'ruby', 'php', 'lua', 'Rscript', 'awk'].map((name) => [name, { language: 'other', programs: [name] }]),
  ),
};

/** Returns whether a file can be a program, by its name alone. */
export const isProgramName = (name: string): boolean => Object.hasOwn(BY_ENDING, path.extname(name).toLowerCase());

/** @throws UserError when it isn't a program, is outside the folder, or has no interpreter here */
export function programOf(skill: Skill, given: string): SkillProgram {
  const { file, name, text } = findProgramFile(skill, given);
  const by = interpreterOf(name, text);
  if (!by)
    throw unrunnable(
      skill,
      name,
      'only Python, JavaScript and shell are run, by their ending or their first line (#!)',
    );
  const base = { file, name, language: by.language, text: text.length > MAX_TEXT ? '' : text };
  if (by === NODE) {
    const own = process.execPath;
    return { ...base, command: [own], ...(isSystemFile(own) ? {} : { visible: own }) };
  }
  const own = by === PYTHON ? ownPython(skill) : undefined;
  const program = own ?? findSystemProgram(by.programs);
  if (!program)
    throw unrunnable(
      skill,
      name,
      `it is ${interpreterName(by)}, which is not there: install ${by.programs[0]} for the whole system`,
    );
  return { ...base, command: [program] };
}

const interpreterName = ({ language, programs }: Interpreter): string =>
  language === 'Python' ? 'Python' : (programs[0] ?? '');

const unrunnable = ({ name }: Skill, file: string, why: string, cause?: unknown): UserError =>
  new UserError(`The file "${cleanName(file)}" of the skill ${name} cannot be run: ${why}.`, { cause });

/** Returns the file. Its name may lack the extension, or be a module's (`scripts.check` is `scripts/check.py`). */
function findProgramFile(skill: Skill, given: string): { file: string; name: string; text: string } {
  const { level, folder } = skill;
  const wanted = given.trim().replace(/^(?:\{baseDir\}|\$\{?(?:CLAUDE_)?SKILL_DIR\}?|\.)\//, '');
  const parts = wanted.split('/');
  const isPlain = parts.every((part) => part !== '' && !part.startsWith('.') && !/[\\\0]/.test(part));
  // Bundled skills are our own code.
  if (level === 'bundled' || folder === undefined || !isPlain || parts.length > MAX_DEPTH)
    throw unrunnable(skill, given, 'only files beside its SKILL.md are, by their name in the list of read_skill');
  const names = [
    wanted,
    `${wanted}.py`,
    ...(/^\w+(\.\w+)+$/.test(wanted) ? [`${wanted.replaceAll('.', '/')}.py`] : []),
  ];
  for (const name of names) {
    const text = readProgram(skill, folder, name);
    if (text !== undefined) return { file: path.join(folder, name), name, text };
  }
  throw unrunnable(skill, given, 'it is not there');
}

function interpreterOf(name: string, text: string): Interpreter | undefined {
  const [, said = ''] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(text) ?? [];
  const wanted = path.basename(said).replace(/(?<=python3)\.\d+$/, '');
  const byLine = Object.hasOwn(BY_NAME, wanted) ? BY_NAME[wanted] : undefined;
  const ending = path.extname(name).toLowerCase();
  const byEnding = Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  // Bash scripts are often named `.sh`.
  return byEnding === SHELL && byLine === BASH ? BASH : (byEnding ?? byLine);
}

/** Returns the Python of the skill's own environment, with its packages. */
function ownPython(skill: Skill): string | undefined {
  const own = path.join(skill.folder ?? '', '.venv', 'bin', 'python');
  if (!lstatSync(own, { throwIfNoEntry: false })) return undefined;
  const real = realOf(own);
  if (real === undefined || !isSystemFile(real))
    throw new UserError(
      `The Python of ${path.dirname(path.dirname(own))} stands where programs of skills cannot see it. A person makes it anew: ${venvCommand(skill)}`,
    );
  return own;
}

/** Returns the command by which a person gives a skill its own packages. */
export const venvCommand = ({ folder = '' }: Skill): string =>
  `/usr/bin/python3 -m venv --clear ${folder}/.venv && ${folder}/.venv/bin/pip install PACKAGE`;

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

/** Returns the first that exists among the system's programs. */
export function findSystemProgram(names: readonly string[]): string | undefined {
  return names.flatMap((name) => searchPath(true).map((folder) => path.join(folder, name))).find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/**
 * Returns its text, up to one character more than is shown; '' if it isn't text, undefined if there is no such file.
 */
function readProgram(skill: Skill, folder: string, name: string): string | undefined {
  const steps = name.split('/');
  let held: HeldFolder | undefined;
  let file: HeldFile | undefined;
  try {
    held = holdFolder(folder, steps.slice(0, -1));
    file = held && openFile(held, steps);
    if (file === undefined) return undefined;
    if (!file.stat.isFile()) throw unrunnable(skill, name, NO_FILE);
    const buffer = Buffer.alloc(MAX_TEXT + 1);
    const bytes = buffer.subarray(0, readSync(file.fd, buffer, 0, buffer.length, 0));
    return bytes.includes(0) ? '' : bytes.toString();
  } catch (error) {
    if (error instanceof PathRefused) throw unrunnable(skill, name, NO_FILE, error);
    throw error;
  } finally {
    if (file) closeSync(file.fd);
    held?.close();
  }
}

const NO_FILE = 'it is not a regular file';
