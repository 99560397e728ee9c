/**
 * Knows which commands need a question every time, whatever was granted: those that send something out, rewrite
 * history, or delete or overwrite work that git doesn't hold. It also looks into programs that run other commands.
 * Pure.
 */
import path from 'node:path';
import type { Effects, Risk } from './effects.ts';
import { gitCommand, noteGit, RUNS_PROGRAMS } from './git-risks.ts';
import { parseCommand, type SimpleCommand, type Word } from './parse.ts';

/** Programs that run the command that follows. */
const WRAPPERS = new Set([
  ...['env', 'command', 'builtin', 'exec', 'nohup', 'time', 'nice', 'ionice', 'timeout', 'stdbuf', 'setsid', 'xargs'],
  ...['parallel', 'watch', 'strace', 'script', 'flock', 'chroot', 'unshare', 'busybox', 'find', 'fd', 'entr', 'npx'],
  ...[
    'bunx',
    'uv',
    'uvx',
    'pipx',
    'poetry',
    'pipenv',
    'pdm',
    'hatch',
    'bundle',
    'rye',
    'mise',
    'asdf',
    'direnv',
    'nix',
  ],
  ...[
    'nix-shell',
    'dotenv',
    'cross-env',
    'concurrently',
    'dbus-run-session',
    'systemd-run',
    'taskset',
    'sg',
    'eatmydata',
  ],
]);
const RIGHTS = new Set([
  'sudo',
  'doas',
  'su',
  'pkexec',
  'runuser',
  'bwrap',
  'nsenter',
  'ssh',
  'at',
  'batch',
  'crontab',
]);
export const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'ash', 'rbash']);
const INTERPRETERS = new Set([
  'python',
  'python3',
  'node',
  'ruby',
  'perl',
  'php',
  'deno',
  'bun',
  'tsx',
  'lua',
  'Rscript',
]);
/** Builtins that change the meaning of later words. */
const CHANGES_WORDS = new Set(['alias', 'enable', 'hash', 'trap', 'bind', 'complete', 'mapfile', 'readarray']);
const NAME = /^\w[\w@.+-]*$/;

export function effectsOf(commands: readonly SimpleCommand[], depth = 0): Effects {
  const effects: Effects = { risks: new Set(), deletes: new Set(), overwrites: new Set(), commits: false };
  for (const command of commands) {
    for (const { operator, to } of command.redirections) noteFile(effects, operator, to);
    if (command.assignments.some(({ name }) => /^(?:GIT_CONFIG|BASH_ENV$|ENV$|PROMPT_COMMAND$)/.test(name)))
      effects.risks.add('unread');
    noteWords(effects, command.words, command.after === '|', depth);
  }
  return effects;
}

function noteFile({ risks, overwrites }: Effects, operator: string, to: Word): void {
  if (!['>', '>|', '&>', '<>', '>&'].includes(operator)) return;
  if (operator === '>&' && /^(?:\d|-)$/.test(to.text)) return;
  if (to.is === 'plain') {
    if (!to.text.startsWith('/dev/')) overwrites.add(to.text);
  } else risks.add('overwrite');
}

function noteWords(effects: Effects, words: readonly Word[], isPiped: boolean, depth: number): void {
  const { risks } = effects;
  const [first, ...args] = words;
  if (!first) return;
  if (first.is !== 'plain' || depth > 4) {
    risks.add('unread');
    return;
  }
  const name = path.posix.basename(first.text);
  if (RIGHTS.has(name)) risks.add('rights');
  if (CHANGES_WORDS.has(name)) risks.add('unread');
  if (WRAPPERS.has(name) || RIGHTS.has(name)) noteInner(effects, args, depth);
  if (SHELLS.has(name) || name === 'eval' || name === '.' || name === 'source')
    noteShell(effects, name, args, isPiped, depth);
  if (INTERPRETERS.has(name) && isPiped && (args.length === 0 || args[0]?.text === '-')) risks.add('unread');
  if (name === 'git') {
    const { name: subcommand, rest } = gitCommand(args);
    noteGit(effects, args);
    if (RUNS_PROGRAMS.has(subcommand?.text ?? '')) noteInner(effects, rest, depth);
  }
  if (isPublishing(name, args)) risks.add('publish');
  noteDeletion(effects, name, args);
}

/** Any of the words may be the program to run. */
function noteInner(effects: Effects, args: readonly Word[], depth: number): void {
  for (const [at, word] of args.entries())
    if (word.is === 'plain' && NAME.test(path.posix.basename(word.text)))
      noteWords(effects, [...args.slice(at), UNSEEN], false, depth + 1);
}

/** Stands for arguments that the text doesn't show, from `xargs` or `find`. */
const UNSEEN: Word = { text: '', is: 'unknown' };

function noteShell(effects: Effects, name: string, args: readonly Word[], isPiped: boolean, depth: number): void {
  const { risks } = effects;
  const isEval = name === 'eval';
  const at = args.findIndex(({ text }) => /^-\w*c$/.test(text));
  const inner = isEval ? args : at >= 0 ? args.slice(at + 1, at + 2) : [];
  if (inner.some(({ is }) => is !== 'plain') || (at >= 0 && inner.length === 0)) risks.add('unread');
  else if (inner.length > 0) {
    const parsed = parseCommand(inner.map(({ text }) => text).join(' '));
    if ('why' in parsed) risks.add('unread');
    else merge(effects, effectsOf(parsed.commands, depth + 1));
  }
  if (isEval || at >= 0) return;
  // Without a file, the shell runs its input.
  const file = args.find(({ text }) => !/^[-+]/.test(text));
  if (file?.is !== 'plain' || file.text.startsWith('/dev/') || isPiped) risks.add('unread');
}

