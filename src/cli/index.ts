/** The command line: looks a command up in `table.ts`, loads it and runs it. */

import { withEnvFile } from '../config/env-file.ts';
import { ConfigError, errorCode, errorMessage, LockedError, outOfHandles, problemSaid, UserError } from '../errors.ts';
import { damageText, listenForDamage } from '../lib/damage.ts';
import { type Messages, messagesIn } from '../messages/messages.ts';
import { type CliContext, type CliTable, EXIT } from '../runtime/contract/cli.ts';
import { commandOptions, parseCommandLine } from './arguments.ts';
import { helpOf, overview, VERSION } from './help.ts';
import { settleFormat } from './home-format.ts';
import { terminalLanguage } from './language.ts';
import { useProxy } from './proxy.ts';
import { servicesFor } from './services.ts';
import { CLI_COMMANDS, COMMON_OPTIONS } from './table.ts';
import { useTimezone } from './timezone-variable.ts';
import { terminalWidth } from './wrap.ts';

export { CLI_COMMANDS } from './table.ts';

const TABLE: CliTable = {
  commands: CLI_COMMANDS,
  common: { ...COMMON_OPTIONS, [VERSION[0]]: VERSION[1] },
  optionsOf: commandOptions,
};

/** Runs one command and returns its exit code (docs/commands.md). */
export async function runCli(argv: string[]): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  // The reader of our output may close it; the work must finish regardless.
  process.stdout.on('error', (error) => {
    if (errorCode(error) !== 'EPIPE') throw error;
  });
  let home = '';
  let config: string | undefined;
  const spoken = () => messagesIn(argv.includes('--json') ? 'en' : terminalLanguage(readableEnv(home), home, config));
  try {
    const { locateHome } = await import('../workspace/home.ts');
    home = locateHome({ env: process.env });
    const request = parseCommandLine(argv);
    if (request.kind === 'help') {
      const width = terminalWidth(process.stdout, process.env);
      print(request.command === undefined ? overview(spoken(), width) : helpOf(request.command, spoken(), width));
      return EXIT.ok;
    }
    if (request.kind === 'version') {
      print((await import('./version-command.ts')).versionLine());
      return EXIT.ok;
    }
    const { name, command, args, values, switches } = request;
    if (values.home !== undefined) home = locateHome({ env: process.env, override: values.home });
    config = values.config;
    if (command.takesHome !== 'any') {
      const { settleRestoring } = await import('./backup/restoring.ts');
      await settleRestoring(home);
    }
    // `viber start` logs damaged files; every other command prints them.
    if (name !== 'start') listenForDamage(home, (damage) => complain(damageText(damage, home)));
    const migrated = await settleFormat(home, command);
    if (migrated !== undefined) complain(spoken().said(migrated));
    const { run } = await command.load();
    const env = withEnvFile(process.env, home);
    // The doctor reports it as a finding.
    if (name !== 'doctor') useTimezone(env);
    const unused = await useProxy(env);
    if (unused !== undefined) complain(spoken().said(unused));
    const context: CliContext = {
      args,
      config,
      home,
      json: switches.has('json'),
      values,
      switches,
      env,
      get messages() {
        return spoken();
      },
      print,
    };
    return await run(context, servicesFor(context, TABLE));
  } catch (error) {
    if (!(error instanceof LockedError)) return explain(error, home, spoken(), complain);
    const { heldBy, waysToEnd } = await import('./running.ts');
    const at = { home, config, env: withEnvFile(process.env, home) };
    if (error.file === undefined) complain(error.message);
    const lines = error.file === undefined ? await waysToEnd(at) : [await heldBy(error.file, at)];
    for (const line of lines) complain(spoken().said(line));
    return EXIT.locked;
  }
}

/** Returns the environment without the home's `.env` if that can't be read, which the command itself reports. */
function readableEnv(home: string): NodeJS.ProcessEnv {
  try {
    return withEnvFile(process.env, home);
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
    return process.env;
  }
}

/** Returns the file of the home that the system doesn't let this user open. */
function refusedFile(error: unknown, home: string): string | undefined {
  if (!(error instanceof Error) || !['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return undefined;
  const { path } = error as NodeJS.ErrnoException;
  return path !== undefined && `${path}/`.startsWith(`${home}/`) ? path : undefined;
}

function explain(error: unknown, home: string, messages: Messages, complain: (line: string) => void): number {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) complain(messages.said(problemSaid(problem)));
    const { file } = error;
    // A problem without a setting names the file itself.
    if (file !== undefined && error.problems.some(({ path }) => path !== '' && path !== 'TZ'))
      complain(messages.text('cli.inFile', { file }));
    return EXIT.badConfig;
  }
  const file = refusedFile(error, home);
  if (error instanceof UserError) complain(messages.said(error.said));
  else if (file !== undefined) complain(messages.text('cli.foreignFile', { file }));
  else complain(`viber: ${errorMessage(error)}`);
  if (outOfHandles(error)) complain(messages.text('cli.handles'));
  return EXIT.failed;
}
