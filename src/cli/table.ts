/** The table of all `viber` commands. A command's code is loaded only when it runs. */
import { channelKinds, exampleOf } from '../channels/index.ts';
import { FEATURE_COMMANDS } from '../features/cli.ts';
import { type CliCommand, type CliOption, OTHER_VIBER } from '../runtime/contract/cli.ts';

export const COMMON_OPTIONS: Readonly<Record<string, CliOption>> = {
  config: { takes: 'FILE', about: 'the configuration, in place of config.yaml in the home' },
  home: { takes: 'DIR', about: 'the home, in place of OPENVIBER_HOME or ~/.openviber' },
  help: { about: 'this text (also -h)' },
};
export const JSON_OPTION: CliOption = { about: 'the answer as JSON, for programs' };

const TOKEN = channelKinds()[0]?.setup?.tokens[0]?.option ?? '';
const VARIABLE = Object.values(channelKinds()[0]?.variables ?? {})[0] ?? '';

const PAIR_VERBS = {
  list: { about: 'who asks, and who was let in' },
  approve: { takes: 'CODE [ROLE]', about: 'let them in; the first one becomes the owner (ROLE: owner or member)' },
  deny: { takes: 'CODE', about: 'do not' },
};

const BOARD_VERBS = {
  open: { about: 'a link that logs you in once, within five minutes' },
  sessions: { about: 'who is logged in' },
  revoke: { takes: 'ID', about: 'end a login at once' },
};

const SKILL_VERBS = {
  list: { takes: '[VIBER]', about: 'the skills of a viber' },
  add: { takes: 'SOURCE [NAME...]', about: 'skills from elsewhere', options: ['yes'] },
  update: { takes: '[NAME...]', about: 'what is new where they were added from', options: ['yes'] },
  remove: { takes: 'NAME', about: 'take one away', options: ['yes'] },
};

const SERVICE_VERBS = {
  install: { about: 'write its file, and start it now and with the machine' },
  uninstall: { about: 'stop it and remove its file; the home stays' },
  status: { about: 'whether it runs' },
  logs: { about: 'what it said last' },
};

const INIT_OPTIONS: Readonly<Record<string, CliOption>> = {
  model: { takes: 'PROVIDER/MODEL', about: 'which model answers' },
  'model-key-env': { takes: 'NAME', about: 'the variable that holds its key' },
  'base-url': { takes: 'URL', about: 'where an OpenAI-compatible provider is reached' },
  ...Object.fromEntries(
    channelKinds()
      .flatMap(({ setup }) => setup?.tokens ?? [])
      .map(({ option, about }) => [option, { takes: 'NAME', about }]),
  ),
  owner: { takes: 'ID', about: `who owns it, as ${exampleOf('account')}` },
  yes: { about: 'ask nothing' },
};

