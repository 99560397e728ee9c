/** Reads a skill from a source: its files, their hashes, and what they may do. Runs nothing. */
import { hash } from 'node:crypto';
import { UserError } from '../../errors.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import { parseSkill, type Skill } from '../skill.ts';
import { folderFiles, skillFolders, type Tree, type TreeFile } from './tree.ts';

export type Files = ReadonlyMap<string, TreeFile>;

export interface Bundle {
  name: string;
  /** Its folder in the source, '' for the top. */
  folder: string;
  skill: Skill;
  /** Files by name within its folder. */
  files: Files;
  /** Number of links and the like, which are left out. */
  left: number;
  /** Hash of the names and contents of all files. */
  sum: string;
}

/** A skill in a source, in its own words. */
export interface FoundSkill {
  name: string;
  folder: string;
  description: string;
  isBroken: boolean;
}

/** Bytes; a longer file doesn't load. */
const MAX_TEXT = 1_000_000;
const PROGRAM = /\.(py|js|mjs|cjs|ts|sh|bash|rb|pl|php|ps1|exe|bat|cmd)$/i;
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Co}]--[\n\r\t\u200c\u200d\u00ad]]/gv;

/** Finds the skills of a source, each name once. `reserved` are the names of our own tools. */
export async function findSkills(tree: Tree, reserved: ReadonlySet<string>): Promise<FoundSkill[]> {
  const folders = skillFolders(tree.entries);
  const sizes = new Map(tree.entries.map(({ name, size }) => [name, size]));
  const readable = folders.filter(({ file }) => (sizes.get(file) ?? 0) <= MAX_TEXT);
  const texts = await tree.read(readable.map(({ file }) => file));
  const found = new Map<string, FoundSkill>();
  for (const { folder, file } of readable) {
    const each = describeSkill(texts.get(file) ?? Buffer.alloc(0), folder, tree.title, reserved);
    if (!found.has(each.name)) found.set(each.name, each);
  }
  return [...found.values()];
}

function describeSkill(text: Buffer, folder: string, title: string, reserved: ReadonlySet<string>): FoundSkill {
  try {
    const { name, description } = parseBundled(text, folder, title, reserved);
    return { name, folder, description, isBroken: false };
  } catch (error) {
    // One bad file doesn't affect the others.
    if (!(error instanceof UserError)) throw error;
    return { name: folder.split('/').at(-1) || title, folder, description: '', isBroken: true };
  }
}

const parseBundled = (text: Buffer, folder: string, title: string, reserved: ReadonlySet<string>): Skill =>
  parseSkill(text.toString(), { file: `/${folder || title}/SKILL.md`, level: 'user', reserved });

/**
 * Returns the skills with these names or folders; `all` for every one that loads. Returns undefined when there are
 * several and none is named.
 * @throws UserError for a name that isn't there
 */
export function chooseSkills(
  found: readonly FoundSkill[],
  names: readonly string[],
  source: string,
): FoundSkill[] | undefined {
  const [only, ...others] = found;
  if (names.length === 0) return only && others.length === 0 ? [only] : undefined;
  if (names.length === 1 && names[0] === 'all' && !found.some(({ name }) => name === 'all'))
    return found.filter(({ isBroken }) => !isBroken);
  return [...new Set(names)].map((name) => {
    const hit = found.find((each) => each.name === name || each.folder === name.replace(/\/$/, ''));
    if (!hit) throw new UserError(say('adding.notInside', { name: cleanName(name), source: cleanName(source) }));
    return hit;
  });
}

/** @throws UserError when it doesn't load, or is too large */
export async function readBundle(
  tree: Tree,
  { folder, name }: FoundSkill,
  reserved: ReadonlySet<string>,
): Promise<Bundle> {
  const { taken, left } = folderFiles(tree.entries, folder);
  const prefix = folder === '' ? '' : `${folder}/`;
  const bytes = await tree.read([...taken.keys()].map((each) => prefix + each));
  const files = new Map(
    [...taken].map(([each, { isExecutable }]): [string, TreeFile] => [
      each,
      { bytes: bytes.get(prefix + each) ?? Buffer.alloc(0), isExecutable },
    ]),
  );
  const [text] = [...files].flatMap(([each, file]) => (/^skill\.md$/i.test(each) ? [file.bytes] : []));
  try {
    const skill = parseBundled(text ?? Buffer.alloc(0), folder, tree.title, reserved);
    return { name: skill.name, folder, skill, files, left, sum: bundleSum(files) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(say('adding.broken', { name: cleanName(name), why: error.said }), { cause: error });
  }
}

/** Returns each file's hash, with a mark for an executable. */
export const sumsOf = (files: Files): Record<string, string> =>
  Object.fromEntries(
    [...files]
      .map(([name, { bytes, isExecutable }]) => [name, hash('sha256', bytes) + (isExecutable ? '+x' : '')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

export const bundleSum = (files: Files): string => hash('sha256', JSON.stringify(sumsOf(files)));

/** Facts a person should know before agreeing. */
export interface About {
  name: string;
  description: string;
  /** It runs a script of its own; otherwise it is only read. */
  isTool: boolean;
  hasNetwork: boolean;
  files: number;
  bytes: number;
  /** Executable files. */
  programs: string[];
  /** Required programs and variables. */
  needs: string[];
  /** Tools it wants to use without asking. */
  tools: string;
  /** Number of invisible characters in its text. */
  unseen: number;
  left: number;
}

export function aboutOf({ name, skill, files, left }: Bundle): About {
  const { description, kind, network, requires, metadata, body } = skill;
  const tools = metadata['allowed-tools'];
  const isProgram = ([file, { bytes, isExecutable }]: [string, TreeFile]) =>
    isExecutable || PROGRAM.test(file) || bytes.subarray(0, 2).toString() === '#!';
  return {
    name,
    description,
    isTool: kind === 'tool',
    hasNetwork: network,
    left,
    files: files.size,
    bytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0),
    programs: [...files].filter(isProgram).map(([file]) => cleanName(file)),
    needs: [...requires.bins, ...(requires.anyBins.length > 0 ? [requires.anyBins.join(' / ')] : []), ...requires.env],
    tools: cleanName(Array.isArray(tools) ? tools.join(', ') : typeof tools === 'string' ? tools : ''),
    unseen: [...`${description}${body}`.matchAll(UNSEEN)].length,
  };
}
