/**
 * Knows which commands only read in the project. Invariant: a program is listed only with options that neither write
 * nor run anything; a command that isn't listed doesn't count as reading. Pure.
 */
import type { Redirection, SimpleCommand } from './parse.ts';

/** Returns whether a program with these arguments, plain words or file patterns, only reads. */
type Reads = (args: readonly string[]) => boolean;

const inAnyForm: Reads = () => true;

/** Returns the name in `--name=value`. A group of letters stays as it is. */
const optionName = (option: string): string => option.replace(/=.*$/s, '');

const isOption = (word: string): boolean => /^-./.test(word);

/** Allows all options except these: letters as in `-fx`, and names as in `--pre`. */
const without =
  (letters: string, ...names: string[]): Reads =>
  (args) =>
    args.every((arg) => {
      if (!isOption(arg)) return true;
      if (arg.startsWith('--')) return !names.some((name) => isShortFor(optionName(arg), name));
      return !names.includes(arg) && ![...arg.slice(1)].some((letter) => letters.includes(letter));
    });

/** Programs accept an abbreviated long option. */
export const isShortFor = (given: string, name: string): boolean => given.length > 2 && name.startsWith(given);

/** Allows only these options, and at most this number of operands. */
function only(letters: string, names: readonly string[], operands = Number.POSITIVE_INFINITY): Reads {
  return (args) => {
    const rest = args.filter((arg) => !isOption(arg));
    return rest.length <= operands && args.every((arg) => !isOption(arg) || isAllowed(arg, letters, names));
  };
}

/** `letters` may be grouped, and a number may follow the last one. */
function isAllowed(option: string, letters: string, names: readonly string[]): boolean {
  if (option === '--') return true;
  if (option.startsWith('--')) return names.includes(optionName(option));
  return [...option.slice(1).replace(/\d+$/, '')].every((letter) => letters.includes(letter));
}

const LINES = /^\d+(?:,(?:\d+|\$))?p(?:;\d+(?:,(?:\d+|\$))?p)*$/;
const TESTS = new Set(['-f', '-d', '-e', '-s', '-r', '-w', '-x', '-n', '-z', '-L', '=', '==', '!=', '!', ']']);
const FINDS = /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf|files0-from)$/;

const PROGRAMS: ReadonlyMap<string, Reads> = new Map<string, Reads>([
  ...['ls', 'pwd', 'echo', 'true', 'false', 'wc', 'cat', 'nl', 'tac', 'rev', 'cut', 'tr', 'comm', 'cmp', 'stat', 'du']
    .concat(['df', 'basename', 'dirname', 'realpath', 'readlink', 'uname', 'whoami', 'id', 'nproc', 'which', 'type'])
    .concat(['md5sum', 'sha1sum', 'sha256sum', 'od', 'strings', 'grep', 'egrep', 'fgrep', 'fold', 'column', 'seq', ':'])
    .map((name): [string, Reads] => [name, inAnyForm]),
  ['head', inAnyForm],
  ['tail', without('fF', '--follow', '--retry', '--pid')],
  // uniq writes to its second operand.
  ['uniq', only('cduiDzfsw', ['--count', '--repeated', '--unique', '--ignore-case'], 1)],
  ['sort', only('nrufbhVkts', ['--reverse', '--unique', '--numeric-sort', '--key', '--field-separator', '--stable'])],
  ['diff', only('urNqwbBiyU', ['--unified', '--recursive', '--brief', '--new-file', '--ignore-all-space', '--color'])],
  ['file', only('biL', ['--brief', '--mime', '--mime-type'])],
  ['tree', only('adLfIPshC', ['--dirsfirst', '--gitignore', '--noreport'])],
  ['printf', (args) => !args[0]?.startsWith('-')],
  ['date', only('uIR', ['--utc', '--iso-8601', '--rfc-3339'])],
  ['test', isTest],
  ['[', isTest],
  ['jq', only('rcesnSMaj', ['--raw-output', '--compact-output', '--exit-status', '--slurp', '--sort-keys', '--tab'])],
  // The excluded options run programs: on each file, to unpack, and for the machine's name.
  ['rg', without('z', '--pre', '--search-zip', '--hostname-bin')],
  ['fd', without('xXl', '--exec', '--exec-batch', '--list-details')],
  ['find', (args) => !args.some((arg) => FINDS.test(arg))],
  ['sed', (args) => args[0] === '-n' && LINES.test(args[1] ?? '') && !args.slice(2).some(isOption)],
  ['command', (args) => args[0] === '-v' && !args.slice(1).some(isOption)],
  ['cd', (args) => args.length === 1 && !args.some(isOption)],
  ...['node', 'npm', 'python', 'python3', 'cargo', 'rustc', 'ruby', 'java', 'tsc', 'bash'].map(
    (name): [string, Reads] => [
      name,
      (args) =>
        args.length === 1 && /^(?:--version|-v|-V)$/.test(args[0] ?? '') && !(name === 'bash' && args[0] === '-v'),
    ],
  ),
  ['go', (args) => args.length === 1 && args[0] === 'version'],
]);

