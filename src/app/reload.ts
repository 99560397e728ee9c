/** Watches the configuration file while the gateway runs: what can be applied is, and the log names what can't. */
import path from 'node:path';
import { withEnvFile } from '../config/env-file.ts';
import { applyLive } from '../config/live.ts';
import { type Config, configOf } from '../config.ts';
import { ConfigError, problemSaid } from '../errors.ts';
import { type FolderWatch, watchFiles } from '../lib/watch-folders.ts';
import type { Logger } from '../log.ts';
import { messagesIn } from '../messages/messages.ts';

const MAX_BYTES = 256 * 1024;
/** Not during the start. */
const WATCH_AFTER_MS = 1_000;

interface ReloadOptions {
  /** The configuration in use, which is changed in place. */
  config: Config;
  file: string;
  home: string;
  log: Logger;
}

/** A file that is wrong changes nothing. */
export function watchConfig({ config, file, home, log }: ReloadOptions): FolderWatch {
  const [folder, name] = [path.dirname(path.resolve(file)), path.basename(file)];
  let last: string | undefined;
  const watch = watchFiles({
    roots: [folder],
    depth: 0,
    match: (each) => each === name,
    maxBytes: MAX_BYTES,
    maxFiles: 1,
    watchAfterMs: WATCH_AFTER_MS,
    async onSettled(files) {
      const text = files.get(folder)?.[0]?.text;
      const isFirst = last === undefined;
      if (text === undefined || text === '' || text === last) return;
      last = text;
      if (!isFirst) await apply(text);
    },
    onError: (error) => log.warn({ err: error }, 'the configuration file could not be watched'),
  });

  async function apply(text: string): Promise<void> {
    try {
      const next = await configOf(text, file, withEnvFile(process.env, home), { home });
      const { applied, waiting } = await applyLive(config, next.config);
      if (applied.length > 0) log.info({ settings: applied }, 'changed settings are in use');
      if (waiting.length > 0) log.warn({ settings: waiting }, 'changed settings apply after a restart');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const wrong = error.problems.map((problem) => messagesIn('en').said(problemSaid(problem)));
      log.error({ file, wrong }, 'the configuration is wrong, so the previous one stays in use');
    }
  }

  return watch;
}
