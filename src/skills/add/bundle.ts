/** A skill out of a source: its files, what exactly they are, and what they may do. Reading one runs nothing. */
import { hash } from 'node:crypto';
import { errorMessage, UserError } from '../../errors.ts';
import { say } from '../../messages/messages.ts';
import { parseSkill, type Skill } from '../skill.ts';
import { filesOf, shown, skillFolders, type Tree, type TreeFile } from './tree.ts';

export type Files = ReadonlyMap<string, TreeFile>;

export interface Bundle {
  name: string;
  /** Where it stands in its source, '' for the top. */
  folder: string;
  skill: Skill;
  /** By name within its folder. */
  files: Files;
  /** Links and the like, which are not taken. */
  left: number;
  /** Of names and contents of all files. */
  sum: string;
}

/** A skill that a source has, as it says of itself; `problem` when it does not load. */
export interface Found {
  name: string;
  folder: string;
  description: string;
  problem?: string;
}

/** Bytes; what is longer does not load. */
const MAX_TEXT = 1_000_000;
const PROGRAM = /\.(py|js|mjs|cjs|ts|sh|bash|rb|pl|php|ps1|exe|bat|cmd)$/i;
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Co}]--[\n\r\t\u200c\u200d\u00ad]]/gv;

/** The skills of a source, each name once. Names of `reserved` are those of our own tools. */
export async function findSkills(tree: Tree, reserved: ReadonlySet<string>): Promise<Found[]> {
  const folders = skillFolders(tree.entries);
  const sizes = new Map(tree.entries.map(({ name, size }) => [name, size]));
  const readable = folders.filter(({ file }) => (sizes.get(file) ?? 0) <= MAX_TEXT);
  const texts = await tree.read(readable.map(({ file }) => file));
  const found = new Map<string, Found>();
  for (const { folder, file } of readable) {
    const each = describe(texts.get(file) ?? Buffer.alloc(0), folder, tree.title, reserved);
    if (!found.has(each.name)) found.set(each.name, each);
  }
  return [...found.values()];
}

function describe(text: Buffer, folder: string, title: string, reserved: ReadonlySet<string>): Found {
  try {
    const { name, description } = parse(text, folder, title, reserved);
    return { name, folder, description };
  } catch (error) {
    // Whatever a file holds, the others can be added.
    return { name: folder.split('/').at(-1) || title, folder, description: '', problem: shown(errorMessage(error)) };
  }
}

const parse = (text: Buffer, folder: string, title: string, reserved: ReadonlySet<string>): Skill =>
  parseSkill(text.toString(), { file: `/${folder || title}/SKILL.md`, level: 'user', reserved });

/**
 * Those that are meant by these names or folders; `all`: every one that loads. Undefined when there are several and none is named.
 * @throws UserError for a name that is not there
 */
export function choose(found: readonly Found[], names: readonly string[], source: string): Found[] | undefined {
  const [only, ...others] = found;
  if (names.length === 0) return only && others.length === 0 ? [only] : undefined;
  if (names.length === 1 && names[0] === 'all' && !found.some(({ name }) => name === 'all'))
    return found.filter(({ problem }) => problem === undefined);
  return [...new Set(names)].map((name) => {
    const hit = found.find((each) => each.name === name || each.folder === name.replace(/\/$/, ''));
    if (!hit) throw new UserError(say('adding.notInside', { name: shown(name), source: shown(source) }));
    return hit;
  });
}

/** @throws UserError when it does not load, or has too much */
export async function readBundle(tree: Tree, { folder, name }: Found, reserved: ReadonlySet<string>): Promise<Bundle> {
  const { taken, left } = filesOf(tree.entries, folder);
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
    const skill = parse(text ?? Buffer.alloc(0), folder, tree.title, reserved);
    return { name: skill.name, folder, skill, files, left, sum: sumOf(files) };
  } catch (error) {
    throw new UserError(say('adding.broken', { name: shown(name), why: errorMessage(error) }), { cause: error });
  }
}

/** What each file is: its content, and whether it is a program. */
export const sumsOf = (files: Files): Record<string, string> =>
  Object.fromEntries(
    [...files]
      .map(([name, { bytes, isExecutable }]) => [name, hash('sha256', bytes) + (isExecutable ? '+x' : '')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

export const sumOf = (files: Files): string => hash('sha256', JSON.stringify(sumsOf(files)));

/** What a person should know before they say yes. */
export interface About {
  name: string;
  description: string;
  /** It runs a script of its own when it is used; else it is read. */
  isTool: boolean;
  hasNetwork: boolean;
  files: number;
  bytes: number;
  /** Files that can be run. */
  programs: string[];
  /** Programs and variables it says it needs. */
  needs: string[];
  /** Tools it wants to use unasked. */
  tools: string;
  /** Characters of its text that nobody would see. */
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
    programs: [...files].filter(isProgram).map(([file]) => shown(file)),
    needs: [...requires.bins, ...(requires.anyBins.length > 0 ? [requires.anyBins.join(' / ')] : []), ...requires.env],
    tools: shown(Array.isArray(tools) ? tools.join(', ') : typeof tools === 'string' ? tools : ''),
    unseen: [...`${description}${body}`.matchAll(UNSEEN)].length,
  };
}
