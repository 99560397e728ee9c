/** The command line: looks a command up in `table.ts`, loads it and runs it. */

import { ConfigError, errorCode, errorMessage, LockedError, outOfHandles, UserError } from '../errors.ts';
import { damageText, listenForDamage } from '../lib/damage.ts';
import { type Messages, messagesIn } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { parseCommandLine } from './arguments.ts';
import { withEnvFile } from './env-file.ts';
import { helpOf, overview } from './help.ts';
import { terminalLanguage } from './language.ts';
import { useProxy } from './proxy.ts';
import { servicesFor } from './services.ts';
import { useTimezone } from './timezone-variable.ts';

export { CLI_COMMANDS } from './table.ts';

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
  const spoken = () =>
    messagesIn(argv.includes('--json') ? 'en' : terminalLanguage(withEnvFile(process.env, home), home, config));
  try {
    const { locateHome } = await import('../workspace/home.ts');
    home = locateHome({ env: process.env });
    const request = parseCommandLine(argv);
    if (request.kind === 'help') {
      print(request.command === undefined ? overview(spoken()) : helpOf(request.command, spoken()));
      return EXIT.ok;
    }
    if (request.kind === 'version') {
      const { versionOf } = await import('./version.ts');
      print(`viber ${versionOf()} (Node ${process.versions.node})`);
      return EXIT.ok;
    }
    const { name, command, args, values, switches } = request;
    if (values.home !== undefined) home = locateHome({ env: process.env, override: values.home });
    config = values.config;
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
    return await run(context, servicesFor(context));
  } catch (error) {
    if (!(error instanceof LockedError)) return explain(error, spoken(), complain);
    complain(error.message);
    const { waysToEnd } = await import('./running.ts');
    for (const line of await waysToEnd({ home, config, env: withEnvFile(process.env, home) }))
      complain(spoken().said(line));
    return EXIT.locked;
  }
}

/** Prints the error and returns the exit code. */
function explain(error: unknown, messages: Messages, complain: (line: string) => void): number {
  if (error instanceof ConfigError) {
    for (const { path, message, said } of error.problems) {
      const what = messages.said(said ?? message);
      complain(path ? `${path}: ${what}` : what);
    }
    const { file } = error;
    // A problem without a setting names the file itself.
    if (file !== undefined && error.problems.some(({ path }) => path !== '' && path !== 'TZ'))
      complain(messages.text('cli.inFile', { file }));
    return EXIT.badConfig;
  }
  if (error instanceof UserError) complain(messages.said(error.said));
  else complain(`viber: ${errorMessage(error)}`);
  if (outOfHandles(error)) complain(messages.text('cli.handles'));
  return EXIT.failed;
}