function merge(effects: Effects, { risks, deletes, overwrites, commits }: Effects): void {
  for (const risk of risks) effects.risks.add(risk);
  for (const one of deletes) effects.deletes.add(one);
  for (const one of overwrites) effects.overwrites.add(one);
  effects.commits ||= commits;
}

/** Programs and subcommands that publish something or change something outside this machine. */
const PUBLISHES: readonly [programs: string, words: RegExp][] = [
  [
    'npm pnpm yarn bun jsr deno lerna changeset',
    /^(?:publish|unpublish|deprecate|dist-tag|owner|access|token|login|adduser|deploy)$/,
  ],
  ['cargo', /^(?:publish|yank|owner|login|release)$/],
  ['poetry uv flit hatch pdm twine', /^(?:publish|upload|register)$/],
  ['python python3', /^twine$/],
  ['gem', /^(?:push|yank|owner|signin)$/],
  ['docker podman nerdctl buildah', /^(?:push|login|--push)$/],
  ['helm crane oras', /^(?:push|copy|delete|tag)$/],
  ['mix dart flutter', /^(?:hex\.publish|publish)$/],
  ['mvn gradle gradlew mvnw', /^(?:deploy|publish\w*|release\S*|upload\w*)$/],
  ['dotnet nuget', /^push$/],
  ['terraform tofu pulumi cdk sam', /^(?:apply|destroy|up|deploy|import|taint)$/],
  ['vercel netlify fly flyctl wrangler firebase heroku serverless sls eas railway vsce ovsx supabase', /^[a-z]/],
];
/** Programs that always act outside this machine. */
const OUTSIDE = new Set([
  ...[
    'kubectl',
    'aws',
    'gcloud',
    'az',
    'ansible',
    'ansible-playbook',
    'scp',
    'sftp',
    'ftp',
    'lftp',
    'rclone',
    'skopeo',
  ],
  ...[
    'semantic-release',
    'release-it',
    'np',
    'goreleaser',
    'mail',
    'sendmail',
    'mutt',
    'twine',
    'hub',
    'fastlane',
    'doctl',
  ],
]);
const GH_READS = /^(?:list|view|status|checks|diff|--version|browse)$/;

function isPublishing(name: string, args: readonly Word[]): boolean {
  const texts = args.map(({ text }) => text);
  if (OUTSIDE.has(name)) return true;
  if (name === 'gh' || name === 'glab')
    return !(
      texts.length > 0 && GH_READS.test(texts.find((_, at) => at === (texts[0]?.startsWith('-') ? 0 : 1)) ?? '')
    );
  if (name === 'rsync')
    return texts.some((text) => /^[^/]+:/.test(text)) || texts.some((text) => text.startsWith('--del'));
  return PUBLISHES.some(
    ([programs, words]) => programs.split(' ').includes(name) && texts.some((text) => words.test(text)),
  );
}

function noteDeletion({ risks, deletes, overwrites }: Effects, name: string, args: readonly Word[]): void {
  const texts = args.map(({ text }) => text);
  const operands = args.filter(({ text }) => !/^-./.test(text));
  const into = (set: Set<string>, words: readonly Word[], risk: Risk) => {
    for (const { text, is } of words)
      if (is === 'plain') set.add(text);
      else risks.add(risk);
  };
  switch (name) {
    case 'rm':
    case 'unlink':
    case 'rimraf':
    case 'trash':
    case 'trash-put':
    case 'del-cli':
      into(deletes, operands, 'delete');
      break;
    case 'shred':
    case 'truncate':
    case 'wipe':
    case 'srm':
    case 'mkfs':
    case 'wipefs':
      risks.add('delete');
      break;
    case 'find':
      if (texts.includes('-delete')) risks.add('delete');
      if (texts.some((text) => /^-f(?:ls|print0?|printf)$/.test(text))) risks.add('overwrite');
      break;
    case 'tee':
      if (!texts.some((text) => /^(?:-\w*a|--app)/.test(text))) into(overwrites, operands, 'overwrite');
      break;
    case 'dd':
      into(
        overwrites,
        args.flatMap((word) => (word.text.startsWith('of=') ? { ...word, text: word.text.slice(3) } : [])),
        'overwrite',
      );
      break;
    case 'mv':
    case 'cp':
    case 'ln':
    case 'install':
      noteTarget(overwrites, risks, operands, texts);
      break;
  }
}

/**
 * The command overwrites its last operand or, if that is a folder, files in it with the names of the other operands.
 */
function noteTarget(
  overwrites: Set<string>,
  risks: Set<Risk>,
  operands: readonly Word[],
  texts: readonly string[],
): void {
  if (texts.some((text) => /^(?:-\w*[nb]|--no-clobber|--backup)/.test(text))) return;
  const target = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (!target || sources.length === 0) return;
  if (
    target.is !== 'plain' ||
    texts.some((text) => /^(?:-t|--target)/.test(text)) ||
    sources.some(({ is }) => is !== 'plain')
  ) {
    risks.add('overwrite');
    return;
  }
  overwrites.add(target.text);
  for (const { text } of sources) overwrites.add(path.posix.join(target.text, path.posix.basename(text)));
}
