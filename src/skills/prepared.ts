/**
 * The bundled skills as the build has read them, so that a start needs none of the libraries that read one. They count only while
 * the files beside them are, to the byte, those that were read; else the files are read as any others.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import type { WatchedFile } from '../lib/watch-folders.ts';
import { isSkillFile } from './library.ts';
import { checkName, isBundle } from './name.ts';
import type { Skill, SkillSource } from './skill.ts';

type Parse = (text: string, source: SkillSource) => Skill;

/** In the folder of the bundled skills. */
const FILE = 'prepared.json';

const digestOf = (text: string) => hash('sha256', text);

/** What the build writes beside the files in `root`. */
export function prepare(root: string, parse: Parse): { file: string; text: string } {
  const skills = filesIn(root).map((file) => {
    const {
      level,
      file: _file,
      folder,
      ...skill
    } = parse(file.text, {
      file: file.path,
      level: 'bundled',
      reserved: new Set(),
    });
    return [file.name, skill];
  });
  return { file: path.join(root, FILE), text: JSON.stringify(Object.fromEntries(skills)) };
}

/** The files with what reads them; undefined where nothing was prepared, or where it is of other files. */
export function readPrepared(root: string): { files: WatchedFile[]; parse: Parse } | undefined {
  try {
    return read(root);
  } catch (error) {
    // Not built, or being built anew just now.
    if (errorCode(error) !== undefined || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function read(root: string): ReturnType<typeof readPrepared> {
  const known: unknown = JSON.parse(readFileSync(path.join(root, FILE), 'utf8'));
  if (!isRecord(known)) return undefined;
  const files = filesIn(root);
  const isSame = ({ name, text }: WatchedFile) => {
    const skill = Object.hasOwn(known, name) ? known[name] : undefined;
    return isRecord(skill) && skill.digest === digestOf(text);
  };
  if (files.length !== Object.keys(known).length || !files.every(isSame)) return undefined;
  const skills = new Map(Object.values(known as Record<string, Skill>).map((skill) => [skill.digest, skill]));
  return {
    files,
    parse(text, { file, level, reserved }) {
      const skill = skills.get(digestOf(text));
      if (!skill) throw new Error(`${file} was not prepared`);
      checkName(skill.name, reserved);
      return { ...skill, level, file, ...(isBundle(file) ? { folder: path.dirname(file) } : {}) };
    },
  };
}

/** By name. A handful of small files, read at once: a start waits longer for each turn of the event loop than for the disk. */
function filesIn(root: string): WatchedFile[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return names
    .filter(isSkillFile)
    .sort()
    .map((name) => {
      const file = path.join(root, name);
      const { size, mtimeMs } = statSync(file);
      return { path: file, name, text: readFileSync(file, 'utf8'), size, mtimeMs };
    });
}
