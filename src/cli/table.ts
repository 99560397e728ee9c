/** The table of all `viber` commands. A command's code is loaded only when it runs. */
import { channelKinds, exampleOf } from '../channels/index.ts';
import { FEATURE_COMMANDS } from '../features/cli.ts';
import { type CliCommand, type CliOption, OTHER_VIBER } from '../runtime/contract/cli.ts';

export const COMMON_OPTIONS: Readonly<Record<string, CliOption>> = {
  config: { takes: 'FILE', about: 'the configuration, instead of config.yaml in the home' },
  home: { takes: 'DIR', about: 'the home, instead of OPENVIBER_HOME or ~/.openviber' },
  help: { about: 'show this text (also -h)' },
};
export const JSON_OPTION: CliOption = { about: 'print JSON, for programs' };

const TOKEN = channelKinds()[0]?.setup?.tokens[0]?.option ?? '';
const VARIABLE = Object.values(channelKinds()[0]?.variables ?? {})[0] ?? '';

const PAIR_VERBS = {
  list: { about: 'list who asks and who was let in' },
  approve: { takes: 'CODE [ROLE]', about: 'let them in as ROLE, owner or member; the first becomes the owner' },
  deny: { takes: 'CODE', about: 'refuse them' },
};

const BOARD_VERBS = {
  open: { about: 'a link that logs you in once, within five minutes' },
  sessions: { about: 'list logins' },
  revoke: { takes: 'ID', about: 'end a login at once' },
};

const SERVICE_VERBS = {
  install: { about: 'start it now and with the machine' },
  uninstall: { about: 'stop and remove it; the home stays' },
  status: { about: 'is it running?' },
  logs: { about: 'the latest log lines' },
};

const INIT_OPTIONS: Readonly<Record<string, CliOption>> = {
  model: { takes: 'PROVIDER/MODEL', about: 'the model that answers' },
  'model-key-env': { takes: 'NAME', about: 'the variable that holds its key' },
  'base-url': { takes: 'URL', about: 'address of an OpenAI-compatible provider' },
  ...Object.fromEntries(
    channelKinds()
      .flatMap(({ setup }) => setup?.tokens ?? [])
      .map(({ option, about }) => [option, { takes: 'NAME', about }]),
  ),
  owner: { takes: 'ID', about: `the owner, such as ${exampleOf('account')}` },
  yes: { about: 'ask nothing' },
};

