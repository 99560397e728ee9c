/** Knows which git subcommands push, rewrite history or discard work. Pure. */
import type { Effects, Risk } from './effects.ts';
import type { Word } from './parse.ts';
import { isShortFor } from './reading.ts';

/** Git's global options that are followed by a value. */
const WITH_VALUE = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
  '--attr-source',
  '--super-prefix',
]);

/** Splits git's arguments into global options, the subcommand and its arguments. */
export function gitCommand(args: readonly Word[]): { name: Word | undefined; rest: Word[]; settings: Word[] } {
  const settings: Word[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as Word;
    if (!word.text.startsWith('-')) return { name: word, rest: args.slice(at + 1), settings };
    settings.push(word);
    const value = args[at + 1];
    if (WITH_VALUE.has(word.text) && value) {
      settings.push(value);
      at += 1;
    }
  }
  return { name: undefined, rest: [], settings };
}

const PUSHES = new Set([
  'push',
  'send-pack',
  'http-push',
  'send-email',
  'subtree',
  'svn',
  'p4',
  'lfs',
  'cvsexportcommit',
]);
const REWRITES = new Set([
  ...['filter-branch', 'filter-repo', 'replace', 'update-ref', 'fast-import', 'prune', 'gc', 'symbolic-ref'],
  ...['read-tree', 'pack-refs', 'unpack-objects', 'repack'],
]);
/** Subcommands whose arguments may name programs. */
export const RUNS_PROGRAMS = new Set(['rebase', 'bisect', 'submodule']);
const COMMITS = new Set(['commit', 'merge', 'rebase', 'cherry-pick', 'revert', 'am', 'pull', 'commit-tree']);

interface GitWords {
  /** Returns whether an option is given, also abbreviated or grouped with others. */
  has(...options: string[]): boolean;
  /** Returns whether the first argument is one of these. */
  begins(...words: string[]): boolean;
  texts: readonly string[];
  operands: readonly Word[];
  /** Whether some arguments aren't known. */
  isUnsure: boolean;
}

const CHECKOUT_CHANGES = [
  '-f',
  '--force',
  '-B',
  '--pathspec-from-file',
  '-p',
  '--patch',
  '--ours',
  '--theirs',
  '-m',
  '--merge',
];
const SWITCH_CHANGES = ['-f', '--force', '--discard-changes', '-C', '--force-create', '-m', '--merge'];

/** Returns whether a checkout is of paths rather than of a branch. */
const isOfPaths = ({ has, texts, operands }: GitWords): boolean =>
  texts.includes('--') ||
  operands.some(({ text, is }) => is !== 'plain' || text === '.') ||
  (!has('-b', '--orphan', '--track', '-t') && operands.length > 1);

const RISKS: readonly [subcommand: string, risk: Risk, isRisky: (words: GitWords) => boolean][] = [
  ['commit', 'history', ({ has }) => has('--amend', '--fixup', '--squash')],
  ['pull', 'history', ({ has }) => has('--rebase', '-r', '--force', '-f')],
  ['clean', 'discard', ({ has, isUnsure }) => isUnsure || !has('-n', '--dry-run')],
  ['reset', 'discard', ({ has, isUnsure }) => isUnsure || has('--hard', '--merge', '--keep')],
  ['restore', 'discard', ({ has, isUnsure }) => isUnsure || !has('-S', '--staged') || has('-W', '--worktree')],
  ['checkout', 'discard', (words) => words.has(...CHECKOUT_CHANGES) || isOfPaths(words)],
  ['checkout-index', 'discard', () => true],
  ['switch', 'discard', ({ has }) => has(...SWITCH_CHANGES)],
  ['stash', 'discard', ({ begins, isUnsure }) => isUnsure || begins('drop', 'clear')],
  ['branch', 'history', ({ has, isUnsure }) => isUnsure || has('-D', '-d', '--delete', '-f', '--force', '-M', '-C')],
  ['tag', 'history', ({ has }) => has('-d', '--delete', '-f', '--force')],
  ['reflog', 'history', ({ begins }) => begins('expire', 'delete', 'drop')],
  ['rebase', 'history', ({ has }) => !has('--abort', '--quit')],
  ['rm', 'delete', ({ has, isUnsure }) => isUnsure || has('-f', '--force')],
  ['mv', 'overwrite', ({ has }) => has('-f', '--force')],
  ['worktree', 'discard', ({ has, begins }) => begins('remove') || has('-f', '--force')],
  ['submodule', 'discard', ({ has, begins }) => begins('deinit') || has('-f', '--force')],
  ['apply', 'discard', ({ has }) => has('-R', '--reverse')],
];

/** Settings of a call that may run another program, or change the meaning of a word. */
const SETS = /^(?:alias|include|core|filter|diff)\b|^--config-env|^--exec-path/i;

export function noteGit(effects: Effects, args: readonly Word[]): void {
  const { risks } = effects;
  const { name, rest, settings } = gitCommand(args);
  if (settings.some(({ text, is }) => is !== 'plain' || SETS.test(text)) || (name && name.is !== 'plain'))
    risks.add('unread');
  if (name?.is !== 'plain') return;
  const texts = rest.map(({ text }) => text);
  const words: GitWords = {
    has: (...options) => texts.some((text) => options.some((option) => isOptionFor(text, option))),
    begins: (...some) => some.includes(texts[0] ?? ''),
    texts,
    operands: rest.filter(({ text }) => !text.startsWith('-')),
    isUnsure: rest.some(({ is }) => is === 'unknown'),
  };
  if (COMMITS.has(name.text)) effects.commits = true;
  if (PUSHES.has(name.text)) risks.add('push');
  if (REWRITES.has(name.text)) risks.add('history');
  for (const [subcommand, risk, isRisky] of RISKS) if (subcommand === name.text && isRisky(words)) risks.add(risk);
  // Git treats a name that isn't a branch as a path.
  if (name.text === 'checkout' && !words.has('-b', '--orphan'))
    for (const { text, is } of words.operands) if (is === 'plain') effects.overwrites.add(text);
}

/** `-fd` includes `-f`, and `--har` is short for `--hard`. */
function isOptionFor(given: string, option: string): boolean {
  if (given.startsWith('--')) return option.startsWith('--') && isShortFor(given.replace(/=.*$/s, ''), option);
  return /^-[^-]$/.test(option) && /^-[^-]/.test(given) && given.includes(option.charAt(1));
}