function isTest(args: readonly string[]): boolean {
  return args.length <= 5 && args.every((arg) => TESTS.has(arg) || /^[\w./@+:-]*$/.test(arg)) && !args.includes('-v');
}

const DIFF = [
  ...[
    '--stat',
    '--numstat',
    '--shortstat',
    '--name-only',
    '--name-status',
    '--cached',
    '--staged',
    '--unified',
    '--raw',
  ],
  ...['--ignore-all-space', '--ignore-space-change', '--ignore-blank-lines', '--no-color', '--word-diff', '--check'],
  ...['--find-renames', '--diff-filter', '--minimal', '--patience', '--histogram', '--summary', '--no-ext-diff'],
  ...[
    '--no-textconv',
    '--exit-code',
    '--quiet',
    '--merge-base',
    '--dirstat',
    '--patch',
    '--no-patch',
    '--function-context',
  ],
];
const LOG = [
  ...['--oneline', '--max-count', '--graph', '--all', '--decorate', '--no-decorate', '--author', '--since', '--until'],
  ...['--after', '--before', '--grep', '--format', '--pretty', '--follow', '--first-parent', '--merges', '--no-merges'],
  ...[
    '--reverse',
    '--date',
    '--tags',
    '--branches',
    '--remotes',
    '--topo-order',
    '--abbrev-commit',
    '--skip',
    '--cherry',
  ],
  ...['--left-right', '--no-color', ...DIFF],
];
const LISTS = [
  ...['--list', '--all', '--remotes', '--verbose', '--show-current', '--merged', '--no-merged', '--contains'],
  ...['--sort', '--format', '--points-at', '--no-color', '--column', '--no-column'],
];

/** Allows listing only: without one of these options, an operand would create something. */
const listsOnly =
  (letters: string, ...asking: string[]): Reads =>
  (args) =>
    only(letters, LISTS)(args) &&
    (args.every(isOption) || args.some((arg) => asking.includes(optionName(arg)) || arg === '--list'));

const GIT: ReadonlyMap<string, Reads> = new Map<string, Reads>([
  ['status', only('sbuvz', ['--short', '--branch', '--porcelain', '--untracked-files', '--ignored', '--show-stash'])],
  ['diff', only('puwbzMCRUGS', DIFF)],
  ['log', (args) => only('pnuwbiMCLGSU', LOG)(args) && !args.some((arg) => arg.includes('%G'))],
  ['show', (args) => only('pnuwbMCUs', LOG)(args) && !args.some((arg) => arg.includes('%G'))],
  ['blame', only('wesLM', ['--date', '--porcelain', '--line-porcelain'])],
  [
    'rev-parse',
    only('', ['--show-toplevel', '--abbrev-ref', '--short', '--verify', '--git-dir', '--is-inside-work-tree']),
  ],
  ['ls-files', only('omdcsiz', ['--others', '--modified', '--deleted', '--cached', '--stage', '--exclude-standard'])],
  ['ls-tree', only('rdtz', ['--name-only', '--full-tree'])],
  ['cat-file', only('pets', [])],
  ['merge-base', only('a', ['--all', '--is-ancestor', '--fork-point'])],
  ['describe', only('', ['--tags', '--inAnyForm', '--dirty', '--all', '--long', '--abbrev', '--match'])],
  ['shortlog', only('sne', ['--summary', '--numbered', '--email', '--all', '--since', '--until'])],
  ['rev-list', only('n', ['--count', '--max-count', '--all', '--left-right', '--no-merges', '--first-parent'])],
  ['show-ref', only('', ['--heads', '--tags', '--verify'])],
  ['for-each-ref', only('', ['--format', '--sort', '--count'])],
  ['count-objects', only('vH', [])],
  ['check-ignore', only('vnq', [])],
  ['grep', only('niIlwEFPcehABC', ['--cached', '--count', '--line-number', '--ignore-case', '--files-with-matches'])],
  ['branch', listsOnly('avr', '--contains', '--merged', '--no-merged', '--points-at')],
  ['tag', listsOnly('ln', '-l', '--contains', '--merged', '--points-at')],
  // Remote addresses may contain a password, so they are only shown after asking.
  ['remote', (args) => args.length === 0],
  ['stash', (args) => args[0] === 'list' || (args[0] === 'show' && only('pu', ['--stat', '--patch'])(args))],
  ['reflog', (args) => args.length === 0 || (args[0] === 'show' && only('n', ['--oneline'])(args))],
  ['worktree', (args) => args[0] === 'list' && only('v', ['--porcelain'])(args)],
  ['version', inAnyForm],
  ['--version', (args) => args.length === 0],
]);

