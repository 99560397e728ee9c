/** The command line: what was asked for is looked up in the table of `table.ts`, loaded and run. */
import { withEnvFile } from '../config/env-file.ts';
import { useTimezone } from '../config/timezone-variable.ts';
import { ConfigError, errorCode, errorMessage, LockedError, outOfHandles, UserError } from '../errors.ts';
import { damageText, listenForDamage } from '../lib/damage.ts';
import { parseCommandLine } from './arguments.ts';
import { type CliContext, EXIT } from './command.ts';
import { helpOf, overview } from './help.ts';
import { useProxy } from './proxy.ts';

export { CLI_COMMANDS } from './table.ts';

/** Runs one command and gives the exit code (docs/commands.md). */
export async function runCli(argv: string[]): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  // Whoever read our output may have enough of it: what is at work matters more than the lines about it.
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
    // The gateway has a log for what it finds damaged; whoever runs a command reads it here.
    if (name !== 'start') listenForDamage(home, (damage) => complain(damageText(damage, home)));
    const { run } = await command.load();
    const env = withEnvFile(process.env, home);
    // The doctor says it among the rest.
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
    return await run(context);
  } catch (error) {
    return explain(error, complain);
  }
}

/** What went wrong, for whoever typed the command; the exit code it ends with. */
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
