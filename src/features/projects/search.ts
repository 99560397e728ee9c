/**
 * Searches a project with a regular expression. Uses ripgrep inside the sandbox where both are available: ripgrep opens
 * files by path, and a program could replace one with a link during the search. Otherwise a separate process reads the
 * files through descriptors; it is killed if a pattern takes forever.
 */
import fs from 'node:fs';
import { UserError } from '../../errors.ts';
import { useFolder } from '../../lib/files/below.ts';
import { createProcesses, ProcessError } from '../../lib/worker-process.ts';
import { runProcess } from '../../skills/run-process.ts';
import { findSandbox, findTrusted, type Sandbox, searchPath } from '../../skills/sandbox.ts';
import { globMatcher, globOptions, globRules } from './glob.ts';
import { areListed } from './ignored.ts';
import type { SearchOrder } from './search-worker.ts';

export const MAX_HITS = 200;
const MAX_CHARACTERS = 20_000;
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT = 4 * 1024 * 1024;

/** The path in the bundled program differs. */
const ENTRY = import.meta.filename.endsWith('.ts') ? './search-worker.ts' : './search-worker.js';
const inProcess = createProcesses<SearchOrder>(new URL(ENTRY, import.meta.url), {
  timeoutMs: TIMEOUT_MS,
  memoryMb: 768,
  atOnce: 2,
});

export interface SearchResult {
  /** `path:line:text` for hits, `path-line-text` for context lines. */
  lines: string[];
  hits: number;
  isCut: boolean;
}

/** @throws UserError for a pattern that can't be used, or a search that takes too long */
export async function searchProject(order: SearchOrder, signal: AbortSignal): Promise<SearchResult> {
  // The folder may be removed during the run.
  if (!(await useFolder(order.folder, [], () => true))) throw new UserError('The folder of the project is gone.');
  return bounded((await withRipgrep(order, signal)) ?? (await withOwn(order, signal)));
}

/**
 * Keeps whole lines, up to the limits.
 * @param found `path\0line:text` for hits, `path\0line-text` for context lines: a name may contain `:` or `-`
 */
function bounded(found: readonly string[]): SearchResult {
  const lines: string[] = [];
  let [hits, length] = [0, 0];
  for (const line of found) {
    const [, path = '', isHit, rest = ''] = /^([^\0]*)\0(?=\d+(:)?)(.*)$/s.exec(line) ?? [];
    const shown = `${path}${isHit ?? '-'}${rest}`;
    if ((isHit && hits === MAX_HITS) || length + shown.length > MAX_CHARACTERS) return { lines, hits, isCut: true };
    if (isHit) hits += 1;
    length += shown.length + 1;
    lines.push(shown);
  }
  return { lines, hits, isCut: false };
}

let installed: Promise<string | undefined> | undefined;

/** Returns the lines; undefined without ripgrep or a sandbox. */
export async function withRipgrep(order: SearchOrder, signal: AbortSignal): Promise<string[] | undefined> {
  installed ??= findTrusted('rg', searchPath(true));
  const [rg, sandbox] = await Promise.all([installed, findSandbox()]);
  if (!rg || !sandbox) return undefined;
  const { folder, glob } = order;
  const searchBy = (how: Selection) => runRipgrep(order, how, { rg, sandbox }, signal);
  if (glob === undefined) return (await searchBy({ options: [], rules: undefined })).lines;
  // Applying .gitignore to every file takes as long as the search itself, so only the files with hits are checked.
  const quick = await searchBy({ options: globOptions(glob), rules: undefined, isTried: true });
  if (quick.isWhole && (await areListed(folder, filesOfHits(quick.lines)))) return quick.lines;
  // Rules in an ignore file don't override .gitignore.
  return (await searchBy({ options: ['--ignore-file', '/dev/stdin'], rules: globRules(glob).join('\n') })).lines;
}