/**
 * Returns whether an argument may lead out of the project: an absolute path, a parent folder, a home, or one of these
 * inside an option.
 * @param folder the project's absolute path, which is allowed
 */
export function leadsOut(given: string, folder: string): boolean {
  const arg = given === folder ? '.' : given.startsWith(`${folder}/`) ? given.slice(folder.length + 1) : given;
  return /^[/~]|(?:^|[/=:,])\.\.(?:\/|$)|^-[^/]*[=\w]\//.test(arg);
}

/** Programs whose first operand is text, followed by programs whose arguments are all text. */
const SEARCHES = new Set(['grep', 'egrep', 'fgrep', 'rg', 'jq']);
const TEXTS = new Set(['echo', 'printf', 'tr', 'date', 'seq', ':', 'true', 'false']);
/** Programs that accept any number of files. */
const TAKES_FILES = new Set([
  'ls',
  'cat',
  'head',
  'wc',
  'stat',
  'du',
  'file',
  'sha256sum',
  'md5sum',
  'git',
  ...SEARCHES,
]);

export const isNowhere = ({ operator, to }: Redirection): boolean =>
  to.is === 'plain' &&
  (['<<', '<<<', '<'].includes(operator) ||
    to.text === '/dev/null' ||
    ((operator === '>&' || operator === '<&') && /^(?:\d|-)$/.test(to.text)));

export interface ReadingFacts {
  /** The project's absolute path. */
  folder: string;
  /** Whether the repository names no program that git would run. */
  isPlainGit: boolean;
}

/** Returns whether the command only reads in the project. */
export function isReading(
  { assignments, words, redirections }: SimpleCommand,
  { folder, isPlainGit }: ReadingFacts,
): boolean {
  if (assignments.length > 0 || words.length === 0 || !redirections.every(isNowhere)) return false;
  if (redirections.some(({ operator, to }) => operator === '<' && leadsOut(to.text, folder))) return false;
  const [name = '', ...args] = words.map(({ text }) => text);
  if (words.some(({ is }, at) => is === 'unknown' || (is === 'pattern' && (at === 0 || !TAKES_FILES.has(name)))))
    return false;
  if (name === 'git') return isPlainGit && isGitReading(args, folder);
  if (PROGRAMS.get(name)?.(args) !== true) return false;
  if (TEXTS.has(name)) return true;
  // The text to search for may look like a path.
  const text = SEARCHES.has(name) ? args.findIndex((arg) => !isOption(arg)) : -1;
  return !args.some((arg, at) => at !== text && leadsOut(arg, folder));
}

const QUIET = new Set(['--no-pager', '-P', '--no-optional-locks']);

function isGitReading(args: readonly string[], folder: string): boolean {
  const from = args.findIndex((arg) => !QUIET.has(arg));
  const [name = '', ...rest] = args.slice(Math.max(0, from));
  return GIT.get(name)?.(rest) === true && !rest.some((arg) => leadsOut(arg, folder));
}
