/** The table of all `viber` commands. A command's code is loaded only when it runs. */

import { channelKinds, exampleOf } from '../channels/index.ts';
import { FEATURES } from '../features.ts';
import { say } from '../messages/messages.ts';
import { type CliCommand, type CliOption, OTHER_VIBER } from '../runtime/contract/cli.ts';
import { LOG_LEVELS } from './levels.ts';

export const COMMON_OPTIONS: Readonly<Record<string, CliOption>> = {
  config: { takes: 'FILE', about: say('commandLine.everyConfig') },
  home: { takes: 'DIR', about: say('commandLine.everyHome') },
  help: { about: say('commandLine.everyHelp') },
};
export const JSON_OPTION: CliOption = { about: say('commandLine.everyJson') };

const TOKEN = channelKinds()[0]?.setup?.tokens[0]?.option ?? '';
const VARIABLE = Object.values(channelKinds()[0]?.variables ?? {})[0] ?? '';

const PAIR_VERBS = {
  list: { about: say('commandLine.pairList') },
  approve: { takes: 'CODE [ROLE]', about: say('commandLine.pairApprove') },
  deny: { takes: 'CODE', about: say('commandLine.pairDeny') },
};

const CONFIG_VERBS = {
  get: { takes: '[PATH]', about: say('commandLine.configGet') },
  set: { takes: 'PATH [VALUE...]', about: say('commandLine.configSet') },
  unset: { takes: 'PATH', about: say('commandLine.configUnset') },
  check: { about: say('commandLine.configCheck') },
};

const SERVICE_VERBS = {
  install: { about: say('commandLine.serviceInstall') },
  uninstall: { about: say('commandLine.serviceUninstall') },
  status: { about: say('commandLine.serviceStatus') },
  logs: { about: say('commandLine.serviceLogs') },
};

const COMPLETION_VERBS = {
  bash: { about: say('commandLine.completionBash') },
  zsh: { about: say('commandLine.completionZsh') },
  fish: { about: say('commandLine.completionFish') },
};

const INIT_OPTIONS: Readonly<Record<string, CliOption>> = {
  model: { takes: 'PROVIDER/MODEL', about: say('commandLine.initModel') },
  'model-key-env': { takes: 'NAME', about: say('commandLine.initModelKeyEnv') },
  'base-url': { takes: 'URL', about: say('commandLine.initBaseUrl') },
  ...Object.fromEntries(
    channelKinds()
      .flatMap(({ setup }) => setup?.tokens ?? [])
      .map(({ option, about }) => [option, { takes: 'NAME', about }]),
  ),
  owner: { takes: 'ID', about: say('commandLine.initOwner', { account: exampleOf('account') }) },
  yes: { about: say('commandLine.initYes') },
};

