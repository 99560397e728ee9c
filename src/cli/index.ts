/** The command line: looks a command up in `table.ts`, loads it and runs it. */
import { withEnvFile } from '../config/env-file.ts';
import { useTimezone } from '../config/timezone-variable.ts';
import { ConfigError, errorCode, errorMessage, LockedError, outOfHandles, UserError } from '../errors.ts';
import { damageText, listenForDamage } from '../lib/damage.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { parseCommandLine } from './arguments.ts';
import { helpOf, overview } from './help.ts';
import { useProxy } from './proxy.ts';
import { servicesFor } from './services.ts';

export { CLI_COMMANDS } from './table.ts';

/** Runs one command and returns its exit code (docs/commands.md). */
export async function runCli(argv: string[]): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  // The reader of our output may close it; the work must finish regardless.
  process.stdout.on('error', (error) => {
    if (errorCode(error) !== 'EPIPE') throw error;
  });
  try {
    const request = parseCommandLine(argv);
    if (request.kind === 'help') {
      print(request.command === undefined ? overview() : helpOf(request.command));
      return EXIT.ok;
    }
    if (request.kind === 'version') {
      const { versionOf } = await import('./version.ts');
      print(`viber ${versionOf()} (Node ${process.versions.node})`);
      return EXIT.ok;
    }
    const { name, command, args, values, switches } = request;
    const { locateHome } = await import('../workspace/home.ts');
    const home = locateHome({ env: process.env, ...(values.home === undefined ? {} : { override: values.home }) });
    if (name !== 'restore') {
      const { settleRestoring } = await import('./backup/restoring.ts');
      await settleRestoring(home);
    }
    // `viber start` logs damaged files; every other command prints them.
    if (name !== 'start') listenForDamage(home, (damage) => complain(damageText(damage, home)));
    const { run } = await command.load();
    const env = withEnvFile(process.env, home);
    // The doctor reports it as a finding.
    if (name !== 'doctor') useTimezone(env);
    const unused = await useProxy(env);
    if (unused !== undefined) complain(unused);
    const context: CliContext = {
      args,
      config: values.config,
      home,
      json: switches.has('json'),
      values,
      switches,
      env,
      print,
    };
    return await run(context, servicesFor(context));
  } catch (error) {
    return explain(error, complain);
  }
}

/** Prints the error and returns the exit code. */
function explain(error: unknown, complain: (line: string) => void): number {
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
