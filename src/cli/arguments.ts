/** Parses the command line against the table of commands; each error says what was probably meant. */
import { parseArgs } from 'node:util';
import { UserError } from '../errors.ts';
import { commandForAnyone } from '../lib/invocation.ts';
import { nearest } from '../lib/nearest.ts';
import { say, type Wording } from '../messages/messages.ts';
import type { CliCommand, CliOption } from '../runtime/contract/cli.ts';
import { flag, formsOf } from './help.ts';
import { CLI_COMMANDS, COMMON_OPTIONS, JSON_OPTION } from './table.ts';

export type Request =
  | { kind: 'version' }
  | { kind: 'help'; command?: string }
  | {
      kind: 'command';
      name: string;
      command: CliCommand;
      args: string[];
      values: Record<string, string>;
      switches: Set<string>;
    };

type Options = Readonly<Record<string, CliOption>>;

export const commandOptions = ({ options, json }: CliCommand): Options => ({
  ...options,
  ...(json ? { json: JSON_OPTION } : {}),
  ...COMMON_OPTIONS,
});

/**
 * An option takes a value in every command or in none; otherwise a value before the command's name would be ambiguous.
 */
const EVERY: Options = Object.assign({}, ...Object.values(CLI_COMMANDS).map(commandOptions));

/**
 * Parses `argv`; no arguments mean `start`.
 * @throws {UserError} for an unknown command or option, or a wrong number of arguments
 */
