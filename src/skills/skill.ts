/**
 * A skill: a Markdown file with a front matter, `SKILL.md` in a folder of its own or `NAME.skill.md`. Reading one runs nothing: the
 * front matter is YAML and nothing else (promise 56), and only this file knows the library, which would execute other kinds.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import matter from 'gray-matter';
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { type Shell, shellBlocks } from './fences.ts';
import { readYaml } from './front-matter.ts';
import { checkName, isBundle, nameOf } from './name.ts';
import { readParameters, type SkillParameter } from './parameters.ts';
import { isPublished, type Requirements, readMetadata, readOwnSettings, readRequirements } from './requirements.ts';

/** Where a skill comes from; one further right hides those of its name further left. */
export type SkillLevel = 'bundled' | 'user' | 'viber';

export interface Skill {
  name: string;
  /** For the model: what it does and when to use it; at most 1,024 characters. */
  description: string;
  /** A tool runs `script`; instructions are read by the model. */
  kind: 'tool' | 'instructions';
  parameters: readonly SkillParameter[];
  /** Present for tools. */
  script?: { shell: Shell; text: string };
  /** The Markdown below the front matter. */
  body: string;
  requires: Requirements;
  /** Its script may reach the network. */
  network: boolean;
  /** Seconds its script may run; absent: as configured. */
  timeout?: number;
  level: SkillLevel;
  /** The file's absolute path. */
  file: string;
  /** Absolute path of the folder that is the skill's own, with its further files; absent for `NAME.skill.md`. */
  folder?: string;
  /** sha256 of the file's text, hex: what exactly is approved. */
  digest: string;
  /** The keys of the front matter that have no meaning here (`license`, `homepage`, ...), and `metadata` as an object. */
  metadata: Readonly<Record<string, unknown>>;
}

export interface SkillSource {
  /** Absolute path. */
  file: string;
  level: SkillLevel;
  /** Names of our own tools. */
  reserved: ReadonlySet<string>;
}

/** Characters. Published bundles are asked to stay below some 20,000. */
const MAX_LENGTH = 256 * 1024;

const head = z.object({
  name: z.string('expected text').nullish(),
  description: z
    .string('expected text: what it does and when to use it')
    .trim()
    .min(1, 'is empty')
    .max(1024, 'is longer than 1,024 characters'),
});

/** Keys of the Agent Skills format: a bundle that has one was written to be read, its code blocks are examples. */
const READ_KEYS = ['license', 'compatibility', 'allowed-tools', 'user-invocable', 'disable-model-invocation'];

const refuse = (): never => {
  throw new UserError('only YAML is read as front matter');
};
const OPTIONS = {
  language: 'yaml',
  delimiters: '---',
  engines: {
    yaml: (text: string) => Object.fromEntries(readYaml(text)),
    ...Object.fromEntries(
      ['js', 'javascript', 'json', 'json5', 'coffee', 'coffeescript', 'cson', 'toml'].map((name) => [name, refuse]),
    ),
  },
};

/**
 * A skill from its text.
 * @throws UserError with the reason and, where it can be told, the key or line; it does not name the file
 */
export function parseSkill(text: string, source: SkillSource): Skill {
  const { front, body } = split(text);
  const parsed = head.safeParse({ name: front.get('name'), description: front.get('description') });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UserError(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  const name = checkName(parsed.data.name ?? nameOf(source.file), source.reserved);
  const metadata = readMetadata(front.get('metadata'));
  const requires = readRequirements(metadata);
  const own = readOwnSettings(metadata);
  const parameters = readParameters(front.get('parameters'), requires.env);
  if (body.trim() === '') throw new UserError('there is nothing below the front matter; was the file half-written?');

  const blocks = shellBlocks(body);
  const isWrittenToRead = isPublished(metadata) || READ_KEYS.some((key) => front.has(key));
  const looksLike = front.has('parameters') || (blocks.length > 0 && !isWrittenToRead) ? 'tool' : 'instructions';
  const kind = own.kind ?? looksLike;
  const others = [...front].filter(([key]) => !['name', 'description', 'parameters', 'metadata'].includes(key));
  const shell: Shell = blocks.some((block) => block.shell === 'bash') ? 'bash' : 'sh';
  return {
    name,
    description: parsed.data.description,
    kind,
    parameters,
    ...(kind === 'tool'
      ? { script: { shell, text: blocks.map((block) => block.text).join('') || `${body.trim()}\n` } }
      : {}),
    body,
    requires,
    network: own.network,
    ...(own.timeout ? { timeout: own.timeout } : {}),
    level: source.level,
    file: source.file,
    ...(isBundle(source.file) ? { folder: path.dirname(source.file) } : {}),
    digest: createHash('sha256').update(text).digest('hex'),
    metadata: { ...Object.fromEntries(others), metadata },
  };
}

/** The front matter must be closed: an open one is a file that is still being written. */
function split(original: string): { front: Map<string, unknown>; body: string } {
  if (original.length > MAX_LENGTH) throw new UserError(`the file is longer than ${MAX_LENGTH / 1024} KB`);
  const text = original.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const [first = ''] = text.split('\n', 1);
  const [, language] = /^---(?!-)\s*(.*?)\s*$/.exec(first) ?? [];
  if (language === undefined) throw new UserError('the file does not begin with a front matter (a line of "---")');
  if (!/^(ya?ml)?$/.test(language)) {
    throw new UserError(`the front matter is in "${language.slice(0, 20)}"; only YAML is read, nothing was run`);
  }
  const [, end] = /\n---([^\n]*)(\n|$)/.exec(text) ?? [];
  if (end === undefined)
    throw new UserError('the front matter has no end (a line of "---"); was the file half-written?');
  if (end.trim() !== '') throw new UserError('the line that ends the front matter must be "---"');
  // With an options object nothing is cached; without one a second look at a bad file would find an empty front matter.
  const { data, content } = matter(`---${text.slice(first.length)}`, OPTIONS);
  return { front: new Map(Object.entries(data)), body: content.trimEnd() };
}