export const CLI_COMMANDS: Readonly<Record<string, CliCommand>> = {
  start: {
    about: 'run the gateway',
    notes: [
      'It runs until SIGTERM or Ctrl-C. Without a chat channel it talks in this terminal, or reads its standard input and ends with it.',
      'The log goes to standard output; where somebody talks on the terminal or through a pipe it goes to standard error.',
    ],
    examples: ['viber start', 'viber start --config /etc/viber/config.yaml --home /var/lib/viber'],
    load: () => import('./start.ts'),
  },
  chat: {
    about: 'talk to the viber here',
    options: { viber: OTHER_VIBER },
    notes: [
      'With the gateway that runs on the home, or one of its own until you leave. Ctrl-C stops what is at work, a second one leaves; exit and Ctrl-D leave too.',
      'Through a pipe each line is a message, and only the answers go to standard output.',
    ],
    examples: ['viber chat', 'viber chat --viber dev', 'echo "what is due today?" | viber chat'],
    exits: { 1: 'a line that came through a pipe was not taken in, or the gateway ended first' },
    load: () => import('./chat.ts'),
  },
  run: {
    about: 'do one task and print its answer',
    takes: 'GOAL...',
    options: {
      viber: OTHER_VIBER,
      plan: { takes: 'FILE', about: 'a plan as Markdown, or as JSON with goal and steps, to work by' },
      memory: { takes: 'FILE', about: 'what to be told in place of MEMORY.md and the daily logs' },
    },
    json: true,
    notes: [
      'With --json it prints what programs are told of a task: taskId, runId, state, text, summary, artifactRefs, and files.',
      'Progress goes to standard error. Words that begin with - go after --.',
    ],
    examples: ['viber run "summarise notes.md"', 'viber run --json "write a file list.txt: tea" | jq -r .text'],
    exits: { 1: 'the work failed, or waits for a decision' },
    load: () => import('./run.ts'),
  },
  init: {
    about: 'set it up: a model, a chat, and the first message',
    options: INIT_OPTIONS,
    json: true,
    notes: [
      'On a terminal it asks, checks each answer, and can be left and taken up at any time. With options it asks nothing. Secrets go into .env in the home, never into the configuration; what you have written there stays.',
      'Without a terminal and without options it makes the home and a configuration file to edit.',
    ],
    examples: ['viber init', `viber init --model ollama/llama3 --${TOKEN} ${VARIABLE} --yes`],
    exits: { 1: 'something does not work that no setting fixes', 2: 'a secret or another setting is wrong' },
    load: () => import('./init.ts'),
  },
  doctor: {
    about: 'check configuration, home, tokens and model',
    json: true,
    notes: ['Sends nothing to anybody, changes nothing, and may run beside the gateway.'],
    examples: ['viber doctor', 'viber doctor --json'],
    exits: { 1: 'something is wrong that no setting fixes', 2: 'a setting is wrong' },
    load: () => import('./doctor/doctor.ts'),
  },
  status: {
    about: 'what the running gateway says of itself',
    json: true,
    examples: ['viber status', 'viber status --json'],
    exits: { 1: 'no gateway runs on this home, or it is not ready' },
    load: () => import('./status.ts'),
  },
  queue: {
    about: 'what waits, is in work, or was given up',
    json: true,
    examples: ['viber queue'],
    load: () => import('./queue.ts'),
  },
  trace: {
    about: 'what became of one message',
    takes: 'ID',
    json: true,
    notes: ['The trace ID stands in error messages, in the log and in the answer to /status.'],
    examples: ['viber trace 0123456789ab'],
    load: () => import('./trace/trace.ts'),
  },
  tasks: {
    about: 'the newest tasks, and how each stands',
    json: true,
    notes: ['In a chat, /tasks lists yours, and /open goes on with one.'],
    examples: ['viber tasks', 'viber tasks --json'],
    load: () => import('./tasks.ts'),
  },
  jobs: FEATURE_COMMANDS.jobs,
  memory: FEATURE_COMMANDS.memory,
  skills: {
    about: 'what it can use, and what is missing for it',
    verbs: SKILL_VERBS,
    usual: 'list',
    options: { yes: { about: 'with add, update, remove: do it without asking' } },
    json: true,
    notes: [
      'SOURCE is a folder or a .zip (./it or /there/it), owner/name on GitHub (also owner/name/folder#branch), the https address of a repository or of a .zip, or npm:PACKAGE. NAME chooses among several skills; all takes every one.',
      'It shows what it would take and asks. Without a terminal nothing is changed, unless --yes is given. Where the gateway runs, it has the skill a moment later.',
    ],
    examples: [
      'viber skills',
      'viber skills list research',
      'viber skills add anthropics/skills pdf',
      'viber skills add ./my-skill --yes',
      'viber skills update',
    ],
    exits: { 1: 'nothing was changed, because nobody has agreed, or because it cannot be done' },
    load: () => import('./skills/skills.ts'),
  },
  service: {
    about: 'keep the gateway running, as a service of this user',
    verbs: SERVICE_VERBS,
    usual: 'status',
    options: {
      print: { about: 'with install: show the file and change nothing' },
      'with-environment': { about: 'with install: keep the tokens and keys of this shell in service.env' },
      follow: { about: 'with logs: go on until Ctrl-C' },
    },
    notes: [
      'A user unit of systemd on Linux, an agent of launchd on macOS. Its variables stand in service.env of the home, a line NAME=value each.',
      'Install again after Node or the program has moved.',
    ],
    examples: ['viber service install', 'viber service logs --follow', 'viber service install --print'],
    exits: { 1: 'it does not run, or the supervisor refused' },
    load: () => import('./service/service.ts'),
  },
  backup: {
    about: 'the home in one file, also while the gateway runs',
    takes: 'FILE',
    options: { 'with-secrets': { about: 'tokens and keys in files too' } },
    json: true,
    notes: [
      'FILE is a tar archive compressed by gzip, readable by its owner alone; it must not be there yet. What can be made again is left out.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what stands in the configuration
      'Without --with-secrets it leaves out service.env, .env, credentials/ and *.secret.md and names them; in a configuration ${NAME} stands in place of each secret.',
      'What no restore would take, as a name that is not UTF-8, is left out and named. The archive is read back before it counts.',
    ],
    examples: ['viber backup viber-2026-11-22.tgz', 'viber backup --with-secrets /mnt/safe/viber.tgz'],
    load: () => import('./backup/backup.ts'),
  },
  restore: {
    about: 'a home out of a backup',
    takes: 'FILE',
    options: { replace: { about: 'move what stands in the home aside' } },
    json: true,
    notes: [
      'The gateway must be stopped. The home is exchanged as a whole, or stays as it is. Single names that cannot be restored are left out and named.',
      'One that was cut off is finished by the next command, or refused with what to do.',
    ],
    examples: ['viber restore viber-2026-11-22.tgz', 'viber restore --home /var/lib/viber --replace viber.tgz'],
    exits: { 3: 'a gateway runs on this home' },
    load: () => import('./backup/restore.ts'),
  },
  update: {
    about: 'a newer program in the place of this one; the home is not touched',
    options: {
      check: { about: 'in a checkout: say what is new and change nothing' },
      yes: { about: 'do it (a package of npm; a checkout needs no yes)' },
    },
    notes: [
      'A checkout goes forward to what its branch follows, then npm ci and npm run build. For a package it prints the command of npm.',
    ],
    examples: ['viber update', 'viber update --check'],
    load: () => import('./update.ts'),
  },
  import: FEATURE_COMMANDS.import,
  board: {
    about: 'the Board of the running gateway, in your browser',
    verbs: BOARD_VERBS,
    usual: 'open',
    options: { 'no-open': { about: 'print the link and open no browser' } },
    json: true,
    notes: [
      'The link is for the browser of this machine. From another one: ssh -L 6009:127.0.0.1:6009 MACHINE, and then the link.',
    ],
    examples: ['viber board', 'viber board --no-open', 'viber board sessions', 'viber board revoke 0a1b2c3d'],
    exits: { 1: 'no gateway runs on this home, or there is no such login' },
    load: () => import('./board.ts'),
  },
  pair: {
    about: 'let people in',
    verbs: PAIR_VERBS,
    usual: 'list',
    json: true,
    examples: ['viber pair', 'viber pair approve ABCD2345'],
    load: () => import('./pair.ts'),
  },
};
