/**
 * A skill: a Markdown file with a front matter, `SKILL.md` in a folder of its own or `NAME.skill.md`. Reading one runs
 * nothing: the front matter is only YAML (promise 56), and only this file uses the library, which would execute other
 * formats.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import matter from 'gray-matter';
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { expects } from '../messages/expects.ts';
import { say, type Wording } from '../messages/messages.ts';
import { type Shell, shellBlocks } from './fences.ts';
import { MAX_FRONT, readYaml, tooLongFront } from './front-matter.ts';
import { type InstallHint, readInstallHints } from './install-hints.ts';
import { invalidKey } from './invalid-key.ts';
import { type Invocation, readInvocation } from './invocation.ts';
import { isBundle, nameFor } from './name.ts';
import { readParameters, type SkillParameter } from './parameters.ts';
import {
  familyOf,
  type Requirements,
  readMetadata,
  readOwnSettings,
  readRequirements,
  sourcesOf,
} from './requirements.ts';

/** The origin of a skill; a later one hides an earlier one of the same name. */
export type SkillLevel = 'bundled' | 'user' | 'viber';

export interface Skill extends Invocation {
  name: string;
  /** Tells the model what it does and when to use it. Up to 1,024 characters, though published ones may have more. */
  description: string;
  /** A tool runs `script` and is declared by its bundle; instructions are read by the model. */
  kind: 'tool' | 'instructions';
  parameters: readonly SkillParameter[];
  /** Present for tools, except bundled ones that have code. */
  script?: { shell: Shell; text: string };
  /** The Markdown below the front matter. */
  body: string;
  requires: Requirements;
  /** Installation hints for its requirements; shown, never run. */
  install: readonly InstallHint[];
  /** Problems that don't keep it from being used; one sentence each. */
  warnings: readonly Wording[];
  /** Its script may reach the network. */
  network: boolean;
  /** Time limit of its script in seconds; absent for the configured one. */
  timeout?: number;
  level: SkillLevel;
  /** Absolute path. */
  file: string;
  /** Absolute path of the skill's own folder, with its further files; absent for `NAME.skill.md`. */
  folder?: string;
  /** SHA-256 of the file's text, hex: the exact text that is approved. */
  digest: string;
  /** Keys of the front matter without meaning here (`license`, `homepage`, ...), and `metadata` as an object. */
  metadata: Readonly<Record<string, unknown>>;
}

export interface SkillSource {
  /** Absolute path. */
  file: string;
  level: SkillLevel;
  /** Names of built-in tools. */
  reserved: ReadonlySet<string>;
}

/** Characters. Published bundles should stay below some 20,000. */
const MAX_LENGTH = 256 * 1024;

const head = z.object({
  name: z.string(expects('expected.text')).nullish(),
  description: z.string(expects('skillFiles.description')).trim().min(1, expects('skillFiles.emptyDescription')),
});

/** The format's limit of a description, in characters. */
const MAX_DESCRIPTION = 1024;

const refuseLanguage = (): never => {
  throw new UserError(say('skillFiles.onlyYaml'));
};
const OTHER_ENGINES = Object.fromEntries(
  ['js', 'javascript', 'json', 'json5', 'coffee', 'coffeescript', 'cson', 'toml'].map((name) => [name, refuseLanguage]),
);

/**
 * Parses a skill.
 * @throws UserError with the reason and, if known, the key or line; it doesn't name the file
 */
export function parseSkill(text: string, source: SkillSource): Skill {
  const { front, unread, body } = split(text);
  const parsed = head.safeParse({ name: front.get('name'), description: front.get('description') });
  if (!parsed.success) throw invalidKey(parsed.error);
  const metadata = readMetadata(front.get('metadata'));
  const own = readOwnSettings(metadata);
  // Examples aren't a program: a bundle is a tool only when it says so.
  const kind = own.kind ?? (front.has('parameters') ? 'tool' : 'instructions');
  const { description } = parsed.data;
  const { name, warning } = nameFor(parsed.data.name ?? undefined, source, kind);
  const requires = readRequirements(front, metadata);
  const parameters = readParameters(front.get('parameters'), requires.env);
  if (body.trim() === '') throw new UserError(say('skillFiles.emptyBody'));

  const isCode = source.level === 'bundled' && own.code === true;
  const script = kind === 'tool' && !isCode ? scriptOf(body) : undefined;
  const others = [...front].filter(([key]) => !['name', 'description', 'parameters', 'metadata'].includes(key));
  return {
    name,
    description,
    kind,
    parameters,
    ...(script && { script }),
    body,
    requires,
    install: readInstallHints(sourcesOf(front, metadata)),
    ...readInvocation(front, familyOf(metadata)),
    warnings: [
      warning,
      description.length > MAX_DESCRIPTION ? say('skillFiles.longDescription') : undefined,
      unread.length > 0 ? say('skillFiles.leftOut', { keys: unread.join(', ') }) : undefined,
    ].filter((said) => said !== undefined),
    network: own.network,
    ...(own.timeout ? { timeout: own.timeout } : {}),
    level: source.level,
    file: source.file,
    ...(isBundle(source.file) ? { folder: path.dirname(source.file) } : {}),
    digest: createHash('sha256').update(text).digest('hex'),
    metadata: { ...Object.fromEntries(others), metadata },
  };
}

/** Joins the shell blocks; without any, returns the text itself. */
function scriptOf(body: string): NonNullable<Skill['script']> {
  const blocks = shellBlocks(body);
  return {
    shell: blocks.some((block) => block.shell === 'bash') ? 'bash' : 'sh',
    text: blocks.map((block) => block.text).join('') || `${body.trim()}\n`,
  };
}

/** Splits off the front matter, which must be closed: an open one is a file that is still being written. */
function split(original: string): { front: Map<string, unknown>; unread: readonly string[]; body: string } {
  if (original.length > MAX_LENGTH) throw new UserError(say('skillFiles.tooLong', { kb: MAX_LENGTH / 1024 }));
  const text = original.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const [first = ''] = text.split('\n', 1);
  const [, language] = /^---(?!-)\s*(.*?)\s*$/.exec(first) ?? [];
  if (language === undefined) throw new UserError(say('skillFiles.noFront'));
  if (!/^(ya?ml)?$/.test(language))
    throw new UserError(say('skillFiles.otherLanguage', { language: language.slice(0, 20) }));
  const closing = /\n---([^\n]*)(\n|$)/.exec(text);
  const end = closing?.[1];
  if (end === undefined) throw new UserError(say('skillFiles.openFront'));
  if (end.trim() !== '') throw new UserError(say('skillFiles.badEnd'));
  // Checked before the library sees it, which takes quadratic time in blank lines.
  if ((closing?.index ?? 0) - first.length > MAX_FRONT) throw tooLongFront();
  let unread: readonly string[] = [];
  const yaml = (front: string) => {
    const read = readYaml(front);
    unread = read.unread;
    return Object.fromEntries(read.keys);
  };
  // An options object turns off the library's cache, which would return an empty front matter when a bad file is read
  // again.
  const options = { language: 'yaml', delimiters: '---', engines: { yaml, ...OTHER_ENGINES } };
  const { data, content } = matter(`---${text.slice(first.length)}`, options);
  return { front: new Map(Object.entries(data)), unread, body: content.trimEnd() };
}
