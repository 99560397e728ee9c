/** Describes a project to the model: branch, state, languages, and the commands that its manifests declare. */
import { type HeldFile, readBytes, useFile, useFolder } from '../../lib/files/below.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { readGit } from './commands/git.ts';
import { decodeFile, unlessRefused } from './files.ts';

export interface ProjectFacts {
  /** Undefined without git or if no branch is checked out. */
  branch?: string;
  /** Number of files that differ from the last commit; undefined if git doesn't report it. */
  changed?: number;
  languages: string[];
  /** For example `npm test`. */
  commands: string[];
}

const MAX_COMMANDS = 8;
const MAX_MANIFEST = 200_000;
const MAX_HEAD = 1_000;

export async function projectFacts(folder: string, signal?: AbortSignal): Promise<ProjectFacts> {
  const names = (await useFolder(folder, [], (held) => held.entries().map(({ name }) => name))) ?? [];
  const has = (name: string) => names.includes(name);
  const git = has('.git') ? await gitState(folder, signal) : undefined;
  const commands: string[] = [];
  for (const [file, read] of MANIFESTS) if (has(file)) commands.push(...read(await manifest(folder, file), names));
  const languages = LANGUAGES.flatMap(([language, marks]) => (marks.some(has) ? [language] : []));
  return { ...git, languages, commands: [...new Set(commands)].slice(0, MAX_COMMANDS) };
}

const LANGUAGES: readonly [string, readonly string[]][] = [
  ['TypeScript', ['tsconfig.json', 'deno.json']],
  ['JavaScript', ['package.json']],
  ['Python', ['pyproject.toml', 'setup.py', 'requirements.txt']],
  ['Go', ['go.mod']],
  ['Rust', ['Cargo.toml']],
  ['Java', ['pom.xml', 'build.gradle', 'build.gradle.kts']],
  ['Ruby', ['Gemfile']],
  ['PHP', ['composer.json']],
  ['Elixir', ['mix.exs']],
  ['C or C++', ['CMakeLists.txt', 'meson.build']],
  ['Swift', ['Package.swift']],
];

type Manifest = readonly [file: string, commands: (text: string, names: readonly string[]) => string[]];

/** Scripts that check or build the project. The model finds others in the manifest. */
const USUAL = /^(test|lint|build|check|typecheck|format|fmt|ci)$/;

const MANIFESTS: readonly Manifest[] = [
  ['package.json', scriptsOf],
  [
    'Makefile',
    (text) =>
      [...text.matchAll(/^([a-z]+):(?!=)/gm)].flatMap(([, name = '']) => (USUAL.test(name) ? [`make ${name}`] : [])),
  ],
  [
    'justfile',
    (text) =>
      [...text.matchAll(/^([a-z]+)[^:=\n]*:(?!=)/gm)].flatMap(([, name = '']) =>
        USUAL.test(name) ? [`just ${name}`] : [],
      ),
  ],
  ['pyproject.toml', (text, names) => (/pytest/.test(text) || names.includes('tests') ? ['python3 -m pytest'] : [])],
  ['go.mod', () => ['go test ./...', 'go vet ./...']],
  ['Cargo.toml', () => ['cargo test', 'cargo clippy']],
  ['mix.exs', () => ['mix test']],
];

function scriptsOf(text: string, names: readonly string[]): string[] {
  const read = parseJson(text);
  const scripts = isRecord(read) && isRecord(read.scripts) ? Object.keys(read.scripts) : [];
  const [, runner] = RUNNERS.find(([lock]) => names.includes(lock)) ?? ['', 'npm'];
  return scripts.filter((name) => USUAL.test(name)).map((name) => `${runner}${name === 'test' ? '' : ' run'} ${name}`);
}

const RUNNERS: readonly [string, string][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
];

/** Returns nothing for a link, a folder or a binary file. */
async function manifest(folder: string, file: string): Promise<string> {
  const text = ({ fd, stat }: HeldFile) => (stat.size > MAX_MANIFEST ? '' : decodeFile(fd, file));
  return (await unlessRefused(useFile(folder, [file], text))) ?? '';
}

async function gitState(folder: string, signal?: AbortSignal): Promise<Pick<ProjectFacts, 'branch' | 'changed'>> {
  const text = await readGit(folder, ['status', '--porcelain=v1', '--branch', '-z'], signal);
  if (text === undefined) return branchOf(folder);
  const [head = '', ...changes] = text.split('\0').filter(Boolean);
  const branch = /^## (?:No commits yet on |Initial commit on )?(.+?)(?:\.\.\.|$)/.exec(head)?.[1];
  // A rename lists its old name as a separate entry.
  const changed = changes.filter((line) => /^[ MTADRCU?!]{2} /.test(line)).length;
  return { ...(branch && !branch.startsWith('HEAD (no branch)') && { branch }), changed };
}

/** Reads the branch from git's own file, for machines without git. */
async function branchOf(folder: string): Promise<Pick<ProjectFacts, 'branch'>> {
  const head = await unlessRefused(useFile(folder, ['.git', 'HEAD'], ({ fd }) => readBytes(fd, MAX_HEAD)));
  const branch = /^ref: refs\/heads\/(\S+)$/m.exec(head?.toString('utf8') ?? '')?.[1];
  return branch === undefined ? {} : { branch };
}
