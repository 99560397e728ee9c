/** The command line: one table, one file a command. Each is imported only when it is asked for. */
import { parseArgs } from 'node:util';
import { ConfigError, errorMessage, LockedError, outOfHandles, UserError } from '../errors.ts';
import { damageText, listenForDamage } from '../lib/damage.ts';
import { type CliContext, EXIT } from './command.ts';

interface CliCommand {
  usage: string;
  about: string;
  takesViber?: true;
  load: () => Promise<{ run: (context: CliContext) => Promise<number> }>;
}

export const CLI_COMMANDS: Readonly<Record<string, CliCommand>> = {
  start: { usage: 'start', about: 'run the gateway', load: () => import('./start.ts') },
  chat: { usage: 'chat', about: 'talk to the viber here', load: () => import('./chat.ts') },
  run: { usage: 'run "GOAL"', about: 'one task, its answer on standard output', load: () => import('./run.ts') },
  init: { usage: 'init', about: 'create the home and a configuration file', load: () => import('./init.ts') },
  doctor: { usage: 'doctor', about: 'check configuration, home, tokens and model', load: () => import('./doctor.ts') },
  status: { usage: 'status', about: 'what the running gateway says of itself', load: () => import('./status.ts') },
  queue: { usage: 'queue', about: 'what waits, is in work, or was given up', load: () => import('./queue.ts') },
  trace: { usage: 'trace ID', about: 'what became of one message', load: () => import('./trace.ts') },
  jobs: {
    usage: 'jobs list | run NAME | when "PHRASE"',
    about: 'what is scheduled (also pause, resume, delete NAME)',
    load: () => import('./jobs.ts'),
  },
  memory: {
    usage: 'memory search QUERY | index',
    about: 'search what the viber remembers (--viber ID: another one)',
    takesViber: true,
    load: () => import('./memory.ts'),
  },
  skills: { usage: 'skills list', about: 'what it can use, and what is missing', load: () => import('./skills.ts') },
  pair: {
    usage: 'pair list | approve CODE | deny CODE',
    about: 'let people in',
    load: () => import('./pair.ts'),
  },
};

function usage(): string {
  const lines = Object.values(CLI_COMMANDS).map(({ usage: text, about }) => `  viber ${text.padEnd(38)} ${about}`);
  return `Usage: viber COMMAND [--config FILE] [--home DIR] [--json]\n\n${lines.join('\n')}\n`;
}

/** Runs one command and gives the exit code (docs/operations.md). */
export async function runCli(argv: string[]): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        home: { type: 'string' },
        json: { type: 'boolean', default: false },
        viber: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
      },
    });
    const [name = 'start', ...args] = positionals;
    if (values.help || name === 'help') {
      print(usage());
      return EXIT.ok;
    }
    const command = Object.hasOwn(CLI_COMMANDS, name) ? CLI_COMMANDS[name] : undefined;
    if (!command) {
      complain(`There is no command "${name}".\n\n${usage()}`);
      return EXIT.failed;
    }
    if (values.viber !== undefined && !command.takesViber) throw new UserError(`viber ${name} takes no --viber.`);
    const { locateHome } = await import('../workspace/home.ts');
    const home = locateHome({ env: process.env, ...(values.home === undefined ? {} : { override: values.home }) });
    // The gateway has a log for what it finds damaged; whoever runs a command reads it here.
    if (name !== 'start') listenForDamage(home, (damage) => complain(damageText(damage, home)));
    const { run } = await command.load();
    return await run({
      args,
      config: values.config,
      home,
      json: values.json,
      viber: values.viber,
      env: process.env,
      print,
    });
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const { path, message } of error.problems) complain(path ? `${path}: ${message}` : message);
      return EXIT.badConfig;
    }
    complain(
      error instanceof UserError || error instanceof LockedError ? error.message : `viber: ${errorMessage(error)}`,
    );
    if (outOfHandles(error))
      complain('Raise the limit of open files with ulimit -n, or LimitNOFILE in the service file.');
    return error instanceof LockedError ? EXIT.locked : EXIT.failed;
  }
}
