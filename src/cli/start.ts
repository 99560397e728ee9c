/** `viber start`: the gateway, until a signal or the end of piped input. */
import { loadConfig, terminalEnabled } from '../config.ts';
import { errorCode } from '../errors.ts';
import { createLog } from '../log.ts';
import { type CliContext, EXIT } from './command.ts';

/** A second signal, or this long after the first, ends the process at once. */
const HARD_STOP_MS = 25_000;

export async function run({ config: file, home, env }: CliContext): Promise<number> {
  const { config, source, warnings } = await loadConfig({ file, home, env });
  const onTerminal = process.stdout.isTTY === true;
  // On a terminal that is being talked on, only what needs attention stands between the lines of the conversation.
  const quiet = onTerminal && terminalEnabled(config) && config.log.level === 'info';
  const log = createLog({ level: quiet ? 'warn' : config.log.level, pretty: onTerminal });
  for (const warning of warnings) log.warn({ source }, warning);
  // Whoever read our output may go away; the messages in hand matter more than the lines about them.
  process.stdout.on('error', (error) => {
    if (errorCode(error) !== 'EPIPE') throw error;
  });
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));

  const done = Promise.withResolvers<void>();
  let asked = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      asked++;
      if (asked > 1) process.exit(EXIT.failed);
      log.info({ signal }, 'stopping');
      setTimeout(() => process.exit(EXIT.failed), HARD_STOP_MS).unref();
      done.resolve();
    });
  }
  const { startApp } = await import('../app.ts');
  const app = await startApp({ config, homeRoot: home, log, env, terminal: true, onEnd: () => done.resolve() });
  try {
    await Promise.race([done.promise, app.connected.then(() => done.promise)]);
  } finally {
    await app.stop();
  }
  // Sockets of SDKs may still be closing; everything of ours is on disk.
  setTimeout(() => process.exit(EXIT.ok), 500).unref();
  return EXIT.ok;
}
