/**
 * Names the kinds of commands that a person may allow for a task, from their parsed words: the program and its
 * subcommand, such as `npm test` or `npm run lint`. A program that runs others never stands for a kind of its own.
 * Pure.
 */
import { gitCommand } from './git-risks.ts';
import { parseCommand, type SimpleCommand, type Word } from './parse.ts';
import { isNowhere, isReading, leadsOut } from './reading.ts';
import { SHELLS } from './risks.ts';

/** Characters without a special meaning in a shell or in a sentence. */
const PLAIN = /^[\w@%+=:,./-]{1,80}$/;
const SUBCOMMAND = /^[a-z][a-z0-9:_-]{0,40}$/i;
/** Programs that run another command, with a pattern for their own arguments. */
const AROUND: Readonly<Record<string, RegExp>> = {
  time: /^-p$/,
  nohup: /^$/,
  nice: /^(?:-n|-?\d+)$/,
  timeout: /^(?:-k|--kill-after=\S+|--foreground|\d+(?:\.\d+)?[smh]?)$/,
  stdbuf: /^-[ioe](?:L|0|\d+)$/,
};
/** Programs for which every word may be a target to run. */
const WHOLE = new Set([
  'make',
  'gmake',
  'just',
  'task',
  'rake',
  'gulp',
  'grunt',
  'ant',
  'mvn',
  'mvnw',
  'gradle',
  'gradlew',
]);
/** Interpreters. They may run code given in their arguments, unless those name a file or a module. */
const CODE = new Set(['python', 'python3', 'node', 'ruby', 'perl', 'php', 'deno', 'bun', 'tsx', 'ts-node', 'lua']);
const RUNNERS = new Set([
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'deno',
  'poetry',
  'pdm',
  'hatch',
  'uv',
  'pipenv',
  'bundle',
  'rye',
]);
/** After these, the next word says what is run. */
const RUN = new Set(['run', 'exec', 'x', 'dlx', 'tool', 'compose', 'run-script', 'task']);
/** A kind with one of these names would cover whatever the program runs. */
const NEVER = new Set([
  ...[
    'env',
    'command',
    'builtin',
    'exec',
    'eval',
    'xargs',
    'parallel',
    'watch',
    'strace',
    'script',
    'flock',
    'find',
    'fd',
  ],
  ...[
    'export',
    'declare',
    'typeset',
    'local',
    'readonly',
    'set',
    'unset',
    'shopt',
    'alias',
    'source',
    '.',
    'trap',
    'cd',
  ],
  ...['pushd', 'popd', 'setsid', 'ionice', 'busybox', 'sudo', 'doas', 'su', 'ssh', 'chroot', 'unshare', 'read', 'hash'],
]);

/** Returns the kinds in one command; undefined if its words don't say what it does. */
export function kindsOfCommand(command: SimpleCommand, folder: string): string[] | undefined {
  const { assignments, words, redirections } = command;
  // Otherwise a file that the model chose would become part of the kind.
  if (words.length === 0 || !redirections.every(isNowhere)) return undefined;
  const inner = kindsOfWords(words, folder);
  if (!inner || assignments.length === 0) return inner;
  const before = assignments.map(({ source }) => source).join(' ');
  return PLAIN.test(before.replaceAll(' ', '')) ? inner.map((kind) => `${before} ${kind}`) : undefined;
}

function kindsOfWords(words: readonly Word[], folder: string): string[] | undefined {
  const [first, ...args] = words;
  if (first?.is !== 'plain' || !PLAIN.test(first.text) || leadsOut(first.text, folder)) return undefined;
  const name = first.text;
  const around = Object.hasOwn(AROUND, name) ? AROUND[name] : undefined;
  if (around) {
    const from = args.findIndex(({ text }) => !around.test(text));
    return from < 0 ? undefined : kindsOfWords(args.slice(from), folder);
  }
  if (SHELLS.has(name)) return kindsOfShell(name, args, folder);
  if (NEVER.has(name)) return undefined;
  const kind = [name, ...subject(name, args)];
  return kind.includes('') ? undefined : [kind.join(' ')];
}

/** Returns the words after the program's name that say what it does; they include '' if that isn't clear. */
function subject(name: string, args: readonly Word[]): string[] {
  const texts = args.map(({ text, is }) => (is === 'plain' && PLAIN.test(text) ? text : ''));
  const [one = '', two = ''] = texts;
  if (WHOLE.has(name)) return texts;
  if (name === 'git') {
    const { name: sub, settings } = gitCommand(args);
    return settings.length > 0 || !sub || sub.is !== 'plain' || !SUBCOMMAND.test(sub.text) ? [''] : [sub.text];
  }
  if (name === 'npx' || name === 'bunx' || name === 'uvx' || name === 'pipx') return one.startsWith('-') ? [''] : [one];
  if (RUNNERS.has(name)) {
    if (!SUBCOMMAND.test(one) && !(name === 'bun' || name === 'deno')) return [''];
    if (RUN.has(one)) return [one, two.startsWith('-') ? '' : two];
    if (SUBCOMMAND.test(one)) return [one];
  }
  if (CODE.has(name)) {
    if (/^python3?$/.test(name) && one === '-m') return [one, SUBCOMMAND.test(two.replaceAll('.', '')) ? two : ''];
    if (name === 'node' && (one === '--test' || one === '--check')) return [one];
    return one.startsWith('-') ? [''] : [one];
  }
  if (name === 'go' || name === 'cargo' || name === 'docker') return RUN.has(one) ? [one, two] : [one];
  return SUBCOMMAND.test(one) ? [one] : [];
}

function kindsOfShell(name: string, args: readonly Word[], folder: string): string[] | undefined {
  const [one, two] = args;
  if (one?.is !== 'plain') return undefined;
  if (!/^-\w*c$/.test(one.text))
    return PLAIN.test(one.text) && !/^[-+]/.test(one.text) ? [`${name} ${one.text}`] : undefined;
  if (args.length > 2 || two?.is !== 'plain') return undefined;
  const parsed = parseCommand(two.text);
  if ('why' in parsed || parsed.hasBackground) return undefined;
  const rest = parsed.commands.filter((command) => !isReading(command, { folder, isPlainGit: true }));
  const kinds = rest.map((command) => kindsOfCommand(command, folder));
  return kinds.every((kind) => kind !== undefined) ? kinds.flat() : undefined;
}
