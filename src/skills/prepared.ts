/**
 * The bundled skills, parsed by the build, so that a start needs none of the parsing libraries. Used only while the
 * files are byte for byte those that were parsed; otherwise the files are read like any others.
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

/** File name in the folder of the bundled skills. */
const FILE = 'prepared.json';

const digestOf = (text: string) => hash('sha256', text);

/** Returns the file that the build writes beside those in `root`. */
export function prepare(root: string, parse: Parse): { file: string; text: string } {
  const skills = listFilesIn(root).map((file) => {
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

/** Returns the files with their parser; undefined if nothing was prepared, or for other files. */
export function readPrepared(root: string): { files: WatchedFile[]; parse: Parse } | undefined {
  try {
    return readPreparedFile(root);
  } catch (error) {
    // Not built, or being rebuilt.
    if (errorCode(error) !== undefined || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readPreparedFile(root: string): ReturnType<typeof readPrepared> {
  const known: unknown = JSON.parse(readFileSync(path.join(root, FILE), 'utf8'));
  if (!isRecord(known)) return undefined;
  const files = listFilesIn(root);
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

/**
 * Lists files by name, reading synchronously: for a handful of small files, event loop turns would take longer than the
 * disk.
 */
function listFilesIn(root: string): WatchedFile[] {
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