export const CLI_COMMANDS: Readonly<Record<string, CliCommand>> = {
  start: {
    about: 'run the gateway',
    notes: [
      'Runs until SIGTERM or Ctrl-C. Without a chat platform it talks in this terminal, or answers standard input and ends with it.',
      'Logs to standard output, or to standard error while it talks in the terminal or through a pipe.',
    ],
    examples: ['viber start', 'viber start --config /etc/viber/config.yaml --home /var/lib/viber'],
    load: () => import('./start.ts'),
  },
  chat: {
    about: 'talk to the viber here',
    options: { viber: OTHER_VIBER },
    notes: [
      'Uses the running gateway, or starts one until you leave. Ctrl-C stops the work; a second Ctrl-C, Ctrl-D or "exit" leaves.',
      'Through a pipe each line is a message, and standard output has only the answers.',
    ],
    examples: ['viber chat', 'viber chat --viber dev', 'echo "what is due today?" | viber chat'],
    exits: { 1: 'a line from a pipe was not accepted, or the gateway ended first' },
    load: () => import('./chat.ts'),
  },
  run: {
    about: 'do one task and print its answer',
    takes: 'GOAL...',
    options: {
      viber: OTHER_VIBER,
      plan: { takes: 'FILE', about: 'the plan to follow, as Markdown, or as JSON with goal and steps' },
      memory: { takes: 'FILE', about: 'what to read instead of MEMORY.md and the daily logs' },
    },
    json: true,
    notes: [
      '--json prints taskId, runId, state, text, summary, artifactRefs and files.',
      'Progress goes to standard error. Put words that begin with - after --.',
    ],
    examples: ['viber run "summarise notes.md"', 'viber run --json "write a file list.txt: tea" | jq -r .text'],
    exits: { 1: 'the work failed, or needs a decision' },
    load: () => import('./run.ts'),
  },
  init: {
    about: 'set up a model and a chat',
    options: INIT_OPTIONS,
    json: true,
    notes: [
      'Asks in a terminal and checks each answer; you can leave and continue at any time. With options it asks nothing. Secrets go into .env of the home, never into the configuration, and your own lines stay.',
      'Without a terminal or options it creates the home and a configuration file to edit.',
    ],
    examples: ['viber init', `viber init --model ollama/llama3 --${TOKEN} ${VARIABLE} --yes`],
    exits: { 1: 'something is wrong that no setting fixes', 2: 'a secret or another setting is wrong' },
    load: () => import('./init.ts'),
  },
  doctor: {
    about: 'check configuration, home, tokens and model',
    json: true,
    notes: ['Sends and changes nothing, and may run beside the gateway.'],
    examples: ['viber doctor', 'viber doctor --json'],
    exits: { 1: 'something is wrong that no setting fixes', 2: 'a setting is wrong' },
    load: () => import('./doctor/doctor.ts'),
  },
  status: {
    about: 'show the state of the running gateway',
    json: true,
    examples: ['viber status', 'viber status --json'],
    exits: { 1: 'no gateway runs on this home, or it is not ready' },
    load: () => import('./status.ts'),
  },
  queue: {
    about: 'list what is waiting, in progress or given up',
    json: true,
    examples: ['viber queue'],
    load: () => import('./queue.ts'),
  },
  trace: {
    about: 'show what happened to a message',
    takes: 'ID',
    json: true,
    notes: ['You find the trace ID in error messages, in the log and in the answer to /status.'],
    examples: ['viber trace 0123456789ab'],
    load: () => import('./trace/trace.ts'),
  },
  tasks: {
    about: 'list the newest tasks and their state',
    json: true,
    notes: ['In a chat, /tasks lists yours and /open continues one.'],
    examples: ['viber tasks', 'viber tasks --json'],
    load: () => import('./tasks.ts'),
  },
  jobs: FEATURE_COMMANDS.jobs,
  memory: FEATURE_COMMANDS.memory,
  skills: FEATURE_COMMANDS.skills,
  service: {
    about: 'keep the gateway running as a service',
    verbs: SERVICE_VERBS,
    usual: 'status',
    options: {
      print: { about: 'with install: show the file, change nothing' },
      'with-environment': { about: 'with install: save the tokens and keys of this shell in service.env' },
      follow: { about: 'with logs: continue until Ctrl-C' },
    },
    notes: [
      'Uses systemd on Linux and launchd on macOS, for this user. It reads variables from service.env of the home, one NAME=value per line.',
      'Install again after Node or the program moves.',
    ],
    examples: ['viber service install', 'viber service logs --follow', 'viber service install --print'],
    exits: { 1: 'it is not running, or the supervisor refused' },
    load: () => import('./service/service.ts'),
  },
  backup: {
    about: 'save the home in one file, also while the gateway runs',
    takes: 'FILE',
    options: { 'with-secrets': { about: 'include tokens and keys' } },
    json: true,
    notes: [
      'FILE is a new .tgz that only you can read, without caches and search indexes. It is read back before it counts.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what stands in the configuration
      'Without --with-secrets it leaves out .env, service.env, credentials/ and *.secret.md, names them, and writes ${NAME} for each secret of a configuration.',
    ],
    examples: ['viber backup viber-2026-11-22.tgz', 'viber backup --with-secrets /mnt/safe/viber.tgz'],
    load: () => import('./backup/backup.ts'),
  },
  restore: {
    about: 'restore the home from a backup',
    takes: 'FILE',
    options: { replace: { about: 'move an existing home aside' } },
    json: true,
    notes: [
      'Stop the gateway first. The home is replaced as a whole or not at all; names that cannot be restored are left out and listed.',
      'If it is cut off, the next command finishes it or says what to do.',
    ],
    examples: ['viber restore viber-2026-11-22.tgz', 'viber restore --home /var/lib/viber --replace viber.tgz'],
    exits: { 3: 'a gateway runs on this home' },
    load: () => import('./backup/restore.ts'),
  },
  update: {
    about: 'update the program; the home is not touched',
    options: {
      check: { about: 'in a checkout: show what is new, change nothing' },
      yes: { about: 'run the npm command (a checkout does not ask)' },
    },
    notes: [
      'In a checkout: pulls (forward only), then npm ci and npm run build. For a package: prints the npm command.',
    ],
    examples: ['viber update', 'viber update --check'],
    load: () => import('./update.ts'),
  },
  import: FEATURE_COMMANDS.import,
  board: {
    about: 'open the Board of the running gateway in your browser',
    verbs: BOARD_VERBS,
    usual: 'open',
    options: { 'no-open': { about: 'print the link, open no browser' } },
    json: true,
    notes: ['The link works on this machine. From another, run ssh -L 6009:127.0.0.1:6009 MACHINE and open it there.'],
    examples: ['viber board', 'viber board --no-open', 'viber board sessions', 'viber board revoke 0a1b2c3d'],
    exits: { 1: 'no gateway runs on this home, or the login does not exist' },
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