/** Returns the files of the hits to show, and of one more, which tells that there are more. */
function filesOfHits(lines: readonly string[]): string[] {
  const files = new Set<string>();
  let hits = 0;
  for (const line of lines) {
    if (hits > MAX_HITS) break;
    const [, file, isHit] = /^([^\0]*)\0\d+(:)?/.exec(line) ?? [];
    if (file !== undefined) files.add(file);
    if (isHit) hits += 1;
  }
  return [...files];
}

/** Selects the files that ripgrep searches. */
interface Selection {
  options: readonly string[];
  /** The content of an ignore file for ripgrep. */
  rules: string | undefined;
  /** A failure of this attempt says nothing about the pattern. */
  isTried?: boolean;
}

interface Programs {
  rg: string;
  sandbox: Sandbox;
}

async function runRipgrep(
  { folder, names, pattern, glob, context, ignoreCase }: SearchOrder,
  { options, rules, isTried = false }: Selection,
  { rg, sandbox }: Programs,
  signal: AbortSignal,
): Promise<{ lines: string[]; isWhole: boolean }> {
  const fd = sandbox.takesOpen ? fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY) : undefined;
  try {
    const what = [
      ...['--no-config', '--no-heading', '--with-filename', '--line-number', '--color=never', '--hidden'],
      ...[
        '--null',
        '--no-require-git',
        '--no-messages',
        '--max-columns=300',
        '--max-columns-preview',
        '--no-context-separator',
      ],
      ...(context > 0 ? [`--context=${context}`] : []),
      ...(ignoreCase ? ['--ignore-case'] : []),
      // The last glob wins: no other one opens .git.
      ...[...options, '--glob=!.git'],
      ...['--regexp', pattern, '--', names.length === 0 ? '.' : names.join('/')],
    ];
    const { code, stdout, stderr, endedBy } = await runProcess({
      command: sandbox.command,
      args: [...sandbox.readOnly(folder, fd === undefined ? undefined : 4), rg, ...what],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      cwd: '/',
      timeoutMs: TIMEOUT_MS,
      maxOutput: MAX_OUTPUT,
      signal,
      strays: { kind: 'namespace' },
      ...(rules !== undefined && { stdin: rules }),
      ...(fd !== undefined && { open: [fd] }),
    });
    signal.throwIfAborted();
    if (endedBy === 'timeout') throw new UserError('The search took too long: name a folder or a narrower glob.');
    // Exit code 1 means that nothing was found. If we ended ripgrep, there is enough output.
    const hasFailed = code !== 0 && code !== 1 && endedBy === undefined;
    if (hasFailed && !isTried) throw badPattern(stderr.read([]).text);
    const lines = stdout
      .read([])
      .text.split('\n')
      .filter(Boolean)
      .map((line) => line.replace(/^\.\//, ''));
    // The other rules don't exclude what a .gitignore of the project includes.
    const found = byFile(lines, glob === undefined ? () => true : globMatcher(glob));
    return { lines: found, isWhole: !hasFailed && endedBy === undefined };
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Sorts by file: ripgrep searches several at once, but prints each file's lines together. */
function byFile(lines: readonly string[], isWanted: (path: string) => boolean): string[] {
  const files = Object.groupBy(lines, (line) => line.slice(0, line.indexOf('\0')));
  return Object.keys(files)
    .filter(isWanted)
    .sort()
    .flatMap((file) => files[file] ?? []);
}

function badPattern(said: string): UserError {
  const why =
    said
      .split('\n')
      .findLast((line) => /\S/.test(line))
      ?.replace(/^\s*(?:rg: )?(?:error: )?/, '') ?? '';
  return new UserError(`This pattern cannot be used${why === '' ? '' : `: ${why.slice(0, 200)}`}.`);
}

/** @throws UserError if it takes too long */
export async function withOwn(
  order: SearchOrder,
  signal: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Promise<string[]> {
  try {
    const { bytes } = await inProcess({ input: order, signal, timeoutMs });
    return bytes.toString('utf8').split('\n').filter(Boolean);
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    const late = 'The search took too long: name a folder or a narrower glob, or a simpler pattern.';
    throw new UserError(error.why === 'refused' ? error.message : late, { cause: error });
  }
}