export const CLI_COMMANDS: Readonly<Record<string, CliCommand>> = {
  start: {
    about: say('commandLine.start'),
    notes: [say('commandLine.startNote1'), say('commandLine.startNote2')],
    examples: ['viber start', 'viber start --config /etc/viber/config.yaml --home /var/lib/viber'],
    load: () => import('./start.ts'),
  },
  chat: {
    about: say('commandLine.chat'),
    options: { viber: OTHER_VIBER },
    notes: [say('commandLine.chatNote1'), say('commandLine.chatNote2')],
    examples: ['viber chat', 'viber chat --viber dev', 'echo "what is due today?" | viber chat'],
    exits: { 1: say('commandLine.chatExit1') },
    load: () => import('./chat.ts'),
  },
  run: {
    about: say('commandLine.run'),
    takes: 'GOAL...',
    options: {
      viber: OTHER_VIBER,
      plan: { takes: 'FILE', about: say('commandLine.runPlan') },
      memory: { takes: 'FILE', about: say('commandLine.runMemory') },
    },
    json: true,
    notes: [say('commandLine.runNote1'), say('commandLine.runNote2')],
    examples: ['viber run "summarise notes.md"', 'viber run --json "write a file list.txt: tea" | jq -r .text'],
    exits: { 1: say('commandLine.runExit1') },
    load: () => import('./run.ts'),
  },
  init: {
    about: say('commandLine.init'),
    options: INIT_OPTIONS,
    json: true,
    notes: [say('commandLine.initNote1'), say('commandLine.initNote2')],
    examples: ['viber init', `viber init --model ollama/llama3 --${TOKEN} ${VARIABLE} --yes`],
    exits: { 1: say('commandLine.initExit1'), 2: say('commandLine.initExit2') },
    load: () => import('./init.ts'),
  },
  config: {
    about: say('commandLine.config'),
    verbs: CONFIG_VERBS,
    json: true,
    notes: [say('commandLine.configNote1')],
    examples: ['viber config set http.port 7000', 'viber config set search.apiKey < key.txt'],
    exits: { 2: say('commandLine.configExit2') },
    takesHome: 'older',
    load: () => import('./config.ts'),
  },
  doctor: {
    about: say('commandLine.doctor'),
    json: true,
    notes: [say('commandLine.doctorNote1')],
    examples: ['viber doctor', 'viber doctor --json'],
    exits: { 1: say('commandLine.doctorExit1'), 2: say('commandLine.doctorExit2') },
    takesHome: 'older',
    load: () => import('./doctor/doctor.ts'),
  },
  status: {
    about: say('commandLine.status'),
    json: true,
    examples: ['viber status', 'viber status --json'],
    exits: { 1: say('commandLine.statusExit1') },
    takesHome: 'older',
    load: () => import('./status.ts'),
  },
  queue: {
    about: say('commandLine.queue'),
    json: true,
    examples: ['viber queue'],
    takesHome: 'older',
    load: () => import('./queue.ts'),
  },
  trace: {
    about: say('commandLine.trace'),
    takes: '[ID]',
    json: true,
    notes: [say('commandLine.traceNote1')],
    examples: ['viber trace', 'viber trace 0123456789ab'],
    takesHome: 'older',
    load: () => import('./trace/trace.ts'),
  },
  tasks: {
    about: say('commandLine.tasks'),
    json: true,
    notes: [say('commandLine.tasksNote1')],
    examples: ['viber tasks', 'viber tasks --json'],
    takesHome: 'older',
    load: () => import('./tasks.ts'),
  },
  ...Object.assign({}, ...FEATURES.map(({ cli }) => cli)),
  service: {
    about: say('commandLine.service'),
    verbs: SERVICE_VERBS,
    usual: 'status',
    options: {
      print: { about: say('commandLine.servicePrint') },
      'with-environment': { about: say('commandLine.serviceWithEnvironment') },
      follow: { about: say('commandLine.serviceFollow') },
    },
    notes: [say('commandLine.serviceNote1'), say('commandLine.serviceNote2')],
    examples: ['viber service install', 'viber service logs --follow', 'viber service install --print'],
    exits: { 1: say('commandLine.serviceExit1') },
    takesHome: 'older',
    load: () => import('./service/service.ts'),
  },
  logs: {
    about: say('commandLine.logs'),
    options: {
      follow: { about: say('commandLine.logsFollow') },
      level: { takes: 'LEVEL', about: say('commandLine.logsLevel', { levels: LOG_LEVELS.join(', ') }) },
      lines: { takes: 'N', about: say('commandLine.logsLines') },
    },
    json: true,
    notes: [say('commandLine.logsNote1')],
    examples: ['viber logs --follow', 'viber logs --level warn --lines 20'],
    exits: { 1: say('commandLine.logsExit1') },
    takesHome: 'older',
    load: () => import('./logs.ts'),
  },
  backup: {
    about: say('commandLine.backup'),
    takes: 'FILE',
    options: { 'with-secrets': { about: say('commandLine.backupWithSecrets') } },
    json: true,
    notes: [
      say('commandLine.backupNote1'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text in the configuration
      say('commandLine.backupNote2', { reference: '${NAME}' }),
    ],
    examples: ['viber backup viber-2026-11-22.tgz', 'viber backup --with-secrets /mnt/safe/viber.tgz'],
    takesHome: 'older',
    load: () => import('./backup/backup.ts'),
  },
  restore: {
    about: say('commandLine.restore'),
    takes: 'FILE',
    options: { replace: { about: say('commandLine.restoreReplace') } },
    json: true,
    notes: [say('commandLine.restoreNote1'), say('commandLine.restoreNote2')],
    examples: ['viber restore viber-2026-11-22.tgz', 'viber restore --home /var/lib/viber --replace viber.tgz'],
    exits: { 3: say('commandLine.restoreExit3') },
    takesHome: 'any',
    load: () => import('./backup/restore.ts'),
  },
  update: {
    about: say('commandLine.update'),
    options: {
      check: { about: say('commandLine.updateCheck') },
      yes: { about: say('commandLine.updateYes') },
    },
    notes: [say('commandLine.updateNote1')],
    examples: ['viber update', 'viber update --check'],
    takesHome: 'any',
    load: () => import('./update.ts'),
  },
  uninstall: {
    about: say('commandLine.uninstall'),
    options: {
      service: { about: say('commandLine.uninstallService') },
      'delete-home': { about: say('commandLine.uninstallHome') },
      program: { about: say('commandLine.uninstallProgram') },
      yes: { about: say('commandLine.uninstallYes') },
    },
    json: true,
    notes: [say('commandLine.uninstallNote1')],
    examples: ['viber uninstall', 'viber uninstall --service --delete-home'],
    exits: { 1: say('commandLine.uninstallExit1'), 3: say('commandLine.restoreExit3') },
    takesHome: 'any',
    load: () => import('./uninstall.ts'),
  },
  version: {
    about: say('commandLine.showVersion'),
    json: true,
    examples: ['viber version'],
    takesHome: 'any',
    load: () => import('./version-command.ts'),
  },
  completion: {
    about: say('commandLine.completion'),
    verbs: COMPLETION_VERBS,
    notes: [say('commandLine.completionNote1')],
    examples: ['viber completion bash'],
    takesHome: 'any',
    load: () => import('./completion/completion.ts'),
  },
  pair: {
    about: say('commandLine.pair'),
    verbs: PAIR_VERBS,
    usual: 'list',
    json: true,
    examples: ['viber pair', 'viber pair approve ABCD2345'],
    load: () => import('./pair.ts'),
  },
};