export function parseCommandLine(argv: readonly string[]): Request {
  const { tokens } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: {
      ...Object.fromEntries(
        Object.entries(EVERY).map(([name, { takes }]) => [
          name,
          { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const [name = 'start', ...args] = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const given = tokens.filter((token) => token.kind === 'option');
  if (given.some((option) => option.name === 'version')) return { kind: 'version' };
  const isHelp = given.some((option) => option.name === 'help');
  if (name === 'help') return { kind: 'help', ...(args[0] === undefined ? {} : { command: commandNamed(args[0]) }) };
  // Checked before the command's name: `viber --help` has none.
  if (isHelp && tokens.every((token) => token.kind !== 'positional')) return { kind: 'help' };
  const command = CLI_COMMANDS[commandNamed(name)] as CliCommand;
  if (isHelp) return { kind: 'help', command: name };
  const values: Record<string, string> = {};
  const switches = new Set<string>();
  for (const { name: option, rawName, value, inlineValue } of given) {
    const known = checkOption(option, rawName, name, command);
    if (known.takes === undefined) {
      if (value !== undefined) throw new UserError(say('cli.noValue', { option: rawName }));
      switches.add(option);
    } else if (value === undefined || value === '' || (!inlineValue && /^-./.test(value)))
      throw new UserError(say('cli.needsValue', { option: rawName, value: known.takes }));
    else values[option] = value;
  }
  const words = checkWords(name, command, args);
  for (const { name: option, rawName } of given) checkVerb(option, rawName, name, command, words[0]);
  checkRequired(name, command, words[0], values);
  return { kind: 'command', name, command, args: words, values, switches };
}

/** Command names that other programs use. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  log: 'logs',
  stop: 'service',
  restart: 'service',
  remove: 'uninstall',
  completions: 'completion',
  costs: 'usage',
  setup: 'init',
  configure: 'init',
  settings: 'config',
  set: 'config set',
  onboard: 'init',
  login: 'init',
  upgrade: 'update',
  ask: 'run',
  talk: 'chat',
  plan: 'tasks',
  link: 'pair',
  users: 'pair',
  health: 'doctor',
  check: 'doctor',
};

/** @throws {UserError} for an unknown command */
function commandNamed(name: string): string {
  if (Object.hasOwn(CLI_COMMANDS, name)) return name;
  const names = Object.keys(CLI_COMMANDS);
  const guess = (Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined) ?? nearest(name, names);
  const hint =
    guess === undefined
      ? say('cli.commandsAre', { names: names.join(', ') })
      : say('cli.didYouMean', { guess: commandForAnyone(guess) });
  throw new UserError(say('cli.unknownCommand', { name, hint, help: commandForAnyone('--help') }));
}

function checkOption(option: string, rawName: string, name: string, command: CliCommand): CliOption {
  const options = commandOptions(command);
  const known = Object.hasOwn(options, option) ? options[option] : undefined;
  if (known) return known;
  const guess = nearest(option, Object.keys(options));
  const hint =
    guess === undefined
      ? say('cli.optionsListed', { command: commandForAnyone(name) })
      : say('cli.didYouMean', { guess: `--${guess}` });
  const isOpen = JSON.stringify(command.verbs ?? command.takes ?? '').includes('...');
  const said = say('cli.unknownOption', { command: commandForAnyone(name), option: rawName, hint });
  throw new UserError(isOpen ? say('cli.dashes', { said }) : said);
}

/** @throws {UserError} if the option belongs to other verbs */
function checkVerb(option: string, rawName: string, name: string, { verbs = {} }: CliCommand, verb?: string): void {
  const owners = Object.keys(verbs).filter((each) => verbs[each]?.options?.includes(option));
  if (owners.length === 0 || verb === undefined || owners.includes(verb)) return;
  const forms = owners.map((owner) => commandForAnyone(`${name} ${owner}`)).join(', ');
  throw new UserError(say('cli.otherVerb', { command: commandForAnyone(`${name} ${verb}`), option: rawName, forms }));
}

/** @throws {UserError} if an option is missing that the verb needs */
function checkRequired(name: string, command: CliCommand, verb = '', values: Readonly<Record<string, string>>): void {
  const missing = command.verbs?.[verb]?.required?.filter((option) => values[option] === undefined) ?? [];
  if (missing.length === 0) return;
  const what = missing.map((option) => flag([option, command.options?.[option] ?? { about: '' }])).join(', ');
  throw new UserError(
    usage(say('cli.missingWord', { command: commandForAnyone(`${name} ${verb}`), what }), name, command, verb),
  );
}

function checkWords(name: string, command: CliCommand, args: string[]): string[] {
  const { verbs, usual, otherwise, inChats } = command;
  if (!verbs) return checkCount(name, command, command.takes, args);
  const [verb = usual, ...rest] = args;
  const known = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (verb === undefined || !known) {
    const guess = verb === undefined ? undefined : nearest(verb, Object.keys(verbs));
    if (verb !== undefined && guess === undefined && otherwise !== undefined && !inChats?.test(verb))
      return [otherwise, ...checkCount(`${name} ${otherwise}`, command, verbs[otherwise]?.takes, args)];
    const what =
      verb === undefined
        ? say('cli.whichVerb', { command: commandForAnyone(name) })
        : say('cli.unknownVerb', { command: commandForAnyone(name), verb });
    const hint = guess === undefined ? undefined : say('cli.didYouMean', { guess });
    throw new UserError(hint ? say('cli.hinted', { what, hint }) : usage(what, name, command));
  }
  return [verb, ...checkCount(`${name} ${verb}`, command, known.takes, rest)];
}

/** @throws {UserError} for more or fewer words than `takes` allows */
function checkCount(name: string, command: CliCommand, takes: string | undefined, args: string[]): string[] {
  const words = takes?.split(' ') ?? [];
  const filled = args.filter((word) => word.trim() !== '');
  const missing = words.filter((word) => !word.startsWith('['))[filled.length];
  const [top = '', verb] = name.split(' ');
  if (missing !== undefined)
    throw new UserError(
      usage(
        say('cli.missingWord', { command: commandForAnyone(name), what: missing.replace('...', '') }),
        top,
        command,
        verb,
      ),
    );
  const isOpen = /\.\.\.\]?$/.test(words.at(-1) ?? '');
  if (!isOpen && args.length > words.length)
    throw new UserError(
      usage(
        say('cli.oneTooMany', { word: args[words.length] ?? '', command: commandForAnyone(name) }),
        top,
        command,
        verb,
      ),
    );
  return args;
}

/** @param verb shows only its form */
const usage = (what: Wording, name: string, command: CliCommand, verb?: string): Wording =>
  say('cli.usage', {
    what,
    forms: formsOf(name, command)
      .filter(({ verb: own }) => verb === undefined || own === verb)
      .map(({ form }) => `  ${form}`)
      .join('\n'),
  });
